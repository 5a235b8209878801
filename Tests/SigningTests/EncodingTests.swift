import Signing
import TestSupport
import Testing

@Suite("Encodings")
struct EncodingTests {
  /// RFC 4648 section 10.
  static let base64Rows: [(String, String)] = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  @Test("RFC 4648 section 10, both ways", arguments: base64Rows)
  func base64(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
    let bare = String(encoded.prefix { $0 != "=" })
    #expect(Base64URL.encode(Array(plain.utf8)) == bare)
    #expect(Base64URL.decode(bare) == Array(plain.utf8))
  }

  @Test("the alphabets differ in two characters")
  func alphabets() {
    #expect(Base64.encode([0xFB, 0xEF, 0xFF]) == "++//")
    #expect(Base64URL.encode([0xFB, 0xEF, 0xFF]) == "--__")
  }

  @Test(
    "loose Base64 is refused",
    arguments: ["Zg", "Zg=", "Zg===", "Z===", "Zh==", "Zm9=", "Zm9v\n", "Zm 9", "Zm9-", "=Zm9", "Zm=v"])
  func refusedBase64(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("loose Base64URL is refused", arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm9+", "Zm9/", "Zg "])
  func refusedBase64URL(text: String) {
    #expect(text == "Zm9" || Base64URL.decode(text) == nil)
  }

  @Test("random bytes survive every encoding")
  func roundTrip() {
    var random = SeededRandom.fromEnvironment()
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes, "seed \(random.seed)")
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "seed \(random.seed)")
    }
  }

  @Test("constant-time comparison")
  func comparison() {
    #expect(constantTimeEqual([], []))
    #expect(constantTimeEqual([1, 2], [1, 2]))
    #expect(!constantTimeEqual([1, 2], [1, 3]))
    #expect(!constantTimeEqual([1, 2], [1]))
  }

  @Test("random bytes have the length asked for and differ")
  func random() {
    #expect(SecureRandom.bytes(0).isEmpty)
    #expect(SecureRandom.bytes(33).count == 33)
    #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
  }
}
