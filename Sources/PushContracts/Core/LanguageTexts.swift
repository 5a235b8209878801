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
  public func text(in language: String) -> String? { index(in: language).map { entries[$0].text } }

  /// Whether there is a text of exactly this language, without regard to case.
  func has(_ language: String) -> Bool { index(in: language) != nil }

  /// The text a reader of a language gets: that of the language, of the nearest wider one (`zh-Hant` for `zh-Hant-TW`),
  /// or the English one.
  public func text(for language: String?) -> String? { index(for: language).map { entries[$0].text } }

  /// Whether the text that a reader of a language gets is empty; nil where there is none.
  func isEmpty(for language: String?) -> Bool? { index(for: language).map { entries[$0].text.isEmpty } }

  /// The entry behind ``text(for:)``.
  public func entry(for language: String?) -> Entry? { index(for: language).map { entries[$0] } }

  // Entries are found by index: each one that is handed out, or looked at in a loop over them, would retain both of its texts.

  /// The index of the entry behind ``text(for:)``.
  func index(for language: String?) -> Int? {
    let wanted = language ?? LanguageTexts.fallback
    if !wanted.isEmpty, let index = index(in: wanted) { return index }
    guard let language else { return Optional.none }
    return widerIndex(for: language)
  }

  /// The index of the nearest wider language, or of English.
  @inline(never)
  private func widerIndex(for language: String) -> Int? {
    var code = language[...]
    while !code.isEmpty {
      if let index = index(in: code) { return index }
      guard let end = code.utf8.lastIndex(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { break }
      code = code[..<end]
    }
    return index(in: LanguageTexts.fallback[...])
  }

  /// The index of exactly this language, without regard to case.
  private func index(in language: String) -> Int? {
    for index in entries.indices where LanguageTexts.isSame(text: entries[index].language, language) { return index }
    return Optional.none
  }

  private func index(in code: Substring) -> Int? {
    entries.indices.first { LanguageTexts.isSame(entries[$0].language, code) }
  }

  /// True when a language is the wider one of another: `de` of `de-AT`.
  static func isWider(_ language: String, than other: String) -> Bool {
    let bytes = other.utf8
    guard bytes.count > language.utf8.count else { return false }
    let end = bytes.index(bytes.startIndex, offsetBy: language.utf8.count)
    return (bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "_")) && isSame(language, other[..<end])
  }

  /// Nearly always both are spelled alike, which a look at their words tells.
  @inline(__always)
  private static func isSame(text left: String, _ right: String) -> Bool {
    #if !_pointerBitWidth(_32)
      // A short text is its two words.
      if unsafe unsafeBitCast(left, to: SIMD2<UInt64>.self) == unsafeBitCast(right, to: SIMD2<UInt64>.self) {
        return true
      }
    #endif
    return left.utf8.count == right.utf8.count && isSame(left, right)
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
