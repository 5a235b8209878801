/// Why the answer of an authenticator is refused.
public struct WebAuthnRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a refusal: the step of the verification that failed.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// It is not of the form that the specification describes.
    case form
    /// It is for a registration instead of a sign-in, or the other way round.
    case type
    /// It answers another challenge.
    case challenge
    /// It comes from another origin, or from a frame of another site.
    case origin
    /// It is for another relying party.
    case relyingParty
    /// The authenticator did not say that a person is present, or verified.
    case flags
    /// The public key cannot be used.
    case key
    /// There is an attestation, which was not asked for.
    case attestation
    /// The signature is wrong.
    case signature
    /// The signature counter did not move on: the passkey may have been copied.
    case counter
  }

  /// The kind.
  public let kind: Kind
  /// What is wrong, in words for a person.
  public let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
