/// Somebody as an identity provider names them: the pair never changes, whatever their email becomes.
public struct IssuedIdentity: Sendable, Hashable {
  /// The provider (`iss`).
  public let issuer: String
  /// The person there (`sub`).
  public let subject: String

  /// Creates a value from its parts.
  public init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}

/// The identity that a person signs in with.
public struct IdentityLink: Sendable, Hashable {
  /// The identity.
  public let identity: IssuedIdentity
  /// Since when.
  public let linkedAt: Timestamp

  /// Creates a value from its parts.
  package init(identity: IssuedIdentity, linkedAt: Timestamp) {
    self.identity = identity
    self.linkedAt = linkedAt
  }
}

/// The outcome of somebody whom an identity provider has vouched for.
public struct IdentityEntry: Sendable, Hashable {
  /// How they are known.
  public enum Kind: Sendable, Hashable {
    /// By the identity.
    case known
    /// By the email, to which the identity was linked now.
    case linked
    /// By the email of an invitation, which was used up.
    case joined
  }

  /// Who it is.
  public let account: AccountID
  /// How they are known.
  public let kind: Kind

  /// Creates a value from its parts.
  package init(account: AccountID, kind: Kind) {
    self.account = account
    self.kind = kind
  }
}

/// What somebody has proven who signs in; a session begins only while it still holds.
public enum SignInProof: Sendable, Hashable {
  /// That they know a password, by its hash as it was verified.
  case password([UInt8])
  /// That an identity provider vouches for them.
  case identity(IssuedIdentity)
  /// That they have a passkey, whose signature was verified.
  case passkey(PasskeyUse)
}
