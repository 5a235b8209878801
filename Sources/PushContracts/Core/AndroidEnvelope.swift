internal import Basics
import PushRules
import WireJSON

/// What an Android payload is, whatever shape it was handed over in, as one FCM v1 `Message`.
///
/// Four shapes are understood: the body of an FCM request (`{"message": {…}}`), a bare message, the JSON of a client
/// library's RemoteMessage (`data` and `notification` beside `collapseKey`, `sentTime` …), and the flat map of strings
/// that the client itself receives (`gcm.n.title`, `google.ttl`, the data keys).
/// Source: Firebase, REST `Message`; firebase-messaging for Android, `Constants.MessageNotificationKeys`.
struct AndroidEnvelope {
  /// The members of an FCM v1 `Message`.
  var message: JSONObject
  /// True when it is what a client handed over, with the marks of its travel, and not what was sent.
  var isReceived = false
  /// The key of the first text of a notification in a flat map without the mark of one: the client hands over the data
  /// alone.
  private(set) var unmarkedKey: String?
  /// The key that keeps a notification for analytics alone: nothing is shown, and the app is handed nothing.
  private(set) var analyticsKey: String?
  /// The value of `message_type` that tells that it is no message: nothing is shown, and the app gets none of the data.
  private(set) var messageType: String?
  /// The values of a flat map that Firebase's client leaves out of the notification.
  private(set) var ignored: [IgnoredValue] = []

  /// Reads a payload of any of the shapes.
  ///
  /// - Parameters:
  ///   - root: the members of the payload.
  ///   - style: where the texts of a flat map belong.
  init(_ root: JSONObject, style: AndroidStyle) {
    if case .object(let message)? = root["message"] {
      self.message = message
    } else if root["message"] != nil, PushDocumentKind.recognize(android: root) == .fcmRequest {
      // FCM takes no other value for the message, so that nothing reaches a device.
      message = [:]
    } else if PushDocumentKind.partNames.contains(where: { root[$0]?.object != nil }) {
      message = AndroidEnvelope.remoteMessage(root)
      isReceived = AndroidEnvelope.travelNames.contains { root[$0] != nil }
    } else {
      isReceived = true
      messageType = AndroidEnvelope.foreignType(of: root)
      let isNotification = root.contains(where: AndroidEnvelope.isMark)
      message = AndroidEnvelope.flatMap(root, isNotification: isNotification, style: style)
      if !isNotification {
        unmarkedKey = root.first { AndroidEnvelope.notificationKey($0.key) != nil }?.key
      } else if messageType == nil, let noUI = AndroidEnvelope.member("noui", of: root),
        AndroidEnvelope.isTrue(noUI.value.string ?? "")
      {
        analyticsKey = noUI.key
        message = [:]
      }
      if isNotification { ignored = AndroidEnvelope.ignoredValues(root) }
      if messageType != nil { message = [:] }
    }
    replaceSharedData()
    readCount()
  }

  /// The members of a message that may hold data for Android alone.
  private static let configNames = ["android", "android_v2", "androidV2"]

  /// The data that is for Android alone and replaces the shared data, with the member that holds it.
  ///
  /// An empty map is absent in proto3.
  /// Source: Google, discovery document fcm:v1, `AndroidConfig.data` and `AndroidConfigV2.data`.
  static func ownData(of message: JSONObject) -> (member: String, data: JSONObject)? {
    for name in configNames {
      if let data = message[name]?["data"]?.object, !data.isEmpty { return (name, data) }
    }
    return nil
  }

  private mutating func replaceSharedData() {
    guard let (name, data) = AndroidEnvelope.ownData(of: message), case .object(var config)? = message[name] else {
      return
    }
    config.removeValue(forKey: "data")
    if config.isEmpty { message.removeValue(forKey: name) } else { message[name] = .object(config) }
    message["data"] = .object(data)
  }

