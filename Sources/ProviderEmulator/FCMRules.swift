internal import PushPayload
internal import WireJSON

/// What the checks of one message have found out.
struct FCMMessageFacts {
  enum Target {
    case device(JSONNode)
    case topic(String)
    case condition(FCMCondition)
  }

  var target: Target?
  var message = JSONNode?.none
  var isValidationOnly = false
}

/// FCM's own checks of a message whose types are right, in the order they are made; each names the field it refuses.
///
/// Sources: the discovery document `fcm:v1`; Firebase, “FCM error codes”.
enum FCMRules {
  typealias Check = @Sendable (JSONDocument, JSONNode, inout FCMMessageFacts) -> FCMFailure?

  static let checks: [Check] = [
    target, androidShapes, dataKeys, lifetime, colors, lights, analyticsLabels, webLink, size,
  ]

  static let payloadBytesMax = 4096
  static let topicBytesMax = 900
  static let ttlSecondsMax: Int64 = 2_419_200
  static let tokenBytesMax = 4096
  static let analyticsLabelBytesMax = 50

  /// A member in either of its spellings; the last one wins, null is absent.
  static func member(_ document: JSONDocument, _ node: JSONNode, _ name: StaticString, _ camel: StaticString? = nil)
    -> JSONNode?
  {
    var found = document.member(of: node, name)
    if found == nil, let camel { found = document.member(of: node, camel) }
    guard let found, !document.isNull(found) else { return nil }
    return found
  }

  @Sendable static func target(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    let token = member(document, message, "token")
    let fid = member(document, message, "fid")
    let topic = member(document, message, "topic")
    let condition = member(document, message, "condition")
    let count = [token, fid, topic, condition].count { $0 != nil }
    guard count == 1 else {
      let found = count == 0 ? "has none" : "has \(count)"
      return .invalid("message", "a message has exactly one of token, fid, topic, condition; this one \(found)")
    }
    if let device = token ?? fid { return deviceTarget(document, device, isToken: token != nil, &facts) }
    if let topic { return topicTarget(document.string(topic) ?? "", &facts) }
    if let condition { return conditionTarget(document.string(condition) ?? "", &facts) }
    return nil
  }

  private static func deviceTarget(
    _ document: JSONDocument, _ device: JSONNode, isToken: Bool, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    facts.target = .device(device)
    let isGood = document.withSource(of: device) { quoted in
      quoted.count > 2 && quoted.count - 2 <= tokenBytesMax && quoted.dropFirst().dropLast().allSatisfy(isTokenByte)
    }
    let field = isToken ? "message.token" : "message.fid"
    return isGood ? nil : .invalid(field, "the value is not a valid FCM registration token")
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x5F || byte == 0x3A
  }

  private static func topicTarget(_ name: String, _ facts: inout FCMMessageFacts) -> FCMFailure? {
    facts.target = .topic(name)
    return isTopicName(name) ? nil : .invalid("message.topic", "the topic name does not match [a-zA-Z0-9-_.~%]+")
  }

  static func isTopicName(_ name: String) -> Bool {
    (1...topicBytesMax).contains(name.utf8.count) && name.utf8.allSatisfy(isLabelByte)
  }

