/// The grammar of an FCM condition.
///
/// ```
/// expression = term { ("&&" | "||") term }
/// term       = "!" term | "(" expression ")" | "'" name "'" "in" "topics"
/// ```
enum FCMCondition {
  /// The most topics a condition may name.
  static let topicsMax = 5
  /// The deepest nesting that is followed; five topics need far less.
  static let depthMax = 32

  /// What is wrong with a condition, in a sentence; nil when it is well-formed.
  static func problem(_ text: String) -> String? {
    var parser = FCMConditionParser(bytes: Array(text.utf8))
    guard parser.expression(depth: 0), parser.isAtEnd else {
      let expected = parser.expected ?? "&& or || or the end"
      return "expected \(expected) at byte \(parser.position) of the condition \(Quoted.text(text))"
    }
    if parser.topics > topicsMax { return "expected at most \(topicsMax) topics, found \(parser.topics)" }
    return nil
  }
}

struct FCMConditionParser {
  let bytes: [UInt8]
  var position = 0
  var topics = 0
  /// What was missing where parsing stopped.
  var expected: String?

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func expression(depth: Int) -> Bool {
    guard term(depth: depth) else { return false }
    skipSpaces()
    while take("&&") || take("||") {
      guard term(depth: depth) else { return false }
      skipSpaces()
    }
    return true
  }

  private mutating func term(depth: Int) -> Bool {
    guard depth < FCMCondition.depthMax else { return fail("fewer parentheses") }
    skipSpaces()
    if take("!") { return term(depth: depth + 1) }
    if take("(") {
      guard expression(depth: depth + 1) else { return false }
      return take(")") || fail(")")
    }
    return topic()
  }

  private mutating func topic() -> Bool {
    guard take("'") else { return fail("a topic such as 'news' in topics") }
    let start = position
    while position < bytes.count, FCMNames.isNameByte(bytes[position]) { position += 1 }
    guard position > start, position - start <= FCMNames.topicBytesMax else { return fail("a topic name") }
    guard take("'") else { return fail("' after the topic name") }
    skipSpaces()
    guard take("in") else { return fail("in topics") }
    skipSpaces()
    guard take("topics") else { return fail("topics") }
    topics += 1
    return true
  }

  private mutating func skipSpaces() {
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for (offset, byte) in text.description.utf8.enumerated() where bytes[position + offset] != byte { return false }
    position += count
    return true
  }

  private mutating func fail(_ what: String) -> Bool {
    expected = what
    return false
  }
}
