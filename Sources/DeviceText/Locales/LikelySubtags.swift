/// What CLDR says about the parts that a tag leaves out.
enum LikelySubtags {
  /// The script a locale is written in: its own, or the likely one; nil when CLDR knows none.
  static func script(of locale: LocaleTag) -> String? {
    if let script = locale.script { return script }
    let language = presentLanguage(locale.language)
    if let region = locale.region, let known = likely("\(language)-\(region)") { return known.script }
    return likely(language)?.script
  }

  /// Whether a locale is the first one CLDR thinks of for its language and script, as `pt-BR` for Portuguese.
  static func isRepresentative(_ locale: LocaleTag) -> Bool {
    guard let region = locale.region, let script = script(of: locale) else { return false }
    let language = presentLanguage(locale.language)
    if let known = likely("\(language)-\(script)") { return known.region == region }
    // Without a row of its own, a language in another script has the region of the language.
    return likely(language)?.region == region
  }

  /// The parent of a locale: as CLDR says, else without its last part; nil for a language alone.
  static func parent(of locale: LocaleTag) -> LocaleTag? {
    if let row = SortedTable.row(locale.description, in: CLDRLocales.parents, tag: { $0.tag }) {
      let parent = "\(row.value)"
      return parent == "root" ? nil : LocaleTag(parent)
    }
    if !locale.variants.isEmpty {
      return LocaleTag(
        language: locale.language, script: locale.script, region: locale.region,
        variants: Array(locale.variants.dropLast()))
    }
    if locale.region != nil { return LocaleTag(language: locale.language, script: locale.script) }
    return locale.script == nil ? nil : LocaleTag(language: locale.language)
  }

  /// The present name of a language.
  static func presentLanguage(_ language: String) -> String {
    guard let row = SortedTable.row(language, in: CLDRLocales.aliases, tag: { $0.tag }) else { return language }
    return LocaleTag("\(row.value)")?.language ?? language
  }

  private static func likely(_ tag: String) -> LocaleTag? {
    SortedTable.row(tag, in: CLDRLocales.likely, tag: { $0.tag }).flatMap { LocaleTag("\($0.value)") }
  }
}

/// Looking up in a table that is sorted by the bytes of its tags.
enum SortedTable {
  /// The row of a tag.
  static func row<Row>(_ tag: String, in table: [Row], tag key: (Row) -> StaticString) -> Row? {
    var wanted = tag
    return wanted.withUTF8 { wanted in
      var low = 0
      var high = table.count
      while low < high {
        let middle = (low + high) / 2
        let order = key(table[middle]).withUTF8Buffer { unsafe compare($0, wanted) }
        if order == 0 { return table[middle] }
        if order < 0 { low = middle + 1 } else { high = middle }
      }
      return nil
    }
  }

  private static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    for index in 0..<min(left.count, right.count) where unsafe left[index] != right[index] {
      return unsafe left[index] < right[index] ? -1 : 1
    }
    return left.count - right.count
  }
}
