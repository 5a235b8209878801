/// A condition over FCM topics, such as `'a' in topics && ('b' in topics || !('c' in topics))`.
///
/// ```
/// expression  = conjunction { "||" conjunction }
/// conjunction = term { "&&" term }
/// term        = "!" term | "(" expression ")" | "'" name "'" "in" "topics"
/// ```
/// Source: Google, “Send messages to topics”, which states single quotes and at most five topics.
public struct FCMCondition: Sendable {
  /// The most topics a condition may name.
  public static let topicsMax = 5
  /// The deepest nesting that is followed; five topics need far less.
  static let depthMax = 32

  /// What is wrong with a condition, in a sentence.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was expected, and where.
    public let description: String
  }

  indirect enum Expression: Sendable {
    case topic(String)
    case not(Expression)
    case both(Expression, Expression)
    case either(Expression, Expression)
  }

  let expression: Expression
  /// The topics that it names, in their order, repetitions included.
  public let topics: [String]

  /// Reads a condition.
  ///
  /// - Throws: ``Problem`` when the text does not follow the grammar or names more than ``topicsMax`` topics.
  public init(_ text: String) throws(Problem) {
    var parser = FCMConditionParser(bytes: Array(text.utf8))
    guard let expression = parser.expression(depth: 0), parser.isAtEnd else {
      let expected = parser.expected ?? "&& or || or the end"
      throw Problem(
        description: "expected \(expected) at byte \(parser.position) of the condition \(Quoted.text(text))")
    }
    guard parser.topicCount <= Self.topicsMax else {
      throw Problem(description: "expected at most \(Self.topicsMax) topics, found \(parser.topicCount)")
    }
    self.expression = expression
    topics = parser.topics
  }

  /// Whether a device with these subscriptions is meant.
  public func holds(for subscriptions: Set<String>) -> Bool { Self.holds(expression, subscriptions) }

  private static func holds(_ expression: Expression, _ subscriptions: Set<String>) -> Bool {
    switch expression {
    case .topic(let name): subscriptions.contains(name)
    case .not(let inner): !holds(inner, subscriptions)
    case .both(let left, let right): holds(left, subscriptions) && holds(right, subscriptions)
    case .either(let left, let right): holds(left, subscriptions) || holds(right, subscriptions)
    }
  }
}

private struct FCMConditionParser {
  typealias Expression = FCMCondition.Expression

  let bytes: [UInt8]
  var position = 0
  var topics: [String] = []
  var topicCount = 0
  /// What was missing where parsing stopped.
  var expected: String?

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func expression(depth: Int) -> Expression? {
    guard var left = conjunction(depth: depth) else { return nil }
    while take("||") {
      guard let right = conjunction(depth: depth) else { return nil }
      left = joined(.either(left, right))
    }
    return left
  }

  private mutating func conjunction(depth: Int) -> Expression? {
    guard var left = term(depth: depth) else { return nil }
    skipSpaces()
    while take("&&") {
      guard let right = term(depth: depth) else { return nil }
      left = joined(.both(left, right))
      skipSpaces()
    }
    return left
  }

  /// The two sides as one; with too many topics the tree stops growing, which bounds its depth.
  private func joined(_ expression: @autoclosure () -> Expression) -> Expression {
    topicCount > FCMCondition.topicsMax ? .topic("") : expression()
  }

  private mutating func term(depth: Int) -> Expression? {
    guard depth < FCMCondition.depthMax else { return fail("fewer parentheses") }
    skipSpaces()
    if take("!") { return term(depth: depth + 1).map { .not($0) } }
    if take("(") {
      guard let inner = expression(depth: depth + 1) else { return nil }
      return take(")") ? inner : fail(")")
    }
    return topic()
  }

  private mutating func topic() -> Expression? {
    guard take("'") else { return fail("a topic such as 'news' in topics") }
    let start = position
    while position < bytes.count, FCMNames.isNameByte(bytes[position]) { position += 1 }
    guard position > start, position - start <= FCMNames.topicBytesMax else { return fail("a topic name") }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    guard take("'") else { return fail("' after the topic name") }
    skipSpaces()
    guard take("in") else { return fail("in topics") }
    skipSpaces()
    guard take("topics") else { return fail("topics") }
    topicCount += 1
    if topicCount <= FCMCondition.topicsMax { topics.append(name) }
    return .topic(name)
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

  private mutating func fail(_ what: String) -> Expression? {
    expected = what
    return nil
  }
}
