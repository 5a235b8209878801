internal import COpenSSL

/// Who a certificate says its holder is: the parts of the subject that Apple's client certificates use.
public struct CertificateSubject: Sendable, Hashable {
  /// The common name, such as `Apple Push Services: com.example.app`; nil when there is none.
  public let commonName: String?
  /// The `UID`, where Apple puts the bundle ID; nil when there is none.
  public let userID: String?

  /// Reads the subject of the first certificate of a PEM text.
  ///
  /// - Throws: `empty`, `notPEM`, `wrongContent` when the first block is no certificate, or `damaged`.
  public init(certificatePEM: [UInt8]) throws(SigningError) {
    let block = try PEMBlock.all(certificatePEM, wanted: "a certificate in PEM")[0]
    guard block.label == "CERTIFICATE" else {
      throw SigningError(.wrongContent, "the PEM block is named \(block.label); expected a certificate")
    }
    OpenSSLQueue.clear()
    guard let certificate = unsafe PEMText.read(block.text, { unsafe PEM_read_bio_X509($0, nil, nil, nil) }) else {
      throw SigningError(.damaged, "the certificate cannot be decoded (\(OpenSSLQueue.drain()))")
    }
    defer { unsafe X509_free(certificate) }
    let name = unsafe X509_get_subject_name(certificate)
    commonName = unsafe Self.entry(name, NID_commonName)
    userID = unsafe Self.entry(name, NID_userId)
  }

  private static func entry(_ name: OpaquePointer?, _ kind: Int32) -> String? {
    let index = unsafe X509_NAME_get_index_by_NID(name, kind, -1)
    guard index >= 0 else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)))
    guard count >= 0, let text = unsafe text else { return nil }
    defer { unsafe CRYPTO_free(text, nil, 0) }
    return unsafe String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }
}
