/// What an authenticator says of itself and of a credential (WebAuthn level 3, section 6.1).
public struct AuthenticatorData: Sendable, Equatable {
  /// The length without credential and extensions: 37 bytes.
  static let headBytes = 37
  /// The flags of the byte behind the hash.
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The byte.
    public let rawValue: UInt8

    /// Wraps a byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A person is present.
    public static let userPresent = Flags(rawValue: 0x01)
    /// The person was verified, by a PIN or a finger for instance.
    public static let userVerified = Flags(rawValue: 0x04)
    /// The credential may be on several devices.
    public static let backupEligible = Flags(rawValue: 0x08)
    /// The credential is on several devices.
    public static let backedUp = Flags(rawValue: 0x10)
    /// A credential follows.
    public static let credential = Flags(rawValue: 0x40)
    /// Extensions follow.
    public static let extensions = Flags(rawValue: 0x80)
  }

  /// A new credential.
  public struct Credential: Sendable, Equatable {
    /// The id.
    public let id: [UInt8]
    /// The public key as it was written (COSE).
    public let key: [UInt8]
  }

  /// SHA-256 of the relying party's id.
  let relyingPartyHash: [UInt8]
  /// The flags.
  public let flags: Flags
  /// The signature counter; 0 of authenticators that have none.
  public let counter: UInt32
  /// The new credential of a registration.
  public let credential: Credential?

  /// Reads it.
  ///
  /// - Throws: `form`.
  init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
    guard bytes.count >= Self.headBytes else {
      throw WebAuthnRefusal(.form, "authenticator data: \(bytes.count) bytes, at least \(Self.headBytes) are expected")
    }
    relyingPartyHash = Array(bytes[..<32])
    let flags = Flags(rawValue: bytes[32])
    self.flags = flags
    counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var offset = Self.headBytes
    do throws(CBORError) {
      credential = flags.contains(.credential) ? try Self.credential(bytes, &offset) : nil
      if flags.contains(.extensions) {
        let (value, end) = try CBORReader.first(of: bytes, from: offset)
        guard case .map = value else { throw CBORError(message: "extensions that are no map", offset: offset) }
        offset = end
      }
      guard offset == bytes.count else {
        throw CBORError(message: "more bytes than the flags announce", offset: offset)
      }
    } catch { throw WebAuthnRefusal(.form, "authenticator data: \(error)") }
  }

  private static func credential(_ bytes: [UInt8], _ offset: inout Int) throws(CBORError) -> Credential {
    // 16 bytes name the model of the authenticator, which nobody here asks for.
    let start = offset + 18
    guard bytes.count >= start else { throw CBORError(message: "the credential ends early", offset: bytes.count) }
    let count = Int(bytes[start - 2]) << 8 | Int(bytes[start - 1])
    guard (1...WebAuthnLimits.credentialBytesMax).contains(count), bytes.count >= start + count else {
      throw CBORError(message: "an id of \(count) bytes", offset: start - 2)
    }
    let (_, end) = try CBORReader.first(of: bytes, from: start + count)
    offset = end
    return Credential(id: Array(bytes[start..<(start + count)]), key: Array(bytes[(start + count)..<end]))
  }
}
