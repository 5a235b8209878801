extension RSAPublicKey {
  /// A key from its modulus and exponent, big-endian, as a JWK has them (RFC 7518 section 6.3.1).
  ///
  /// - Throws: `badLength`, `wrongAlgorithm` (fewer than 2048 bits), or `damaged`.
  public init(modulus: [UInt8], exponent: [UInt8]) throws(SigningError) {
    guard modulus.count <= RSAPrivateKey.bitsMax / 8, (1...8).contains(exponent.count) else {
      throw SigningError(
        .badLength, "an RSA key has a modulus of at most \(RSAPrivateKey.bitsMax) bits and an exponent of at most 64")
    }
    // SubjectPublicKeyInfo (RFC 5280 section 4.1) of rsaEncryption, whose parameters are NULL (RFC 8017 appendix A.1).
    let algorithm: [UInt8] = [
      0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    let numbers = Self.der(0x30, Self.integer(modulus) + Self.integer(exponent))
    let info = Self.der(0x30, algorithm + Self.der(0x03, [0] + numbers))
    try self.init(pem: "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(info))\n-----END PUBLIC KEY-----\n")
  }

  private static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    // A leading one would be a sign.
    return der(0x02, digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits)
  }

  private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
      }
    return [tag] + length + content
  }
}
