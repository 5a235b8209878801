internal import COpenSSL

/// Reads certificates and keys from PEM text.
enum PEM {
  /// The most text that is read, in bytes.
  static let limit = 4 * 1024 * 1024

  /// All certificates in the text, at least one; the caller frees them.
  static func certificates(_ text: [UInt8], _ what: String) throws(TLSError) -> [OpaquePointer] {
    let bio = try memory(text, what)
    defer { BIO_free(bio) }
    var found: [OpaquePointer] = []
    while let certificate = PEM_read_bio_X509(bio, nil, noPassphrase, nil) { found.append(certificate) }
    let why = OpenSSLErrors.drain()
    guard !found.isEmpty else {
      throw TLSError(
        description: "\(what) cannot be read (\(why)); PEM text that starts with -----BEGIN CERTIFICATE----- is wanted")
    }
    return found
  }

  /// The private key in the text; the caller frees it.
  static func privateKey(_ text: [UInt8]) throws(TLSError) -> OpaquePointer {
    let bio = try memory(text, "the private key")
    defer { BIO_free(bio) }
    guard let key = PEM_read_bio_PrivateKey(bio, nil, noPassphrase, nil) else {
      throw TLSError(
        description: "the private key cannot be read (\(OpenSSLErrors.drain())); PEM text of an unencrypted key that "
          + "starts with -----BEGIN PRIVATE KEY----- is wanted")
    }
    return key
  }

  /// A certificate as PEM text.
  static func text(_ certificate: OpaquePointer) -> [UInt8]? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard PEM_write_bio_X509(bio, certificate) == 1 else { return nil }
    var start: UnsafeMutablePointer<CChar>?
    let count = postrider_BIO_get_mem_data(bio, &start)
    return start.map { UnsafeBufferPointer(start: $0, count: count).map { UInt8(bitPattern: $0) } }
  }

  private static func memory(_ text: [UInt8], _ what: String) throws(TLSError) -> OpaquePointer {
    guard text.count <= limit else {
      throw TLSError(description: "\(what): \(text.count) bytes, limit \(limit)")
    }
    // Copied, because a read-only memory BIO would keep a pointer into the array.
    guard let bio = BIO_new(BIO_s_mem()) else { throw TLSError(description: "out of memory") }
    BIO_write(bio, text, Int32(text.count))
    return bio
  }

  /// Without it OpenSSL would ask for a passphrase on the terminal.
  private static let noPassphrase:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?)
      -> Int32 = { _, _, _, _ in 0 }
}
