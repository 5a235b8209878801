public import DeviceText
import PushPayload
public import WireJSON

/// What one language of an app makes of a push: for a look at all languages before it is sent.
public struct LocaleCheck: Sendable {
  /// The language.
  public var locale: LocaleTag
  /// What the device shows.
  public var preview: Preview
  /// The fields whose key this language has no text for, though another may.
  public var lacking: [String] = []
  /// The rules that its format breaks, so that the text is wrong or the app crashes.
  public var broken: [String] = []
  /// The rules of formats whose effect nobody documents, or that show something else than was likely meant.
  public var doubtful: [String] = []
  /// The fields that do not fit where they are read first, as `surface.field`; a body that goes on is no break.
  public var overflowing: [String] = []

  /// Looks at a push in one language.
  public init(_ push: PreviewPush, on device: PreviewDevice, locale: LocaleTag) {
    self.locale = locale
    var device = device
    device.locales = [locale.description]
    preview = Preview(push, on: device)
    let development = device.tables?[push.platform]?.developmentLocale
    for (name, text) in preview.notification.texts {
      guard let text, text.key != nil else { continue }
      switch text.origin {
      case .payload, .builtIn: continue
      case .key, .fallback: lacking.append(name)
      case .table:
        let isOwn =
          text.locale == nil
          ? locale == (development ?? Optional<LocaleTag>.undetermined) : text.locale == locale.description
        if !isOwn { lacking.append(name) }
      }
    }
    lacking += missingFields
    readFormats()
    readOverflows()
  }

  /// The fields that stay empty for want of a text; those whose format lacks an argument are broken, not lacking.
  private var missingFields: [String] {
    let paths = preview.missingTexts.filter { path in
      !preview.report.findings.contains { $0.field == path && $0.rule == TextRule.argumentMissing.rawValue }
    }
    return paths.map { $0.hasSuffix("title_loc_key") ? "title" : $0.hasSuffix("body_loc_key") ? "body" : $0 }
  }

  /// What breaks a format on one platform without being an error of it: a specifier is left in the text.
  private static let breaking: [TextRule] = [.argumentMissing, .iosSpecifier, .iosVariable, .textTooLong]

  private mutating func readFormats() {
    for finding in preview.report.findings where finding.severity != .note {
      guard let rule = TextRule(rawValue: finding.rule), rule != .keyMissing else { continue }
      if finding.severity == .error || Self.breaking.contains(rule) {
        if !broken.contains(finding.rule) { broken.append(finding.rule) }
      } else if !doubtful.contains(finding.rule) {
        doubtful.append(finding.rule)
      }
    }
  }

  private mutating func readOverflows() {
    for surface in preview.surfaces {
      let isFirst = surface.surface == Surface.of(preview.notification.platform).first
      guard isFirst || surface.surface == .expanded else { continue }
      if surface.title.isCut { overflowing.append("\(surface.surface.rawValue).title") }
      if surface.subtitle.isCut { overflowing.append("\(surface.surface.rawValue).subtitle") }
      if surface.body.isCut, !isFirst { overflowing.append("\(surface.surface.rawValue).body") }
    }
  }

  /// True when nothing is to be done.
  public var isFine: Bool { !isWrong && doubtful.isEmpty && overflowing.isEmpty }
  /// True when a person would read a wrong text or none.
  public var isWrong: Bool { !lacking.isEmpty || !broken.isEmpty }

  /// All languages of the app, the development language first.
  ///
  /// Android's `values` of an unknown language
  /// are written as `und`.
  public static func all(_ push: PreviewPush, on device: PreviewDevice) -> [LocaleCheck] {
    guard let strings = device.tables?[push.platform] else { return [] }
    let development = strings.sourceLocale
    var locales = strings.locales.filter { $0 != development }.sorted { $0.description < $1.description }
    if let development { locales.insert(development, at: 0) }
    return locales.map { LocaleCheck(push, on: device, locale: $0) }
  }

  /// `{locale, ok, lacking, broken, doubtful, overflowing, title, subtitle, body}`.
  public var json: JSONObject {
    var object: JSONObject = ["locale": .string(locale.description), "ok": .bool(isFine)]
    for (name, list) in [
      ("lacking", lacking), ("broken", broken), ("doubtful", doubtful), ("overflowing", overflowing),
    ] where !list.isEmpty {
      object.append(name, .array(list.map { .string($0) }))
    }
    for (name, text) in preview.notification.texts {
      if let text { object.append(name, .string(text.text)) }
    }
    object.add("silence", preview.notification.silence)
    return object
  }
}

extension Optional<LocaleTag> {
  /// `und`: a language that nobody has named.
  fileprivate static var undetermined: LocaleTag? { LocaleTag("und") }
}
