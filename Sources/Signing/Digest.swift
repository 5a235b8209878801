internal import COpenSSL

/// The hash function SHA-256, FIPS 180-4.
public enum SHA256 {
  /// The length of a digest: 32 bytes.
  public static let digestBytes = 32

  /// The algorithm, looked up once: OpenSSL 3 would otherwise search its providers for each message, at five times the
  /// cost of the digest of a short one.
  ///
  /// `nonisolated(unsafe)`: written once, before its first use, and never changed or freed; OpenSSL reads it from any thread.
  private nonisolated(unsafe) static let algorithm: OpaquePointer? = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  /// The digest of a message.
  public static func digest(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: digestBytes)
    let done = unsafe EVP_Digest(message, message.count, &digest, nil, algorithm, nil)
    precondition(done == 1, "OpenSSL without SHA-256")
    return digest
  }

  /// The digest of a text's UTF-8 bytes.
  public static func digest(_ message: String) -> [UInt8] { digest(Array(message.utf8)) }
}

/// The keyed hash HMAC-SHA256, RFC 2104.
public enum HMACSHA256 {
  /// The 32-byte authentication code of a message; compare codes with `constantTimeEqual`.
  public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    precondition(key.count <= Int(Int32.max), "key of HMAC longer than 2 GiB")
    var code = [UInt8](repeating: 0, count: SHA256.digestBytes)
    // A nil key pointer would mean "the key of the last call", so an empty key is given as one unused byte.
    let keyBytes = key.isEmpty ? [0] : key
    let done = unsafe HMAC(EVP_sha256(), keyBytes, Int32(key.count), message, message.count, &code, nil)
    unsafe precondition(done != nil, "OpenSSL without HMAC-SHA256")
    return code
  }

  /// Whether `code` authenticates `message`, in constant time.
  public static func verify(_ code: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
    constantTimeEqual(code, authenticate(message, key: key))
  }
}
