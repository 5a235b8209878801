/// A further id of a user, which another system gave them.
public struct UserAlias: Sendable, Hashable {
  /// Which system's id it is, such as `crm`: letters, digits, `-` and `_`.
  public let label: String
  /// The id, unique under its label in the app.
  public let id: String

  /// Creates a value from its parts.
  public init(_ label: String, _ id: String) {
    self.label = label
    self.id = id
  }

  /// Whether a text can be a label.
  public static func isLabel(_ text: String) -> Bool {
    (1...StoreLimits.aliasLabelBytesMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }
}

/// A change of one alias of a user.
public struct AliasChange: Sendable, Hashable {
  /// The label.
  public let label: String
  /// The new id; nil removes the alias.
  public let id: String?

  /// Creates a value from its parts.
  public init(_ label: String, _ id: String?) {
    self.label = label
    self.id = id
  }
}
