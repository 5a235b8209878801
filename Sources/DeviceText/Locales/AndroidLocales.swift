/// Which of a resource's values an Android device (since Android 7) takes.
///
/// First one of the device's languages is chosen for the whole app: the first that the app has any resource for;
/// English counts as had. Then each resource is looked up for that language alone: values of another language or script
/// are out, the one nearest in CLDR's tree of parents wins, and `values` without a language is the last resort.
enum AndroidLocales {
  /// The language of the device that counts for an app with resources in `available`; nil without preferred languages.
  static func request(preferred: [LocaleTag], available: [LocaleTag]) -> LocaleTag? {
    guard preferred.count > 1 else { return preferred.first }
    let supported = [LocaleTag(language: "en", script: "Latn")] + available
    return preferred.first { wanted in supported.contains { agrees($0, with: wanted) } } ?? preferred.first
  }

  /// The index of the best value among those of one resource; nil means a value of no language.
  static func best(of candidates: [LocaleTag?], for request: LocaleTag?) -> Int? {
    var best: Int?
    for (index, candidate) in candidates.enumerated() {
      if let candidate {
        guard let request, matches(candidate, request) else { continue }
      }
      guard let found = best else {
        best = index
        continue
      }
      guard let request else { continue }
      if isBetter(candidate, than: candidates[found], for: request) {
        best = index
      } else if !isBetter(candidates[found], than: candidate, for: request), precedes(candidate, candidates[found]) {
        best = index
      }
    }
    return best
  }

  /// The order of values in an app's table, where the first of two that are equally good is chosen: the present name of a
  /// language, then a tag without a script or variants.
  ///
  /// Source: Android, `ResTable_config::compare`.
  private static func precedes(_ left: LocaleTag?, _ right: LocaleTag?) -> Bool {
    guard let left, let right else { return false }
    if left.language != right.language { return LikelySubtags.presentLanguage(left.language) == left.language }
    if left.script != right.script { return (left.script ?? "") < (right.script ?? "") }
    return left.variants.lexicographicallyPrecedes(right.variants)
  }

  /// Whether a resource's language serves a wanted one: one language, one script; the region does not matter.
  private static func matches(_ candidate: LocaleTag, _ request: LocaleTag) -> Bool {
    guard sameLanguage(candidate, request) else { return false }
    guard let script = LikelySubtags.script(of: candidate), let wanted = LikelySubtags.script(of: request) else {
      return candidate.region == nil || candidate.region == request.region
    }
    return script == wanted
  }

  private static func agrees(_ supported: LocaleTag, with wanted: LocaleTag) -> Bool {
    supported == wanted || matches(supported, wanted)
  }

  private static func sameLanguage(_ left: LocaleTag, _ right: LocaleTag) -> Bool {
    LikelySubtags.presentLanguage(left.language) == LikelySubtags.presentLanguage(right.language)
  }

  /// Whether one value is better than another for a request that both serve.
  private static func isBetter(_ left: LocaleTag?, than right: LocaleTag?, for request: LocaleTag) -> Bool {
    guard let left else {
      guard let right else { return false }
      return !isBetterThanDefault(right, for: request)
    }
    guard let right else { return isBetterThanDefault(left, for: request) }
    if left.region != right.region { return compareRegions(left.region, right.region, for: request) > 0 }
    let (isLeftVariant, isRightVariant) = (left.variants == request.variants, right.variants == request.variants)
    if isLeftVariant != isRightVariant { return isLeftVariant }
    // Tagalog and Filipino serve each other.
    return left.language == request.language && right.language != request.language
  }

  /// Whether a value of a language beats `values`.
  ///
  /// For English, one close to that of the US is required, because most apps have such texts in `values`.
  private static func isBetterThanDefault(_ candidate: LocaleTag, for request: LocaleTag) -> Bool {
    guard request.language == "en" else { return true }
    if request.region == "US" { return candidate.region == nil || candidate.region == "US" }
    return !isNearUS(request.region) || isNearUS(candidate.region)
  }

