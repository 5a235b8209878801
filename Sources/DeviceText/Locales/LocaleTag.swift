/// A language as devices name it: the parts of a BCP 47 tag that choose a translation.
///
/// Letters are kept in the usual case, so that equal languages are equal values: `zh-Hant-TW`.
public struct LocaleTag: Sendable, Hashable, CustomStringConvertible {
  /// The language: two or three letters (up to eight), in lower case.
  public let language: String
  /// The script: four letters such as `Hant`; nil when the tag has none.
  public let script: String?
  /// The region: two letters such as `TW`, or three digits such as `419`; nil when the tag has none.
  public let region: String?
  /// The variants, in lower case, in order.
  public let variants: [String]

  init(language: String, script: String? = nil, region: String? = nil, variants: [String] = []) {
    self.language = language
    self.script = script
    self.region = region
    self.variants = variants
  }

  /// Reads a tag such as `pt-BR`, `zh_Hant_TW` or `sr-Latn`; nil when it is none.
  ///
  /// Extensions and private use (`-u-nu-arab`, `-x-…`) are understood and left out: they choose no translation.
  /// Languages that were renamed get their present names: `iw` is `he`, `in` is `id`, `ji` is `yi`.
  public init?(_ text: String) {
    guard text.utf8.count <= 255 else { return nil }
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    var subtags = parts[...].map { LocaleSubtag($0) }[...]
    guard let first = subtags.popFirst(), first.isLetters, (2...8).contains(first.count), first.count != 4 else {
      return nil
    }
    language = Self.present(first.lower)
    script = subtags.first.map { $0.isScript } == true ? subtags.removeFirst().title : nil
    region = subtags.first.map { $0.isRegion } == true ? subtags.removeFirst().upper : nil
    var variants: [String] = []
    while let next = subtags.first, next.isVariant { variants.append(subtags.removeFirst().lower) }
    self.variants = variants
    guard subtags.isEmpty || Self.isExtension(subtags) else { return nil }
  }

  /// Whether the language has the form of an ISO 639 code, two or three letters.
  ///
  /// RFC 5646 section 2.2.1 leaves room for five to eight letters, but no such language is registered: `deutsch` has the
  /// form of a tag and names nothing.
  public var hasLanguageCode: Bool { language.utf8.count <= 3 }

  /// `zh-Hant-TW`.
  public var description: String {
    var text = language
    if let script { text += "-" + script }
    if let region { text += "-" + region }
    for variant in variants { text += "-" + variant }
    return text
  }

  private static func present(_ language: String) -> String {
    switch language {
    case "iw": "he"
    case "in": "id"
    case "ji": "yi"
    default: language
    }
  }

  private static func isExtension(_ subtags: ArraySlice<LocaleSubtag>) -> Bool {
    guard let first = subtags.first, first.count == 1, subtags.count >= 2 else { return false }
    return subtags.dropFirst().allSatisfy { $0.isAlphanumeric && (1...8).contains($0.count) }
  }
}

/// One part of a tag between dashes.
struct LocaleSubtag {
  private let bytes: [UInt8]

  init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  var count: Int { bytes.count }
  var isLetters: Bool { bytes.allSatisfy(Self.isLetter) }
  var isAlphanumeric: Bool { !bytes.isEmpty && bytes.allSatisfy { Self.isLetter($0) || Self.isDigit($0) } }
  var isScript: Bool { count == 4 && isLetters }
  var isRegion: Bool { count == 2 && isLetters || count == 3 && bytes.allSatisfy(Self.isDigit) }
  var isVariant: Bool { isAlphanumeric && ((5...8).contains(count) || count == 4 && Self.isDigit(bytes[0])) }
  var lower: String { String(decoding: bytes.map(Self.lower), as: UTF8.self) }
  var upper: String { String(decoding: bytes.map(Self.upper), as: UTF8.self) }
  var title: String {
    String(decoding: bytes.prefix(1).map(Self.upper) + bytes.dropFirst().map(Self.lower), as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
  private static func upper(_ byte: UInt8) -> UInt8 { (0x61...0x7A).contains(byte) ? byte & 0xDF : byte }
}
