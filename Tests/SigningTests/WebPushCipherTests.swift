import Testing

@testable import Signing

/// RFC 8291: the example of its appendix A, and what a receiver has to refuse.
@Suite struct WebPushCipherTests {
  private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  private static let example = (
    plaintext: "When I grow up, I want to be a watermelon",
    sender: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
    senderPoint: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
    receiver: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
    receiverPoint: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg", salt: "DGv6ra1nlYgDCS1FRnbzlw",
    body:
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3j"
      + "l7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
  )

  @Test("The example of RFC 8291 is written byte for byte, and read") func rfcExample() throws {
    let example = Self.example
    let sender = try ECPrivateKey(privateNumber: Self.bytes(example.sender))
    #expect(try Base64URL.encode(sender.publicKey.point()) == example.senderPoint)
    let receiver = try ECPublicKey(point: Self.bytes(example.receiverPoint))
    #expect(try receiver.point() == Self.bytes(example.receiverPoint))
    let body = try WebPushCipher.seal(
      Array(example.plaintext.utf8), for: receiver, auth: Self.bytes(example.auth), zeros: 0, key: sender,
      salt: Self.bytes(example.salt))
    // The record size of the example is 4096, as ours.
    #expect(Base64URL.encode(body) == example.body)
    let key = try ECPrivateKey(privateNumber: Self.bytes(example.receiver))
    #expect(
      try WebPushCipher.open(Self.bytes(example.body), key: key, auth: Self.bytes(example.auth))
        == Array(example.plaintext.utf8))
  }

  @Test("Every length arrives, padded or not, and no two messages are alike") func lengths() throws {
    let key = try ECPrivateKey.generate()
    let auth = SecureRandom.bytes(16)
    for count in [0, 1, 2, 15, 16, 17, 255, 3992, 3993] {
      let plaintext = SecureRandom.bytes(count)
      for zeros in [0, 1, 100] where count + zeros <= WebPushCipher.plaintextBytesMax {
        let body = try WebPushCipher.seal(plaintext, for: key.publicKey, auth: auth, zeros: zeros)
        #expect(body.count == count + zeros + WebPushCipher.overheadBytes)
        #expect(try WebPushCipher.open(body, key: key, auth: auth) == plaintext)
      }
    }
    let first = try WebPushCipher.seal([1], for: key.publicKey, auth: auth)
    let second = try WebPushCipher.seal([1], for: key.publicKey, auth: auth)
    #expect(first[..<16] != second[..<16] && first[21..<86] != second[21..<86])
    #expect(throws: SigningError.self) {
      try WebPushCipher.seal(SecureRandom.bytes(3993), for: key.publicKey, auth: auth, zeros: 1)
    }
  }

  @Test("A changed bit, another receiver or secret, and a cut body are refused") func damage() throws {
    let key = try ECPrivateKey.generate()
    let auth = SecureRandom.bytes(16)
    let body = try WebPushCipher.seal(Array("hello".utf8), for: key.publicKey, auth: auth)
    // All but the record size, which says how long a record may be.
    for index in body.indices where !(16..<20).contains(index) {
      var changed = body
      changed[index] ^= 1
      #expect(throws: SigningError.self, "byte \(index)") { try WebPushCipher.open(changed, key: key, auth: auth) }
    }
    for count in body.indices {
      #expect(throws: SigningError.self) { try WebPushCipher.open(Array(body[..<count]), key: key, auth: auth) }
    }
    #expect(throws: SigningError.self) { try WebPushCipher.open(body, key: .generate(), auth: auth) }
    #expect(throws: SigningError.self) { try WebPushCipher.open(body, key: key, auth: SecureRandom.bytes(16)) }
    var short = body
    short[18] = 0
    short[19] = 20
    #expect(throws: SigningError.self) { try WebPushCipher.open(short, key: key, auth: auth) }
  }

  @Test("Points that are none, and numbers that are no key, are refused") func wrongKeys() throws {
    let point = try ECPrivateKey.generate().publicKey.point()
    var compressed = point
    compressed[0] = 2
    var elsewhere = point
    elsewhere[64] ^= 1
    for wrong in [[], Array(point.dropLast()), point + [0], compressed, elsewhere, [UInt8](repeating: 0, count: 65)] {
      #expect(throws: SigningError.self) { try ECPublicKey(point: wrong) }
    }
    for wrong in [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1]] {
      #expect(throws: SigningError.self) { try ECPrivateKey(privateNumber: wrong) }
    }
  }
}
