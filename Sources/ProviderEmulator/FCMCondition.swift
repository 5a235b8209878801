/// A condition over topics: `'a' in topics && ('b' in topics || !('c' in topics))`, at most five topics.
struct FCMCondition {
  static let topicsMax = 5

  indirect enum Expression {
    case topic(String)
    case not(Expression)
    case both(Expression, Expression)
    case either(Expression, Expression)
  }

  let expression: Expression
  let topics: [String]

  /// Reads a condition; nil when it does not follow the grammar or names more than five topics.
  init?(_ text: String) {
    var reader = Reader(rest: Array(text.utf8)[...])
    guard let expression = reader.alternatives(depth: 0), reader.isAtEnd, reader.topics.count <= Self.topicsMax
    else { return nil }
    self.expression = expression
    self.topics = reader.topics
  }

  func holds(for subscriptions: Set<String>) -> Bool { Self.holds(expression, subscriptions) }

  private static func holds(_ expression: Expression, _ subscriptions: Set<String>) -> Bool {
    switch expression {
    case .topic(let name): subscriptions.contains(name)
    case .not(let inner): !holds(inner, subscriptions)
    case .both(let left, let right): holds(left, subscriptions) && holds(right, subscriptions)
    case .either(let left, let right): holds(left, subscriptions) || holds(right, subscriptions)
    }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>
    var topics: [String] = []
    static let depthMax = 32

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return rest.isEmpty
      }
    }

    mutating func skipSpace() { while rest.first == 0x20 { rest.removeFirst() } }

    mutating func take(_ text: String) -> Bool {
      skipSpace()
      guard rest.starts(with: text.utf8) else { return false }
      rest.removeFirst(text.utf8.count)
      return true
    }

    mutating func alternatives(depth: Int) -> Expression? {
      guard depth < Self.depthMax, var left = conjunction(depth: depth) else { return nil }
      while take("||") {
        guard let right = conjunction(depth: depth) else { return nil }
        left = .either(left, right)
      }
      return left
    }

    mutating func conjunction(depth: Int) -> Expression? {
      guard var left = term(depth: depth) else { return nil }
      while take("&&") {
        guard let right = term(depth: depth) else { return nil }
        left = .both(left, right)
      }
      return left
    }

    mutating func term(depth: Int) -> Expression? {
      guard depth < Self.depthMax else { return nil }
      if take("!") { return term(depth: depth + 1).map { .not($0) } }
      if take("(") {
        guard let inner = alternatives(depth: depth + 1), take(")") else { return nil }
        return inner
      }
      return topic()
    }

    mutating func topic() -> Expression? {
      skipSpace()
      guard let quote = rest.first, quote == 0x27 || quote == 0x22 else { return nil }
      rest.removeFirst()
      guard let end = rest.firstIndex(of: quote) else { return nil }
      let name = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      guard FCMRules.isTopicName(name), take("in"), take("topics") else { return nil }
      topics.append(name)
      return .topic(name)
    }
  }
}
