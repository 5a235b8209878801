internal import PushPayload
internal import StoreModel
internal import WireJSON

/// What is known of devices and users, in requests and answers: properties, tags, what is not wanted.
enum PropertyFields {
  /// A property's value: text, a number, a Boolean, or a timestamp.
  static let properties = Schema(
    .map, "What else you want to know of it: text, numbers, true or false, times (RFC 3339)."
  )
  .documented([
    "maxProperties": .number(JSONNumber(StoreLimits.attributesMax)),
    "propertyNames": ["minLength": 1, "maxLength": .number(JSONNumber(StoreLimits.attributeNameBytesMax))],
    "additionalProperties": ["type": ["string", "number", "boolean"]],
  ])
  /// The same in a change: null takes one away, those not named stay.
  static let changes = Schema(.map, "Properties to set; null takes one away, those not named stay.")
    .documented([
      "maxProperties": .number(JSONNumber(StoreLimits.attributesMax)),
      "propertyNames": ["minLength": 1, "maxLength": .number(JSONNumber(StoreLimits.attributeNameBytesMax))],
      "additionalProperties": ["type": ["string", "number", "boolean", "null"]],
    ])
  static let tags = Schema.array(
    of: .string("A tag.", max: StoreLimits.tagBytesMax), max: StoreLimits.tagsMax, "Tags, replacing those there are.")
  static let optOut: [Schema.Property] = [
    .optional("opt_out", .boolean("True when no push is wanted.")),
    .optional(
      "opt_out_categories",
      .array(
        of: .string("A category.", max: StoreLimits.tagBytesMax), max: StoreLimits.tagsMax,
        "Categories of pushes that are not wanted.")),
  ]

  // MARK: - Reading

  /// Properties of a request, each a value or, where null is taken, nil.
  static func read(
    _ value: JSONValue?, at field: String, takesNull: Bool, into report: inout Report
  ) -> [PropertyChange] {
    var changes: [PropertyChange] = []
    let object = value?.object ?? [:]
    if object.count > StoreLimits.attributesMax {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: field,
        message: "expected at most \(StoreLimits.attributesMax) properties, found \(object.count)")
      return []
    }
    for (name, member) in object {
      let path = "\(field).\(name.prefix(StoreLimits.attributeNameBytesMax))"
      if name.isEmpty || name.utf8.count > StoreLimits.attributeNameBytesMax {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: path,
          message: "expected a name of 1 to \(StoreLimits.attributeNameBytesMax) bytes, found \(name.utf8.count)")
        continue
      }
      if takesNull, member.isNull {
        changes.append(PropertyChange(name, nil))
      } else if let value = self.value(member, at: path, into: &report) {
        changes.append(PropertyChange(name, value))
      }
    }
    return changes
  }

  /// One value; text in the form of a timestamp becomes one.
  static func value(_ value: JSONValue, at path: String, into report: inout Report) -> AttributeValue? {
    if let bool = value.bool { return .bool(bool) }
    if let text = value.string {
      if let instant = TimeText.property(text) { return .time(instant) }
      if text.utf8.count <= StoreLimits.attributeTextBytesMax { return .text(text) }
      report.add(
        rule: Schema.Rule.value, severity: .error, field: path,
        message: "expected at most \(StoreLimits.attributeTextBytesMax) bytes, found \(text.utf8.count)")
      return nil
    }
    if let number = value.number {
      if let found = self.number(number.text) { return found }
      report.add(
        rule: Schema.Rule.value, severity: .error, field: path, message: "the number is too large for a property")
      return nil
    }
    report.add(
      rule: Schema.Rule.type, severity: .error, field: path,
      message:
        "expected text, a number, true or false, found \(value.kind); put parts of it into properties of their own")
    return nil
  }

  /// A number in JSON's form.
  static func number(_ text: String) -> AttributeValue? {
    if let whole = Int64(text) { return .integer(whole) }
    guard let real = Double(text), real.isFinite else { return nil }
    // 1.0 is 1: one number has one form.
    if let whole = Int64(exactly: real), abs(real) < 9_007_199_254_740_992 { return .integer(whole) }
    return .real(real)
  }

  static func tags(_ value: JSONValue?) -> [String]? { value?.array.map { $0.compactMap(\.string) } }

  static func optOut(_ body: JSONValue) -> OptOutChange {
    OptOutChange(everything: body["opt_out"]?.bool, categories: tags(body["opt_out_categories"]))
  }

  /// Tags and categories are counted in bytes where they are kept.
  static func checkTags(_ body: JSONValue, into report: inout Report) {
    for name in ["tags", "opt_out_categories"] {
      for (index, tag) in (tags(body[name]) ?? []).enumerated() where tag.utf8.count > StoreLimits.tagBytesMax {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: "\(name)[\(index)]",
          message: "expected at most \(StoreLimits.tagBytesMax) bytes, found \(tag.utf8.count)")
      }
    }
  }

  // MARK: - Writing

  static func json(_ value: AttributeValue) -> JSONValue {
    switch value {
    case .text(let text): .string(text)
    case .integer(let number): .number(JSONNumber(Int(number)))
    case .real(let number): JSONNumber(number).map { .number($0) } ?? .null
    case .bool(let bool): .bool(bool)
    case .time(let instant): .string(TimeText.text(instant))
    }
  }

  static func json(_ properties: [Property]) -> JSONValue {
    var object = JSONObject()
    for property in properties { object[property.name] = json(property.value) }
    return .object(object)
  }

  /// Adds what there is.
  static func add(
    properties: [Property], tags: [String], optOut: OptOut, to object: inout JSONObject
  ) {
    if !properties.isEmpty { object["properties"] = json(properties) }
    if !tags.isEmpty { object["tags"] = .array(tags.map { .string($0) }) }
    if optOut.everything { object["opt_out"] = .bool(true) }
    if !optOut.categories.isEmpty { object["opt_out_categories"] = .array(optOut.categories.map { .string($0) }) }
  }
}
