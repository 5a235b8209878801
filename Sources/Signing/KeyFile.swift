internal import COpenSSL

/// Reading of key files, with an answer for every way a person gets them wrong.
enum KeyFile {
  /// Reads the one unencrypted private key of a PEM file.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - wanted: what the file should be, for messages: "an APNs key (.p8, EC P-256)".
  static func privateKey(_ bytes: [UInt8], wanted: String) throws(SigningError) -> EVPKey {
    let blocks = try PEMBlock.all(bytes, wanted: wanted)
    // `EC PARAMETERS` precedes the key in files written by `openssl ecparam -genkey`.
    guard let block = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
      throw SigningError(.wrongContent, wrongContent(blocks[0].label, wanted: wanted))
    }
    if block.label == "ENCRYPTED PRIVATE KEY" || block.hasEncryptionHeader {
      throw SigningError(
        .encrypted,
        "the private key is protected by a passphrase; "
          + "remove it with: openssl pkcs8 -topk8 -nocrypt -in KEY -out PLAIN")
    }
    OpenSSLQueue.clear()
    // The callback answers "no passphrase", or OpenSSL would ask for one on the terminal.
    let key = unsafe PEMText.read(block.text) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    guard let key = unsafe key else { throw SigningError(.damaged, damaged(block.label)) }
    return unsafe EVPKey(owning: key)
  }

  /// Reads a public key from a PEM file that holds a public key or a certificate.
  static func publicKey(_ bytes: [UInt8], wanted: String) throws(SigningError) -> EVPKey {
    let blocks = try PEMBlock.all(bytes, wanted: wanted)
    let block = blocks[0]
    OpenSSLQueue.clear()
    let key: OpaquePointer? =
      switch block.label {
      case "PUBLIC KEY": unsafe PEMText.read(block.text) { unsafe PEM_read_bio_PUBKEY($0, nil, nil, nil) }
      case "CERTIFICATE":
        unsafe PEMText.read(block.text) { bio in
          guard let certificate = unsafe PEM_read_bio_X509(bio, nil, nil, nil) else { return nil }
          defer { unsafe X509_free(certificate) }
          return unsafe X509_get_pubkey(certificate)
        }
      default: throw SigningError(.wrongContent, wrongContent(block.label, wanted: wanted))
      }
    guard let key = unsafe key else { throw SigningError(.damaged, damaged(block.label)) }
    return unsafe EVPKey(owning: key)
  }

  private static func damaged(_ label: String) -> String {
    "the PEM block \(label) cannot be decoded (\(OpenSSLQueue.drain())); take a fresh copy of the file"
  }

  private static func wrongContent(_ label: String, wanted: String) -> String {
    let what =
      switch label {
      case "PUBLIC KEY", "RSA PUBLIC KEY": "a public key"
      case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE": "a certificate"
      case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": "a certificate request"
      case let other where other.hasSuffix("PRIVATE KEY"): "a private key"
      default: "a PEM block named \(label)"
      }
    return "the file holds \(what); expected \(wanted)"
  }
}
