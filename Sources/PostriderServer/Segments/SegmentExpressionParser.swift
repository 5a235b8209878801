internal import Basics
internal import StoreModel
internal import WireJSON

/// Reads a segment's expression, by recursive descent: `or` binds loosest, then `and`, then `not`.
struct SegmentExpressionParser {
  /// Brackets and “not” within each other; groups of the JSON are limited to less.
  private static let depthMax = 4 * SegmentLimits.depthMax
  private static let keywords: Set<String> = ["and", "or", "not", "in", "contains", "exists", "true", "false"]

  private var tokens: SegmentExpressionTokens
  private var depth = 0
  private(set) var doubts: [SegmentExpressionError] = []

  init(_ text: String) throws(SegmentExpressionError) { tokens = try SegmentExpressionTokens(text) }

  mutating func whole() throws(SegmentExpressionError) -> SegmentExpressionPart {
    let part = try joined("or", "OR") { (parser) throws(SegmentExpressionError) in try parser.all() }
    guard tokens.token == .end else { throw tokens.error("expected “and”, “or” or the end, found \(tokens.found)") }
    return part
  }

  // MARK: - Groups

  private mutating func all() throws(SegmentExpressionError) -> SegmentExpressionPart {
    try joined("and", "AND") { (parser) throws(SegmentExpressionError) in try parser.single() }
  }

  /// One or more parts with a keyword between them.
  private mutating func joined(
    _ keyword: String, _ word: String,
    _ part: (inout SegmentExpressionParser) throws(SegmentExpressionError) -> SegmentExpressionPart
  ) throws(SegmentExpressionError) -> SegmentExpressionPart {
    let column = tokens.column
    var parts = [try part(&self)]
    while tokens.isKeyword(keyword) {
      try tokens.advance()
      parts.append(try part(&self))
    }
    return parts.count == 1 ? parts[0] : .group(word, parts, column: column)
  }

  private mutating func single() throws(SegmentExpressionError) -> SegmentExpressionPart {
    let column = tokens.column
    if tokens.isKeyword("not") {
      try enter()
      defer { depth -= 1 }
      try tokens.advance()
      let part = try single()
      // None of these is one group in JSON.
      if case .group("OR", let parts, _) = part { return .group("NOT", parts, column: column) }
      return .group("NOT", [part], column: column)
    }
    guard tokens.token == .sign("(") else { return try condition() }
    try enter()
    defer { depth -= 1 }
    try tokens.advance()
    let part = try joined("or", "OR") { (parser) throws(SegmentExpressionError) in try parser.all() }
    try close(column)
    return part
  }

  private mutating func enter() throws(SegmentExpressionError) {
    guard depth < Self.depthMax else { throw tokens.error("more than \(Self.depthMax) brackets within each other") }
    depth += 1
  }

  private mutating func close(_ column: Int) throws(SegmentExpressionError) {
    guard tokens.token == .sign(")") else {
      throw tokens.error("expected “)” for the bracket at column \(column), found \(tokens.found)")
    }
    try tokens.advance()
  }

  // MARK: - Conditions

  private mutating func condition() throws(SegmentExpressionError) -> SegmentExpressionPart {
    let column = tokens.column
    let field = try self.field()
    func make(_ operation: String, _ value: JSONValue? = nil) -> SegmentExpressionPart {
      .condition(field: field, operation: operation, value, column: column)
    }
    var isNegated = false
    if tokens.isKeyword("not") {
      isNegated = true
      try tokens.advance()
    }
    if tokens.isKeyword("exists") {
      try tokens.advance()
      return make(isNegated ? "not_exists" : "exists")
    }
    if tokens.isKeyword("contains") {
      try tokens.advance()
      return make(isNegated ? "not_contains" : "contains", try value())
    }
    if tokens.isKeyword("in") {
      let found = try list().map { make(isNegated ? "neq" : "eq", $0) }
      return found.count == 1 ? found[0] : .group(isNegated ? "AND" : "OR", found, column: column)
    }
    guard !isNegated else {
      throw tokens.error("expected “contains”, “exists” or “in” after “not”, found \(tokens.found)")
    }
    guard case .sign(let sign) = tokens.token, let operation = Self.operations[sign] else {
      throw tokens.error(
        "expected =, !=, <, <=, >, >=, “contains”, “exists” or “in” after the field, found \(tokens.found)")
    }
    try tokens.advance()
    guard let span = span() else { return make(operation, try value()) }
    guard operation != "eq", operation != "neq" else {
      throw tokens.error(
        "a time is compared with a span by < (less than so long ago) or >; put text into quotation marks")
    }
    try tokens.advance()
    return make(operation == "lt" || operation == "lte" ? "within" : "not_within", .string(span))
  }

