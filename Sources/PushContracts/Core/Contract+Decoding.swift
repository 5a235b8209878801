internal import Basics
public import PushPayload
public import WireJSON

extension Contract {
  /// Takes a message from its JSON form.
  ///
  /// Unknown members are reported and left out, mistyped ones are errors; `null` means absent. Whether required
  /// fields are there is checked by ``validate(_:context:report:)``.
  public func decode(_ json: JSONValue, report: inout Report) -> Message {
    var message = empty
    guard case .object(let members) = json else {
      report.add(
        rule: "message-not-object", severity: .error, field: "",
        message: "expected a message as a JSON object, found \(json.named)")
      return message
    }
    let findings = report.findings.count
    var isKnown = false
    // One bit for each row that has more than one name; a contract has fewer than 64 of them.
    var seen: UInt64 = 0
    var unknown = 0
    for (key, value) in members {
      guard let input = rows.input(key) else {
        unknown += 1
        // Of each a field with a similar name is looked for, so that they are named up to a limit.
        if unknown <= Self.unknownNamed {
          reportUnknown(key, &report)
        } else if DeliveryField.add(key, to: &report) {
          unknown -= 1
        }
        continue
      }
      if value.isNull && !input.takesNull { continue }
      isKnown = isKnown || !value.isNull
      if let bit = input.aliasBit {
        if seen & bit != 0 { reportTwice(key, input, members, &report) }
        seen |= bit
      }
      if let mismatch = input.take(&message, value) {
        let (field, text) = mismatch.sentence(FieldPath(members: key), value.named)
        report.add(rule: "field-type", severity: .error, field: field, message: text)
      }
    }
    if unknown > Self.unknownNamed {
      report.add(
        rule: "field-unknown", severity: .warning, field: "",
        message: "\(unknown - Self.unknownNamed) more members are no fields of \(name), so they are left out")
    }
    guard isKnown else {
      report.findings.removeSubrange(findings...)
      reportNothing(members, &report)
      return empty
    }
    guard report.findings.count > findings || members["message"] != nil,
      let advice = MistakenMessage.advice(members, for: name)
    else { return message }
    report.findings.removeSubrange(findings...)
    report.add(
      rule: "message-unrecognized", severity: .error, field: "", message: "this is not a message of \(name); \(advice)")
    return empty
  }

  #if !_pointerBitWidth(_32)
    /// Takes a message from a value of a document in which no object has a name twice into an empty one.
    ///
    /// One way of taking a message is enough in WebAssembly.
    ///
    /// - Parameter present: gets the rows that it may have a value for.
    /// - Returns: false when there is something to say of it, which ``decode(_:report:)`` does.
    func take(
      _ document: JSONDocument, _ root: JSONNode, into message: inout Message, present: inout RowSet
    ) -> Bool {
      guard document.kind(root) == .object else { return false }
      let inner = document.member(of: root, "message")
      if let inner, MistakenMessage.mayMatch(inner, in: document) { return false }
      // Without a text it may be another contract's message.
      var isSure = inner == nil
      var isKnown = false
      var seen: UInt64 = 0
      for (name, value) in document.members(of: root) {
        guard let index = document.index(of: name, in: rows.names) else { return false }
        if document.isNull(value) {
          if rows.inputs[index].takesNull { return false }
          continue
        }
        if let bit = rows.inputs[index].aliasBit {
          if seen & bit != 0 { return false }
          seen |= bit
        }
        isKnown = true
        present = present.union(rows.inputs[index].sets)
        isSure = isSure || rows.inputs[index].isText
        if let take = rows.inputs[index].takeNode {
          if !take(&message, document, value) { return false }
        } else if rows.inputs[index].take(&message, document.uniqueValue(value)) != nil {
          return false
        }
      }
      return isKnown && isSure
    }
  #endif

  private func reportTwice(
    _ key: String, _ input: MessageRows<Message>.Input, _ members: JSONObject, _ report: inout Report
  ) {
    let earlier = members.prefix { !$0.key.hasSameBytes(as: key) }.last { member in
      guard let other = rows.input(member.key), other.row == input.row else { return false }
      return !member.value.isNull || other.takesNull
    }
    guard let earlier else { return }
    report.add(
      rule: "field-twice", severity: .error, field: FieldPath(members: key),
      message: "\(earlier.key) and \(key) are two names of one field; keep one of them")
  }

  /// A document without one field of the contract is something else than a message of it; one without any value would
  /// arrive as an empty push.
  private func reportNothing(_ members: JSONObject, _ report: inout Report) {
    guard !members.contains(where: { rows.input($0.key) != nil }), !members.isEmpty else {
      return report.add(
        rule: "message-empty", severity: .error, field: "",
        message: "the message has no field, so an empty push would arrive; give it a text or data")
    }
    let shown = members.prefix(3).map { key, _ in
      key + (NearMiss.of(key, in: inputNames).map { " (did you mean \($0)?)" } ?? "")
    }
    let rest = members.count > 3 ? " and \(members.count - 3) more" : ""
    let advice = MistakenMessage.advice(members, for: name).map { "; \($0)" } ?? ""
    report.add(
      rule: "message-unrecognized", severity: .error, field: "",
      message: "\(name) has no field \(shown.joined(separator: ", "))\(rest)\(advice)")
  }

  /// The most unknown members of a message that are named one by one.
  static var unknownNamed: Int { 100 }

  private var inputNames: [String] { rows.names.keys.map { $0.name } }

  private func reportUnknown(_ key: String, _ report: inout Report) {
    if DeliveryField.add(key, of: name, to: &report) { return }
    if policy.options.contains(where: { $0.name == key }) {
      return report.add(
        rule: "field-unknown", severity: .warning, field: FieldPath(members: key),
        message: "\(key) is an option and no field of a message, so it is left out; give it as an option, such as "
          + "--option \(key)")
    }
    var hint = suggestion(key, inputNames)
    if hint.isEmpty, let owner = MistakenMessage.owner(of: key, besides: name) {
      hint = "; it is a field of the contract \(owner)"
    }
    report.add(
      rule: "field-unknown", severity: .warning, field: FieldPath(members: key),
      message: "\(name) has no field \(key), so it is left out" + hint)
  }

  /// The fields of a message under their own names, in the order of the table: the inverse of decoding.
  public func encode(_ message: Message) -> JSONObject {
    var object = JSONObject()
    for row in rows.shown {
      if let value = row.property(message) { object.append(row.name, value) }
    }
    return object
  }

  /// The members that every contract shares, taken from the fields by their roles.
  public func commonMembers(_ message: Message, platform: Platform) -> JSONObject {
    var values = JSONObject()
    for row in rows.shown {
      guard let role = row.role, let value = row.property(message) else { continue }
      values[role.rawValue] = value
    }
    if values["silent"] == .bool(false) { values.removeValue(forKey: "silent") }
    for part in ["title", "subtitle", "body"] {
      guard let key = values["\(part)_loc_key"] else { continue }
      var loc: JSONObject = ["key": key]
      if let args = values["\(part)_loc_args"] { loc.append("args", args) }
      values["\(part)_loc"] = .object(loc)
    }
    hooks.common(message, platform, &values)
    var ordered = JSONObject()
    for name in FieldRole.commonMembers {
      if let value = values[name] { ordered.append(name, value) }
    }
    return ordered
  }
}
