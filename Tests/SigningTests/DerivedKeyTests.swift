import Signing
import Testing

/// EC keys from secrets and from coordinates, and tokens of HS256.
@Suite struct DerivedKeyTests {
  @Test("One secret gives one key, which signs and is read back") func derived() throws {
    let key = try ECPrivateKey.derived(from: Array("secret".utf8))
    let again = try ECPrivateKey.derived(from: Array("secret".utf8))
    #expect(try key.pem() == again.pem())
    #expect(key.publicKey == again.publicKey)
    #expect(try key.publicKey != ECPrivateKey.derived(from: Array("other".utf8)).publicKey)
    let message = Array("message".utf8)
    #expect(key.publicKey.verifyES256(try key.signES256(message), of: message))
    #expect(try ECPrivateKey(pem: key.pem()).publicKey == key.publicKey)
  }

  /// RFC 7515 appendix A.3: the key as JWK, and a token that it has signed.
  @Test("A key from the coordinates of a JWK verifies the token of RFC 7515") func coordinates() throws {
    let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
    let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let key = try ECPublicKey(x: x, y: y)
    let token =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    #expect(try JWS.split(token).verify(key))
    for (x, y) in [
      (x, x), (y, x), ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)), (x, Array(y.dropLast())),
      ([], []),
    ] {
      #expect(throws: SigningError.self) { try ECPublicKey(x: x, y: y) }
    }
  }

  /// RFC 7515 appendix A.1.
  @Test("HS256 verifies the token of RFC 7515, and nothing else") func shared() throws {
    let secret = try #require(
      Base64URL.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
    let token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9"
      + "pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let jws = try JWS.split(token)
    #expect(jws.verify(secret: secret))
    #expect(!jws.verify(secret: Array(secret.dropLast())) && !jws.verify(secret: []))
    #expect(JWS.compact(header: jws.header, claims: jws.claims, secret: secret) == token)
    #expect(try !JWS.split(String(token.dropLast(3))).verify(secret: secret))
  }
}
