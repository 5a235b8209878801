import PushContracts
import PushPayload
import WireJSON

/// Builds what a device shows from a payload: first as the platform does, then as the app's own library does.
struct NotificationBuilder {
  let push: PreviewPush
  let device: PreviewDevice
  var notification: ShownNotification
  var report = Report()

  init(_ push: PreviewPush, on device: PreviewDevice) {
    self.push = push
    self.device = device
    let contract = push.contract ?? Contracts.recognize(platform: push.platform, payload: push.payload).contract
    notification = ShownNotification(
      platform: push.platform, contract: contract, payload: push.payload.object ?? JSONObject())
  }

  mutating func build() {
    guard push.payload.object != nil else {
      report.add(
        rule: "payload-not-object", severity: .error, field: "",
        message: "expected a payload as a JSON object, found \(push.payload.kind)")
      notification.silence = "the payload is not a JSON object"
      return
    }
    switch push.platform {
    case .ios: buildApple()
    case .android: buildAndroid()
    }
    reportBidi()
  }

  /// A warning for texts that turn the direction of what follows them.
  private mutating func reportBidi() {
    let texts = [
      ("title", notification.title), ("subtitle", notification.subtitle), ("body", notification.body),
      ("expanded_title", notification.expandedTitle), ("expanded_body", notification.expandedBody),
    ]
    for (name, text) in texts {
      guard let text, !text.text.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
      guard text.text.unicodeScalars.contains(where: { InertText.turnsDirection($0.value) }) else { continue }
      report.add(
        rule: "preview-bidi-control", severity: .warning, field: name,
        message: "the text holds characters that turn the direction of what follows; they are left out of the picture")
    }
  }

  mutating func note(_ rule: String, _ severity: Severity, _ field: FieldPath, _ message: String) {
    report.add(rule: rule, severity: severity, field: field, message: message)
  }
}

// MARK: Texts

/// A text of a payload: as it is, or a localization key with its arguments.
struct TextSource {
  var plain: String?
  var key: String?
  var arguments: [String]?
  /// Where it stands, for the report.
  var place: FieldPath
}

extension NotificationBuilder {
  /// The text that a device shows for a source; nil when there is none.
  mutating func text(_ source: TextSource) -> NotificationText? {
    switch push.platform {
    case .ios: appleText(source)
    case .android: androidText(source)
    }
  }

  /// iOS: the key wins; a key that no table has is shown itself.
  private mutating func appleText(_ source: TextSource) -> NotificationText? {
    guard let key = source.key else { return source.plain.map { NotificationText($0) } }
    if let found = lookUp(key, source) { return found }
    if notification.contract == .imkit { return imkitText(key, source) }
    return NotificationText(key, origin: .key, key: key)
  }

  /// Android: the text wins; a key that no table has shows nothing.
  private mutating func androidText(_ source: TextSource) -> NotificationText? {
    if let plain = source.plain, !plain.isEmpty { return NotificationText(plain) }
    guard let key = source.key else { return nil }
    if let found = lookUp(key, source) { return found }
    return notification.contract == .imkit ? imkitText(key, source) : nil
  }

  /// IMKit's apps know its keys; a key nobody knows falls back to the text beside it.
  private mutating func imkitText(_ key: String, _ source: TextSource) -> NotificationText? {
    let language = imkitLanguage
    let arguments = source.arguments ?? []
    if IMKit.texts[language]?[key] != nil {
      let text = IMKit.text(key: key, arguments: arguments, language: language)
      return NotificationText(text, origin: .builtIn, key: key, locale: language.rawValue)
    }
    if let plain = source.plain { return NotificationText(plain, origin: .fallback, key: key) }
    return push.platform == .ios ? NotificationText(key, origin: .key, key: key) : nil
  }

  /// The language of the built-in texts: Chinese in any script for Chinese, otherwise English.
  private var imkitLanguage: IMKit.TextLanguage {
    for locale in device.locales {
      if locale.utf8.starts(with: "zh".utf8) { return .traditionalChinese }
      if locale.utf8.starts(with: "en".utf8) { return .english }
    }
    return .english
  }
}
