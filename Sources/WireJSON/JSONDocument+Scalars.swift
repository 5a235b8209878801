public import Basics

extension JSONDocument {
  /// The outermost value.
  @inlinable public var root: JSONNode { JSONNode(index: 0) }

  @inline(__always) @inlinable
  func token(_ node: JSONNode) -> Token {
    precondition(node.index < used, "the node belongs to another document")
    return unsafe Token(word: words[node.index])
  }

  /// The UTF-8 text of a scalar in the source; of a string without its quotes.
  @inline(__always) @inlinable
  func content(_ token: Token) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: source + token.offset, count: token.extent)
  }

  /// The kind of a value.
  @inlinable
  public func kind(_ node: JSONNode) -> JSONKind {
    switch token(node).kind {
    case .null: .null
    case .no, .yes: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Whether a value is `null`.
  @inlinable public func isNull(_ node: JSONNode) -> Bool { token(node).kind == .null }

  /// The text of a string, decoded; nil for other kinds.
  @inlinable
  public func string(_ node: JSONNode) -> String? {
    let token = token(node)
    return unsafe token.kind == .string ? StringText.decode(token, source) : nil
  }

  /// The value of a boolean; nil for other kinds.
  @inlinable
  public func bool(_ node: JSONNode) -> Bool? {
    switch token(node).kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// A number with its text; nil for other kinds.
  @inlinable
  public func number(_ node: JSONNode) -> JSONNumber? {
    let token = token(node)
    return unsafe token.kind == .number ? JSONNumber(unchecked: StringText.plain(token, source)) : nil
  }

  /// The value of a number that is an integer and fits, in whatever notation; nil otherwise.
  @inlinable
  public func int(_ node: JSONNode) -> WholeNumber? {
    let token = token(node)
    guard token.kind == .number else { return nil }
    // Eighteen digits cannot overflow.
    guard !token.isMarked, token.extent <= 18 else { return number(node)?.int }
    var value: WholeNumber = 0
    var isNegative = false
    // The formatter would join `unsafe` and the name.
    // swift-format-ignore
    for unsafe byte in unsafe content(token) {
      if byte == 0x2D { isNegative = true } else { value = value &* 10 &+ WholeNumber(byte &- 0x30) }
    }
    return isNegative ? 0 &- value : value
  }

  /// Whether every number of the document is an integer of at most 18 digits.
  public var hasPlainNumbers: Bool {
    var index = 0
    while index < used {
      let token = unsafe Token(word: words[index])
      if token.kind == .number, token.isMarked || token.extent > 18 { return false }
      index &+= token.isContainer ? 2 : 1
    }
    return true
  }

  /// The nearest double of a number; nil for other kinds and for numbers too large.
  @inlinable public func double(_ node: JSONNode) -> Double? { number(node)?.double }

  /// The bytes of a value in the source, exactly as it was written: its JSON text, for a string with its quotes.
  @inlinable
  public func withSource<Result: ~Copyable, Failure: Error>(
    of node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let range = sourceRange(of: node)
    return try unsafe body(UnsafeBufferPointer(start: source + range.lowerBound, count: range.count))
  }

  /// The range of a value in the source, in bytes; of a string with its quotes.
  @inlinable
  public func sourceRange(of node: JSONNode) -> Range<Int> {
    let token = token(node)
    if token.isContainer {
      return unsafe token.offset..<Int(words[node.index &+ 1] >> 28 & Token.mask)
    }
    let quote = token.kind == .string ? 1 : 0
    return token.offset &- quote..<token.offset &+ token.extent &+ quote
  }

  /// Whether a value is the string `text`; nothing is decoded or allocated.
  @inlinable
  public func isString(_ node: JSONNode, _ text: StaticString) -> Bool {
    unsafe matches(token(node), UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether a value is the string `text`; nothing is decoded or allocated.
  @_disfavoredOverload
  @inlinable
  public func isString(_ node: JSONNode, _ text: JSONKey) -> Bool { unsafe matches(token(node), text.utf8) }

  /// Whether a value is the string `text`; strings with escapes are decoded for it.
  @_disfavoredOverload
  @inlinable
  public func isString(_ node: JSONNode, _ text: String) -> Bool {
    let token = token(node)
    return unsafe text.utf8.withContiguousStorageIfAvailable { unsafe matches(token, $0) }
      ?? (string(node).map { $0.utf8.elementsEqual(text.utf8) } ?? false)
  }

  @inline(__always) @inlinable
  func matches(_ token: Token, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard token.kind == .string else { return false }
    if token.isMarked { return unsafe StringText.isEqual(token, source, text) }
    return unsafe token.extent == text.count && BytesEqual.isEqual(source + token.offset, text)
  }
}
