internal import Basics
public import WireJSON

/// One text in several languages; English is the one that is taken when a language is missing.
public struct LanguageTexts: Sendable, Hashable {
  /// The text of one language.
  public struct Entry: Sendable, Hashable {
    /// The language code, such as `en` or `zh-Hant`.
    public var language: String
    /// The text.
    public var text: String

    /// Makes an entry.
    public init(language: String, text: String) {
      self.language = language
      self.text = text
    }
  }

  /// The language used for a missing one.
  public static let fallback = "en"

  /// The texts, in the order they were given.
  public var entries: [Entry]

  /// Makes a set of texts.
  public init(_ entries: [Entry]) { self.entries = entries }

  /// A text in English.
  public init(_ english: String) { entries = [Entry(language: LanguageTexts.fallback, text: english)] }

  /// Reads an object from language to text; nil for anything else but a plain string, which is taken for English.
  public init?(_ json: JSONValue) {
    switch json {
    case .string(let text): self.init(text)
    case .object(let members):
      var entries: [Entry] = []
      for (language, value) in members {
        guard case .string(let text) = value else { return nil }
        entries.append(Entry(language: language, text: text))
      }
      self.init(entries)
    case .null, .bool, .number, .array: return nil
    }
  }

  #if !_pointerBitWidth(_32)
    /// Reads such a value of a document in which no object has a name twice.
    init?(_ document: JSONDocument, _ node: JSONNode) {
      if let text = document.string(node) {
        self.init(text)
        return
      }
      guard document.kind(node) == .object else { return nil }
      var entries: [Entry] = []
      entries.reserveCapacity(document.count(node))
      for (name, value) in document.members(of: node) {
        guard let language = document.string(name), let text = document.string(value) else { return nil }
        entries.append(Entry(language: language, text: text))
      }
      self.init(entries)
    }
  #endif

  /// The texts as an object from language to text.
  public var json: JSONValue {
    var object = JSONObject()
    for entry in entries { object[entry.language] = .string(entry.text) }
    return .object(object)
  }

  /// The text of exactly this language, without regard to case.
  public func text(in language: String) -> String? {
    for entry in entries where LanguageTexts.isSame(text: entry.language, language) { return entry.text }
    return nil
  }

  /// The text a reader of a language gets: that of the language, of the nearest wider one (`zh-Hant` for `zh-Hant-TW`),
  /// or the English one.
  public func text(for language: String?) -> String? { entry(for: language)?.text }

  /// The entry behind ``text(for:)``.
  public func entry(for language: String?) -> Entry? {
    let wanted = language ?? LanguageTexts.fallback
    if !wanted.isEmpty {
      for entry in entries where LanguageTexts.isSame(text: entry.language, wanted) { return entry }
    }
    guard var code = language.map({ $0[...] }) else { return Optional.none }
    while !code.isEmpty {
      if let entry = entry(in: code) { return entry }
      guard let end = code.utf8.lastIndex(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { break }
      code = code[..<end]
    }
    return entry(in: LanguageTexts.fallback[...])
  }

  /// True when a language is the wider one of another: `de` of `de-AT`.
  static func isWider(_ language: String, than other: String) -> Bool {
    let bytes = other.utf8
    guard bytes.count > language.utf8.count else { return false }
    let end = bytes.index(bytes.startIndex, offsetBy: language.utf8.count)
    return (bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "_")) && isSame(language, other[..<end])
  }

  private func entry(in code: Substring) -> Entry? {
    for entry in entries where LanguageTexts.isSame(entry.language, code) { return entry }
    return nil
  }

  /// Nearly always both are spelled alike, which a look at their words tells.
  private static func isSame(text left: String, _ right: String) -> Bool {
    left.hasSameBytes(as: right) || isSame(left, right)
  }

  private static func isSame(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    for (mine, theirs) in zip(left.utf8, right.utf8) where folded(mine) != folded(theirs) { return false }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    if byte == UInt8(ascii: "_") { return UInt8(ascii: "-") }
    return byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
