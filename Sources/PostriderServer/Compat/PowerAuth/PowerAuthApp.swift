internal import WireJSON

extension CompatObject {
  /// The envelope's object.
  init(envelope body: JSONValue, known: Set<String>) throws(Problem) {
    let envelope = try CompatObject(body, "", known: ["requestObject"])
    guard let value = envelope["requestObject"] else {
      throw PowerAuthErrors.refusal("requestObject is missing")
    }
    try self.init(value, "requestObject", known: known)
  }
}

/// The app that a request names.
struct PowerAuthApp {
  /// Whether it is named as versions before 1.3 do, by a number.
  let isNumber: Bool

  init(_ object: CompatObject, _ c: CompatCall) throws(Problem) {
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
