internal import WireJSON

/// The JSON type that a provider documents for a member.
public indirect enum PayloadType: Sendable, Hashable {
  /// A string.
  case string
  /// A string or null.
  case stringOrNull
  /// `true` or `false`.
  case boolean
  /// A whole number that fits 32 bits; proto3 JSON also takes it as a string.
  case integer
  /// Any number.
  case number
  /// The number 1 for yes; 0 is taken as no (Apple's `content-available`, `mutable-content`, `critical`).
  case flag
  /// An array of strings.
  case strings
  /// An array of numbers, or one number.
  case numbers
  /// An array of objects with known members.
  case models(PayloadSchema)
  /// A proto3 duration: seconds with up to nine decimals and an `s`, such as `3.5s`.
  case duration
  /// An array of durations.
  case durations
  /// An RFC 3339 date and time.
  case timestamp
  /// A string out of an open set, in any letter case when so said; proto3 JSON also takes the position in the list.
  case enumeration([String], anyCase: Bool)
  /// An object of any members.
  case object
  /// An object whose values are all strings.
  case stringMap
  /// An object with known members.
  case model(PayloadSchema)
  /// A string or an object with known members.
  case stringOrModel(PayloadSchema)

  /// What a person reads after “expected”.
  public var expectation: String {
    switch self {
    case .string, .stringOrNull: "a string"
    case .boolean: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .flag: "the number 1"
    case .strings: "an array of strings"
    case .numbers: "an array of numbers"
    case .models: "an array of objects"
    case .duration: "a duration such as \"3.5s\""
    case .durations: "an array of durations such as \"0.5s\""
    case .timestamp: "a date and time such as \"2026-01-31T09:00:00Z\""
    case .enumeration(let values, _): "one of \(values.joined(separator: ", "))"
    case .object: "an object"
    case .stringMap: "an object of strings"
    case .model: "an object"
    case .stringOrModel: "a string or an object"
    }
  }

  /// The kind that every value of the type has and that is all there is to it; nil when it takes a closer look.
  var plainKind: JSONKind? {
    switch self {
    case .string: .string
    case .boolean: .bool
    case .object: .object
    default: nil
    }
  }
}
