public import Basics

/// A JSON number that keeps its text: `1.0`, `1e3` and integers of any length are written as they were read.
///
/// Equality and hashing look at the text, so `1` and `1.0` differ; `isEquivalent(to:)` compares the values.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number in the grammar of RFC 8259 section 6.
  public let text: String

  @usableFromInline init(unchecked text: String) { self.text = text }

  /// The decimal text of an integer.
  public init(_ value: some FixedWidthInteger) { text = value.description }

  /// A number with exactly this text; nil when it does not follow the grammar of RFC 8259 section 6.
  public init?(text: String) {
    guard JSONNumber.isNumber(text) else { return nil }
    self.text = text
  }

  /// The shortest text that reads back as `value`; nil for infinities and NaN, which JSON cannot carry.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = value.description
  }

  /// The value when it is an integer that fits, in whatever notation: 7 for `7`, `7.0` and `70e-1`.
  public var int: WholeNumber? { WholeNumber(text) ?? JSONDecimal(text)?.int }

  /// The nearest double; nil when the number is too large for one.
  public var double: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// Whether the text has neither fraction nor exponent.
  public var isInteger: Bool { text.utf8.allSatisfy { $0 == 0x2D || ($0 >= 0x30 && $0 <= 0x39) } }

  /// Whether both name the same value: true for `1`, `1.0` and `10e-1`.
  public func isEquivalent(to other: JSONNumber) -> Bool {
    if text == other.text { return true }
    guard let mine = JSONDecimal(text), let theirs = JSONDecimal(other.text) else { return false }
    return mine == theirs
  }

  /// The text of the number.
  public var description: String { text }

  /// The grammar `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    if rest.first == 0x2D { rest.removeFirst() }
    let whole = takeDigits(&rest)
    guard whole.count == 1 || (whole.count > 1 && whole.first != 0x30) else { return false }
    if rest.first == 0x2E {
      rest.removeFirst()
      guard !takeDigits(&rest).isEmpty else { return false }
    }
    if rest.first == 0x65 || rest.first == 0x45 {
      rest.removeFirst()
      if rest.first == 0x2B || rest.first == 0x2D { rest.removeFirst() }
      guard !takeDigits(&rest).isEmpty else { return false }
    }
    return rest.isEmpty
  }

  private static func takeDigits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
    rest = rest[digits.endIndex...]
    return digits
  }
}
