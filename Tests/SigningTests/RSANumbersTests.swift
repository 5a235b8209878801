import Signing
import Testing

/// RSA keys from the numbers of a JWK.
@Suite struct RSANumbersTests {
  /// Modulus and exponent of a key of 2048 bits: SubjectPublicKeyInfo has them at these places.
  private static func numbers(_ key: RSAPublicKey) throws -> (modulus: [UInt8], exponent: [UInt8]) {
    let text = try key.pem().split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    let bytes = try #require(Base64.decode(text))
    return (Array(bytes[33..<289]), Array(bytes.suffix(3)))
  }

  @Test("The numbers of a key are the key, with and without leading zeros") func same() throws {
    let key = try RSAPrivateKey.generate()
    let (modulus, exponent) = try Self.numbers(key.publicKey)
    #expect(exponent == [1, 0, 1] && modulus[0] >= 0x80)
    #expect(try RSAPublicKey(modulus: modulus, exponent: exponent) == key.publicKey)
    #expect(try RSAPublicKey(modulus: [0, 0] + modulus, exponent: [0] + exponent) == key.publicKey)
    let signature = try key.signRS256([1, 2, 3])
    let read = try RSAPublicKey(modulus: modulus, exponent: exponent)
    #expect(read.verifyRS256(signature, of: [1, 2, 3]) && !read.verifyRS256(signature, of: [1, 2, 4]))
  }

  @Test("Numbers of no key that RS256 allows are refused") func refuses() throws {
    let exponent: [UInt8] = [1, 0, 1]
    for count in [0, 1, 128, 255, 2_049] {
      #expect(throws: SigningError.self, "\(count)") {
        try RSAPublicKey(modulus: Array(repeating: 0xFF, count: count), exponent: exponent)
      }
    }
    let modulus = [UInt8](repeating: 0xFF, count: 256)
    for exponent: [UInt8] in [[], Array(repeating: 1, count: 9)] {
      #expect(throws: SigningError.self) { try RSAPublicKey(modulus: modulus, exponent: exponent) }
    }
  }
}
