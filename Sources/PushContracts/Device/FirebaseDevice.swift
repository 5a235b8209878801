import WireJSON

/// What Firebase's client on Android makes of an FCM message, before any library of a vendor.
///
/// The client draws whatever has a notification block, also without a text; what has none goes to the app. What
/// `android_v2` holds is not followed.
/// Source: firebase-messaging for Android, `DisplayNotification` and `CommonNotificationBuilder`.
enum FirebaseDevice {
  /// What the client does with the members of an FCM v1 message.
  static func outcome(of message: JSONObject) -> DeviceOutcome {
    let hasData = hasData(message)
    let isForOthers = ["webpush", "apns", "android_v2"].contains { message[$0]?.object?.isEmpty == false }
    guard let block = NotificationBlock(message) else {
      if hasData { return .silent("a data message: Firebase shows nothing and hands it to the app") }
      return isForOthers
        ? .silent("Android shows nothing: the message is for browsers, Apple devices or android_v2")
        : .nothing("there is neither a notification nor data")
    }
    if block.hasText { return .shown }
    guard hasData || isForOthers || block.hasEffect else {
      return .nothing("the notification has neither title nor body")
    }
    return .fallback("a notification with the name of the app alone, as there is neither title nor body")
  }

  /// True when the app gets at least one value.
  static func hasData(_ message: JSONObject) -> Bool {
    message["data"]?.object?.isEmpty == false || message["android"]?["data"]?.object?.isEmpty == false
  }
}

/// The two notification blocks of an FCM message as one; Android's own wins, member by member.
struct NotificationBlock {
  private let own: JSONObject
  private let common: JSONObject

  /// The blocks of a message; nil when it has none.
  init?(_ message: JSONObject) {
    let own = message["android"]?["notification"]?.object
    let common = message["notification"]?.object
    guard own != nil || common != nil else { return nil }
    self.own = own ?? [:]
    self.common = common ?? [:]
  }

  private subscript(name: String) -> JSONValue? { own[name] ?? common[name] }

  /// True when there is a letter to read: a text, or the key of one.
  var hasText: Bool {
    ["title", "body", "title_loc_key", "body_loc_key"].contains { self[$0]?.string?.isEmpty == false }
  }

  /// True when there is more than a text to notice.
  var hasEffect: Bool {
    self["sound"]?.string?.isEmpty == false || self["image"]?.string?.isEmpty == false
      || self["default_sound"]?.bool == true || self["default_vibrate_timings"]?.bool == true
      || self["notification_count"]?.int != nil
  }
}
