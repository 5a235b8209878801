internal import COpenSSL

/// Public keys from their numbers, and signatures in DER, as authenticators of WebAuthn give both.
extension ECPublicKey {
  /// Whether `signature`, an ECDSA signature in DER, signs `message` with SHA-256.
  public func verifyES256(der signature: [UInt8], of message: [UInt8]) -> Bool {
    key.verifySHA256(signature, of: message)
  }
}

extension RSAPublicKey {
  /// A key from its numbers, big-endian.
  ///
  /// - Throws: `damaged` when they are no key; `wrongAlgorithm` for one of fewer than 2048 bits or too many.
  public init(modulus: [UInt8], exponent: [UInt8]) throws(SigningError) {
    // With another exponent than these, a signature may say nothing: to the power of 1 it is the message itself.
    let usual: [[UInt8]] = [[3], [17], [1, 0, 1]]
    guard usual.contains(Array(exponent.drop { $0 == 0 })) else {
      throw SigningError(.damaged, "the exponent of the RSA key is none of 3, 17 and 65537")
    }
    guard modulus.count <= RSAPrivateKey.bitsMax / 8 else {
      throw SigningError(.wrongAlgorithm, "the RSA key has more than \(RSAPrivateKey.bitsMax) bits")
    }
    let der = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
    OpenSSLQueue.clear()
    let key = unsafe der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &start, buffer.count)
    }
    guard let key = unsafe key else {
      throw SigningError(.damaged, "the numbers are no RSA key (\(OpenSSLQueue.drain()))")
    }
    let owner = unsafe EVPKey(owning: key)
    try RSAPrivateKey.requireRSA(owner)
    self.init(key: owner)
  }
}

/// A public key on edwards25519, for checking signatures Ed25519 (RFC 8032).
public struct Ed25519PublicKey: Sendable, Equatable {
  /// The length of a key: 32 bytes.
  public static let keyBytes = 32

  private let key: EVPKey

  /// A key from its 32 bytes.
  ///
  /// - Throws: `badLength`; `damaged` when OpenSSL refuses it.
  public init(bytes: [UInt8]) throws(SigningError) {
    guard bytes.count == Self.keyBytes else {
      throw SigningError(.badLength, "a key of Ed25519 has \(Self.keyBytes) bytes, this one has \(bytes.count)")
    }
    OpenSSLQueue.clear()
    guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
      throw SigningError(.damaged, "the bytes are no key of Ed25519 (\(OpenSSLQueue.drain()))")
    }
    self.key = unsafe EVPKey(owning: key)
  }

  /// Whether `signature` signs `message`.
  public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    defer { OpenSSLQueue.clear() }
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    // The algorithm has its own digest and refuses to be given one.
    guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1 else { return false }
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// Whether both are the same key.
  public static func == (left: Self, right: Self) -> Bool { left.key.isEqual(to: right.key) }
}

/// As much of DER (X.690) as a public key of two numbers needs.
private enum DER {
  static func integer(_ number: [UInt8]) -> [UInt8] {
    let digits = Array(number.drop { $0 == 0 })
    // A first bit of 1 would make it negative.
    let isHigh = digits.first.map { $0 >= 0x80 } ?? true
    return tagged(0x02, (isHigh ? [0] : []) + digits)
  }

  static func sequence(_ content: [UInt8]) -> [UInt8] { tagged(0x30, content) }

  private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
    var length: [UInt8] = []
    var left = content.count
    while left > 0 {
      length.insert(UInt8(left & 0xFF), at: 0)
      left >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
