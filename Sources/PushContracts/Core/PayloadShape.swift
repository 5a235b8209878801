public import PushPayload
public import PushRules
public import WireJSON

// Whose payload a document is, by its members alone.
extension Contracts {
  /// The platform of a document that has a member which only a payload or request of that platform has; nil when its shape
  /// does not say, and for a document that reaches no device as it is.
  ///
  /// On iOS that is `aps` or `mdm`, or the objects `headers` and `payload`; on Android `message`, or what only a client is
  /// handed.
  ///
  /// - Parameter document: what was given for a payload.
  public static func platform(of document: JSONValue) -> Platform? {
    guard case .object(let members) = document, !members.isEmpty else { return nil }
    if members["aps"] != nil || members.isAPNsRequest { return .ios }
    if members["mdm"]?.string != nil { return .ios }
    switch PushDocumentKind.recognize(android: members) {
    case .fcmRequest: return .android
    case .receivedMessage: return isReceived(members) ? .android : nil
    default: return nil
    }
  }

  /// True for a document that reads as received, and has a member that only a client hands over.
  ///
  /// Adobe's messages have the same names as the data of its library, but no version beside a template.
  private static func isReceived(_ members: JSONObject) -> Bool {
    if members.contains(where: { PushDocumentKind.hasClientPrefix($0.key) }) { return true }
    if ["from", "custom"].contains(where: { members[$0]?.string != nil }) { return true }
    let parts = ["data", "notification"].filter { members[$0]?.object != nil }
    if !parts.isEmpty, PushDocumentKind.hasTraveled(members) || parts == ["data"] && members["title"] == nil {
      return true
    }
    return members["token"] == nil && ["adb_version", "adb_template_type"].allSatisfy { members[$0]?.string != nil }
  }

  /// True for an APNs request as JSON that has both of its objects, `headers` and `payload`.
  package static func isRequest(toAPNs members: JSONObject) -> Bool { members.isWholeAPNsRequest }

  /// As what FCM judges an Android document: a request, a message alone, or a request of the legacy interface; nil for what
  /// a client hands over, which FCM has accepted.
  public static func androidKind(of document: JSONValue) -> PushDocumentKind? {
    guard case .object(let members) = document else { return nil }
    let kind = PushDocumentKind.recognize(android: members)
    return kind == .receivedMessage || kind == .rendering ? nil : kind
  }

  /// What is said of a request that FCM refuses whatever is in it, and that was given for an Android payload: a warning, as
  /// it is read all the same; nil for anything else.
  static func refusedRequest(_ payload: JSONValue) -> Finding? {
    let rule: String
    let advice: String
    switch androidKind(of: payload) {
    case .fcmLegacyRequest?: (rule, advice) = ("fcm-legacy-request", PushDocumentKind.legacyAdvice)
    case .fcmMessage?: (rule, advice) = ("fcm-message-missing", PushDocumentKind.bareAdvice)
    case .fcmRequest? where payload["message"] == nil && payload.object?.isEmpty == false:
      (rule, advice) = ("fcm-message-missing", "a request without its message, which FCM refuses; add \"message\"")
    default: return nil
    }
    return Finding(
      rule: rule, severity: .warning, field: "",
      message: "this is \(advice); it is read as what it would have been on the device")
  }
}
