/// The tokens of a segment's expression.
struct SegmentExpressionTokens {
  enum Token: Equatable {
    /// A name, a keyword, a number, a span or a time: what is without quotation marks.
    case word(String)
    /// A text in quotation marks.
    case text(String)
    /// `=`, `<=`, `(`, `,` …
    case sign(String)
    case end
  }

  private static let signs = ["!=", "<=", ">=", "==", "<>", "=", "<", ">", "(", ")", ","]

  private let characters: [Unicode.Scalar]
  private var index = 0
  /// The token at hand, and the column where it begins.
  private(set) var token = Token.end
  private(set) var column = 1

  init(_ text: String) throws(SegmentExpressionError) {
    guard text.utf8.count <= SegmentExpression.bytesMax else {
      throw SegmentExpressionError(
        column: 1, message: "the expression is longer than \(SegmentExpression.bytesMax) bytes")
    }
    characters = Array(text.unicodeScalars)
    try advance()
  }

  /// Whether the token at hand is this keyword; letter case does not matter.
  func isKeyword(_ word: String) -> Bool {
    if case .word(let text) = token { text.lowercased() == word } else { false }
  }

  func error(_ message: String) -> SegmentExpressionError { SegmentExpressionError(column: column, message: message) }

  /// What is there, for messages.
  var found: String {
    switch token {
    case .word(let text): "“\(text.prefix(40))”"
    case .text(let text): "the text “\(text.prefix(40))”"
    case .sign(let sign): "“\(sign)”"
    case .end: "the end"
    }
  }

  mutating func advance() throws(SegmentExpressionError) {
    while index < characters.count, characters[index].properties.isWhitespace { index += 1 }
    column = index + 1
    guard index < characters.count else {
      token = .end
      return
    }
    let first = characters[index]
    if first == "\"" || first == "'" { return token = .text(try quoted(first)) }
    if let sign = Self.signs.first(where: { characters[index...].starts(with: $0.unicodeScalars) }) {
      index += sign.unicodeScalars.count
      return token = .sign(sign)
    }
    let start = index
    while index < characters.count, Self.isOfWord(characters[index]) { index += 1 }
    guard index > start else { throw error("“\(first)” has no meaning here; put text into quotation marks") }
    var word = String.UnicodeScalarView()
    word.append(contentsOf: characters[start..<index])
    token = .word(String(word))
  }

  private static func isOfWord(_ character: Unicode.Scalar) -> Bool {
    character.properties.isAlphabetic || character.properties.numericType != nil
      || "_.-:+$@/#".unicodeScalars.contains(character)
  }

  /// A text up to its closing mark; a backslash makes a mark or a backslash part of the text, and `\n` a line break.
  private mutating func quoted(_ mark: Unicode.Scalar) throws(SegmentExpressionError) -> String {
    var text = String.UnicodeScalarView()
    index += 1
    while index < characters.count {
      let character = characters[index]
      index += 1
      if character == mark { return String(text) }
      guard character == "\\" else {
        text.append(character)
        continue
      }
      guard index < characters.count else { break }
      switch characters[index] {
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "\"", "'", "\\": text.append(characters[index])
      default:
        throw SegmentExpressionError(
          column: index, message: #"after a backslash come \, a quotation mark, n or t, not “\#(characters[index])”"#)
      }
      index += 1
    }
    throw error("the text that begins here has no closing \(mark)")
  }
}
