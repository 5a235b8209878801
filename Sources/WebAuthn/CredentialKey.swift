internal import Signing

/// The public key of a passkey (COSE_Key, RFC 9052 section 7), of one of the three algorithms that are offered.
enum CredentialKey: Sendable, Equatable {
  /// ECDSA on P-256 with SHA-256.
  case es256(ECPublicKey)
  /// Ed25519.
  case ed25519(Ed25519PublicKey)
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256(RSAPublicKey)

  /// The algorithms that are offered.
  static let algorithms = RelyingParty.algorithms

  /// Reads a key.
  ///
  /// - Throws: `key`, with what is wrong with it.
  init(_ cose: CBOR) throws(WebAuthnRefusal) {
    guard case .map = cose, let kind = cose[1]?.int, let algorithm = cose[3]?.int else {
      throw WebAuthnRefusal(.key, "the public key is no COSE key")
    }
    guard Self.algorithms.contains(algorithm) else {
      throw WebAuthnRefusal(
        .key, "the public key is for algorithm \(algorithm) (COSE); ES256, Ed25519 and RS256 were offered")
    }
    let key: CredentialKey?
    do throws(SigningError) { key = try Self.read(cose, kind, algorithm) } catch {
      throw WebAuthnRefusal(.key, "the public key cannot be used: \(error.message)")
    }
    guard let key else {
      throw WebAuthnRefusal(.key, "the public key lacks a parameter, or is on another curve than P-256 and Ed25519")
    }
    self = key
  }

  private static func read(_ cose: CBOR, _ kind: Int64, _ algorithm: Int64) throws(SigningError) -> CredentialKey? {
    switch (kind, algorithm) {
    case (2, -7):
      guard cose[-1] == .int(1), let x = cose[-2]?.bytes, let y = cose[-3]?.bytes else { return nil }
      return .es256(try ECPublicKey(x: x, y: y))
    case (1, -8):
      guard cose[-1] == .int(6), let x = cose[-2]?.bytes else { return nil }
      return .ed25519(try Ed25519PublicKey(bytes: x))
    case (3, -257):
      guard let modulus = cose[-1]?.bytes, let exponent = cose[-2]?.bytes else { return nil }
      return .rs256(try RSAPublicKey(modulus: modulus, exponent: exponent))
    default: return nil
    }
  }

  /// Whether a signature signs a message.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch self {
    case .es256(let key): key.verifyES256(der: signature, of: message)
    case .ed25519(let key): key.verify(signature, of: message)
    case .rs256(let key): key.verifyRS256(signature, of: message)
    }
  }
}