  /// Makes a number of a count that is written as a text: proto3 JSON takes both.
  private mutating func readCount() {
    let read = AndroidEnvelope.readCount
    message.changeObject("android") { $0.changeObject("notification", read) }
    for config in ["android_v2", "androidV2"] {
      for remote in ["remote_notification", "remoteNotification"] {
        message.changeObject(config) { $0.changeObject(remote) { $0.changeObject("notification", read) } }
      }
    }
  }

  private static func readCount(_ notification: inout JSONObject) {
    for name in ["notification_count", "notificationCount"] {
      guard let text = notification[name]?.string, let count = JSONNumber(text: text)?.int,
        let number = Int32(exactly: count)
      else { continue }
      notification[name] = .number(JSONNumber(WholeNumber(number)))
    }
  }
}

// MARK: The flat map

extension AndroidEnvelope {
  /// How the value of a `gcm.n.` key turns into that of the v1 field.
  private enum Form {
    case string
    /// `"1"` or `"true"`.
    case boolean
    case integer
    /// A JSON array in a string.
    case list
    /// −2…2 as `PRIORITY_MIN` … `PRIORITY_MAX`.
    case priority
    /// −1…1 as `SECRET`, `PRIVATE`, `PUBLIC`.
    case visibility
  }

  /// Keys behind `gcm.n.`, with the field of `AndroidNotification` they come from; what is not listed belongs to the
  /// transport and has no field.
  private static let notificationKeys: [(key: String, field: String, form: Form)] = [
    ("title", "title", .string), ("body", "body", .string), ("title_loc_key", "title_loc_key", .string),
    ("title_loc_args", "title_loc_args", .list), ("body_loc_key", "body_loc_key", .string),
    ("body_loc_args", "body_loc_args", .list), ("icon", "icon", .string), ("image", "image", .string),
    ("tag", "tag", .string), ("color", "color", .string), ("ticker", "ticker", .string),
    ("local_only", "local_only", .boolean), ("sticky", "sticky", .boolean),
    ("default_sound", "default_sound", .boolean),
    ("default_vibrate_timings", "default_vibrate_timings", .boolean),
    ("default_light_settings", "default_light_settings", .boolean),
    ("notification_priority", "notification_priority", .priority),
    ("notification_count", "notification_count", .integer), ("visibility", "visibility", .visibility),
    ("sound2", "sound", .string), ("sound", "sound", .string), ("click_action", "click_action", .string),
    ("android_channel_id", "channel_id", .string),
  ]

  private static let notificationPrefixes = ["gcm.n.", "gcm.notification."]

  private static func ignoredValues(_ root: JSONObject) -> [IgnoredValue] {
    root.compactMap { key, value in
      guard let name = notificationKey(key), member(name, of: root)?.key == key, let text = value.string else {
        return Optional.none
      }
      return expectation(of: text, in: name)
        .map { IgnoredValue(key: key, expectation: $0, endsClient: endsClient(text, in: name)) }
    }
  }

  private static func flatMap(_ root: JSONObject, isNotification: Bool, style: AndroidStyle) -> JSONObject {
    var common = JSONObject()
    var notification = JSONObject()
    var android = JSONObject()
    var data = JSONObject()
    let hasSound2 = text("sound2", of: root) != nil
    for (key, value) in root {
      if let name = notificationKey(key) {
        // With the mark the client draws a notification, whatever else is in it, and without it none.
        guard isNotification, let row = notificationKeys.first(where: { $0.key == name }) else { continue }
        // A key with the old prefix is read only without the new one, and `sound` only without a text in `sound2`.
        if member(name, of: root)?.key != key || row.field == "sound" && (row.key == "sound2") != hasSound2 { continue }
        let isCommon = style == .messageNotification && ["title", "body", "image"].contains(name)
        if let text = value.string, expectation(of: text, in: name) != nil { continue }
        if isCommon { common[row.field] = value } else { notification[row.field] = typed(value, row.form) }
      } else if !transport(key, value, &android) {
        data.append(key, value)
      }
    }
    if isNotification, let link = text("link_android", of: root) ?? text("link", of: root) {
      notification["link"] = .string(link)
    }
    if !notification.isEmpty || isNotification && common.isEmpty { android["notification"] = .object(notification) }
    var message = JSONObject()
    if !common.isEmpty { message.append("notification", .object(common)) }
    if !android.isEmpty { message.append("android", .object(android)) }
    if !data.isEmpty { message.append("data", .object(data)) }
    if root["from"]?.string == registrationSender { message.append("from", .string(registrationSender)) }
    return message
  }

