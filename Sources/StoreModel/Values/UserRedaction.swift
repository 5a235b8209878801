/// The identifiers of a user.
public struct UserIdentity: Sendable, Hashable {
  /// The user, in the caller's words.
  public let name: String
  /// Their devices.
  public let devices: [DeviceID]
  /// The caller's own ids of their devices.
  public let deviceNames: [String]
  /// Tokens their devices have, and had before.
  public let tokens: [String]
  /// The ids that other systems gave them.
  public let aliases: [UserAlias]
  /// What is known of them as a person: e-mail, phone and the like, by name.
  public let profile: [String: String]

  /// Creates a value from its parts.
  public init(
    name: String, devices: [DeviceID] = [], deviceNames: [String] = [], tokens: [String] = [],
    aliases: [UserAlias] = [], profile: [String: String] = [:]
  ) {
    self.name = name
    self.devices = devices
    self.deviceNames = deviceNames
    self.tokens = tokens
    self.aliases = aliases
    self.profile = profile
  }

  /// Whether a condition of a segment that compares a field with a text identifies this user.
  public func isNamed(by field: String, _ text: String) -> Bool {
    switch SegmentColumn(rawValue: field) {
    case .user, .externalID: text == name
    case .deviceName: deviceNames.contains(text)
    case nil:
      profile[field] == text || aliases.contains { SegmentField.aliases + $0.label == field && $0.id == text }
    default: false
    }
  }
}

/// A document without a user.
public struct RedactedDocument: Sendable, Hashable {
  /// What is left.
  public var bytes: [UInt8]
  /// Whether it has no other recipient.
  public var hasNoRecipients: Bool

  /// Creates a value from its parts.
  public init(bytes: [UInt8], hasNoRecipients: Bool) {
    self.bytes = bytes
    self.hasNoRecipients = hasNoRecipients
  }
}

/// Removes a user from documents that are opaque to the store: audiences, and the values given for each recipient.
///
/// Content for other users is unchanged.
public protocol UserRedaction: Sendable {
  /// The name that replaces the user's where one is required: unique, and not traceable to the user.
  var pseudonym: String { get }
  /// The request of a push or a schedule; nil when it does not name the user.
  func request(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument?
  /// The values of a personal push; nil when there are none of the user.
  func values(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument?
  /// The definition of a segment; nil when it does not name the user.
  func segment(_ bytes: [UInt8], without user: UserIdentity) -> [UInt8]?
  /// What is kept instead of an idempotency key, as ``IdempotencyKey/digest``.
  func keyDigest(_ key: String) -> String
}
