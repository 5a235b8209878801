internal import Basics
import PushPayload
import PushRules
import WireJSON

extension OneSignal {
  static func read(android root: JSONValue, now: WholeNumber?, report: inout Report) -> Notification {
    guard case .object(let members) = root else {
      report.add(
        rule: "payload-not-object", severity: .error, field: "",
        message: "expected a payload as a JSON object, found \(root.named)")
      return Notification(platform: .android, format: .android, rawBytes: JSON.minified(root))
    }
    var reader = AndroidReader(members)
    let notification = reader.notification(now: now)
    report.append(reader.report)
    return notification
  }
}

/// Reads what an Android client of OneSignal receives: a flat map of strings, some of which are JSON text.
struct AndroidReader {
  /// The flat map as the client has it, whatever shape the payload was handed over in.
  let bundle: JSONObject
  /// True when Firebase's client shows a notification block before the SDK sees the message.
  let hasBlock: Bool
  var report = Report()
  /// True when `custom.a` is something else than an object.
  private var isMalformed = false
  /// False for what the SDK's receiver leaves to Firebase's client.
  private let isTaken: Bool
  /// The members of `chnl`, once they are read.
  private(set) var channelMembers: JSONObject?

  init(_ root: JSONObject) {
    bundle = AndroidReader.bundle(root)
    hasBlock = NotificationBlock(AndroidEnvelope(root, style: .dataOnly).message) != nil
    isTaken =
      AndroidEnvelope.foreignType(of: bundle) == nil
      && bundle["from"]?.string != AndroidEnvelope.registrationSender
  }

  static let names = [
    "custom", "alert", "title", "sicon", "licon", "bicon", "sound", "grp", "grp_msg", "bgac", "ledc", "vis", "from",
    "pri", "collapse_key", "bg_img", "o", "chnl", "oth_chnl", "chnl_lst", "led", "vib", "vib_pt", "bdg", "bdnd",
    "androidNotificationId", "restoring", "message_type", "message_id", "actionId",
  ]

  /// The map a client receives for an FCM request, a bare message or a RemoteMessage; a flat map is one already.
  static func bundle(_ root: JSONObject) -> JSONObject {
    let message = root["message"]?.object ?? root
    let isMessage = message["data"]?.object != nil || message["android"]?.object != nil
    // A text of that name is data, as every other text in a flat map.
    guard isMessage || PushDocumentKind.recognize(android: root) == .fcmRequest else { return root }
    var bundle = AndroidEnvelope.ownData(of: message)?.data ?? message["data"]?.object ?? [:]
    let android = message["android"]
    var travel: [(name: String, value: JSONValue?)] = [
      ("from", message["from"] ?? message["senderId"]),
      ("collapse_key", message["collapseKey"] ?? message["collapse_key"] ?? android?["collapse_key"]),
    ]
    // What came through Huawei's service never had Google's times.
    if bundle["hms.ttl"] == nil {
      travel.append(("google.sent_time", message["sentTime"]))
      // A RemoteMessage has 0 where there is none, and whether Google's client hands 0 on is not documented.
      let ttl = message["ttl"] ?? android?["ttl"].map(seconds)
      travel.append(("google.ttl", ttl?.scalarText == "0" ? Optional.none : ttl))
    }
    for (name, value) in travel where bundle[name] == nil {
      guard let value, let text = value.scalarText else { continue }
      bundle.append(name, .string(text))
    }
    return bundle
  }

  /// `"60s"` as `"60"`.
  private static func seconds(_ value: JSONValue) -> JSONValue {
    guard case .string(let text) = value, text.utf8.last == UInt8(ascii: "s") else { return value }
    return .string(String(text.dropLast()))
  }

  mutating func notification(now: WholeNumber?) -> OneSignal.Notification {
    var notification = OneSignal.Notification(
      platform: .android, format: .android, rawBytes: JSON.minified(.object(bundle)))
    notification.body = text("alert")
    notification.title = text("title")
    notification.sound = text("sound")
    if let key = text("collapse_key"), key != "do_not_collapse" { notification.collapseID = key }
    var buttons = rewrittenButtons()
    readCustom(&notification, &buttons)
    notification.actionButtons = buttons
    notification.actionID = text("actionId")
    notification.android = properties(now: now)
    if notification.notificationID != nil { reportChannel(notification.android?.payloadPriority) }
    for (key, _) in bundle where !AndroidReader.names.contains(key) && !OneSignal.isTransport(key) {
      report.add(
        rule: "key-unknown", severity: .note, field: path(key),
        message: "onesignal does not name this key, so it is in rawPayload only")
    }
    return notification
  }

  // MARK: custom

