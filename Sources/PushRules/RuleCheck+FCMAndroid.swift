internal import PushPayload
internal import WireJSON

extension RuleCheck {
  /// The rules about `android` and `android_v2`.
  mutating func checkAndroid(_ message: JSONNode) {
    let first = member(message, "android")
    let second = field(message, "android_v2", "androidV2")
    if first != nil, let second {
      add(.fcmAndroidExclusive, at: second, "android and android_v2 exclude each other; keep one")
    }
    if let first {
      checkConfig(first)
      checkAndroidNotification(member(first, "notification"))
    }
    checkEffect(message, first, second)
    guard let second else { return }
    checkConfig(second)
    let remote = field(second, "remote_notification", "remoteNotification")
    if let remote, field(second, "background_sync", "backgroundSync") != nil {
      add(.fcmAndroidKindExclusive, at: remote, "background_sync and remote_notification exclude each other; keep one")
    }
    checkAndroidNotification(member(remote, "notification"))
  }

  private mutating func checkConfig(_ config: JSONNode) {
    checkData(member(config, "data"))
    checkOptions(field(config, "fcm_options", "fcmOptions"))
    guard let ttl = member(config, "ttl"), let duration = duration(ttl) else { return }
    if duration < FCMDuration(seconds: 0) || duration > FCMDuration(seconds: FCMDuration.timeToLiveMax) {
      add(
        .fcmTtlRange, at: ttl, "expected 0s to \(FCMDuration.timeToLiveMax)s (four weeks), found \(duration.text)")
    }
  }

  private func duration(_ node: JSONNode) -> FCMDuration? { text(node).flatMap { FCMDuration(text: $0) } }

  private mutating func checkAndroidNotification(_ notification: JSONNode?) {
    guard let notification, document.kind(notification) == .object else { return }
    if let color = member(notification, "color"), let text = text(color), FCMHexColor(text: text) == nil {
      add(.fcmColorInvalid, at: color, "expected # and six hexadecimal digits, found \(Quoted.text(text))")
    }
    checkImage(member(notification, "image"))
    checkResource(member(notification, "icon"), RuleCheck.insteadOfIcon)
    checkResource(member(notification, "sound"), RuleCheck.insteadOfSound)
    checkTexts(
      text: member(notification, "title"), key: field(notification, "title_loc_key", "titleLocKey"),
      arguments: field(notification, "title_loc_args", "titleLocArgs"), name: "title")
    checkTexts(
      text: member(notification, "body"), key: field(notification, "body_loc_key", "bodyLocKey"),
      arguments: field(notification, "body_loc_args", "bodyLocArgs"), name: "body")
    if let timings = field(notification, "vibrate_timings", "vibrateTimings") {
      for timing in document.elements(of: timings) { checkNotNegative(timing) }
      if document.kind(timings) == .array, document.count(timings) == 1 {
        add(
          .fcmValueIgnored, at: timings,
          "Android ignores a rhythm of one value; write the pause first, such as \"0s\", and then the vibration")
      }
    }
    checkCount(field(notification, "notification_count", "notificationCount"))
    checkLight(field(notification, "light_settings", "lightSettings"))
  }

  /// A drawable or a raw resource, whose name is looked up in the app.
  private mutating func checkResource(_ node: JSONNode?, _ instead: String) {
    guard let node, let text = text(node), !FCMAndroidNotification.isResourceName(text) else { return }
    add(.fcmValueIgnored, at: node, RuleCheck.noResource(text, instead))
  }

  /// What is said of a name of no resource.
  static func noResource(_ name: String, _ instead: String) -> String {
    var text = instead
    text += " for "
    text += Quoted.text(name)
    text += ", which names no resource of an app; write its name without address and extension"
    return text
  }

  static let insteadOfIcon = "Android shows the app's own icon"
  static let insteadOfSound = "Android plays the default sound"

  private mutating func checkTexts(text: JSONNode?, key: JSONNode?, arguments: JSONNode?, name: String) {
    if let arguments, key == nil {
      add(
        .fcmLocArgsWithoutKey, at: arguments,
        "the arguments need \(name)_loc_key beside them; add it or remove them")
    }
    if let key, hasText(text), !isEmptyText(key) {
      add(.fcmTextAndLocKey, at: key, "\(name) is beside \(name)_loc_key; Android shows the plain text; keep one")
    }
  }

  private mutating func checkCount(_ node: JSONNode?) {
    guard let node else { return }
    let count = text(node).flatMap { JSONNumber(text: $0)?.int } ?? document.int(node)
    if let count, count < 0 {
      add(.fcmValueIgnored, at: node, "Android ignores a count below 0, found \(count); write 0 or more, or remove it")
    }
  }

  private mutating func checkNotNegative(_ node: JSONNode?) {
    guard let node, let duration = duration(node), duration < FCMDuration(seconds: 0) else { return }
    add(.fcmDurationNegative, at: node, "expected a duration of 0s or more, found \(duration.text)")
  }

  private mutating func checkLight(_ light: JSONNode?) {
    guard let light, document.kind(light) == .object else { return }
    let color = member(light, "color")
    let on = field(light, "light_on_duration", "lightOnDuration")
    let off = field(light, "light_off_duration", "lightOffDuration")
    var missing: [String] = []
    if color == nil { missing.append("color") }
    if on == nil { missing.append("light_on_duration") }
    if off == nil { missing.append("light_off_duration") }
    if !missing.isEmpty {
      add(.fcmLightIncomplete, at: light, "\(missing.joined(separator: ", ")) missing; all three are required")
    }
    checkNotNegative(on)
    checkNotNegative(off)
    guard let color else { return }
    for (_, part) in document.members(of: color) {
      guard let number = document.double(part), !(0...1).contains(number) else { continue }
      add(.fcmLightColorRange, at: part, "expected a number from 0 to 1, found \(number); divide by 255")
    }
    if isBlack(color) {
      add(.fcmValueIgnored, at: color, "Android ignores a light of opaque black; give it a color, or leave it out")
    }
  }

  /// True for opaque black; a part that is absent is 0, and an absent opacity is full.
  private func isBlack(_ color: JSONNode) -> Bool {
    func holds(_ name: StaticString, _ number: Double) -> Bool {
      member(color, name).map { document.double($0) == number } ?? true
    }
    return document.kind(color) == .object && holds("alpha", 1) && holds("red", 0) && holds("green", 0)
      && holds("blue", 0)
  }
}
