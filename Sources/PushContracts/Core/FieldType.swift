import WireJSON

/// The JSON type of a field in a message.
public enum FieldType: String, Sendable, Hashable {
  /// A string.
  case string
  /// A number without a fraction that fits 64 bits.
  case integer
  /// A number.
  case number
  /// `true` or `false`.
  case boolean
  /// An array of strings.
  case strings = "array of strings"
  /// A text in several languages: an object from language to text.
  case texts = "texts by language"
  /// An array.
  case array
  /// An object.
  case object
  /// Any JSON value.
  case any

  /// The type of a value.
  init(of value: JSONValue) {
    switch value {
    case .null: self = .any
    case .bool: self = .boolean
    case .number(let number): self = number.int == nil ? .number : .integer
    case .string: self = .string
    case .array: self = .array
    case .object: self = .object
    }
  }

  /// The type with its article, for "expected …".
  public var expectation: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .number: "a number"
    case .boolean: "a boolean"
    case .strings: "an array of strings"
    case .texts: "texts by language such as {\"en\": \"…\"}"
    case .array: "an array"
    case .object: "an object"
    case .any: "a value"
    }
  }
}

extension JSONValue {
  /// The value as a sentence names it: scalars with their text, containers by kind.
  var named: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): "the number " + value.text
    case .string(let value): value.utf8.count <= 40 ? "the string " + JSON.minifiedText(.string(value)) : "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

}

extension JSONValue {
  /// The most bytes that the minified text may have: every byte of a string may need six.
  var minifiedBytesMax: Int {
    switch self {
    case .null, .bool: 5
    case .number(let number): number.text.utf8.count
    case .string(let text): 2 + 6 * text.utf8.count
    case .array(let elements): elements.reduce(2) { $0 + 1 + $1.minifiedBytesMax }
    case .object(let members): members.reduce(2) { $0 + 4 + 6 * $1.key.utf8.count + $1.value.minifiedBytesMax }
    }
  }
}

extension String {
  /// True for a text of white space alone.
  var isBlank: Bool { !isEmpty && unicodeScalars.allSatisfy { $0.isBlank } }
}

extension Unicode.Scalar {
  /// True for white space and the space without width, without the tables of the standard library.
  fileprivate var isBlank: Bool {
    switch value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
