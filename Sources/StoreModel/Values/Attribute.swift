/// The value of a property: one of four types, inferred from the value itself.
public enum AttributeValue: Sendable, Hashable {
  /// Text, at most `StoreLimits.attributeTextBytesMax` bytes.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction, or one too large for a whole number; finite.
  case real(Double)
  /// True or false.
  case bool(Bool)
  /// A timestamp.
  case time(Timestamp)

  /// The type, under which names are kept apart: `age` as a number and `age` as text are two things.
  package enum Kind: Int64, CaseIterable {
    case text = 1
    case number = 2
    case bool = 3
    case time = 4
  }

  package var kind: Kind {
    switch self {
    case .text: .text
    case .integer, .real: .number
    case .bool: .bool
    case .time: .time
    }
  }
}

/// A named value of a device or a user.
public struct Property: Sendable, Hashable {
  /// The name, 1 to `StoreLimits.attributeNameBytesMax` bytes.
  public var name: String
  /// The value.
  public var value: AttributeValue

  /// Creates a value from its parts.
  public init(_ name: String, _ value: AttributeValue) {
    self.name = name
    self.value = value
  }
}

/// What is done to one property: a value sets it, nil takes it away; properties that are not named stay.
public struct PropertyChange: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The new value, or nil.
  public var value: AttributeValue?

  /// Creates a value from its parts.
  public init(_ name: String, _ value: AttributeValue?) {
    self.name = name
    self.value = value
  }
}

/// What becomes of one member of a record.
public enum FieldChange: Sendable, Hashable {
  /// It stays.
  case keep
  /// It is replaced; nil takes it away.
  case set(String?)
}

/// The pushes that a device or a user has opted out of.
public struct OptOut: Sendable, Hashable {
  /// Any push at all.
  public var everything: Bool
  /// Pushes of these categories, sorted.
  public var categories: [String]

  /// Creates a value from its parts.
  public init(everything: Bool = false, categories: [String] = []) {
    self.everything = everything
    self.categories = categories
  }

  /// Nothing is refused.
  public static let none = OptOut()
}

/// A change to what is refused; nil keeps what was said before.
public struct OptOutChange: Sendable, Hashable {
  /// Any push at all.
  public var everything: Bool?
  /// Pushes of these categories; replaces the previous list.
  public var categories: [String]?

  /// Creates a value from its parts.
  public init(everything: Bool? = nil, categories: [String]? = nil) {
    self.everything = everything
    self.categories = categories
  }
}
