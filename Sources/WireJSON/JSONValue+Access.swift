public import Basics

extension JSONValue {
  /// The kind of the value.
  public var kind: JSONKind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Whether the value is `null`.
  public var isNull: Bool { kind == .null }

  /// The string; nil for other kinds.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The boolean; nil for other kinds.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The number; nil for other kinds.
  public var number: JSONNumber? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The number when it is an integer that fits; nil for other kinds.
  public var int: WholeNumber? { number?.int }

  /// The number as the nearest double; nil for other kinds and numbers too large for one.
  public var double: Double? { number?.double }

  /// The elements; nil for other kinds.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members; nil for other kinds.
  public var object: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The value of a member; nil when there is none or this is no object.
  public subscript(key: String) -> JSONValue? { object?[key] }

  /// The element at an index; nil when there is none or this is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
  /// A number, as the shortest text that reads back the same; `null` for a literal beyond the range of doubles.
  public init(floatLiteral value: Double) { self = JSONNumber(value).map { .number($0) } ?? .null }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object with these members in this order; the last value of a repeated name wins.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    object.reserveCapacity(elements.count)
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The minified text.
  public var description: String { JSON.minifiedText(self) }
}
