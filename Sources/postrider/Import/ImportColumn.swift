import StoreModel

/// A column of a vendor's file, and what it becomes.
struct ImportColumn: Sendable {
  /// What the values of a column are used for.
  enum Target: Sendable, Hashable {
    /// The address that a push is sent to.
    case token
    /// A browser's public key and its secret, whose address is the endpoint.
    case p256dh, auth
    /// The vendor's word for the kind of address (`ImportVendor.kinds`).
    case kind
    case name, user, locale, appVersion
    /// The name of a time zone.
    case zone
    /// Seconds east of UTC, used when no zone is named.
    case zoneOffset
    /// The environment of an APNs token.
    case environment(development: [String], production: [String])
    case createdAt, seenAt
    /// The row is left out when the value is one of these, in lower case: the vendor sends nothing to it either; and when it
    /// is none of the others.
    case dead(when: [String], alive: [String])
    /// The device is imported as opted out when the value is one of these, in lower case, or none of the others.
    case optedOut(when: [String], not: [String])
    /// The device is imported as opted out when the number is zero or negative, or no number.
    case optedOutUnlessPositive
    /// One property of the device.
    case property(String, isNumber: Bool = false)
    /// An alias of the user, under this label; of a row without a user, a property of the device.
    case alias(String)
    /// Properties as a JSON object in one cell.
    case properties
    /// A family of columns, `NAME.x` for each property x; a property with several values becomes tags.
    case family
    /// The vendor's id of the app, when one file may have rows of several.
    case vendorApp
    /// Known, and not imported.
    case unused
  }

  /// The words of databases and programs for true and false, in lower case.
  static let yes = ["t", "true", "1", "yes", "y", "on", "b'1'"]
  static let no = ["f", "false", "0", "no", "n", "off", "b'0'"]

  /// The vendor's names for it; files of other versions, or of people's own making, have the later ones.
  let names: [String]
  let target: Target
  /// What a reader of the documentation should know.
  let about: String
  var isRequired = false
  /// What is lost when the file does not have the column; nil when that needs no warning.
  var whenMissing: String?

  init(_ names: String..., as target: Target, _ about: String, isRequired: Bool = false, whenMissing: String? = nil) {
    self.names = names
    self.target = target
    self.about = about
    self.isRequired = isRequired
    self.whenMissing = whenMissing
  }

  var name: String { names[0] }
}

/// A value of the column that says what kind of address a row has.
struct ImportKind: Sendable {
  enum Meaning: Sendable, Hashable {
    /// An address of this kind and, where the vendor says so, of this environment.
    case address(DeviceKind, DeviceEnvironment? = nil)
    /// No address that Postrider sends to.
    case leftOut(ImportReason)
  }

  /// The vendor's words, compared without regard to case.
  let values: [String]
  let meaning: Meaning

  init(_ values: String..., is meaning: Meaning) {
    self.values = values
    self.meaning = meaning
  }
}
