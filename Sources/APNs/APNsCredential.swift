internal import HTTP2
public import Signing
public import TLS

/// How a provider proves to APNs who it is.
public enum APNsCredential: Sendable {
  /// A provider token, signed with a team's key.
  case token(APNsSigningKey)
  /// A client certificate, presented in the TLS handshake. Not for Live Activities or location pushes.
  case certificate(TLSIdentity)

  /// Reads a certificate with its key from a PKCS#12 file, as Keychain Access exports it.
  public static func certificate(p12: [UInt8], password: String) throws(SigningError) -> APNsCredential {
    let content = try PKCS12(p12, password: password)
    return .certificate(
      TLSIdentity(
        certificatePEM: Array((content.certificatePEM + content.chainPEM).utf8),
        keyPEM: Array(content.privateKeyPEM.utf8)))
  }

  /// Takes a certificate with its key as PEM text: both in one file, in any order, the key not encrypted.
  ///
  /// What is wrong with it is said when a client is made from it.
  public static func certificate(pem: [UInt8]) -> APNsCredential {
    .certificate(TLSIdentity(certificatePEM: pem, keyPEM: pem))
  }
}

/// A `.p8` key with the two identifiers that belong to it.
public struct APNsSigningKey: Sendable, CustomStringConvertible {
  /// The length of a key ID and of a team ID.
  public static let identifierLength = 10

  /// The 10-character key ID.
  public let keyID: String
  /// The 10-character team ID.
  public let teamID: String
  let key: ECPrivateKey

  /// Checks and takes a key.
  ///
  /// - Parameters:
  ///   - p8: the content of the `.p8` file from Apple's developer site.
  ///   - keyID: the key's ID; it is part of the file's name, `AuthKey_<key ID>.p8`.
  ///   - teamID: the team's ID, from the membership page.
  /// - Throws: ``APNsCredentialError`` with what is wrong and what to do.
  public init(p8: [UInt8], keyID: String, teamID: String) throws(APNsCredentialError) {
    self.keyID = try APNsSigningKey.checked(keyID, name: "key ID", source: "the file's name, AuthKey_<key ID>.p8")
    self.teamID = try APNsSigningKey.checked(
      teamID, name: "team ID", source: "the membership page of the developer site")
    do {
      key = try ECPrivateKey(pem: p8)
    } catch {
      throw APNsCredentialError("signing key: \(error.message)")
    }
  }

  private static func checked(_ text: String, name: String, source: String) throws(APNsCredentialError) -> String {
    let isPlain = text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    guard isPlain, text.utf8.count == identifierLength else {
      throw APNsCredentialError(
        "\(name): expected \(identifierLength) letters and digits, found \(text.utf8.count) bytes; it is in \(source)"
      )
    }
    return text
  }

  /// Key ID and team ID; never the key.
  public var description: String { "APNs key \(keyID) of team \(teamID)" }

  /// Makes the value of the `authorization` header: `bearer` and a signed token.
  ///
  /// - Parameter issuedAt: `iat`, seconds since 1970.
  func authorization(issuedAt: Int64) throws(SigningError) -> String {
    // Both identifiers are letters and digits, so they need no escapes.
    let token = try JWS.compact(
      header: Array("{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}".utf8),
      claims: Array("{\"iss\":\"\(teamID)\",\"iat\":\(issuedAt)}".utf8), key: key)
    return "bearer \(token)"
  }
}

/// A credential that cannot be used.
public struct APNsCredentialError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong and what to do; never a part of the key.
  public let description: String

  init(_ description: String) { self.description = description }
}