  private static let operations = [
    "=": "eq", "==": "eq", "!=": "neq", "<>": "neq", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte",
  ]

  /// A field by its name; any other name is a property's.
  private mutating func field() throws(SegmentExpressionError) -> String {
    let column = tokens.column
    switch tokens.token {
    case .text(let name):
      try tokens.advance()
      return "properties.\(name)"
    case .word(let word) where !Self.keywords.contains(word.lowercased()):
      try tokens.advance()
      if word == "properties." || word == "entitlements.", case .text(let name) = tokens.token {
        try tokens.advance()
        return word + name
      }
      if let name = SegmentExpression.synonyms[word] { return name }
      if SegmentLanguage.isField(word) { return word }
      doubt(word, column)
      return "properties.\(word)"
    default: throw tokens.error("expected a field, “not” or a bracket, found \(tokens.found)")
    }
  }

  /// Warns of a name that is nearly a field's.
  private mutating func doubt(_ word: String, _ column: Int) {
    guard word.utf8.count <= StoreLimits.attributeNameBytesMax, doubts.count < SegmentLimits.conditionsMax else {
      return
    }
    let near = (SegmentLanguage.names + SegmentExpression.synonyms.keys.sorted()).first {
      $0.utf8.count > 3 && EditDistance.between(Array(word.utf8), Array($0.utf8)) == 1
    }
    guard let near else { return }
    doubts.append(
      SegmentExpressionError(
        column: column,
        message:
          "“\(word)” is read as the property of that name; the field is “\(near)”. Write “properties.\(word)” if the property is meant"
      ))
  }

  /// The span at hand, such as `7d`; nil when it is something else.
  private func span() -> String? {
    if case .word(let word) = tokens.token, word.first?.isNumber == true, SegmentLanguage.span(word) != nil {
      word
    } else {
      nil
    }
  }

  /// A list in brackets, after `in`.
  private mutating func list() throws(SegmentExpressionError) -> [JSONValue] {
    try tokens.advance()
    let column = tokens.column
    guard tokens.token == .sign("(") else {
      throw tokens.error("expected a list such as (\"a\", \"b\") after “in”, found \(tokens.found)")
    }
    var values: [JSONValue] = []
    repeat {
      try tokens.advance()
      values.append(try value())
    } while tokens.token == .sign(",")
    try close(column)
    return values
  }

  private mutating func value() throws(SegmentExpressionError) -> JSONValue {
    let value: JSONValue
    switch tokens.token {
    case .text(let text): value = .string(text)
    case .word(let word):
      guard let read = Self.value(word) else {
        throw tokens.error(
          "expected text in quotation marks, a number, true, false, a time or a span, found \(tokens.found)")
      }
      value = read
    case .sign, .end:
      throw tokens.error(
        "expected a value: text in quotation marks, a number, true, false or a time, found \(tokens.found)")
    }
    try tokens.advance()
    return value
  }

  private static func value(_ word: String) -> JSONValue? {
    switch word.lowercased() {
    case "true": return true
    case "false": return false
    default: break
    }
    if let number = JSONNumber(text: word) { return .number(number) }
    // A day alone is its beginning, in UTC.
    let time = word.utf8.count == 10 ? "\(word)T00:00:00Z" : word
    return TimeText.property(time) == nil ? nil : .string(time)
  }
}
