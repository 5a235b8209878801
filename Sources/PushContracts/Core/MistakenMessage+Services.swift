import PushRules
import WireJSON

// Requests of other push services: their texts can be sent with a contract, and nothing reads them as they are.
extension MistakenMessage {
  /// Sources: Expo, “Send notifications with the Expo Push Service”; Airship, API reference, “Push object”; Amazon, SNS
  /// “Publish” and Pinpoint “Messages”; Braze, `/messages/send`; Parse Server, “Push notifications”; gorush, “Request
  /// body”; Pusher Beams, “Publish API”; Firebase Admin SDK, `MulticastMessage`; Pushwoosh, `createMessage`; CleverTap, “Send
  /// notification” and “Create campaign”; Iterable, `/api/push/target`; Huawei, Push Kit, `messages:send` of v1 to v3.
  static let services: [Shape] = [
    service(advice: "a request to Expo's push service; \(given("title, body and data"))", isUnlikeData: true) {
      PushDocumentKind.isExpoRequest($0)
    },
    service(
      advice:
        "a multicast message of Firebase's Admin SDK; send a request to FCM for each token, with message.token, or "
        + given("title, body and data")
    ) {
      $0["tokens"]?.array != nil && hasObject($0, PushDocumentKind.partNames)
    },
    service(
      advice:
        "a list of messages of Firebase's Admin SDK; send a request to FCM for each, with the message under message"
    ) {
      guard let first = $0["messages"]?.array?.first?.object else { return false }
      return hasObject(first, PushDocumentKind.partNames)
    },
    service(
      advice: "a publish request of Pusher Beams; give its apns and its fcm each on its own, or "
        + given("title, body and data")
    ) {
      $0["interests"]?.array != nil && hasObject($0, ["apns", "fcm", "web"])
    },
    service(advice: "a push of Airship's REST interface; \(given("title and alert", as: "title and body"))") {
      $0["audience"] != nil && hasObject($0, ["notification", "message", "in_app"])
        && ($0["device_types"] != nil || $0["notification"]?["alert"] != nil)
    },
    service(
      advice: "a message of Amazon SNS; read the payload in its APNS or GCM alone, or \(given("title, body and data"))",
      isUnlikeData: true
    ) { members in
      // A payload is JSON inside a text.
      members["default"]?.string != nil
        && snsPlatforms.contains { members[$0]?.string?.utf8.first == UInt8(ascii: "{") }
    },
    service(advice: "a request of Amazon Pinpoint; \(given("title and body"))") {
      $0["MessageConfiguration"]?.object != nil || $0["MessageRequest"]?["MessageConfiguration"]?.object != nil
        || hasObject($0, ["APNSMessage", "GCMMessage", "DefaultPushNotificationMessage"])
    },
    service(advice: "a request of Braze's REST interface; \(given("title and alert", as: "title and body"))") {
      guard let messages = $0["messages"]?.object else { return false }
      return hasObject(messages, ["apple_push", "android_push", "web_push", "kindle_push"])
    },
    service(advice: "a push of Parse Server; \(given("title, alert and data", as: "title, body and data"))") {
      guard let data = $0["data"]?.object else { return false }
      return $0["where"]?.object != nil || $0["channels"]?.array != nil && data["alert"] != nil
    },
    service(advice: "a request to gorush; \(given("title, message and data", as: "title, body and data"))") {
      guard let first = $0["notifications"]?.array?.first else { return false }
      return first["tokens"]?.array != nil && first["platform"] != nil
    },
    service(
      advice: "a request to Pushwoosh; \(given("notification's content and data", as: "body and data"))"
    ) { members in
      guard let request = members["request"]?.object else { return false }
      return ["application", "applications_group", "applications"].contains { request[$0] != nil }
        && request["notifications"]?.array?.first?.object != nil
    },
    service(
      advice: "a request of CleverTap's REST interface; \(given("content's title and body"))"
    ) {
      guard let content = $0["content"]?.object, content["title"] != nil || content["body"] != nil else { return false }
      return $0["to"]?.object != nil || $0["target_mode"] != nil
    },
    service(
      advice: "a request of Iterable's REST interface, whose texts are in the campaign; \(given("title and body"))"
    ) {
      $0["campaignId"] != nil && ($0["recipientEmail"] != nil || $0["recipientUserId"] != nil)
    },
    service(
      advice:
        "a request to Huawei's Push Kit; \(given("notification's title and body")), or, where FCM is meant, send a request for "
        + "each token"
    ) {
      $0["message"]?.object.map(isHuawei) == true
        || $0["payload"]?.object != nil && $0["target"]?.object.map { isListed($0["token"]) } == true
    },
    service(
      advice: "a test send of Amba's REST interface; give its title and body to the contract amba", isUnlikeData: true
    ) {
      $0["title"] != nil && $0["device_token"]?.string != nil
        && ["apns", "fcm"].contains($0["provider"]?.string ?? "")
    },
    service(
      advice:
        "a request of IMKit's REST interface that subscribes a device; give the payload of a push to the contract imkit"
    ) {
      ["ios", "android"].contains($0["type"]?.string ?? "") && $0["token"]?.string != nil
        && $0["deviceId"]?.string != nil
    },
  ]

  private static let snsPlatforms = [
    "APNS", "APNS_SANDBOX", "APNS_VOIP", "APNS_VOIP_SANDBOX", "GCM", "ADM", "BAIDU", "WNS", "MPNS",
  ]

  /// True for a message of Huawei's Push Kit up to version 2, which looks like one of FCM: it has a list of tokens, and
  /// data that is a text, or options that FCM does not have.
  static func isHuawei(_ message: JSONObject) -> Bool {
    guard isListed(message["token"]) else { return false }
    if message["data"]?.string != nil { return true }
    let android = message["android"]
    return ["urgency", "category", "bi_tag", "fast_app_target", "receipt_id"].contains { android?[$0] != nil }
      || android?["notification"]?["click_action"]?.object != nil
  }

  /// True for a list of tokens.
  private static func isListed(_ token: JSONValue?) -> Bool { token?.array?.first?.string != nil }

  private static func given(_ members: String, as names: String? = nil) -> String {
    "give its \(members) to the contract native" + (names.map { ", as \($0)" } ?? "")
  }

  private static func service(
    advice: String, isUnlikeData: Bool = false, matches: @escaping @Sendable (JSONObject) -> Bool
  ) -> Shape {
    Shape(advice: "it is \(advice)", isUnlikeData: isUnlikeData, matches: matches)
  }
}