  private static func isLabelByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || [0x2D, 0x5F, 0x2E, 0x7E, 0x25].contains(byte)
  }

  private static func conditionTarget(_ text: String, _ facts: inout FCMMessageFacts) -> FCMFailure? {
    guard let condition = FCMCondition(text) else {
      return .invalid("message.condition", "the condition is not valid or names more than 5 topics")
    }
    facts.target = .condition(condition)
    return nil
  }

  @Sendable static func androidShapes(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    let isDouble =
      member(document, message, "android") != nil && member(document, message, "android_v2", "androidV2") != nil
    return isDouble ? .invalid("message.android_v2", "android and android_v2 exclude each other") : nil
  }

  /// `from`, `message_type` and names that begin with `google.` or `gcm.notification.` are FCM's own.
  @Sendable static func dataKeys(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    let android = member(document, message, "android").flatMap { member(document, $0, "data") }
    for (data, path) in [(member(document, message, "data"), "message.data"), (android, "message.android.data")] {
      guard let data else { continue }
      for (name, _) in document.members(of: data) {
        let key = document.string(name) ?? ""
        guard isReserved(key) else { continue }
        return .invalid(path, "the data key \"\(key)\" is reserved; rename it")
      }
    }
    return nil
  }

  private static func isReserved(_ key: String) -> Bool {
    key == "from" || key == "message_type" || key.utf8.starts(with: "google.".utf8)
      || key.utf8.starts(with: "gcm.notification.".utf8)
  }

  @Sendable static func lifetime(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    guard
      let android = member(document, message, "android"), let ttl = member(document, android, "ttl"),
      let duration = document.string(ttl).flatMap(ProtoDuration.init)
    else { return nil }
    let isPast = duration.seconds > ttlSecondsMax || duration.seconds == ttlSecondsMax && duration.nanoseconds > 0
    return duration.isNegative || isPast
      ? .invalid("message.android.ttl", "the time to live is not between 0 s and \(ttlSecondsMax) s") : nil
  }

  private static func androidNotification(_ document: JSONDocument, _ message: JSONNode) -> JSONNode? {
    member(document, message, "android").flatMap { member(document, $0, "notification") }
  }

  @Sendable static func colors(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    guard
      let notification = androidNotification(document, message), let color = member(document, notification, "color")
    else { return nil }
    let text = Array((document.string(color) ?? "").utf8)
    let isGood = text.count == 7 && text[0] == 0x23 && text[1...].allSatisfy(isHexDigit)
    return isGood ? nil : .invalid("message.android.notification.color", "the color does not have the form #rrggbb")
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

  @Sendable static func lights(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    guard
      let notification = androidNotification(document, message),
      let lights = member(document, notification, "light_settings", "lightSettings")
    else { return nil }
    let isWhole =
      member(document, lights, "color") != nil
      && member(document, lights, "light_on_duration", "lightOnDuration") != nil
      && member(document, lights, "light_off_duration", "lightOffDuration") != nil
    return isWhole
      ? nil
      : .invalid(
        "message.android.notification.light_settings", "color, light_on_duration and light_off_duration are required")
  }

  @Sendable static func analyticsLabels(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    let owners: [(JSONNode?, String)] = [
      (message, "message"), (member(document, message, "android"), "message.android"),
      (member(document, message, "apns"), "message.apns"), (member(document, message, "webpush"), "message.webpush"),
    ]
    for (owner, path) in owners {
      guard
        let owner, let options = member(document, owner, "fcm_options", "fcmOptions"),
        let label = member(document, options, "analytics_label", "analyticsLabel")
      else { continue }
      let text = document.string(label) ?? ""
      guard text.utf8.count > analyticsLabelBytesMax || !text.utf8.allSatisfy(isLabelByte) else { continue }
      return .invalid("\(path).fcm_options.analytics_label", "the label does not match [a-zA-Z0-9-_.~%]{1,50}")
    }
    return nil
  }

  @Sendable static func webLink(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    guard
      let web = member(document, message, "webpush"), let options = member(document, web, "fcm_options", "fcmOptions"),
      let link = member(document, options, "link"), let text = document.string(link)
    else { return nil }
    return text.utf8.starts(with: "https://".utf8)
      ? nil : .invalid("message.webpush.fcm_options.link", "the link is no https URL")
  }

  /// Names and values of `data` together with the notification's texts have at most 4096 bytes, and so has the APNs
  /// payload.
  @Sendable static func size(
    _ document: JSONDocument, _ message: JSONNode, _ facts: inout FCMMessageFacts
  ) -> FCMFailure? {
    let android = member(document, message, "android")
    let data = android.flatMap { member(document, $0, "data") } ?? member(document, message, "data")
    var bytes = 0
    if let data {
      for (name, value) in document.members(of: data) {
        bytes += textBytes(document, name) + textBytes(document, value)
      }
    }
    if let notification = member(document, message, "notification") {
      for (_, value) in document.members(of: notification) { bytes += textBytes(document, value) }
    }
    if bytes > payloadBytesMax {
      return .invalid("message", "the message has \(bytes) bytes of payload; the limit is \(payloadBytesMax)")
    }
    guard
      let payload = member(document, message, "apns").flatMap({ member(document, $0, "payload") }),
      document.sourceRange(of: payload).count > payloadBytesMax
    else { return nil }
    return .invalid("message.apns.payload", "the APNs payload is over \(payloadBytesMax) bytes")
  }

  /// The bytes of a string; one with escapes is counted as it was sent, which is never less.
  private static func textBytes(_ document: JSONDocument, _ node: JSONNode) -> Int {
    document.kind(node) == .string ? document.sourceRange(of: node).count - 2 : 0
  }
}