  private mutating func readCustom(
    _ notification: inout OneSignal.Notification, _ buttons: inout [OneSignal.ActionButton]?
  ) {
    let custom = json("custom", .object)?.object ?? [:]
    if isTaken { notification.notificationID = identifier(custom) } else { reportNotTaken() }
    notification.launchURL = inner(custom, "custom", "u").map(OneSignal.trimmed)
    notification.templateID = inner(custom, "custom", "ti")
    notification.templateName = inner(custom, "custom", "tn")
    if isTaken, notification.notificationID == nil {
      report.add(
        rule: "onesignal-id-missing", severity: hasBlock ? .warning : .error, field: path("custom").member("i"),
        message: hasBlock
          ? "no id, so OneSignal's SDK takes the push for another sender's: no click events and no analytics"
          : "no id, so OneSignal's SDK takes the push for another sender's and shows nothing; add custom.i")
    }
    guard let node = custom["a"] else {
      // The SDK puts the buttons of `o` into data of its own, and takes them out again.
      if notification.notificationID != nil, buttons != nil { notification.additionalData = [:] }
      return
    }
    guard case .object(var data) = node else {
      isMalformed = true
      return wrong(node, path("custom").member("a"), "an object")
    }
    // The SDK keeps the buttons here with the name of the default tap, whatever is tapped, and takes both out again.
    if let kept = data.removeValue(forKey: "actionButtons"), buttons == nil { buttons = keptButtons(kept) }
    data.removeValue(forKey: "actionId")
    notification.additionalData = data
  }

  // MARK: The properties of Android

  private mutating func properties(now: WholeNumber?) -> OneSignal.AndroidProperties {
    var properties = OneSignal.AndroidProperties()
    properties.smallIcon = text("sicon")
    properties.largeIcon = text("licon")
    properties.bigPicture = text("bicon")
    properties.smallIconAccentColor = color("bgac")
    properties.ledColor = color("ledc")
    properties.lockScreenVisibility = integer("vis") ?? 1
    properties.payloadPriority = integer("pri")
    properties.fromProjectNumber = text("from")
    properties.groupKey = text("grp")
    properties.groupMessage = text("grp_msg")
    properties.androidNotificationID = integer("androidNotificationId")
    properties.restoring = flag("restoring") ?? false
    properties.isMalformed = isMalformed || ["pri", "vis"].contains { !isShortInteger($0) }
    if let members = json("bg_img", .object)?.object {
      let layout = OneSignal.BackgroundLayout(
        image: inner(members, "bg_img", "img"), titleTextColor: inner(members, "bg_img", "tc"),
        bodyTextColor: inner(members, "bg_img", "bc"), imageAlign: inner(members, "bg_img", "img_align"))
      properties.backgroundImageLayout = layout
    }
    readTimes(&properties, now: now)
    readChannel(&properties)
    return properties
  }

  /// The times of Google's transport, else of Huawei's, else now and three days.
  private mutating func readTimes(_ properties: inout OneSignal.AndroidProperties, now: WholeNumber?) {
    properties.sentTime = now
    guard let prefix = OneSignal.timesPrefix(of: bundle) else { return }
    if let ttl = time(prefix + ".ttl") { properties.ttl = OneSignal.clampedTTL(ttl) }
    if let sent = time(prefix + ".sent_time") { properties.sentTime = sent / 1000 }
  }

  private mutating func readChannel(_ properties: inout OneSignal.AndroidProperties) {
    if let members = json("chnl", .object)?.object {
      channelMembers = members
      let path = path("chnl")
      var channel = OneSignal.Channel(id: coerced(members, "id", path))
      channel.name = coerced(members, "nm", path)
      channel.description = coerced(members, "dscr", path)
      channel.groupID = coerced(members, "grp_id", path)
      channel.groupName = coerced(members, "grp_nm", path)
      channel.languages = members["langs"]?.object
      if let languages = members["langs"], languages.object == nil {
        // Null is no object to the SDK either.
        report.add(
          rule: "key-type", severity: .warning, field: path.member("langs"),
          message: "expected an object, found \(languages.named); " + AndroidReader.channelFate)
      }
      properties.channel = channel
      properties.isChannelUnreadable = members["langs"].map { $0.object == nil } ?? false
    }
    properties.existingChannelID = text("oth_chnl")
    properties.channelList = json("chnl_lst", .array)
    properties.led = flag("led")
    properties.vibrate = flag("vib")
    properties.showBadge = flag("bdg")
    properties.bypassDnd = flag("bdnd")
    guard let pattern = json("vib_pt", .array)?.array else { return }
    let numbers = pattern.compactMap { $0.int }
    if numbers.count == pattern.count {
      properties.vibrationPattern = numbers
    } else {
      wrong(.array(pattern), path("vib_pt"), "an array of integers")
    }
  }
}

// MARK: Values

extension AndroidReader {
  func path(_ key: String) -> FieldPath { FieldPath(members: "message", "data", key) }

  private mutating func text(_ key: String) -> String? {
    guard let value = bundle[key] else { return nil }
    if case .string(let text) = value { return text }
    wrong(value, path(key), "a string")
    return nil
  }

  private mutating func color(_ key: String) -> String? {
    let text = text(key)
    // The accent color may have any number of digits; the pattern that the SDK has for the light's is exact.
    if let text, key == "ledc" || OneSignal.accentColor(text) == nil,
      let finding = OneSignal.colorFault(text, path(key).description)
    {
      report.findings.append(finding)
    }
    return text
  }

