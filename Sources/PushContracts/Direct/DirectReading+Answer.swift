import PushPayload
import WireJSON

extension DirectReading {
  /// Writes the notification: the members that every contract shares, then the contract's own below its name.
  func writeNotification(_ name: JSONFragment, into writer: inout JSONWriter, _ hooks: DirectHooks) {
    writer.beginObject()
    let labels = program.memberLabels
    forEachMember(below: program.localized.lowerBound) { index, value in
      guard index == program.silent else {
        // There is a label for each member.
        return unsafe write(value, labels[unchecked: index].pointee, into: &writer, hooks)
      }
      if isTrue(value) { writeSilent(into: &writer) }
    }
    if hasLocalized {
      for (part, index) in program.localized.enumerated() {
        writeLocalized(program.localized.upperBound + part * 2, labels[index], into: &writer)
      }
    }
    if endsSilent { writeSilent(into: &writer) }
    writer.fragment(name)
    writer.beginObject()
    let rows = program.rows
    // What is filled is a row of the plan.
    forEachRow { unsafe write($1, rows[unchecked: $0].pointee.label, into: &writer, hooks) }
    hooks.own(self, &writer)
    writer.endObject()
    writer.endObject()
  }

  private func writeSilent(into writer: inout JSONWriter) {
    writer.fragment(DirectAnswer.silent)
  }

  private func isTrue(_ value: DirectValue) -> Bool {
    value.form == .own || document.bool(value.node) == true || document.int(value.node) == 1
  }

  /// Writes a localization key and, beside it, its arguments.
  private func writeLocalized(_ part: Int, _ label: JSONFragment, into writer: inout JSONWriter) {
    let locKey = member(part)
    guard locKey.isThere else { return }
    writer.fragment(label)
    writer.beginObject()
    write(locKey, DirectAnswer.key, into: &writer)
    write(member(part + 1), DirectAnswer.args, into: &writer)
    writer.endObject()
  }

  @inline(__always)
  private func write(
    _ value: DirectValue, _ label: JSONFragment, into writer: inout JSONWriter, _ hooks: DirectHooks
  ) {
    if value.form == .string { return writer.member(label, value.node, of: document) }
    guard value.form == .own else { return write(value, label, into: &writer) }
    writer.fragment(label)
    hooks.value(self, value, &writer)
  }

  /// Writes a value under its label, and nothing where there is none.
  private func write(_ value: DirectValue, _ label: JSONFragment, into writer: inout JSONWriter) {
    switch value.form {
    case .absent, .hidden, .own: return
    case .string, .number, .boolean, .strings, .object, .stringOrObject, .color:
      writer.member(label, value.node, of: document)
    case .integer, .seconds:
      writer.fragment(label)
      writer.int(document.int(value.node) ?? 0)
    case .fewDigits, .digits:
      writer.fragment(label)
      writer.int(document.digits(value.node, max: DirectForm.digitsMax) ?? 0)
    case .flagText:
      writer.fragment(label)
      writer.bool(document.isString(value.node, "true"))
    case .flag:
      writer.fragment(label)
      writer.bool(isTrue(value))
    case .secondsText:
      writer.fragment(label)
      writer.int(document.wholeSeconds(value.node) ?? 0)
    case .objectText, .stringsText:
      writer.member(label, value.node, of: texts[Int(value.detail)])
    case .rest:
      writer.fragment(label)
      writeRest(value, into: &writer)
    }
  }

  /// The members of an object that have no row: those of the APNs payload beside its keys, or of the data.
  private func writeRest(_ rest: DirectValue, into writer: inout JSONWriter) {
    let keys = program.restKeys[Int(rest.detail)]
    writer.beginObject()
    var cursor = document.cursor(rest.node)
    while let (name, value) = document.nextMember(&cursor) {
      if document.index(of: name, in: keys) == nil { writer.member(name, value, of: document) }
    }
    writer.endObject()
  }
}

/// What is the same in many answers.
enum DirectAnswer {
  static let silent = JSONFragment(Array(#""silent":true,"#.utf8))
  static let notification = JSONFragment("notification")
  static let report = JSONFragment(Array(#""report":["#.utf8))
  static let askedFor = JSONFragment(Array(#""asked for","#.utf8))
  static let key = JSONFragment("key")
  static let args = JSONFragment("args")
}
