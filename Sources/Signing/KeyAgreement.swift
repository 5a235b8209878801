internal import COpenSSL

extension ECPublicKey {
  /// The length of an uncompressed point of P-256: 65 bytes.
  public static let pointBytes = 65

  /// A key from its uncompressed point (SEC 1 section 2.3.3): the byte 4, then both coordinates.
  ///
  /// - Throws: `badLength`; `damaged` when it is compressed or hybrid, or not on the curve.
  public init(point: [UInt8]) throws(SigningError) {
    guard point.count == Self.pointBytes else {
      throw SigningError(
        .badLength, "an uncompressed point of P-256 has \(Self.pointBytes) bytes, this one has \(point.count)")
    }
    guard point[0] == 4 else {
      throw SigningError(.damaged, "the point is not uncompressed: its first byte is \(point[0]) instead of 4")
    }
    do {
      try self.init(x: Array(point[1..<33]), y: Array(point[33...]))
    } catch {
      throw SigningError(.damaged, "the point is not on the curve P-256")
    }
  }

  /// The uncompressed point: the byte 4, then both coordinates.
  public func point() throws(SigningError) -> [UInt8] {
    if let point = key.point { return point }
    var point = [UInt8](repeating: 0, count: Self.pointBytes)
    var length = 0
    OpenSSLQueue.clear()
    guard unsafe EVP_PKEY_get_octet_string_param(key.pointer, "pub", &point, point.count, &length) == 1,
      length == point.count
    else { throw OpenSSLQueue.failure("write a point of P-256") }
    return point
  }
}

extension ECPrivateKey {
  /// The length of a private number of P-256: 32 bytes.
  public static let numberBytes = 32

  /// A key from its private number, big-endian, the form of VAPID keys in many tools.
  ///
  /// - Throws: `badLength`; `damaged` when no key of P-256 has this number.
  public init(privateNumber number: [UInt8]) throws(SigningError) {
    guard number.count == Self.numberBytes else {
      throw SigningError(
        .badLength, "a private key of P-256 has \(Self.numberBytes) bytes, this one has \(number.count)")
    }
    guard number.contains(where: { $0 != 0 }), number.lexicographicallyPrecedes(Self.order) else {
      throw SigningError(.damaged, "the number is no private key of P-256")
    }
    try self.init(number: number)
  }

  /// The secret that both owners of two key pairs find (ECDH, SP 800-56A section 5.7.1.2): 32 bytes.
  public func sharedSecret(with other: ECPublicKey) throws(SigningError) -> [UInt8] {
    OpenSSLQueue.clear()
    guard let context = unsafe EVP_PKEY_CTX_new(key.pointer, nil) else { throw OpenSSLQueue.failure("agree on a key") }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var secret = [UInt8](repeating: 0, count: Self.numberBytes)
    var length = secret.count
    guard
      unsafe EVP_PKEY_derive_init(context) == 1,
      // The point was checked when the public key was made.
      unsafe EVP_PKEY_derive_set_peer_ex(context, other.key.pointer, 0) == 1,
      unsafe EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
    else { throw OpenSSLQueue.failure("agree on a key") }
    return secret
  }
}

/// HKDF with SHA-256, RFC 5869.
public enum HKDF {
  /// The first step: a key of 32 bytes from a secret and a salt.
  public static func extract(salt: [UInt8], secret: [UInt8]) -> [UInt8] {
    HMACSHA256.authenticate(secret, key: salt)
  }

  /// The second step: up to 32 bytes for one purpose, which is one round.
  public static func expand(_ key: [UInt8], info: [UInt8], bytes: Int) -> [UInt8] {
    precondition(bytes <= SHA256.digestBytes, "more than one round of HKDF")
    return Array(HMACSHA256.authenticate(info + [1], key: key).prefix(bytes))
  }
}