  /// The notification's id: the text of any value, even of `null`.
  private mutating func identifier(_ custom: JSONObject) -> String? {
    coerced(custom, "i", path("custom"))
  }

  /// A member of an object as Android's `getString` gives it: the text of any value.
  mutating func coerced(_ members: JSONObject, _ name: String, _ path: FieldPath) -> String? {
    guard let value = members[name] else { return nil }
    if value.string == nil {
      report.add(
        rule: "key-lenient", severity: .note, field: path.member(name),
        message: "expected a string, took \(value.named) for it")
    }
    return value.androidText
  }

  /// A string inside an object that came as JSON text.
  private mutating func inner(_ members: JSONObject, _ key: String, _ name: String) -> String? {
    guard let value = members[name] else { return nil }
    if case .string(let text) = value { return text }
    wrong(value, path(key).member(name), "a string")
    return nil
  }

  private mutating func integer(_ key: String) -> WholeNumber? {
    guard let value = bundle[key] else { return nil }
    if let number = value.string.flatMap({ WholeNumber($0) }) { return number }
    guard let number = value.int else {
      wrong(value, path(key), "an integer in a string")
      return nil
    }
    lenient(value, key, "an integer in a string")
    return number
  }

  /// A whole number as `optInt` and `optLong` of Android's `org.json` read it.
  private mutating func time(_ key: String) -> WholeNumber? {
    guard let value = bundle[key] else { return nil }
    if let number = value.string.flatMap({ WholeNumber($0) }) { return number }
    guard let number = AndroidJSON.integer(value) else {
      wrong(value, path(key), "an integer in a string")
      return nil
    }
    report.add(
      rule: "key-lenient", severity: .note, field: path(key), message: "expected an integer in a string, took \(number)"
    )
    return number
  }

  /// True for a key that is absent or that the SDK can read with Java's `Integer.parseInt`.
  private func isShortInteger(_ key: String) -> Bool {
    guard let value = bundle[key], !value.isNull else { return true }
    return value.string.map { KotlinNumber.int($0) != nil } ?? (value.int != nil)
  }

  /// `"1"` or `"true"`, `"0"` or `"false"`.
  private mutating func flag(_ key: String) -> Bool? {
    guard let value = bundle[key] else { return nil }
    switch value.string {
    case "1", "true": return true
    case "0", "false": return false
    default: break
    }
    guard let flag = value.bool ?? value.int.map({ $0 != 0 }) else {
      wrong(value, path(key), "\"1\" or \"0\"")
      return nil
    }
    lenient(value, key, "\"1\" or \"0\"")
    return flag
  }

  /// An array or object that travels as JSON text, which the SDK reads with Android's own reader.
  mutating func json(_ key: String, _ kind: JSONKind) -> JSONValue? {
    guard let value = bundle[key] else { return Optional.none }
    let expected = "\(kind) as JSON text in a string"
    if let text = value.string, let read = try? AndroidJSON.read(text), read.value.kind == kind {
      if !read.isStandard { reportNonstandard(key) }
      return read.value
    }
    guard value.kind == kind else {
      if key == "chnl" {
        wrong(value, path(key), expected, AndroidReader.channelFate)
      } else {
        wrong(value, path(key), expected)
      }
      return Optional.none
    }
    lenient(value, key, expected)
    return value
  }

  // MARK: The report

  /// A mistyped key; null counts as absent and is not worth a word.
  mutating func wrong(
    _ value: JSONValue, _ path: FieldPath, _ expected: String, _ fate: String = "it is taken as absent"
  ) {
    guard !value.isNull else { return }
    report.add(
      rule: "key-type", severity: .warning, field: path, message: "expected \(expected), found \(value.named); \(fate)")
  }

  /// What becomes of a push whose channel cannot be read.
  ///
  /// Source: OneSignal's SDK for Android, `NotificationChannelManager`: the channel is named, and not made.
  private static let channelFate =
    "the SDK then names the channel fcm_fallback_notification_channel without making it, and Android shows nothing unless an "
    + "earlier push made it"

  /// Says why the SDK's receiver leaves a message to Firebase's client.
  private mutating func reportNotTaken() {
    if let type = AndroidEnvelope.foreignType(of: bundle) {
      return report.add(messageType: type, field: "message_type")
    }
    report.add(
      rule: "fixed-value", severity: .warning, field: path("from"),
      message: "OneSignal's SDK leaves what comes from \(AndroidEnvelope.registrationSender) to Firebase's client")
  }

  private mutating func reportNonstandard(_ key: String) {
    report.add(
      rule: "onesignal-custom-nonstandard", severity: .warning, field: path(key),
      message: "the text is not JSON by the standard, which Android's reader accepts all the same; write JSON")
  }

  private mutating func lenient(_ value: JSONValue, _ key: String, _ expected: String) {
    report.add(
      rule: "key-lenient", severity: .note, field: path(key),
      message: "expected \(expected), took \(value.named) for it")
  }
}