  private static func isNearUS(_ region: String?) -> Bool {
    !ancestors(LocaleTag(language: "en", region: region)).contains("001")
  }

  /// Above 0 when the left region is nearer to the request, below 0 when the right one is.
  private static func compareRegions(_ left: String?, _ right: String?, for request: LocaleTag) -> Int {
    let (left, right) = latinAmerican(left, right, language: request.language)
    let wanted = ancestors(request)
    if let first = wanted.first(where: { $0 == left || $0 == right }) {
      if left != right { return first == left ? 1 : -1 }
    }
    let leftDistance = distance(left, wanted, request)
    let rightDistance = distance(right, wanted, request)
    if leftDistance != rightDistance { return rightDistance - leftDistance }
    let isLeftFirst = isRepresentative(sister(left, request))
    let isRightFirst = isRepresentative(sister(right, request))
    if isLeftFirst != isRightFirst { return isLeftFirst ? 1 : -1 }
    return isBefore(left, right) ? 1 : -1
  }

  /// Whether a locale is the first one for its language and script; Android adds three to those of CLDR.
  ///
  /// Source: Android, `LocaleDataTables`, `REPRESENTATIVE_LOCALES`.
  private static func isRepresentative(_ locale: LocaleTag) -> Bool {
    switch (locale.language, locale.script, locale.region) {
    case ("en", "Latn", "GB"), ("es", "Latn", "MX"), ("es", "Latn", "US"): true
    default: LikelySubtags.isRepresentative(locale)
    }
  }

  /// The countries whose Arabic is written with ASCII digits: Android gives them a parent of their own, Northern Africa.
  ///
  /// Source: Android, `LocaleDataTables`, `ARAB_PARENTS`.
  private static let arabicWithLatinDigits = ["AE", "DZ", "EH", "LY", "MA", "TN"]

  private static func parent(of locale: LocaleTag) -> LocaleTag? {
    guard locale.language == "ar", let region = locale.region, arabicWithLatinDigits.contains(region) else {
      return LikelySubtags.parent(of: locale)
    }
    return LocaleTag(language: "ar", script: locale.script, region: "015")
  }

  /// The Spanish of Mexico and of the US is compared with other variants as that of Latin America.
  private static func latinAmerican(_ left: String?, _ right: String?, language: String) -> (String?, String?) {
    guard language == "es" else { return (left, right) }
    let special = ["US", "MX"]
    let isLeft = left.map { special.contains($0) } ?? false
    let isRight = right.map { special.contains($0) } ?? false
    if isLeft, !isRight, right != "419" { return ("419", right) }
    if isRight, !isLeft, left != "419" { return (left, "419") }
    return (left, right)
  }

  /// Two letters come before three digits; nothing comes first.
  private static func isBefore(_ left: String?, _ right: String?) -> Bool {
    let left = left ?? ""
    let right = right ?? ""
    return left.utf8.count == right.utf8.count ? left < right : left.utf8.count < right.utf8.count
  }

  /// The regions of a locale and of what it inherits from; nil, the language itself, is the last.
  private static func ancestors(_ locale: LocaleTag) -> [String?] {
    let isPlain = LikelySubtags.script(of: locale) == LikelySubtags.script(of: LocaleTag(language: locale.language))
    let script = isPlain ? nil : LikelySubtags.script(of: locale)
    var regions: [String?] = []
    var step: LocaleTag? = LocaleTag(language: locale.language, script: script, region: locale.region)
    while let locale = step, locale.region != nil {
      regions.append(locale.region)
      step = parent(of: locale)
    }
    return regions + [nil]
  }

  private static func sister(_ region: String?, _ request: LocaleTag) -> LocaleTag {
    LocaleTag(language: request.language, script: LikelySubtags.script(of: request), region: region)
  }

  /// How many steps lie between a region and the request in the tree of parents.
  private static func distance(_ region: String?, _ wanted: [String?], _ request: LocaleTag) -> Int {
    for (steps, ancestor) in ancestors(sister(region, request)).enumerated() {
      if let index = wanted.firstIndex(where: { $0 == ancestor }) { return steps + index }
    }
    return wanted.count
  }
}
