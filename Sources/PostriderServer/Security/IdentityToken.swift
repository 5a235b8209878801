package import Signing
package import StoreModel
internal import WireJSON

/// Why an identity token is not believed.
///
/// The texts say what is wrong and how to mend it, and repeat nothing of the token.
package struct IdentityFault: Error, Sendable, Hashable {
  /// A stable name for programs, which the header `WWW-Authenticate` has.
  package let code: String
  package let detail: String

  static func malformed(_ what: String) -> IdentityFault {
    IdentityFault(
      code: "malformed",
      detail: "the token is \(what); send the compact JWT as the backend has signed it, and nothing else")
  }

  static func claim(_ what: String) -> IdentityFault {
    IdentityFault(code: "claims", detail: "\(what); docs/identity.md lists the claims")
  }
}

/// A JSON Web Token (RFC 7519) in compact form that says on whose behalf a device registers, taken apart but not believed.
///
/// Strict in what it reads: two readers that disagree about a token are the usual way around its signature.
package struct IdentityToken: Sendable {
  /// The longest token; a token of three claims has about 300 bytes.
  package static let bytesMax = 4_096
  /// The longest header of a token, decoded.
  static let headerBytesMax = 512
  /// The longest `kid`; the server's own have 16 characters.
  static let keyNameBytesMax = 64
  /// How far the clocks of backend and server may be apart.
  static let skewSeconds: Int64 = 60
  /// The longest time that a token may still be valid.
  static let lifetimeSeconds: Int64 = 86_400
  /// The apps that `aud` may list.
  static let audiencesMax = 16
  /// Levels of JSON; claims beyond the known ones are skipped, and may be objects.
  private static let limits = JSONLimits(maxDepth: 8)

  private let jws: JWS
  /// The id of the key that it says signed it.
  package let keyName: String
  /// The algorithm that it says signed it.
  package let algorithm: String

  package init(_ bytes: ArraySlice<UInt8>) throws(IdentityFault) {
    guard bytes.count <= IdentityToken.bytesMax else {
      throw .malformed("longer than \(IdentityToken.bytesMax) bytes")
    }
    do throws(SigningError) { jws = try JWS.split(Array(bytes)) } catch {
      throw .malformed("not of three parts in base64url without padding, separated by dots")
    }
    guard jws.header.count <= IdentityToken.headerBytesMax else {
      throw .malformed("one with a header longer than \(IdentityToken.headerBytesMax) bytes")
    }
    let header = try IdentityToken.object(jws.header, "header")
    // RFC 7515 section 4.1.11: who does not understand an extension that is critical must not accept the token.
    guard header["crit"] == nil else { throw .malformed("one with crit in its header, and no extension is understood") }
    guard let algorithm = header["alg"]?.string else { throw .malformed("one without a text alg in its header") }
    guard let name = header["kid"]?.string, (1...IdentityToken.keyNameBytesMax).contains(name.utf8.count) else {
      throw IdentityFault(
        code: "unknown-key",
        detail: "the token's header has no kid that could be a key's; set it to the id of the key that signs")
    }
    (self.algorithm, keyName) = (algorithm, name)
  }

  /// Whether what the key verifies with has signed it.
  package func isSigned(by verifier: IdentityVerifier) -> Bool {
    switch verifier {
    case .es256(let key): jws.verify(key)
    case .hs256(let secret): jws.verify(secret: secret)
    }
  }

  /// The user that the token is of, when its claims hold now; to be asked only when the signature does.
  package func subject(app: String, now: Timestamp) throws(IdentityFault) -> String {
    let claims = try IdentityToken.object(jws.claims, "claims")
    try IdentityToken.checkTimes(claims, now.seconds)
    try IdentityToken.checkAudience(claims["aud"], app)
    guard let subject = claims["sub"]?.string else { throw .claim("the token has no text sub, the user") }
    guard !subject.isEmpty, subject.unicodeScalars.count <= DeviceRoutes.userCharactersMax,
      !subject.utf8.contains(0)
    else {
      throw .claim("the token's sub is no user: 1 to \(DeviceRoutes.userCharactersMax) characters, none of them NUL")
    }
    return subject
  }

  private static func object(_ bytes: [UInt8], _ part: String) throws(IdentityFault) -> JSONObject {
    guard let (value, duplicates) = try? JSON.parseReporting(bytes, limits: limits), let object = value.object
    else { throw .malformed("one whose \(part) are no JSON object") }
    guard duplicates.isEmpty else { throw .malformed("one whose \(part) name a member twice") }
    return object
  }

  private static func checkTimes(_ claims: JSONObject, _ now: Int64) throws(IdentityFault) {
    guard let value = claims["exp"] else { throw .claim("the token has no exp, the time it ends") }
    let end = try seconds(value, "exp")
    // The bounds are added to the server's own time, never to a number of the token's.
    guard end > now - skewSeconds else {
      throw IdentityFault(
        code: "expired", detail: "the token has expired; have the backend sign a new one, and send that")
    }
    guard end <= now + lifetimeSeconds + skewSeconds else {
      throw IdentityFault(
        code: "lifetime",
        detail: "the token's exp is more than \(lifetimeSeconds / 3_600) hours away; let tokens end sooner, and sign"
          + " another when the app needs one")
    }
    for name in ["iat", "nbf"] {
      guard let value = claims[name] else { continue }
      guard try seconds(value, name) <= now + skewSeconds else {
        throw IdentityFault(
          code: "not-yet-valid",
          detail: "the token's \(name) is in the future by more than \(skewSeconds) s; set the clocks of backend and"
            + " server right")
      }
    }
  }

  private static func seconds(_ value: JSONValue, _ name: String) throws(IdentityFault) -> Int64 {
    guard let number = value.int else { throw .claim("the token's \(name) is no whole number of seconds since 1970") }
    return Int64(number)
  }

  /// A text, or a list of texts (RFC 7519 section 4.1.3).
  private static func checkAudience(_ value: JSONValue?, _ app: String) throws(IdentityFault) {
    guard let value else { throw .claim("the token has no aud, the app's id") }
    let named = value.array ?? [value]
    guard named.count <= audiencesMax else { throw .claim("the token's aud names more than \(audiencesMax) apps") }
    guard named.contains(where: { $0.string.map { $0.utf8.elementsEqual(app.utf8) } ?? false }) else {
      throw IdentityFault(
        code: "audience", detail: "the token is for another app; set its aud to the app's id, as the path has it")
    }
  }
}

/// What verifies the tokens of one key.
package enum IdentityVerifier: Sendable {
  case es256(ECPublicKey)
  case hs256([UInt8])

  /// The context to which the sealed secret of a key is bound.
  static func sealContext(app: AppID, name: String) -> String { "app/\(app)/identity/\(name)" }

  /// - Throws: when the sealing key does not open the secret, or the stored key is damaged.
  init(_ key: IdentityKey, _ vault: Vault) throws(SigningError) {
    switch key.algorithm {
    case .es256: self = .es256(try ECPublicKey(pem: key.material))
    case .hs256:
      self = .hs256(try vault.open(key.material, context: IdentityVerifier.sealContext(app: key.app, name: key.name)))
    }
  }
}
