import PushPayload
package import WireJSON

/// What Firebase's client on Android makes of an FCM message, before any library of a vendor.
///
/// The client draws whatever has a notification block, whatever is in the block and beside it; what has none goes to the
/// app. Without a title and a body a person reads the name of the app alone. Of `android_v2` the newest client is followed: it draws what `remote_notification` holds, and hands a `background_sync` to
/// the app. Older clients get the same message translated, but for `use_as_v1_data_message`, with which they draw nothing.
/// Source: firebase-messaging for Android, `FirebaseMessagingService`, `NotificationParams.isNotification`,
/// `DisplayNotification` and `CommonNotificationBuilder`; Google, “Migrate from FCM HTTP v1 API to AndroidConfigV2”.
enum FirebaseDevice {
  /// What the client does with the members of an FCM v1 message.
  static func outcome(of message: JSONObject) -> DeviceOutcome {
    if let block = NotificationBlock(message) {
      if block.hasText { return .shown }
      return .fallback("a notification with the name of the app alone, as there is neither title nor body")
    }
    if hasData(message) { return .silent("a data message, which Firebase hands to the app") }
    if message.proto("android_v2")?.proto("background_sync") != nil {
      return .silent("a background sync, for which Firebase wakes the app")
    }
    return isForOthers(message) ? others : .nothing("there is neither a notification nor data")
  }

  /// Why what is written would be an empty notification: there is nothing to read, see, hear or count in it, and no data
  /// with it; nil for any other message.
  static func emptiness(of message: JSONObject) -> String? {
    guard let block = NotificationBlock(message), !block.hasText, !block.hasEffect, !hasData(message) else {
      return nil
    }
    return "the notification would be empty, with the name of the app alone and without data"
  }

  /// True when the app gets at least one value.
  static func hasData(_ message: JSONObject) -> Bool {
    [message, message.proto("android"), message.proto("android_v2")].contains { $0?.proto("data")?.isEmpty == false }
  }

  /// What the client keeps for the counts of a control group.
  static let analytics = DeviceOutcome.silent(
    "a notification for analytics alone, of which Firebase shows nothing and hands nothing to the app")

  /// Why the client shows nothing of a notification whose light has the empty text for a color.
  static let ending = "Firebase's client ends with an exception at the empty color of light_settings"

  /// What the client does with what FCM hands over beside messages, by its `message_type`.
  ///
  /// Source: firebase-messaging for Android, `FirebaseMessagingService.passMessageIntentToSdk`.
  static func outcome(ofType type: String) -> DeviceOutcome {
    guard let callback = callback(ofType: type) else {
      return .nothing("Firebase's client drops what has a message_type that it does not know")
    }
    return .silent("it is no message but \(type), for which Firebase calls \(callback) in the app")
  }

  /// What the client calls in the app for a `message_type`; nil for one that it drops.
  static func callback(ofType type: String) -> String? {
    switch type {
    case "deleted_messages": "onDeletedMessages"
    case "send_event": "onMessageSent"
    case "send_error": "onSendError"
    default: Optional.none
    }
  }

  /// Nothing for Android, and something for others.
  static let others = DeviceOutcome.silent("the message is for browsers or Apple devices")

  /// True when there is something for browsers or for Apple devices alone.
  static func isForOthers(_ message: JSONObject) -> Bool {
    let web = message.proto("webpush")
    return [web?.proto("notification"), web?.proto("data"), message.proto("apns")?.proto("payload")]
      .contains { $0?.isEmpty == false }
  }
}

// MARK: Apple devices

extension FirebaseDevice {
  /// What an Apple device does with a message that says something to Apple devices; nil for one that does not.
  ///
  /// FCM takes the title and the body of the notification for the alert where the payload has none, and puts the entries
  /// of data beside `aps`. Without a push type in the headers the payload tells the kind of push, as FCM chooses the type
  /// itself.
  /// Source: Google, REST `ApnsConfig`; the payloads that FCM hands on.
  static func appleOutcome(of message: JSONObject) -> DeviceOutcome? {
    guard let config = message.proto("apns") else { return nil }
    let payload = applePayload(of: message, config)
    guard !payload.isEmpty else { return nil }
    var report = Report()
    let headers = config.proto("headers").map { APNsHeaders(reading: $0, report: &report) }
    let outcome = AppleDevice.outcome(of: payload, headers)
    // The address of the picture is beside aps, too, and no data of the app.
    var drawn = payload
    if let image = config.proto("fcm_options")?["image"] ?? message.proto("notification")?["image"] {
      drawn["fcm_options"] = ["image": image]
    }
    return AppleDevice.drawing(drawn, outcome)
  }

  /// What a browser does with a message that has a notification for it; nil for any other.
  ///
  /// Source: WHATWG, Notifications API Standard, “create a notification with a settings object” and `NotificationAction`.
  static func browserOutcome(of message: JSONObject) -> DeviceOutcome? {
    guard let options = message.proto("webpush")?.proto("notification") else { return nil }
    if options["renotify"] == true, options["tag"]?.string?.isEmpty ?? true {
      return .nothing("the browser refuses renotify without a tag")
    }
    if options["silent"] == true, options["vibrate"]?.isNull == false {
      return .nothing("the browser refuses silent with vibrate")
    }
    for action in options["actions"]?.array ?? []
    where ["action", "title"].contains(where: { action[$0]?.isNull ?? true }) {
      return .nothing("the browser refuses an action without action or title")
    }
    return .shown
  }

