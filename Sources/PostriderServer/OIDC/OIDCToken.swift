internal import Signing
internal import StoreModel
internal import WireJSON

/// An ID token (OpenID Connect Core section 2), taken apart but not believed.
struct OIDCToken: Sendable {
  /// What the claims must say (section 3.1.3.7).
  struct Expectation: Sendable {
    let issuer: String
    let clientID: String
    let nonce: String
    let now: Timestamp
  }

  /// Of whom it is.
  struct Claims: Sendable, Hashable {
    let subject: String
    /// The email that the provider has verified; nil for none.
    var email: String?
  }

  /// How far the clocks of provider and server may be apart.
  static let skewSeconds: Int64 = 60
  /// The longest subject that OpenID Connect allows.
  static let subjectBytesMax = 255
  private static let audiencesMax = 16

  private let jws: JWS
  let algorithm: OIDCAlgorithm
  /// The name of the key that it says signed it.
  let keyName: String?

  init(_ text: String) throws(OIDCFault) {
    let parts: JWS
    do throws(SigningError) { parts = try JWS.split(text) } catch {
      throw .provider("the provider's ID token is no signed JWT of at most \(JWS.bytesMax) bytes")
    }
    jws = parts
    let header = try OIDCProvider.object(jws.header, "the header of the provider's ID token")
    // RFC 7515 section 4.1.11: who does not understand an extension that is critical must not accept the token.
    guard header["crit"] == nil else { throw .provider("the provider's ID token has a critical extension") }
    guard let algorithm = header["alg"]?.string.flatMap(OIDCAlgorithm.init) else {
      throw .provider("the provider's ID token is signed neither with RS256 nor with ES256; set one of them there")
    }
    self.algorithm = algorithm
    keyName = header["kid"]?.string
  }

  func isSigned(by key: OIDCKeySet.Key) -> Bool { key.algorithm == algorithm && key.verifies(jws) }

  /// The claims, when they are what was expected; to be asked only when the signature is.
  func claims(_ wanted: Expectation) throws(OIDCFault) -> Claims {
    let claims = try OIDCProvider.object(jws.claims, "the ID token's claims")
    guard claims["iss"]?.string?.utf8.elementsEqual(wanted.issuer.utf8) ?? false else {
      throw .provider("the ID token is of another issuer than the provider's")
    }
    try OIDCToken.checkAudience(claims, wanted.clientID)
    try OIDCToken.checkTimes(claims, wanted.now.seconds)
    guard let nonce = claims["nonce"]?.string, constantTimeEqual(Array(nonce.utf8), Array(wanted.nonce.utf8)) else {
      throw .refused("the ID token is of another sign-in (nonce); sign in again")
    }
    guard let subject = claims["sub"]?.string, OIDCToken.isSubject(subject) else {
      throw .provider("the ID token names nobody: no sub of 1 to \(OIDCToken.subjectBytesMax) bytes")
    }
    return Claims(subject: subject, email: OIDCToken.email(claims))
  }

  /// An email that is verified; `email_verified` counts only as the boolean that it is specified to be.
  static func email(_ claims: JSONObject) -> String? {
    guard claims["email_verified"] == .bool(true) else { return nil }
    return claims["email"]?.string.flatMap(EmailText.read)
  }

  private static func isSubject(_ text: String) -> Bool {
    (1...subjectBytesMax).contains(text.utf8.count) && !text.utf8.contains(0)
  }

  private static func checkAudience(_ claims: JSONObject, _ clientID: String) throws(OIDCFault) {
    func isOurs(_ value: JSONValue) -> Bool { value.string.map { $0.utf8.elementsEqual(clientID.utf8) } ?? false }
    guard let value = claims["aud"] else { throw .provider("the ID token has no aud") }
    let named = value.array ?? [value]
    guard named.count <= audiencesMax, named.contains(where: isOurs) else {
      throw .provider("the ID token is for another client than --oidc-client-id (aud)")
    }
    let party = claims["azp"]
    guard party.map(isOurs) ?? (named.count == 1) else {
      throw .provider("the ID token was issued to another client than --oidc-client-id (azp)")
    }
  }

  private static func checkTimes(_ claims: JSONObject, _ now: Int64) throws(OIDCFault) {
    guard let end = claims["exp"]?.int, let issued = claims["iat"]?.int else {
      throw .provider("the ID token lacks exp or iat as whole numbers of seconds")
    }
    // The bounds are added to the server's own time, never to a number of the token's.
    guard Int64(end) > now - skewSeconds else {
      throw .refused("the ID token has expired; sign in again, and if it happens again, set the server's clock right")
    }
    let starts = [Int64(issued)] + (claims["nbf"]?.int.map { [Int64($0)] } ?? [])
    guard starts.allSatisfy({ $0 <= now + skewSeconds }) else {
      throw .refused(
        "the ID token is from the future by more than \(skewSeconds) s; an operator has to set the server's clock right"
      )
    }
  }
}
