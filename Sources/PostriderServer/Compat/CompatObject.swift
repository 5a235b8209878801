internal import PushPayload
internal import WireJSON

/// An object of a request, read strictly: absent and null are nothing, a value of another type is refused, and so is a member
/// that is not known here, because what it decides would be passed over.
struct CompatObject: Sendable {
  let path: String
  let members: JSONObject

  init(_ value: JSONValue, _ path: String, known: Set<String>) throws(Problem) {
    guard let object = value.object else { throw Problem.ofMember(path, "expected an object") }
    self.path = path
    members = object
    for (name, value) in object where !known.contains(name) && !value.isNull {
      throw Problem.ofUnknownMember(
        field(String(name.prefix(40))), "is not a member here; there are \(known.sorted().joined(separator: ", "))")
    }
  }

  /// The value of a member; nil for null.
  subscript(name: String) -> JSONValue? { members[name].flatMap { $0.isNull ? JSONValue?.none : $0 } }

  func field(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  func text(_ name: String) throws(Problem) -> String? { try read(name, "a text") { $0.string } }

  func flag(_ name: String) throws(Problem) -> Bool? { try read(name, "true or false") { $0.bool } }

  func elements(_ name: String) throws(Problem) -> [JSONValue]? { try read(name, "an array") { $0.array } }

  private func read<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(Problem) -> Value? {
    guard let value = self[name] else { return nil }
    if let read = read(value) { return read }
    throw Problem.ofMember(field(name), "expected \(expected)")
  }

  /// One of the values of an enumeration; their case does not count.
  func choice<Value>(_ name: String, _ values: [(name: String, value: Value)]) throws(Problem) -> Value? {
    guard let text = try text(name) else { return nil }
    if let found = values.first(where: { $0.name.lowercased() == text.lowercased() }) { return found.value }
    throw Problem.ofMember(
      field(name), "expected one of \(values.map(\.name).joined(separator: ", ")), found \"\(text.prefix(40))\"")
  }

  /// An id of the caller's: of a user, at most as long as ours.
  func userID(_ name: String) throws(Problem) -> String? {
    guard let id = try text(name), !id.isEmpty else { return nil }
    guard id.unicodeScalars.count <= DeviceRoutes.userCharactersMax else {
      throw Problem.ofMember(field(name), "expected at most \(DeviceRoutes.userCharactersMax) characters")
    }
    return id
  }
}

extension Problem {
  /// A member that is not known here.
  static func ofUnknownMember(_ field: String, _ message: String) -> Problem {
    Problem(
      .invalid,
      report: Report([Finding(rule: Schema.Rule.unknownField, severity: .error, field: field, message: message)]))
  }

  /// A member that is not what it should be; the value is not repeated, as it may be a token.
  static func ofMember(_ field: String, _ message: String) -> Problem {
    Problem(
      .invalid, report: Report([Finding(rule: Schema.Rule.value, severity: .error, field: field, message: message)]))
  }
}
