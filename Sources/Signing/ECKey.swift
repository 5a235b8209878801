internal import COpenSSL

/// A private key on the curve P-256, for signatures ES256 (RFC 7518 section 3.4): an APNs `.p8` key, or VAPID's.
public struct ECPrivateKey: Sendable, CustomStringConvertible {
  let key: EVPKey

  private static let wanted = "an EC P-256 private key in PEM, such as APNs' AuthKey_XXXXXXXXXX.p8"

  /// Reads the private key of a PEM file (PKCS#8 as in a `.p8` file, or SEC 1).
  ///
  /// - Throws: `empty`, `notPEM`, `wrongContent` (a public key or certificate), `encrypted`, `damaged`, or
  ///   `wrongAlgorithm` (not EC, or another curve).
  public init(pem: [UInt8]) throws(SigningError) {
    let key = try KeyFile.privateKey(pem, wanted: Self.wanted)
    try Self.requireP256(key)
    self.key = key
  }

  /// Reads the private key of a PEM text.
  public init(pem: String) throws(SigningError) { try self.init(pem: Array(pem.utf8)) }

  private init(key: EVPKey) { self.key = key }

  /// Makes a new key.
  public static func generate() throws(SigningError) -> ECPrivateKey {
    OpenSSLQueue.clear()
    guard let key = EVPKey.generateP256() else { throw OpenSSLQueue.failure("generate an EC key") }
    return ECPrivateKey(key: key)
  }

  /// The key as unencrypted PKCS#8 PEM, the form of a `.p8` file; secret.
  public func pem() throws(SigningError) -> String { try key.privatePEM() }

  /// The public half.
  public var publicKey: ECPublicKey { ECPublicKey(key: key) }

  /// Signs a message: the 64 bytes r ‖ s of ES256, which is what a JWS carries.
  public func signES256(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
    try ECDSASignature.raw(der: key.signSHA256(message))
  }

  /// Names the algorithm, never the key.
  public var description: String { "EC P-256 private key" }

  static func requireP256(_ key: EVPKey) throws(SigningError) {
    guard unsafe EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_EC, key.curveName == "prime256v1" else {
      throw SigningError(.wrongAlgorithm, "the key is \(key.algorithmName); ES256 needs EC P-256 (prime256v1)")
    }
  }
}

/// A public key on the curve P-256, for checking signatures ES256.
public struct ECPublicKey: Sendable, Equatable {
  let key: EVPKey

  init(key: EVPKey) { self.key = key }

  /// Reads the key of a PEM file that holds a public key or a certificate.
  public init(pem: [UInt8]) throws(SigningError) {
    let key = try KeyFile.publicKey(pem, wanted: "an EC P-256 public key or certificate in PEM")
    try ECPrivateKey.requireP256(key)
    // The point at infinity can be written too, and verifies what anyone has made.
    guard key.isUsablePoint else {
      throw SigningError(.damaged, "the public key is no point of P-256; take a fresh copy of the file")
    }
    self.key = key
  }

  /// Reads the key of a PEM text that holds a public key or a certificate.
  public init(pem: String) throws(SigningError) { try self.init(pem: Array(pem.utf8)) }

  /// The key as PEM (SubjectPublicKeyInfo).
  public func pem() throws(SigningError) -> String { try key.publicPEM() }

  /// Whether `signature`, the 64 bytes r ‖ s, signs `message`.
  public func verifyES256(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let der = ECDSASignature.der(raw: signature) else { return false }
    return key.verifySHA256(der, of: message)
  }

  /// Whether both are the same point.
  public static func == (left: ECPublicKey, right: ECPublicKey) -> Bool { left.key.isEqual(to: right.key) }
}

extension ECPrivateKey {
  /// The order of P-256's base point (FIPS 186-5 with SP 800-186): a private number is from 1 to one less.
  static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
    0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// The key that follows from a secret of at least 32 random bytes: the same secret gives the same key.
  ///
  /// Its private number is the first HMAC of a counter that lies in range, so that each is equally likely.
  public static func derived(from secret: [UInt8]) throws(SigningError) -> ECPrivateKey {
    var counter: UInt8 = 0
    var number = HMACSHA256.authenticate([counter], key: secret)
    while !number.contains(where: { $0 != 0 }) || !number.lexicographicallyPrecedes(order) {
      counter += 1
      number = HMACSHA256.authenticate([counter], key: secret)
    }
    return try ECPrivateKey(number: number)
  }

  /// A key from its private number of 32 bytes, as SEC 1 writes it (RFC 5915): version 1, the number, the curve.
  init(number: [UInt8]) throws(SigningError) {
    let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    let der = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + number + curve
    try self.init(pem: "-----BEGIN EC PRIVATE KEY-----\n\(Base64.encode(der))\n-----END EC PRIVATE KEY-----\n")
  }
}

extension ECPublicKey {
  /// A key from the two coordinates of its point, 32 bytes each, as a JWK has them (RFC 7518 section 6.2.1).
  ///
  /// - Throws: `badLength`, or `damaged` when the point is not on the curve.
  public init(x: [UInt8], y: [UInt8]) throws(SigningError) {
    guard x.count == 32, y.count == 32 else {
      throw SigningError(.badLength, "a coordinate of P-256 has 32 bytes, these have \(x.count) and \(y.count)")
    }
    let point = [4] + x + y
    defer { OpenSSLQueue.clear() }
    guard let key = EVPKey.p256(point: point) else {
      throw SigningError(.damaged, "the coordinates are no point on the curve P-256")
    }
    self.init(key: key)
  }
}

/// The two forms of an ECDSA signature: DER, which OpenSSL uses, and r ‖ s, which JWS uses.
enum ECDSASignature {
  static let rawBytes = 64

  static func raw(der: [UInt8]) throws(SigningError) -> [UInt8] {
    let signature = unsafe der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &start, buffer.count)
    }
    guard let signature = unsafe signature else { throw OpenSSLQueue.failure("read its own signature") }
    defer { unsafe ECDSA_SIG_free(signature) }
    var raw = [UInt8](repeating: 0, count: rawBytes)
    let halfBytes = Int32(rawBytes / 2)
    let done = unsafe raw.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, halfBytes) == halfBytes
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + rawBytes / 2, halfBytes) == halfBytes
    }
    guard done else { throw OpenSSLQueue.failure("write a signature of 64 bytes") }
    return raw
  }

  static func der(raw: [UInt8]) -> [UInt8]? {
    guard raw.count == rawBytes, let signature = unsafe ECDSA_SIG_new() else { return nil }
    defer { unsafe ECDSA_SIG_free(signature) }
    let half = Int32(rawBytes / 2)
    guard
      let r = unsafe BN_bin2bn(Array(raw[..<(rawBytes / 2)]), half, nil),
      let s = unsafe BN_bin2bn(Array(raw[(rawBytes / 2)...]), half, nil)
    else { return nil }
    // From here on the signature owns both numbers.
    guard unsafe ECDSA_SIG_set0(signature, r, s) == 1 else { return nil }
    let length = unsafe i2d_ECDSA_SIG(signature, nil)
    guard length > 0 else { return nil }
    var der = [UInt8](repeating: 0, count: Int(length))
    let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe i2d_ECDSA_SIG(signature, &start)
    }
    return written == length ? der : nil
  }
}
