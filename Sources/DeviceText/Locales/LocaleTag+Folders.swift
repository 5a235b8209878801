extension LocaleTag {
  /// The language of an Apple folder: `pt-BR` of `pt-BR.lproj`, also the old names (`English`, `zh_TW`); nil for
  /// `Base` and for what is no language.
  public init?(appleFolder name: String) {
    if let old = Self.oldAppleNames.first(where: { $0.name == name }) {
      self.init(old.tag)
    } else {
      self.init(name)
    }
  }

  /// The language of the qualifiers of an Android folder that name one: `pt-rBR` or `b+sr+Latn`; nil when they do not.
  public init?(androidQualifier text: String) {
    if text.hasPrefix("b+") {
      let tag = text.utf8.dropFirst(2).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 }
      self.init(String(decoding: tag, as: UTF8.self))
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let first = LocaleSubtag(parts[0])
    guard (2...3).contains(first.count), first.isLetters, parts.count <= 2 else { return nil }
    guard parts.count == 2 else {
      self.init(text)
      return
    }
    let region = LocaleSubtag(parts[1].dropFirst())
    guard parts[1].hasPrefix("r") || parts[1].hasPrefix("R"), region.count == 2, region.isRegion else { return nil }
    self.init("\(parts[0])-\(region.upper)")
  }

  /// The folder names of before tags, which projects still have.
  private static let oldAppleNames: [(name: String, tag: String)] = [
    ("Dutch", "nl"), ("English", "en"), ("French", "fr"), ("German", "de"), ("Italian", "it"), ("Japanese", "ja"),
    ("Spanish", "es"),
  ]
}
