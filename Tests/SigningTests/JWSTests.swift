import Signing
import Testing

@Suite("JWS")
struct JWSTests {
  static let claims = Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8)
  static let claimsPart =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test("RFC 7515 A.2: RS256 makes exactly this token")
  func rs256() throws {
    let token = try JWS.compact(
      header: Array(#"{"alg":"RS256"}"#.utf8), claims: Self.claims, key: RSAPrivateKey(pem: KeyVectors.rfc7515RSA))
    #expect(
      token
        == "eyJhbGciOiJSUzI1NiJ9.\(Self.claimsPart).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7"
        + "AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArL"
        + "IARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2"
        + "w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw")
    #expect(try JWS.split(token).verify(RSAPrivateKey(pem: KeyVectors.rfc7515RSA).publicKey))
  }

  static let es256Token =
    "eyJhbGciOiJFUzI1NiJ9.\(claimsPart)"
    + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  @Test("RFC 7515 A.3: the published ES256 token verifies, a changed one does not")
  func es256Published() throws {
    let key = try ECPublicKey(pem: KeyVectors.rfc7515ECPublic)
    let token = try JWS.split(Self.es256Token)
    #expect(token.header == Array(#"{"alg":"ES256"}"#.utf8))
    #expect(token.claims == Self.claims)
    #expect(token.verify(key))
    for position in token.signature.indices {
      var signature = token.signature
      signature[position] ^= 0x10
      #expect(!key.verifyES256(signature, of: token.signingInput))
    }
    #expect(!key.verifyES256([], of: token.signingInput))
    #expect(!key.verifyES256(Array(repeating: 0, count: 64), of: token.signingInput))
    #expect(!token.verify(try ECPrivateKey.generate().publicKey))
  }

  @Test("our ES256 signatures are 64 bytes and verify, many times over (short r and s included)")
  func es256Own() throws {
    let key = try ECPrivateKey(pem: KeyVectors.rfc7515EC)
    for round in 0..<600 {
      let token = try JWS.compact(header: [UInt8(round & 0xFF)], claims: [UInt8(round >> 8)], key: key)
      let parts = try JWS.split(token)
      #expect(parts.signature.count == 64)
      #expect(parts.verify(key.publicKey))
    }
  }

  @Test(
    "broken tokens are told apart",
    arguments: [
      ("", "a JWT has three parts separated by dots; this one has 1"),
      ("a.b", "a JWT has three parts separated by dots; this one has 2"),
      ("YQ.YQ.YQ.YQ", "a JWT has three parts separated by dots; this one has 4"),
      ("YQ.YQ.Y", "a part of the JWT is not Base64URL without padding"),
      ("YQ==.YQ.YQ", "a part of the JWT is not Base64URL without padding"),
    ])
  func broken(token: String, message: String) {
    #expect(throws: SigningError.self) { try JWS.split(token) }
    #expect { try JWS.split(token) } throws: { "\($0)" == message }
  }

  @Test("a token over the limit is refused")
  func tooLong() throws {
    let token = try JWS.compact(
      header: [1], claims: Array(repeating: 1, count: JWS.bytesMax), key: ECPrivateKey.generate())
    #expect(code { try JWS.split(token) } == .badLength)
  }
}