  /// The type of what FCM hands over beside messages; nil for a message, which is of the type `gcm` or of none.
  ///
  /// Source: firebase-messaging for Android, `FirebaseMessagingService.passMessageIntentToSdk`; OneSignal's SDK,
  /// `FCMBroadcastReceiver.isFCMMessage`.
  static func foreignType(of root: JSONObject) -> String? {
    root["message_type"]?.string.flatMap { $0 == "gcm" ? Optional.none : $0 }
  }

  /// The sender of what Google says of an app's registration; only a client hands it over.
  static let registrationSender = "google.com/iid"

  /// True for the mark of a notification: the text 1, and no other value.
  ///
  /// Source: firebase-messaging for Android, `NotificationParams.isNotification`.
  private static func isMark(_ member: (key: String, value: JSONValue)) -> Bool {
    notificationKey(member.key) == "e" && member.value.string == "1"
  }

  /// What the client reads for a name of a notification: the new prefix wins, whatever value it has.
  ///
  /// Source: firebase-messaging for Android, `NotificationParams.getString`.
  private static func member(_ name: String, of root: JSONObject) -> (key: String, value: JSONValue)? {
    for prefix in notificationPrefixes {
      if let value = root[prefix + name] { return (prefix + name, value) }
    }
    return nil
  }

  /// The same where it is a text that is not empty.
  private static func text(_ name: String, of root: JSONObject) -> String? {
    member(name, of: root)?.value.string.flatMap { $0.isEmpty ? Optional.none : $0 }
  }

  /// True for what the client reads as true: the text 1, and true in any letter case.
  static func isTrue(_ text: String) -> Bool { text == "1" || text.lowercased() == "true" }

  static func notificationKey(_ key: String) -> String? {
    for prefix in notificationPrefixes where key.utf8.starts(with: prefix.utf8) {
      return String(key.dropFirst(prefix.count))
    }
    return nil
  }

  /// Takes the keys that carry the message itself; true when the key is one of them.
  private static func transport(_ key: String, _ value: JSONValue, _ android: inout JSONObject) -> Bool {
    switch key {
    case "collapse_key":
      if value.string != "do_not_collapse" { android["collapse_key"] = value }
    case "google.ttl":
      if let seconds = value.scalarText { android["ttl"] = .string(seconds + "s") }
    case "google.original_priority": android["priority"] = value
    case "from", "message_type", "message_id": break
    default: return key.utf8.starts(with: "google.".utf8) || key.utf8.starts(with: "gcm.".utf8)
    }
    return true
  }

  /// The arguments of a text, each as the text that `optString` gives; what ends with a separator has an empty one more.
  private static func arguments(_ text: String) -> JSONValue? {
    guard let elements = (try? AndroidJSON.array(text))?.elements else { return Optional.none }
    var texts = elements.map { $0.androidText }
    let end = text.utf8.filter { $0 > 0x20 }.suffix(2)
    if end.last == UInt8(ascii: "]"), end.first == UInt8(ascii: ",") || end.first == UInt8(ascii: ";") {
      texts[texts.count - 1] = ""
    }
    return .array(texts.map { .string($0) })
  }

  /// The value of a client's string with the type of the v1 field; what cannot be understood stays as it is.
  private static func typed(_ value: JSONValue, _ form: Form) -> JSONValue {
    guard let text = value.string else { return value }
    switch form {
    case .string: return value
    case .boolean: return .bool(isTrue(text))
    case .integer: return KotlinNumber.int(text).map { .number(JSONNumber(WholeNumber($0))) } ?? value
    case .list: return arguments(text) ?? value
    case .priority:
      let names = ["PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH", "PRIORITY_MAX"]
      guard let level = KotlinNumber.int(text), (-2...2).contains(level) else { return value }
      return .string(names[Int(level) + 2])
    case .visibility:
      guard let level = KotlinNumber.int(text), (-1...1).contains(level) else { return value }
      return .string(["SECRET", "PRIVATE", "PUBLIC"][Int(level) + 1])
    }
  }
}

