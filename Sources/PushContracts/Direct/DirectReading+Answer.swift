import PushPayload
import WireJSON

extension DirectReading {
  /// Writes the notification: the members that every contract shares, then the contract's own.
  func writeNotification(
    _ name: JSONKey, into writer: inout JSONWriter, _ hooks: DirectHooks
  ) {
    writer.beginObject()
    for index in 0..<DirectPlan.localized.lowerBound {
      let value = member(index)
      guard value.isThere else { continue }
      guard index == DirectPlan.silent else {
        write(value, plan.memberKeys[index], into: &writer, hooks)
        continue
      }
      if isTrue(value) { writeSilent(into: &writer) }
    }
    for (part, index) in DirectPlan.localized.enumerated() {
      writeLocalized(DirectPlan.localized.upperBound + part * 2, plan.memberKeys[index], into: &writer)
    }
    if endsSilent { writeSilent(into: &writer) }
    writer.key(name)
    writer.beginObject()
    forEachRow { write($1, plan.rows[$0].key, into: &writer, hooks) }
    hooks.own(self, &writer)
    writer.endObject()
    writer.endObject()
  }

  private func writeSilent(into writer: inout JSONWriter) {
    writer.key("silent")
    writer.bool(true)
  }

  private func isTrue(_ value: DirectValue) -> Bool {
    value.form == .own || document.bool(value.node) == true || document.int(value.node) == 1
  }

  /// Writes a localization key and, beside it, its arguments.
  private func writeLocalized(_ part: Int, _ key: JSONKey, into writer: inout JSONWriter) {
    let locKey = member(part)
    guard locKey.isThere else { return }
    writer.key(key)
    writer.beginObject()
    write(locKey, "key", into: &writer)
    write(member(part + 1), "args", into: &writer)
    writer.endObject()
  }

  private func write(_ value: DirectValue, _ key: JSONKey, into writer: inout JSONWriter, _ hooks: DirectHooks) {
    guard value.form == .own else { return write(value, key, into: &writer) }
    writer.key(key)
    hooks.value(self, value, &writer)
  }

  /// Writes a value under its key, and nothing where there is none.
  private func write(_ value: DirectValue, _ key: JSONKey, into writer: inout JSONWriter) {
    switch value.form {
    case .absent, .hidden, .own: return
    case .string, .number, .boolean, .strings, .object, .stringOrObject:
      writer.key(key)
      writer.value(value.node, of: document)
    case .integer, .seconds:
      writer.key(key)
      writer.int(document.int(value.node) ?? 0)
    case .flag:
      writer.key(key)
      writer.bool(isTrue(value))
    case .secondsText:
      writer.key(key)
      writer.int(document.wholeSeconds(value.node) ?? 0)
    case .objectText, .stringsText:
      writer.key(key)
      writer.value(value.node, of: texts[Int(value.detail)])
    case .rest:
      writer.key(key)
      writeRest(value, into: &writer)
    }
  }

  /// The members of an object that have no row: those of the APNs payload beside its keys, or of the data.
  private func writeRest(_ rest: DirectValue, into writer: inout JSONWriter) {
    let keys = plan.restKeys[Int(rest.detail)]
    writer.beginObject()
    var cursor = document.cursor(rest.node)
    while let (name, value) = document.nextMember(&cursor) {
      if document.index(of: name, in: keys) == nil { writer.member(name, value, of: document) }
    }
    writer.endObject()
  }
}
