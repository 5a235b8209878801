/// Which of an app's localizations an Apple device uses.
///
/// One localization is chosen for the whole app: the best one for the first preferred language that has any, else the
/// development language, else the app's first. A key that it lacks is not looked up in another one.
enum AppleLocales {
  /// The choice.
  struct Match: Sendable, Hashable {
    /// The localization.
    let locale: LocaleTag
    /// Whether one of the preferred languages led to it.
    let isPreferred: Bool
  }

  /// Chooses among the languages of an app; nil when it has none.
  static func match(
    preferred: [LocaleTag], available: [LocaleTag], development: LocaleTag?
  ) -> Match? {
    for wanted in preferred {
      if let locale = best(for: wanted, among: available) { return Match(locale: locale, isPreferred: true) }
    }
    if let development, let locale = best(for: development, among: available) {
      return Match(locale: locale, isPreferred: false)
    }
    return available.first.map { Match(locale: $0, isPreferred: false) }
  }

  /// The best localization for one language: itself, then what it inherits from, then a sister in the same script.
  private static func best(for wanted: LocaleTag, among available: [LocaleTag]) -> LocaleTag? {
    if available.contains(wanted) { return wanted }
    let language = present(wanted.language)
    let script = LikelySubtags.script(of: wanted)
    let sisters = available.filter { present($0.language) == language && LikelySubtags.script(of: $0) == script }
    guard !sisters.isEmpty else { return nil }
    var step: LocaleTag? = wanted
    while let locale = step {
      for region in locale.region == "001" && language == "en" ? ["001", "GB"] : [locale.region] {
        if let found = sisters.first(where: { $0.region == region && $0.variants == locale.variants }) { return found }
      }
      step = LikelySubtags.parent(of: locale)
    }
    return sisters.first { $0.region == nil } ?? sisters.first { LikelySubtags.isRepresentative($0) }
      ?? sisters.min { $0.description < $1.description }
  }

  /// Norwegian is one language under two names, as on devices.
  private static func present(_ language: String) -> String {
    language == "no" ? "nb" : LikelySubtags.presentLanguage(language)
  }
}
