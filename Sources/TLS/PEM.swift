internal import COpenSSL
internal import Signing

/// Reads certificates and keys from PEM text.
package enum PEM {
  /// The most text that is read, in bytes.
  static let limit = 4 * 1024 * 1024

  /// All certificates in the text, at least one; the caller frees them.
  static func certificates(_ text: [UInt8], _ what: String) throws(TLSError) -> [OpaquePointer] {
    try check(text, what)
    let found = unsafe PEMText.read(text) { bio in
      var found: [OpaquePointer] = unsafe []
      while let certificate = unsafe PEM_read_bio_X509(bio, nil, noPassphrase, nil) { unsafe found.append(certificate) }
      return unsafe found
    }
    let why = OpenSSLQueue.drain()
    guard let found = unsafe found, unsafe !found.isEmpty else {
      throw TLSError(
        description: "\(what) cannot be read (\(why)); PEM text that starts with -----BEGIN CERTIFICATE----- is wanted")
    }
    return unsafe found
  }

  /// The private key in the text; the caller frees it.
  static func privateKey(_ text: [UInt8]) throws(TLSError) -> OpaquePointer {
    try check(text, "the private key")
    guard let key = unsafe PEMText.read(text, { unsafe PEM_read_bio_PrivateKey($0, nil, noPassphrase, nil) }) else {
      throw TLSError(
        description: "the private key cannot be read (\(OpenSSLQueue.drain())); PEM text of an unencrypted key that "
          + "starts with -----BEGIN PRIVATE KEY----- is wanted")
    }
    return unsafe key
  }

  /// A certificate as PEM text.
  package static func text(_ certificate: OpaquePointer) -> [UInt8]? {
    unsafe (try? PEMText.write("write a certificate") { unsafe PEM_write_bio_X509($0, certificate) }).map {
      Array($0.utf8)
    }
  }

  private static func check(_ text: [UInt8], _ what: String) throws(TLSError) {
    guard text.count <= limit else {
      throw TLSError(description: "\(what): \(text.count) bytes, limit \(limit)")
    }
  }

  /// Without it OpenSSL would ask for a passphrase on the terminal.
  private static let noPassphrase:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?)
      -> Int32 = { _, _, _, _ in 0 }
}
