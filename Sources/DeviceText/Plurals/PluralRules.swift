/// The plural rules of CLDR: which form of a noun a number takes in a language.
public enum PluralRules {
  /// What the number is for.
  public enum Kind: Sendable, Hashable {
    /// How many: 3 files.
    case cardinal
    /// Which one: the 3rd file.
    case ordinal
  }

  /// The version of CLDR that the rules are from.
  public static var cldrVersion: String { "\(CLDRPlurals.version)" }

  /// The category of a number; `other` for languages that CLDR knows no rules for.
  public static func category(
    of number: PluralOperands, in locale: LocaleTag?, kind: Kind = .cardinal
  ) -> PluralCategory {
    guard let set = set(for: locale, kind) else { return .other }
    let rules = kind == .cardinal ? CLDRPlurals.cardinalSets[set] : CLDRPlurals.ordinalSets[set]
    return rules.first { PluralCondition.holds($0.condition, for: number) }?.category ?? .other
  }

  /// The categories that a language uses, in the order zero to other.
  public static func categories(in locale: LocaleTag?, kind: Kind = .cardinal) -> [PluralCategory] {
    guard let set = set(for: locale, kind) else { return [.other] }
    let rules = kind == .cardinal ? CLDRPlurals.cardinalSets[set] : CLDRPlurals.ordinalSets[set]
    return rules.map { $0.category } + [.other]
  }

  /// The value for a number: that of its category, else that of `other`.
  ///
  /// `zeroIsOwn`: Apple honours `zero` for the number 0 in every language; Android only where the language has it.
  static func form(
    _ forms: [PluralForm], for number: PluralOperands, locale: LocaleTag?, zeroIsOwn: Bool
  ) -> StringValue? {
    if zeroIsOwn, number.i == 0, number.f == 0, let zero = forms.first(where: { $0.category == .zero }) {
      return zero.value
    }
    let category = category(of: number, in: locale)
    let form = forms.first { $0.category == category } ?? forms.first { $0.category == .other }
    return form?.value
  }

  private static func set(for locale: LocaleTag?, _ kind: Kind) -> Int? {
    guard let locale else { return nil }
    let table = kind == .cardinal ? CLDRPlurals.cardinal : CLDRPlurals.ordinal
    let language = LikelySubtags.presentLanguage(locale.language)
    if let region = locale.region, let row = SortedTable.row("\(language)-\(region)", in: table, tag: { $0.tag }) {
      return Int(row.set)
    }
    return SortedTable.row(language, in: table, tag: { $0.tag }).map { Int($0.set) }
  }
}
