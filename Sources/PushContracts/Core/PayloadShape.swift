public import PushPayload
public import PushRules
public import WireJSON

// Whose payload a document is, by its members alone.
extension Contracts {
  /// The platform of a document that has a member which only a payload or request of that platform has; nil when its shape
  /// does not say, and for a request of FCM's legacy interface, which reaches no device.
  ///
  /// On iOS that is `aps`, or the objects `headers` and `payload`; on Android `message`, or what only a client is handed.
  ///
  /// - Parameter document: what was given for a payload.
  public static func platform(of document: JSONValue) -> Platform? {
    guard case .object(let members) = document else { return nil }
    if members["aps"] != nil || members["headers"]?.object != nil && members["payload"]?.object != nil { return .ios }
    if members["message"] != nil { return .android }
    if PushDocumentKind.recognize(android: members) == .fcmLegacyRequest { return nil }
    return isReceived(members) ? .android : nil
  }

  /// True for an Android document that reads as one, and has a member that only a client hands over.
  ///
  /// Adobe's messages have the same names as the data of its library, but no version beside a template.
  static func isReceived(_ members: JSONObject) -> Bool {
    if members.contains(where: { PushDocumentKind.hasClientPrefix($0.key) }) { return true }
    if ["from", "custom"].contains(where: { members[$0]?.string != nil }) { return true }
    if members["data"]?.object != nil && members["title"] == nil { return true }
    return members["token"] == nil && ["adb_version", "adb_template_type"].allSatisfy { members[$0]?.string != nil }
  }

  /// As what FCM judges an Android document: a request, or one of the legacy interface; nil for what a client hands over,
  /// which FCM has accepted, and for a message alone.
  public static func androidKind(of document: JSONValue) -> PushDocumentKind? {
    guard case .object(let members) = document else { return nil }
    if members["message"]?.object != nil { return .fcmRequest }
    return PushDocumentKind.recognize(android: members) == .fcmLegacyRequest ? .fcmLegacyRequest : nil
  }

  /// What is said of a request of FCM's legacy interface that was given for an Android payload: a warning, as it is read
  /// all the same; nil for anything else.
  static func legacyRequest(_ payload: JSONValue) -> Finding? {
    guard androidKind(of: payload) == .fcmLegacyRequest else { return nil }
    return Finding(
      rule: "fcm-legacy-request", severity: .warning, field: "",
      message: "this is \(PushDocumentKind.legacyAdvice); it is read as what it would have been on the device")
  }
}
