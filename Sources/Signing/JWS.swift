/// JSON Web Signature in compact form, RFC 7515 section 7.1: `header.claims.signature`, each part Base64URL.
///
/// The JSON of header and claims is the caller's; this type carries bytes.
public struct JWS: Sendable, Hashable {
  /// The longest token that `split` reads.
  public static let bytesMax = 16 * 1024

  /// The decoded first part: the JSON of the header.
  public let header: [UInt8]
  /// The decoded second part: the JSON of the claims.
  public let claims: [UInt8]
  /// The decoded third part: the signature.
  public let signature: [UInt8]
  /// The bytes that are signed: the first two parts of the token, with the dot between.
  public let signingInput: [UInt8]

  /// Signs header and claims with ES256 and writes the compact token.
  public static func compact(header: [UInt8], claims: [UInt8], key: ECPrivateKey) throws(SigningError) -> String {
    let input = signingInput(header: header, claims: claims)
    return token(input, signature: try key.signES256(input))
  }

  /// Signs header and claims with RS256 and writes the compact token.
  public static func compact(header: [UInt8], claims: [UInt8], key: RSAPrivateKey) throws(SigningError) -> String {
    let input = signingInput(header: header, claims: claims)
    return token(input, signature: try key.signRS256(input))
  }

  /// Signs header and claims with HS256 and writes the compact token.
  public static func compact(header: [UInt8], claims: [UInt8], secret: [UInt8]) -> String {
    let input = signingInput(header: header, claims: claims)
    return token(input, signature: HMACSHA256.authenticate(input, key: secret))
  }

  /// Takes a compact token apart, without checking the signature; see `verify`.
  ///
  /// - Throws: `badEncoding` when there are not three parts or one is not Base64URL; `badLength` over `bytesMax`.
  public static func split(_ token: [UInt8]) throws(SigningError) -> JWS {
    guard token.count <= bytesMax else {
      throw SigningError(.badLength, "the token has \(token.count) bytes; the limit is \(bytesMax)")
    }
    let parts = token.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw SigningError(.badEncoding, "a JWT has three parts separated by dots; this one has \(parts.count)")
    }
    guard
      let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw SigningError(.badEncoding, "a part of the JWT is not Base64URL without padding") }
    let input = Array(token[..<(parts[1].endIndex)])
    return JWS(header: header, claims: claims, signature: signature, signingInput: input)
  }

  /// Takes a compact token apart.
  public static func split(_ token: String) throws(SigningError) -> JWS { try split(Array(token.utf8)) }

  /// Whether the signature is ES256 by the owner of `key`.
  public func verify(_ key: ECPublicKey) -> Bool { key.verifyES256(signature, of: signingInput) }

  /// Whether the signature is RS256 by the owner of `key`.
  public func verify(_ key: RSAPublicKey) -> Bool { key.verifyRS256(signature, of: signingInput) }

  /// Whether the signature is HS256 with `secret` (RFC 7518 section 3.2), compared in constant time.
  public func verify(secret: [UInt8]) -> Bool { HMACSHA256.verify(signature, of: signingInput, key: secret) }

  private static func signingInput(header: [UInt8], claims: [UInt8]) -> [UInt8] {
    Base64URL.encodeBytes(header) + [0x2E] + Base64URL.encodeBytes(claims)
  }

  private static func token(_ input: [UInt8], signature: [UInt8]) -> String {
    String(decoding: input + [0x2E] + Base64URL.encodeBytes(signature), as: UTF8.self)
  }
}
