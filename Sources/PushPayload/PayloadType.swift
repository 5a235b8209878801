/// The JSON type that a provider documents for a member.
public indirect enum PayloadType: Sendable, Hashable {
  /// A string.
  case string
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
  /// An array of objects.
  case objects
  /// A proto3 duration: seconds with up to nine decimals and an `s`, such as `3.5s`.
  case duration
  /// An array of durations.
  case durations
  /// An RFC 3339 date and time.
  case timestamp
  /// A string out of an open set; proto3 JSON also takes the position in the list.
  case enumeration([String])
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
    case .string: "a string"
    case .boolean: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .flag: "the number 1"
    case .strings: "an array of strings"
    case .numbers: "an array of numbers"
    case .objects: "an array of objects"
    case .duration: "a duration such as \"3.5s\""
    case .durations: "an array of durations such as \"0.5s\""
    case .timestamp: "a date and time such as \"2026-01-31T09:00:00Z\""
    case .enumeration(let values): "one of \(values.joined(separator: ", "))"
    case .object: "an object"
    case .stringMap: "an object of strings"
    case .model: "an object"
    case .stringOrModel: "a string or an object"
    }
  }
}

/// One member a provider documents.
public struct PayloadField: Sendable, Hashable {
  /// The member's name as Apple or Google writes it (`loc-key`, `channel_id`).
  public let name: String
  /// Its type.
  public let type: PayloadType
  /// The lowerCamelCase spelling that proto3 JSON takes as well; nil when there is none or it is the same.
  public let camelName: String?

  /// Declares a member.
  public init(_ name: String, _ type: PayloadType) {
    self.name = name
    self.type = type
    self.camelName = PayloadField.lowerCamelCase(name)
  }

  /// `title_loc_key` → `titleLocKey`; nil for a name without underscores.
  static func lowerCamelCase(_ name: String) -> String? {
    var bytes: [UInt8] = []
    var isAfterUnderscore = false
    var isChanged = false
    for byte in name.utf8 {
      if byte == UInt8(ascii: "_") {
        isAfterUnderscore = true
        isChanged = true
      } else {
        bytes.append(isAfterUnderscore && byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte)
        isAfterUnderscore = false
      }
    }
    return isChanged ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

/// The documented members of one object: the table that typed access, type checks, schema tests and docs share.
public struct PayloadSchema: Sendable, Hashable {
  /// The provider's name of the object: `aps`, `alert`, `AndroidConfig`.
  public let name: String
  /// The members.
  public let fields: [PayloadField]
  /// True when unknown members are the app's own (the root of an APNs payload), false when they are suspicious.
  public let isOpen: Bool

  /// Declares an object.
  public init(_ name: String, isOpen: Bool = false, _ fields: [PayloadField]) {
    self.name = name
    self.fields = fields
    self.isOpen = isOpen
  }

  /// The field of this name, in either spelling.
  public func field(_ name: String) -> PayloadField? {
    fields.first { $0.name == name || $0.camelName == name }
  }
}
