internal import COpenSSL

/// Owner of one OpenSSL key.
///
/// `@unchecked Sendable`: the key is complete when it is wrapped and nothing changes it afterwards; OpenSSL 3 allows
/// concurrent signing and verifying with one `EVP_PKEY`, its reference count is atomic and its caches are locked.
///
/// `@safe`: the object owns one reference of the key and lets go of it in `deinit`.
@safe final class EVPKey: @unchecked Sendable {
  let pointer: OpaquePointer
  /// The uncompressed point that a public key was made of, which OpenSSL takes its time to write again; nil for other keys.
  let point: [UInt8]?

  /// Takes over a reference.
  init(owning pointer: OpaquePointer, point: [UInt8]? = nil) {
    unsafe self.pointer = unsafe pointer
    self.point = point
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The curve P-256 without a key, of which keys on it are made; nil when OpenSSL has no memory.
  ///
  /// To find the curve by its name takes OpenSSL as long as to make a key, and to read a public key as PEM eight times as long as
  /// to agree on a secret with it.
  static let p256: EVPKey? = {
    guard let key = unsafe postrider_EVP_EC_gen("P-256") else { return nil }
    defer { unsafe EVP_PKEY_free(key) }
    guard let curve = unsafe EVP_PKEY_new() else { return nil }
    let owner = unsafe EVPKey(owning: curve)
    return unsafe EVP_PKEY_copy_parameters(curve, key) == 1 ? owner : nil
  }()

  /// A new key pair on P-256; nil when OpenSSL refuses.
  static func generateP256() -> EVPKey? {
    guard let curve = p256, let context = unsafe EVP_PKEY_CTX_new(curve.pointer, nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
    else { return nil }
    return unsafe EVPKey(owning: key)
  }

  /// The public key of an uncompressed point of P-256; nil when the point is not on the curve.
  static func p256(point: [UInt8]) -> EVPKey? {
    guard let curve = p256, let key = unsafe EVP_PKEY_new() else { return nil }
    let owner = unsafe EVPKey(owning: key, point: point)
    guard unsafe EVP_PKEY_copy_parameters(key, curve.pointer) == 1,
      unsafe EVP_PKEY_set1_encoded_public_key(key, point, point.count) == 1
    else { return nil }
    return owner
  }

  /// The algorithm's name for messages.
  var algorithmName: String {
    switch unsafe EVP_PKEY_get_base_id(pointer) {
    case EVP_PKEY_EC: "EC \(curveName)"
    case EVP_PKEY_RSA: unsafe "RSA (\(EVP_PKEY_get_bits(pointer)) bits)"
    default: unsafe EVP_PKEY_get0_type_name(pointer).map { unsafe String(cString: $0) } ?? "unknown"
    }
  }

  /// The name of an EC key's curve, `prime256v1` for P-256.
  var curveName: String {
    var name = [CChar](repeating: 0, count: 80)
    var length = 0
    guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return "unknown curve" }
    return String(decoding: name[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the point of an EC key is on its curve and not at infinity; on a curve of prime order that is all there is to check.
  var isUsablePoint: Bool {
    defer { OpenSSLQueue.clear() }
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return unsafe EVP_PKEY_public_check_quick(context) == 1
  }

  func isEqual(to other: EVPKey) -> Bool { unsafe EVP_PKEY_eq(pointer, other.pointer) == 1 }

  // MARK: Signing with SHA-256

  func signSHA256(_ message: [UInt8]) throws(SigningError) -> [UInt8] {
    OpenSSLQueue.clear()
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLQueue.failure("make a digest") }
    defer { unsafe EVP_MD_CTX_free(context) }
    var length = 0
    guard
      unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
      unsafe EVP_DigestSign(context, nil, &length, message, message.count) == 1
    else { throw OpenSSLQueue.failure("sign") }
    var signature = [UInt8](repeating: 0, count: length)
    guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
      throw OpenSSLQueue.failure("sign")
    }
    signature.removeLast(signature.count - length)
    return signature
  }

  func verifySHA256(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    defer { OpenSSLQueue.clear() }
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  // MARK: PEM

  func privatePEM() throws(SigningError) -> String {
    try unsafe PEMText.write("write a private key") {
      unsafe PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil)
    }
  }

  func publicPEM() throws(SigningError) -> String {
    try unsafe PEMText.write("write a public key") { unsafe PEM_write_bio_PUBKEY($0, pointer) }
  }
}

/// Text that OpenSSL writes to, and reads from, memory.
package enum PEMText {
  /// What `body` writes to a BIO; `step` completes “OpenSSL cannot …”.
  package static func write(_ step: String, _ body: (OpaquePointer) -> Int32) throws(SigningError) -> String {
    OpenSSLQueue.clear()
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(step) }
    defer { unsafe BIO_free(bio) }
    var data: UnsafeMutablePointer<CChar>?
    guard unsafe body(bio) == 1 else { throw OpenSSLQueue.failure(step) }
    let count = unsafe postrider_BIO_get_mem_data(bio, &data)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
  }

  /// Runs `body` over a read-only BIO of `bytes`.
  package static func read<T>(_ bytes: [UInt8], _ body: (OpaquePointer) -> T?) -> T? {
    unsafe bytes.withUnsafeBytes { buffer in
      guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
      defer { unsafe BIO_free(bio) }
      return unsafe body(bio)
    }
  }
}
