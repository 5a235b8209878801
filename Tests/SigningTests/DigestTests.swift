import Basics
import Signing
import Testing

@testable import struct Signing.AESGCM

@Suite("Digests and sealing")
struct DigestTests {
  @Test(
    "SHA-256, FIPS 180-4 examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256(message: String, digest: String) {
    #expect(Hex.encode(SHA256.digest(message)) == digest)
  }

  struct HMACRow: Sendable {
    var key: [UInt8]
    var data: [UInt8]
    var code: String
  }

  /// RFC 4231 sections 4.2, 4.3, 4.4, 4.5, 4.7 and 4.8.
  static let hmacRows: [HMACRow] = [
    HMACRow(
      key: Array(repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACRow(
      key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACRow(
      key: Array(repeating: 0xAA, count: 20), data: Array(repeating: 0xDD, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACRow(
      key: Array(1...25), data: Array(repeating: 0xCD, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACRow(
      key: Array(repeating: 0xAA, count: 131),
      data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    HMACRow(
      key: Array(repeating: 0xAA, count: 131),
      data: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test("HMAC-SHA256, RFC 4231", arguments: hmacRows)
  func hmac(row: HMACRow) throws {
    let code = HMACSHA256.authenticate(row.data, key: row.key)
    #expect(Hex.encode(code) == row.code)
    #expect(HMACSHA256.verify(code, of: row.data, key: row.key))
    #expect(!HMACSHA256.verify(code, of: row.data + [0], key: row.key))
  }

  @Test("an empty key is an empty key, not the key of the call before")
  func emptyHMACKey() {
    _ = HMACSHA256.authenticate([1], key: [1, 2, 3])
    #expect(
      Hex.encode(HMACSHA256.authenticate([], key: []))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  struct GCMRow: Sendable {
    var key: String
    var nonce: String
    var plaintext = ""
    var context = ""
    var ciphertext = ""
    var tag: String
  }

  /// Test cases 13 to 16 of the GCM submission to NIST (McGrew and Viega), which SP 800-38D refers to.
  static let gcmRows: [GCMRow] = [
    GCMRow(
      key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24),
      tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCMRow(
      key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24),
      plaintext: String(repeating: "0", count: 32), ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCMRow(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    GCMRow(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
      plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test("AES-256-GCM, published cases", arguments: gcmRows)
  func gcm(row: GCMRow) throws {
    let cipher = try AESGCM(key: try #require(Hex.decode(row.key)))
    let plaintext = try #require(Hex.decode(row.plaintext))
    let context = try #require(Hex.decode(row.context))
    let sealed = try cipher.seal(plaintext, authenticating: context, nonce: try #require(Hex.decode(row.nonce)))
    #expect(Hex.encode(sealed) == row.nonce + row.ciphertext + row.tag)
    #expect(try cipher.open(sealed, authenticating: context) == plaintext)
  }

  @Test("any change to a sealed value is noticed")
  func tampering() throws {
    let cipher = try AESGCM(key: SecureRandom.bytes(AESGCM.keyBytes))
    let context = Array("credential 7".utf8)
    let sealed = try cipher.seal(Array("secret".utf8), authenticating: context)
    #expect(sealed.count == 6 + AESGCM.overheadBytes)
    for position in sealed.indices {
      var changed = sealed
      changed[position] ^= 1
      #expect(code { try cipher.open(changed, authenticating: context) } == .notAuthentic)
    }
    #expect(code { try cipher.open(sealed, authenticating: Array("credential 8".utf8)) } == .notAuthentic)
    let other = try AESGCM(key: SecureRandom.bytes(AESGCM.keyBytes))
    #expect(code { try other.open(sealed, authenticating: context) } == .notAuthentic)
    #expect(code { try cipher.open(Array(sealed.prefix(27))) } == .badLength)
    #expect(code { try AESGCM(key: [1, 2, 3]) } == .badLength)
  }

  @Test("the same value sealed twice looks different")
  func freshNonces() throws {
    let cipher = try AESGCM(key: SecureRandom.bytes(AESGCM.keyBytes))
    #expect(try cipher.seal([1, 2, 3]) != cipher.seal([1, 2, 3]))
  }
}

/// The code of the signing error that `body` throws, nil when it throws none.
func code<T>(_ body: () throws -> T) -> SigningError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? SigningError)?.code
  }
}
