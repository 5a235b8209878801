internal import COpenSSL

/// AES in Galois/Counter Mode with a nonce of 12 bytes and a tag of 16, NIST SP 800-38D.
///
/// `@safe`: the cipher is OpenSSL's own, which lives as long as the process.
@safe struct GCM: Sendable {
  static let nonceBytes = 12
  static let tagBytes = 16

  /// With keys of 16 bytes.
  static let aes128 = GCM("AES-128-GCM", keyBytes: 16)
  /// With keys of 32 bytes.
  static let aes256 = GCM("AES-256-GCM", keyBytes: 32)

  private let name: String
  private let keyBytes: Int
  /// The algorithm, looked up once: OpenSSL 3 would otherwise search its providers for each message.
  ///
  /// `nonisolated(unsafe)`: written once, before its first use, and never changed or freed; OpenSSL reads it from any thread.
  private nonisolated(unsafe) let cipher: OpaquePointer?

  private init(_ name: String, keyBytes: Int) {
    self.name = name
    self.keyBytes = keyBytes
    unsafe cipher = unsafe EVP_CIPHER_fetch(nil, name, nil)
  }

  /// Ciphertext and tag.
  func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
  ) throws(SigningError) -> [UInt8] {
    precondition(key.count == keyBytes && nonce.count == Self.nonceBytes, "key or nonce of another length")
    OpenSSLQueue.clear()
    guard let state = unsafe EVP_CIPHER_CTX_new() else { throw OpenSSLQueue.failure("make a cipher") }
    defer { unsafe EVP_CIPHER_CTX_free(state) }
    var length: Int32 = 0
    var output = [UInt8](repeating: 0, count: plaintext.count + Self.tagBytes)
    let isSealed = unsafe output.withUnsafeMutableBufferPointer { output in
      guard let start = output.baseAddress else { return false }
      return unsafe EVP_EncryptInit_ex2(state, cipher, key, nonce, nil) == 1
        && (context.isEmpty || EVP_EncryptUpdate(state, nil, &length, context, Int32(context.count)) == 1)
        && (plaintext.isEmpty || EVP_EncryptUpdate(state, start, &length, plaintext, Int32(plaintext.count)) == 1)
        // GCM is a stream mode: finishing writes nothing.
        && EVP_EncryptFinal_ex(state, nil, &length) == 1
        && EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), start + plaintext.count) == 1
    }
    guard isSealed else { throw OpenSSLQueue.failure("seal with \(name)") }
    return output
  }

  /// What ciphertext and tag hold; nil when they were changed, or sealed with another key, nonce or context.
  func open(
    _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
  ) throws(SigningError) -> [UInt8]? {
    precondition(key.count == keyBytes && nonce.count == Self.nonceBytes, "key or nonce of another length")
    guard sealed.count >= Self.tagBytes else { return nil }
    let ciphertext = Array(sealed.dropLast(Self.tagBytes))
    var tag = Array(sealed.suffix(Self.tagBytes))
    OpenSSLQueue.clear()
    guard let state = unsafe EVP_CIPHER_CTX_new() else { throw OpenSSLQueue.failure("make a cipher") }
    defer { unsafe EVP_CIPHER_CTX_free(state) }
    var length: Int32 = 0
    var output = [UInt8](repeating: 0, count: ciphertext.count)
    guard
      unsafe EVP_DecryptInit_ex2(state, cipher, key, nonce, nil) == 1,
      unsafe EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1,
      unsafe context.isEmpty || EVP_DecryptUpdate(state, nil, &length, context, Int32(context.count)) == 1,
      unsafe ciphertext.isEmpty || EVP_DecryptUpdate(state, &output, &length, ciphertext, Int32(ciphertext.count)) == 1
    else { throw OpenSSLQueue.failure("open with \(name)") }
    guard unsafe EVP_DecryptFinal_ex(state, nil, &length) == 1 else {
      OpenSSLQueue.clear()
      return nil
    }
    return output
  }
}
