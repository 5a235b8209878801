/// A token of what is between delimiters.
struct ExpressionToken: Equatable {
  enum Kind: Equatable {
    case word, text, integer, decimal, end
    /// One of `. .. [ ] ( ) : , | == != <> < > <= >= =`; the range says which.
    case mark
  }
  let kind: Kind
  /// The token; of a text, what is between its quotes.
  let range: Range<Int>
}

/// Reads the tokens of an expression.
struct ExpressionLexer {
  let source: [UInt8]
  private(set) var token: ExpressionToken
  private var index: Int
  private let end: Int

  init(_ source: [UInt8], _ range: Range<Int>) throws(LiquidError) {
    self.source = source
    index = range.lowerBound
    end = range.upperBound
    token = ExpressionToken(kind: .end, range: end..<end)
    try advance()
  }

  /// Letters, digits, `_`, and whatever is not ASCII.
  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...: true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// The text of the token.
  var text: String { String(decoding: source[token.range], as: UTF8.self) }

  func isMark(_ mark: StaticString) -> Bool {
    guard token.kind == .mark, mark.utf8CodeUnitCount == token.range.count else { return false }
    return mark.withUTF8Buffer { buffer in unsafe source[token.range].elementsEqual(buffer) }
  }

  func isWord(_ word: String) -> Bool { token.kind == .word && source[token.range].elementsEqual(word.utf8) }

  /// The token after this one.
  func following() throws(LiquidError) -> ExpressionLexer {
    var copy = self
    try copy.advance()
    return copy
  }

  mutating func advance() throws(LiquidError) {
    while index < end, source[index] == 0x20 || (source[index] >= 0x09 && source[index] <= 0x0D) { index += 1 }
    let start = index
    guard start < end else {
      token = ExpressionToken(kind: .end, range: end..<end)
      return
    }
    let byte = source[start]
    if byte == 0x22 || byte == 0x27 { return try quoted(byte) }
    if let kind = number(start) {
      token = ExpressionToken(kind: kind, range: start..<index)
      return
    }
    if Self.isWord(byte) {
      while index < end, Self.isWord(source[index]) || source[index] == UInt8(ascii: "-") { index += 1 }
      if index < end, source[index] == UInt8(ascii: "?") { index += 1 }
      token = ExpressionToken(kind: .word, range: start..<index)
      return
    }
    try mark(start)
  }

  private mutating func quoted(_ quote: UInt8) throws(LiquidError) {
    let start = index + 1
    guard let close = source[start..<max(end, start)].firstIndex(of: quote) else {
      throw LiquidError(source, at: index, "the text has no closing quote", fix: "close it with the same quote")
    }
    token = ExpressionToken(kind: .text, range: start..<close)
    index = close + 1
  }

  /// A number, with `index` behind it; nothing when a letter follows, which makes it a word.
  private mutating func number(_ start: Int) -> ExpressionToken.Kind? {
    var at = start
    if source[at] == UInt8(ascii: "-") { at += 1 }
    let digits = at
    while at < end, Self.isDigit(source[at]) { at += 1 }
    guard at > digits else { return nil }
    if at < end, source[at] == UInt8(ascii: "."), !(at + 1 < end && source[at + 1] == UInt8(ascii: ".")) {
      at += 1
      while at < end, Self.isDigit(source[at]) { at += 1 }
      index = at
      return .decimal
    }
    if at < end, Self.isWord(source[at]) { return nil }
    index = at
    return .integer
  }

  private mutating func mark(_ start: Int) throws(LiquidError) {
    let byte = source[start]
    let next = start + 1 < end ? source[start + 1] : 0
    let count: Int
    switch byte {
    case UInt8(ascii: "."): count = next == byte ? 2 : 1
    case UInt8(ascii: "="), UInt8(ascii: "!"): count = next == UInt8(ascii: "=") ? 2 : 1
    case UInt8(ascii: "<"): count = next == UInt8(ascii: "=") || next == UInt8(ascii: ">") ? 2 : 1
    case UInt8(ascii: ">"): count = next == UInt8(ascii: "=") ? 2 : 1
    case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ":"),
      UInt8(ascii: ","), UInt8(ascii: "|"):
      count = 1
    default: count = 0
    }
    guard count > 0, !(byte == UInt8(ascii: "!") && count == 1) else {
      throw LiquidError(
        source, at: start, "\"\(String(decoding: [byte], as: UTF8.self))\" is not part of an expression",
        fix: "write a name, a number, or a text in quotes")
    }
    index = start + count
    token = ExpressionToken(kind: .mark, range: start..<index)
  }
}
