internal import PushPayload
public import WireJSON

extension PushDocumentKind {
  /// What an object is that was given for an Android document; every command and route asks here.
  ///
  /// With the object `message` it is a request to FCM. A client hands over one flat map of strings, in which
  /// `google.sent_time` and `google.ttl` may be numbers, and client libraries print a RemoteMessage with the marks of its
  /// travel. A request of the legacy interface names its target in `to` or `registration_ids`, or in `condition` beside
  /// other names of its own; a message of FCM v1 without the request around it has members that only a sender writes.
  /// What has the shape of none of them is read as data, whose values should be strings; a `message` that is no object
  /// cannot be, as FCM takes it for the message.
  /// Source: firebase-messaging for Android, `RemoteMessage`; Google, REST `Message` and “Migrate from legacy FCM APIs to
  /// HTTP v1”.
  public static func recognize(android members: JSONObject) -> PushDocumentKind {
    let message = members["message"]
    if message?.object != nil { return .fcmRequest }
    if isFlatMap(members) { return .receivedMessage }
    if message != nil || members.allSatisfy({ requestNames.contains($0.key) }) { return .fcmRequest }
    if isRendering(members) { return .rendering }
    if isExpoRequest(members) { return .receivedMessage }
    guard partNames.contains(where: { members[$0]?.object != nil }), !hasTraveled(members) else {
      return .receivedMessage
    }
    if hasLegacyTarget(members) { return .fcmLegacyRequest }
    return senderNames.contains { members[$0]?.isNull == false } ? .fcmMessage : .receivedMessage
  }

  /// The members of an FCM message that are objects.
  package static let partNames = [
    "data", "notification", "android", "android_v2", "androidV2", "webpush", "apns",
  ]
  /// Members that a message has before it is sent, and none that a client hands over.
  private static let senderNames = [
    "token", "fid", "topic", "condition", "android", "android_v2", "androidV2", "webpush", "apns", "fcm_options",
    "fcmOptions",
  ]
  /// Members of a RemoteMessage that say how it traveled.
  private static let travelNames = [
    "messageId", "message_id", "sentTime", "from", "senderId", "originalPriority", "collapseKey",
  ]
  /// Members of a request beside its message.
  private static let requestNames = ["validate_only", "validateOnly"]
  private static let targetNames = ["to", "registration_ids"]
  /// Members that only requests of the legacy interface have.
  private static let ownLegacyNames = [
    "time_to_live", "dry_run", "delay_while_idle", "restricted_package_name", "notification_key",
  ]
  /// Members of the legacy interface that other documents have as well, and an FCM v1 message does not.
  private static let legacyNames = ["priority", "collapse_key", "content_available", "mutable_content"]

  /// True for a target as the legacy interface names it, or another member that only its requests have.
  package static func hasLegacyTarget(_ members: JSONObject) -> Bool {
    if (targetNames + ownLegacyNames).contains(where: { members[$0]?.isNull == false }) { return true }
    return members["condition"]?.string != nil && legacyNames.contains { members[$0]?.isNull == false }
  }

  /// True for a request to Expo's push service, whose tokens have a form of their own.
  ///
  /// Source: Expo, “Send notifications with the Expo Push Service”.
  package static func isExpoRequest(_ members: JSONObject) -> Bool {
    let target = members["to"]?.string ?? members["to"]?[0]?.string ?? ""
    return ["ExponentPushToken[", "ExpoPushToken["].contains { target.utf8.starts(with: $0.utf8) }
  }

  /// True for a message with the marks of its travel, as client libraries print one.
  package static func hasTraveled(_ members: JSONObject) -> Bool {
    travelNames.contains { members[$0]?.isNull == false }
  }

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

  /// What is said of an iOS payload without `aps`.
  package static let apsMissing =
    "there is no aps, so a device shows nothing; if this is a message of a contract, name the contract"

  /// What is said of a message without the request around it.
  package static let bareAdvice =
    "a message without the request around it, which FCM refuses; put it under \"message\""
}
