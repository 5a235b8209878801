internal import PushPayload
internal import WireJSON

extension Schema {
  /// Rule ids of what a check can find.
  enum Rule {
    static let type = "request-type"
    static let missing = "request-missing"
    static let value = "request-value"
    static let unknownField = "request-unknown-field"
  }

  /// Unknown fields and wrong values beyond this many are not listed one by one.
  static let findingsMax = 50

  /// Whether a value has the shape and nothing else: true for nearly every request, and far cheaper than `check`.
  func matches(_ value: JSONValue, schemas: [String: Schema]) -> Bool {
    switch form {
    case .any: return true
    case .named(let name): return schemas[name]?.matches(value, schemas: schemas) ?? true
    case .string(let min, let max):
      guard case .string(let text) = value else { return false }
      return Schema.hasLength(text, min, max)
    case .choice(let values):
      guard case .string(let text) = value else { return false }
      return values.contains(text)
    case .integer(let range): return value.int.map(range.contains) ?? false
    case .boolean: return value.bool != nil
    case .map: return value.object != nil
    case .array(let item, let min, let max):
      guard case .array(let elements) = value, elements.count <= max, elements.count >= min else { return false }
      return elements.allSatisfy { item.matches($0, schemas: schemas) }
    case .object(let properties):
      guard case .object(let object) = value else { return false }
      return matchesObject(object, properties, schemas)
    }
  }

  private func matchesObject(_ object: JSONObject, _ properties: [Property], _ schemas: [String: Schema]) -> Bool {
    for (name, member) in object {
      guard let property = properties.first(where: { $0.name == name }) else { return false }
      if !(property.isNullable && member.isNull) && !property.schema.matches(member, schemas: schemas) { return false }
    }
    return properties.allSatisfy { !$0.isRequired || object[$0.name] != nil }
  }

  /// Compares a value with the shape.
  ///
  /// Wrong types, missing members and values out of bounds are errors; members the shape does not know are warnings.
  func check(
    _ value: JSONValue, at field: FieldPath = FieldPath(), schemas: [String: Schema], into report: inout Report
  ) {
    guard report.findings.count < Schema.findingsMax else { return }
    switch form {
    case .any: break
    case .named(let name): schemas[name]?.check(value, at: field, schemas: schemas, into: &report)
    case .string(let min, let max):
      guard let text = value.string else { return wrongType("a string", value, field, &report) }
      if !Schema.hasLength(text, min, max) {
        let wanted = min == max ? "\(max) characters" : "\(min) to \(max) characters"
        report.add(
          rule: Rule.value, severity: .error, field: field,
          message: "expected \(wanted), found \(text.unicodeScalars.count)")
      }
    case .choice(let values):
      guard let text = value.string else { return wrongType("a string", value, field, &report) }
      if !values.contains(text) {
        let list = values.map { "\"\($0)\"" }.joined(separator: ", ")
        report.add(
          rule: Rule.value, severity: .error, field: field,
          message: "expected one of \(list), found \"\(text.prefix(40))\"")
      }
    case .integer(let range): checkInteger(value, range, field, &report)
    case .boolean: if value.bool == nil { wrongType("a boolean", value, field, &report) }
    case .map: if value.object == nil { wrongType("an object", value, field, &report) }
    case .array(let item, let min, let max):
      guard let elements = value.array else { return wrongType("an array", value, field, &report) }
      if elements.count > max || elements.count < min {
        let wanted =
          elements.count > max
          ? "at most \(max) elements" : min == 1 ? "at least one element" : "at least \(min) elements"
        report.add(
          rule: Rule.value, severity: .error, field: field,
          message: "expected \(wanted), found \(elements.count)")
        return
      }
      for (index, element) in elements.enumerated() {
        item.check(element, at: field.element(index), schemas: schemas, into: &report)
      }
    case .object(let properties): checkObject(value, properties, field, schemas, &report)
    }
  }

  /// Whether a text has so many characters; most texts are decided by their bytes alone.
  private static func hasLength(_ text: String, _ min: Int, _ max: Int) -> Bool {
    let bytes = text.utf8.count
    if bytes <= max && bytes >= min * 4 { return true }
    let count = text.unicodeScalars.count
    return count >= min && count <= max
  }

  private func checkInteger(_ value: JSONValue, _ range: ClosedRange<Int>, _ field: FieldPath, _ report: inout Report) {
    guard let number = value.number else { return wrongType("a whole number", value, field, &report) }
    guard let int = number.int, range.contains(int) else {
      return report.add(
        rule: Rule.value, severity: .error, field: field,
        message:
          "expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(number.text.prefix(40))")
    }
  }

  private func checkObject(
    _ value: JSONValue, _ properties: [Property], _ field: FieldPath, _ schemas: [String: Schema],
    _ report: inout Report
  ) {
    guard let object = value.object else { return wrongType("an object", value, field, &report) }
    for property in properties where property.isRequired && object[property.name] == nil {
      report.add(
        rule: Rule.missing, severity: .error, field: field.member(property.name), message: "is required and missing")
    }
    for (name, member) in object {
      guard report.findings.count < Schema.findingsMax else { return }
      if let property = properties.first(where: { $0.name == name }) {
        if property.isNullable && member.isNull { continue }
        property.schema.check(member, at: field.member(name), schemas: schemas, into: &report)
      } else {
        reportUnknown(name, properties, field, &report)
      }
    }
  }

  private func wrongType(_ wanted: String, _ value: JSONValue, _ field: FieldPath, _ report: inout Report) {
    report.add(
      rule: Rule.type, severity: .error, field: field, message: "expected \(wanted), found \(value.kind)")
  }
}
