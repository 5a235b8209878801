internal import PushPayload
public import WireJSON

extension PushDocumentKind {
  /// What an Android document without the object `message` is: what a client received, or a request of FCM's legacy
  /// interface; nil when it has the shape of neither.
  ///
  /// A client hands over one flat map of strings, in which `google.sent_time` and `google.ttl` may be numbers, and client
  /// libraries print a RemoteMessage with the marks of its travel. A legacy request names its target in `to` or
  /// `registration_ids`.
  /// Source: firebase-messaging for Android, `RemoteMessage`; Google, “Migrate from legacy FCM APIs to HTTP v1”.
  public static func recognize(android members: JSONObject) -> PushDocumentKind? {
    if isFlatMap(members) { return .receivedMessage }
    guard ["data", "notification"].contains(where: { members[$0]?.object != nil }) else { return nil }
    if travelNames.contains(where: { members[$0]?.isNull == false }) { return .receivedMessage }
    return targetNames.contains { members[$0]?.isNull == false } ? .fcmLegacyRequest : nil
  }

  /// Members of a RemoteMessage that say how it traveled.
  private static let travelNames = ["messageId", "message_id", "sentTime", "from", "senderId", "originalPriority"]
  private static let targetNames = ["to", "registration_ids"]

  private static func isFlatMap(_ members: JSONObject) -> Bool {
    if members.isEmpty { return false }
    if members.allSatisfy({ $0.value.string != nil }) { return true }
    return members.contains { hasClientPrefix($0.key) } && members.allSatisfy { isScalar($0.value) }
  }

  /// True for the names that FCM's client keeps for itself.
  package static func hasClientPrefix(_ name: String) -> Bool {
    name.utf8.starts(with: "google.".utf8) || name.utf8.starts(with: "gcm.".utf8)
  }

  private static func isScalar(_ value: JSONValue) -> Bool {
    switch value {
    case .string, .number, .bool: true
    case .null, .array, .object: false
    }
  }

  /// What is said of a request of FCM's legacy interface.
  package static let legacyAdvice =
    "a request of FCM's legacy interface, which is switched off; send it as FCM v1, with the target in message.token or "
    + "message.topic, or give its texts to the contract native"
}
