internal import COpenSSL

/// An RSA private key, for signatures RS256 (RFC 7518 section 3.3): the key of a Google service account.
public struct RSAPrivateKey: Sendable, CustomStringConvertible {
  /// The shortest key RS256 allows.
  public static let bitsMin = 2048
  /// The longest key that is read; longer ones only burn time.
  public static let bitsMax = 16_384

  let key: EVPKey

  private static let wanted = "an RSA private key in PEM, such as \"private_key\" of a service account file"

  /// Reads the private key of a PEM file (PKCS#8, or PKCS#1).
  ///
  /// - Throws: `empty`, `notPEM`, `wrongContent` (a public key or certificate), `encrypted`, `damaged`, or
  ///   `wrongAlgorithm` (not RSA, or fewer than 2048 bits).
  public init(pem: [UInt8]) throws(SigningError) {
    let key = try KeyFile.privateKey(pem, wanted: Self.wanted)
    try Self.requireRSA(key)
    self.key = key
  }

  /// Reads the private key of a PEM text.
  public init(pem: String) throws(SigningError) { try self.init(pem: Array(pem.utf8)) }

  private init(key: EVPKey) { self.key = key }

  /// Makes a new key.
  public static func generate(bits: Int = bitsMin) throws(SigningError) -> RSAPrivateKey {
    guard (bitsMin...bitsMax).contains(bits) else {
      throw SigningError(.badLength, "an RSA key has \(bitsMin) to \(bitsMax) bits, not \(bits)")
    }
    OpenSSLQueue.clear()
    guard let key = unsafe postrider_EVP_RSA_gen(UInt32(bits)) else {
      throw OpenSSLQueue.failure("generate an RSA key")
    }
    return unsafe RSAPrivateKey(key: EVPKey(owning: key))
  }

  /// The key as unencrypted PKCS#8 PEM; secret.
  public func pem() throws(SigningError) -> String { try key.privatePEM() }

  /// The public half.
  public var publicKey: RSAPublicKey { RSAPublicKey(key: key) }

  /// Signs a message with RSASSA-PKCS1-v1_5 and SHA-256.
  public func signRS256(_ message: [UInt8]) throws(SigningError) -> [UInt8] { try key.signSHA256(message) }

  /// Names the algorithm, never the key.
  public var description: String { "RSA private key" }

  static func requireRSA(_ key: EVPKey) throws(SigningError) {
    let bits = unsafe Int(EVP_PKEY_get_bits(key.pointer))
    guard unsafe EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_RSA, (bitsMin...bitsMax).contains(bits) else {
      throw SigningError(
        .wrongAlgorithm, "the key is \(key.algorithmName); RS256 needs RSA with \(bitsMin) to \(bitsMax) bits")
    }
  }
}

/// An RSA public key, for checking signatures RS256.
public struct RSAPublicKey: Sendable, Equatable {
  let key: EVPKey

  init(key: EVPKey) { self.key = key }

  /// Reads the key of a PEM file that holds a public key or a certificate.
  public init(pem: [UInt8]) throws(SigningError) {
    let key = try KeyFile.publicKey(pem, wanted: "an RSA public key or certificate in PEM")
    try RSAPrivateKey.requireRSA(key)
    self.key = key
  }

  /// Reads the key of a PEM text that holds a public key or a certificate.
  public init(pem: String) throws(SigningError) { try self.init(pem: Array(pem.utf8)) }

  /// The key as PEM (SubjectPublicKeyInfo).
  public func pem() throws(SigningError) -> String { try key.publicPEM() }

  /// Whether `signature` signs `message` with RSASSA-PKCS1-v1_5 and SHA-256.
  public func verifyRS256(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    key.verifySHA256(signature, of: message)
  }

  /// Whether both are the same key.
  public static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool { left.key.isEqual(to: right.key) }
}
