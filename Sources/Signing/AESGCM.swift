internal import COpenSSL

/// AES-256-GCM, NIST SP 800-38D: seals a value so that reading or changing it needs the key.
///
/// A sealed value is nonce (12 bytes), ciphertext, tag (16 bytes). The nonce is random: one key may seal up to 2^32
/// values before nonces risk to meet.
public struct AESGCM: Sendable {
  /// The length of a key: 32 bytes.
  public static let keyBytes = 32
  /// What sealing adds to the length of a value: 28 bytes.
  public static let overheadBytes = nonceBytes + tagBytes

  static let nonceBytes = 12
  static let tagBytes = 16

  private let key: [UInt8]

  /// Takes a key of 32 bytes, for instance `SecureRandom.bytes(AESGCM.keyBytes)`.
  public init(key: [UInt8]) throws(SigningError) {
    guard key.count == Self.keyBytes else {
      throw SigningError(.badLength, "an AES-256 key has \(Self.keyBytes) bytes, this one has \(key.count)")
    }
    self.key = key
  }

  /// Seals a value under a fresh random nonce.
  ///
  /// - Parameters:
  ///   - plaintext: the value.
  ///   - context: bytes that are authenticated and not stored, such as the name of the row the value belongs to;
  ///     opening needs the same.
  /// - Returns: nonce, ciphertext and tag.
  public func seal(_ plaintext: [UInt8], authenticating context: [UInt8] = []) throws(SigningError) -> [UInt8] {
    try seal(plaintext, authenticating: context, nonce: SecureRandom.bytes(Self.nonceBytes))
  }

  /// Sealing with a nonce of the caller's, for test vectors.
  func seal(_ plaintext: [UInt8], authenticating context: [UInt8], nonce: [UInt8]) throws(SigningError) -> [UInt8] {
    OpenSSLQueue.clear()
    guard let cipher = EVP_CIPHER_CTX_new() else { throw OpenSSLQueue.failure("make a cipher") }
    defer { EVP_CIPHER_CTX_free(cipher) }
    var length: Int32 = 0
    var output = [UInt8](repeating: 0, count: plaintext.count)
    var tag = [UInt8](repeating: 0, count: Self.tagBytes)
    guard
      EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
      context.isEmpty || EVP_EncryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1,
      plaintext.isEmpty || EVP_EncryptUpdate(cipher, &output, &length, plaintext, Int32(plaintext.count)) == 1,
      // GCM is a stream mode: finishing writes nothing.
      EVP_EncryptFinal_ex(cipher, nil, &length) == 1,
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag) == 1
    else { throw OpenSSLQueue.failure("seal with AES-256-GCM") }
    return nonce + output + tag
  }

  /// Opens a sealed value.
  ///
  /// - Throws: `notAuthentic` when the value was changed, or sealed with another key or context.
  public func open(_ sealed: [UInt8], authenticating context: [UInt8] = []) throws(SigningError) -> [UInt8] {
    guard sealed.count >= Self.overheadBytes else {
      throw SigningError(
        .badLength, "a sealed value has at least \(Self.overheadBytes) bytes, this one has \(sealed.count)")
    }
    let nonce = Array(sealed[..<Self.nonceBytes])
    let ciphertext = Array(sealed[Self.nonceBytes..<(sealed.count - Self.tagBytes)])
    var tag = Array(sealed[(sealed.count - Self.tagBytes)...])
    OpenSSLQueue.clear()
    guard let cipher = EVP_CIPHER_CTX_new() else { throw OpenSSLQueue.failure("make a cipher") }
    defer { EVP_CIPHER_CTX_free(cipher) }
    var length: Int32 = 0
    var output = [UInt8](repeating: 0, count: ciphertext.count)
    guard
      EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1,
      context.isEmpty || EVP_DecryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1,
      ciphertext.isEmpty || EVP_DecryptUpdate(cipher, &output, &length, ciphertext, Int32(ciphertext.count)) == 1
    else { throw OpenSSLQueue.failure("open with AES-256-GCM") }
    guard EVP_DecryptFinal_ex(cipher, nil, &length) == 1 else {
      OpenSSLQueue.clear()
      throw SigningError(
        .notAuthentic, "the sealed value was changed, or was sealed with another key or for another place")
    }
    return output
  }
}