// MARK: RemoteMessage and older shapes

extension AndroidEnvelope {
  /// Names of client libraries and of the legacy API beside `data`, with the path in the v1 message.
  private static let messageNames: [(name: String, field: String)] = [
    ("collapseKey", "collapse_key"), ("collapse_key", "collapse_key"), ("timeToLive", "ttl"), ("time_to_live", "ttl"),
    ("ttl", "ttl"), ("priority", "priority"),
  ]

  /// Names of client libraries and of the legacy API in `notification`, with the field of `AndroidNotification`.
  private static let notificationNames: [(name: String, field: String)] = [
    ("titleLocKey", "title_loc_key"), ("titleLocArgs", "title_loc_args"), ("bodyLocKey", "body_loc_key"),
    ("bodyLocArgs", "body_loc_args"), ("title_loc_key", "title_loc_key"), ("title_loc_args", "title_loc_args"),
    ("body_loc_key", "body_loc_key"), ("body_loc_args", "body_loc_args"), ("channelId", "channel_id"),
    ("android_channel_id", "channel_id"), ("channel_id", "channel_id"), ("clickAction", "click_action"),
    ("click_action", "click_action"), ("smallIcon", "icon"), ("icon", "icon"), ("imageUrl", "image"),
    ("count", "notification_count"), ("badge", "notification_count"), ("sound", "sound"), ("tag", "tag"),
    ("color", "color"), ("ticker", "ticker"),
  ]

  /// Members of a RemoteMessage that say how it traveled.
  private static let travelNames = [
    "messageId", "message_id", "messageType", "message_type", "from", "to", "sentTime", "senderId", "category",
    "contentAvailable", "mutableContent", "threadId", "originalPriority", "rawData",
  ]

  private static func remoteMessage(_ root: JSONObject) -> JSONObject {
    var message = JSONObject()
    var android = root["android"]?.object ?? [:]
    for (key, value) in root where key != "android" && !travelNames.contains(where: { $0.hasSameBytes(as: key) }) {
      if key == "notification", case .object(let members) = value {
        let (common, own) = split(members)
        if !common.isEmpty { message.append("notification", .object(common)) }
        var notification = android["notification"]?.object ?? [:]
        for (field, value) in own { notification[field] = value }
        if !notification.isEmpty { android["notification"] = .object(notification) }
      } else if let row = messageNames.first(where: { $0.name.hasSameBytes(as: key) }) {
        if !value.isNull { android[row.field] = row.field == "ttl" ? duration(value) : value }
      } else {
        message.append(key, value)
      }
    }
    if !android.isEmpty { message.append("android", .object(android)) }
    return message
  }

  /// The members that every platform shares, and those of Android's own block.
  private static func split(_ members: JSONObject) -> (common: JSONObject, own: JSONObject) {
    var common = JSONObject()
    var own = JSONObject()
    for (key, value) in members where !value.isNull {
      if key == "android", case .object(let inner) = value {
        for (name, value) in inner where !value.isNull {
          let row = notificationNames.first { $0.name.hasSameBytes(as: name) }
          own[row?.field ?? name] = value
        }
      } else if let row = notificationNames.first(where: { $0.name.hasSameBytes(as: key) }) {
        own[row.field] = value
      } else {
        common.append(key, value)
      }
    }
    return (common, own)
  }

  private static func duration(_ value: JSONValue) -> JSONValue {
    guard case .number(let number) = value else { return value }
    return .string(number.text + "s")
  }
}

extension JSONValue {
  /// The text of a string or a number.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.text
    case .null, .bool, .array, .object: nil
    }
  }
}
