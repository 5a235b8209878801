/// The key of a passkey's record.
public typealias PasskeyID = RowID<Passkey>

/// With what a person signs in instead of a password: the public half of a key that their device keeps (WebAuthn).
public struct Passkey: Sendable, Hashable {
  /// The key of the record.
  public let id: PasskeyID
  /// Whose it is.
  public let account: AccountID
  /// What was saved, as of its last use.
  public var made: NewPasskey
  /// When it was added.
  public let createdAt: Timestamp
  /// When it last signed somebody in, or nil.
  public let usedAt: Timestamp?

  /// Creates a value from its parts.
  package init(id: PasskeyID, account: AccountID, made: NewPasskey, createdAt: Timestamp, usedAt: Timestamp?) {
    self.id = id
    self.account = account
    self.made = made
    self.createdAt = createdAt
    self.usedAt = usedAt
  }
}

/// A passkey that is added.
public struct NewPasskey: Sendable, Hashable {
  /// The authenticator's id of it.
  public var credential: [UInt8]
  /// The host name that it is for.
  public var host: String
  /// By what the authenticator knows the person.
  public var handle: [UInt8]
  /// The public key (COSE).
  public var key: [UInt8]
  /// The signature counter.
  public var counter: UInt32
  /// Whether it may be on several devices.
  public var isBackupEligible: Bool
  /// Whether it is on several devices.
  public var isBackedUp: Bool
  /// How its owner calls it.
  public var name: String

  /// Creates a value from its parts.
  public init(
    credential: [UInt8], host: String, handle: [UInt8], key: [UInt8], counter: UInt32, isBackupEligible: Bool,
    isBackedUp: Bool, name: String
  ) {
    self.credential = credential
    self.host = host
    self.handle = handle
    self.key = key
    self.counter = counter
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.name = name
  }
}

/// A passkey that signs somebody in: what it was when its signature was verified, and what it is from then on.
public struct PasskeyUse: Sendable, Hashable {
  /// The passkey as it was read.
  public let passkey: Passkey
  /// The counter of the signature.
  public let counter: UInt32
  /// Whether it is on several devices by now.
  public let isBackedUp: Bool

  /// Creates a value from its parts.
  public init(_ passkey: Passkey, counter: UInt32, isBackedUp: Bool) {
    self.passkey = passkey
    self.counter = counter
    self.isBackedUp = isBackedUp
  }
}
