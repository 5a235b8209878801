/// A value while a template runs: small, and nothing in it is counted or freed.
///
/// Texts and lists are ranges of the renderer's memory.
struct Value: Sendable {
  enum Kind: UInt8, Sendable {
    /// Nothing was set.
    case unset
    /// A value that is not there; `start` is the number of the input, or -1.
    case undefined
    case null
    case bool
    case integer
    case decimal
    /// Bytes of the renderer's texts.
    case text
    /// A row of the renderer's values.
    case list
    /// A row of the renderer's values: name, value, name, value.
    case object
    case range
    case empty
    case blank
    /// `forloop`; `start` is the loop's number.
    case loop
  }

  var kind: Kind
  /// Of a text: whether it is a stored property, which is a text whatever it was: `18` is equal to the number 18, and
  /// `false` is false.
  var isProperty = false
  var start: Int32 = 0
  var count: Int32 = 0
  var bits: Int64 = 0

  static let unset = Value(kind: .unset)
  static let null = Value(kind: .null)
  static let empty = Value(kind: .empty)
  static let blank = Value(kind: .blank)

  static func undefined(_ input: Int) -> Value { Value(kind: .undefined, start: Int32(truncatingIfNeeded: input)) }
  static func bool(_ value: Bool) -> Value { Value(kind: .bool, bits: value ? 1 : 0) }
  static func integer(_ value: Int64) -> Value { Value(kind: .integer, bits: value) }
  static func decimal(_ value: Double) -> Value { Value(kind: .decimal, bits: Int64(bitPattern: value.bitPattern)) }
  static func text(_ range: Range<Int>) -> Value {
    Value(
      kind: .text, start: Int32(truncatingIfNeeded: range.lowerBound), count: Int32(truncatingIfNeeded: range.count))
  }
  static func list(start: Int, count: Int) -> Value {
    Value(kind: .list, start: Int32(truncatingIfNeeded: start), count: Int32(truncatingIfNeeded: count))
  }
  /// From `low` on, `count` numbers.
  static func range(_ low: Int64, count: Int) -> Value {
    Value(kind: .range, count: Int32(truncatingIfNeeded: count), bits: low)
  }

  var double: Double { Double(bitPattern: UInt64(bitPattern: bits)) }
  var textRange: Range<Int> { Int(start)..<Int(start) + Int(count) }
  var isNothing: Bool { kind == .null || kind == .undefined || kind == .unset }
  var isNumber: Bool { kind == .integer || kind == .decimal }
  var isList: Bool { kind == .list || kind == .range }
}
