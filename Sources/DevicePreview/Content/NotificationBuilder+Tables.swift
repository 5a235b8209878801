import DeviceText
import PushContracts
import PushPayload

extension NotificationBuilder {
  /// The text that a device shows for a source; nil when there is none.
  ///
  /// With the app's tables it is what the platform makes of them. Without, a key is drawn instead of its text, but for
  /// IMKit's, whose texts are known.
  mutating func text(_ source: TextSource) -> NotificationText? {
    guard let key = source.key, !key.isEmpty else { return source.plain.map { NotificationText($0) } }
    if let strings = device.tables?[push.platform] { return resolved(source, key, strings) }
    if firstText == .text, let plain = source.plain, !plain.isEmpty { return NotificationText(plain, key: key) }
    if notification.contract == .imkit { return imkitText(key, source) }
    note(
      .noTables, .note, source.path,
      "no string tables of the app are given, so its text for \(InertText(key).line) is not known; the key is drawn")
    return NotificationText(key, origin: .key, key: key)
  }

  /// What the device takes of a text and a key.
  private var firstText: AppleTextChoices.First {
    PerPlatform(ios: device.appleTexts.first, android: .text)[push.platform]
  }

  private mutating func resolved(_ source: TextSource, _ key: String, _ strings: AppStrings) -> NotificationText? {
    // IMKit's apps fall back to the text beside a key they do not know; on Android, Firebase's client does not.
    let fallsBack = notification.contract == .imkit && push.platform == .ios
    let result = strings.resolve(
      PushText(
        plain: source.plain, key: key, arguments: source.arguments, missingKey: fallsBack ? .plainText : .platform,
        apple: device.appleTexts),
      preferred: device.tags)
    for problem in result.problems { report.add(problem, field: source.path.text) }
    let locale = result.locale?.description
    switch result.source {
    case .plain:
      let origin: NotificationText.Origin = firstText == .key ? .fallback : .payload
      return result.text.map { NotificationText($0, origin: origin, key: key) }
    case .table: return result.text.map { NotificationText($0, origin: .table, key: key, locale: locale) }
    case .key: return NotificationText(result.text ?? key, origin: .key, key: key)
    case .nothing:
      missingTexts.append(source.path.text)
      return nil
    case .crash:
      crash = "the app crashes while it makes the text of \(InertText(key).line)"
      return nil
    }
  }

  /// IMKit's apps know its keys; a key nobody knows falls back to the text beside it.
  private mutating func imkitText(_ key: String, _ source: TextSource) -> NotificationText? {
    let language = imkitLanguage
    if IMKit.texts[language]?[key] != nil {
      let text =
        push.platform == .android
        ? IMKit.androidText(key: key, arguments: source.arguments, language: language)
        : IMKit.text(key: key, arguments: source.arguments ?? [], language: language)
      return text.map { NotificationText($0, origin: .builtIn, key: key, locale: language.rawValue) }
    }
    if let plain = source.plain, !plain.isEmpty { return NotificationText(plain, origin: .fallback, key: key) }
    return NotificationText(key, origin: .key, key: key)
  }

  /// The language of the built-in texts: Chinese in any script for Chinese, otherwise English.
  private var imkitLanguage: IMKit.TextLanguage {
    for tag in device.tags {
      if tag.language == "zh" { return .traditionalChinese }
      if tag.language == "en" { return .english }
    }
    return .english
  }
}
