internal import WireJSON

/// An object of a request, read strictly: absent and null are nothing, a value of another type is refused, and so is a member
/// that is not known here, because what it decides would be passed over.
struct PowerAuthObject: Sendable {
  let path: String
  let members: JSONObject

  /// The envelope's object.
  init(envelope body: JSONValue, known: Set<String>) throws(Problem) {
    let envelope = try PowerAuthObject(body, "", known: ["requestObject"])
    guard let value = envelope["requestObject"] else {
      throw PowerAuthErrors.refusal("requestObject is missing")
    }
    try self.init(value, "requestObject", known: known)
  }

  init(_ value: JSONValue, _ path: String, known: Set<String>) throws(Problem) {
    guard let object = value.object else { throw PowerAuthErrors.violation(path, "expected an object") }
    self.path = path
    members = object
    for (name, value) in object where !known.contains(name) && !value.isNull {
      throw PowerAuthErrors.violation(
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
    throw PowerAuthErrors.violation(field(name), "expected \(expected)")
  }

  /// One of the values of an enumeration; their case does not count.
  func choice<Value>(_ name: String, _ values: [(name: String, value: Value)]) throws(Problem) -> Value? {
    guard let text = try text(name) else { return nil }
    if let found = values.first(where: { $0.name.lowercased() == text.lowercased() }) { return found.value }
    throw PowerAuthErrors.violation(
      field(name), "expected one of \(values.map(\.name).joined(separator: ", ")), found \"\(text.prefix(40))\"")
  }

  /// An id of the caller's: of a user, at most as long as ours.
  func userID(_ name: String) throws(Problem) -> String? {
    guard let id = try text(name), !id.isEmpty else { return nil }
    guard id.unicodeScalars.count <= DeviceRoutes.userCharactersMax else {
      throw PowerAuthErrors.violation(field(name), "expected at most \(DeviceRoutes.userCharactersMax) characters")
    }
    return id
  }
}

/// The app that a request names.
struct PowerAuthApp {
  /// Whether it is named as versions before 1.3 do, by a number.
  let isNumber: Bool

  init(_ object: PowerAuthObject, _ c: CompatCall) throws(Problem) {
    guard let value = object["appId"], value.string?.isEmpty != true else {
      throw PowerAuthErrors.refusal("appId is missing")
    }
    isNumber = value.number != nil
    guard let id = value.string ?? value.number?.text else {
      throw PowerAuthErrors.violation(object.field("appId"), "expected a text")
    }
    guard id == c.appID else { throw PowerAuthErrors.otherApp }
  }
}
