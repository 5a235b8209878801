import PushPayload
import WireJSON

extension PowerAuth {
  /// What PowerAuth's apps do with a payload: what the systems do, but for the badge of a silent push and for
  /// notifications inside the data.
  ///
  /// Source: PowerAuth push server, “Push Message Payload Mapping” and its setting `fcm.dataNotificationsOnly`.
  /// The server sends the badge of a silent push, and `apns-background-visible` warns of it.
  @Sendable static func appleOutcome(_ payload: JSONObject, _ headers: APNsHeaders?) -> DeviceOutcome {
    let aps = payload["aps"]?.object ?? [:]
    func isThere(_ name: String) -> Bool { aps[name]?.isNull == false }
    guard headers?.pushType == .background, isThere("badge"), !isThere("alert"), !isThere("sound") else {
      return AppleDevice.outcome(of: payload, headers)
    }
    return AppleDevice.outcome(of: payload, Optional.none)
  }

  /// A notification inside the data is something only when it has what a person notices.
  @Sendable static func androidOutcome(_ message: JSONObject) -> DeviceOutcome {
    let outcome = FirebaseDevice.outcome(of: message)
    guard var data = message.proto("data"), let inner = data["_notification"].flatMap(notification) else {
      return outcome
    }
    if let block = NotificationBlock(["android": ["notification": .object(inner)]]), block.hasText || block.hasEffect {
      return outcome
    }
    data.removeValue(forKey: "_notification")
    var rest = message
    rest["data"] = .object(data)
    // What is for Apple devices does not fill a notification on Android.
    guard NotificationBlock(rest) == nil, !FirebaseDevice.hasData(rest) else { return outcome }
    return .nothing("the notification inside the data has neither a text nor a sound, and there is no other data")
  }

  /// The notification inside the data: JSON text, or what a caller has put in as it is.
  private static func notification(_ value: JSONValue) -> JSONObject? {
    value.string.flatMap { try? AndroidJSON.object($0) } ?? value.object
  }
}