  /// The title and the body of the notification; proto3 JSON does not tell an empty text from none.
  private static func alert(of message: JSONObject) -> JSONObject {
    var alert = JSONObject()
    for name in ["title", "body"] {
      if let text = message.proto("notification")?[name]?.string, !text.isEmpty { alert.append(name, .string(text)) }
    }
    return alert
  }

  private static func applePayload(of message: JSONObject, _ config: JSONObject) -> JSONObject {
    var payload = config.proto("payload") ?? [:]
    var aps = payload["aps"]?.object ?? [:]
    let alert = alert(of: message)
    let isLive = ["event", "content-state"].contains { aps[$0]?.isNull == false }
    if aps["alert"]?.isNull ?? true, !isLive, !alert.isEmpty {
      aps["alert"] = .object(alert)
      payload["aps"] = .object(aps)
    }
    for (name, value) in message.proto("data") ?? [:] where payload[name] == nil { payload.append(name, value) }
    return payload
  }
}

// MARK: Fields of both spellings

extension JSONObject {
  /// A field of an FCM message: proto3 JSON takes its name in snake_case and in lowerCamelCase, the last one counts, and
  /// null is absence.
  func protoValue(_ name: String) -> JSONValue? {
    last { $0.key.isProto(name) && !$0.value.isNull }?.value
  }

  /// The same where the field is an object.
  func proto(_ name: String) -> JSONObject? { protoValue(name)?.object }
}

/// The notification blocks of an FCM message as one; Android's own wins, member by member.
struct NotificationBlock {
  private let own: JSONObject
  private let common: JSONObject

  /// The blocks of a message; nil when it has none.
  init?(_ message: JSONObject) {
    let own = message.androidNotification
    let common = message.proto("notification")
    guard own != nil || common != nil else { return nil }
    self.own = own ?? [:]
    self.common = common ?? [:]
  }

  /// A field of the notification as it is shown, in either spelling.
  ///
  /// An empty text is none: proto3 does not tell the two apart, and the shared one is taken.
  subscript(name: String) -> JSONValue? {
    own.protoValue(name).flatMap { NotificationBlock.isNone($0, name) ? Optional.none : $0 } ?? common.protoValue(name)
  }

  /// True for a value of Android's own block that the shared one replaces: an empty text, or something else than
  /// a text where a text belongs, which FCM refuses and every reader treats as absent.
  static func isNone(_ value: JSONValue, _ name: String) -> Bool {
    guard let text = value.string else { return texts.contains(name) }
    return text.isEmpty
  }

  private static let texts = ["title", "body", "title_loc_key", "body_loc_key"]

  /// Where the address of a picture is that the client does not load; nil where it loads one, or there is none.
  var lostImage: FieldPath? {
    guard let image = self["image"]?.string, !image.isEmpty, !Contracts.isFirebasePicture(image) else { return nil }
    return own.protoValue("image")?.string == image
      ? FieldPath(members: "message", "android", "notification", "image")
      : FieldPath(members: "message", "notification", "image")
  }

  /// True when there is a letter to read: a text, or the key of one.
  var hasText: Bool {
    ["title", "body", "title_loc_key", "body_loc_key"].contains { self[$0]?.string?.isEmpty == false }
  }

  /// A count of 0 or less is none to Android.
  private var countsUp: Bool { self["notification_count"].map { $0.int.map { $0 > 0 } ?? true } ?? false }

  /// True when there is more than a text to notice.
  var hasEffect: Bool {
    self["sound"]?.string?.isEmpty == false || self["image"]?.string?.isEmpty == false
      || self["default_sound"]?.bool == true || self["default_vibrate_timings"]?.bool == true
      || self["vibrate_timings"]?.array.map { $0.count > 1 } == true || countsUp
  }
}

extension Contracts {
  /// True for an address that Firebase's client may load a picture from: what is no URL it skips, with white space at its
  /// ends left out as `java.net.URL` does.
  ///
  /// Source: firebase-messaging for Android, `ImageDownload.create`.
  package static func isFirebasePicture(_ address: String) -> Bool {
    Adobe.isPicture(OneSignal.trimmed(address), .web)
  }

  /// True for a value of Android's own notification block that the shared block's replaces.
  package static func isAbsent(_ value: JSONValue, in name: String) -> Bool { NotificationBlock.isNone(value, name) }
}

extension JSONObject {
  /// Android's own notification block of an FCM message: of `android`, or of the `remote_notification` of `android_v2`.
  var androidNotification: JSONObject? {
    proto("android")?.proto("notification")
      ?? proto("android_v2")?.proto("remote_notification")?.proto("notification")
  }
}

extension String {
  /// True for a field's name in snake_case and for the same name in lowerCamelCase.
  fileprivate func isProto(_ name: String) -> Bool {
    var rest = utf8.makeIterator()
    var isAfterUnderscore = false
    var isCamel = true
    for byte in name.utf8 {
      if byte == UInt8(ascii: "_") {
        isAfterUnderscore = true
        continue
      }
      let upper = byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte
      guard rest.next() == (isAfterUnderscore ? upper : byte) else {
        isCamel = false
        break
      }
      isAfterUnderscore = false
    }
    return isCamel && rest.next() == nil || self == name
  }
}
