internal import Basics

/// A JSON value as on the wire: members keep their order, numbers keep their text.
///
/// Equality is exact: order of members, bytes of strings and text of numbers. `isEquivalent(to:)` compares meaning.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number with its text.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object with its members in order.
  case object(JSONObject)

  /// Whether both mean the same: members in whatever order, numbers by value (`1` and `1.0` are the same).
  public func isEquivalent(to other: JSONValue) -> Bool {
    switch (self, other) {
    case (.number(let mine), .number(let theirs)): mine.isEquivalent(to: theirs)
    case (.object(let mine), .object(let theirs)): mine.isEquivalent(to: theirs)
    case (.array(let mine), .array(let theirs)):
      mine.count == theirs.count && mine.indices.allSatisfy { mine[$0].isEquivalent(to: theirs[$0]) }
    default: self == other
    }
  }
}

extension JSONValue: Hashable {
  /// Whether both are written the same.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let mine), .bool(let theirs)): mine == theirs
    case (.number(let mine), .number(let theirs)): mine == theirs
    case (.string(let mine), .string(let theirs)): mine.hasSameBytes(as: theirs)
    case (.array(let mine), .array(let theirs)): mine == theirs
    case (.object(let mine), .object(let theirs)): mine == theirs
    default: false
    }
  }

  /// Feeds the kind and the content.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): value.hashBytes(into: &hasher)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

/// The six kinds of JSON value.
public enum JSONKind: UInt8, Sendable, Hashable, CustomStringConvertible {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool
  /// A number.
  case number
  /// A string.
  case string
  /// An array.
  case array
  /// An object.
  case object

  /// The kind with its article, for messages: `a string`, `an object`, `null`.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
