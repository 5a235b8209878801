import COpenSSL
import Glibc
import HTTP2
import TLS

/// A self-signed certificate made in memory, for `localhost` and `127.0.0.1` unless said otherwise.
struct TestCertificate: Sendable {
  let certificatePEM: [UInt8]
  let keyPEM: [UInt8]

  var identity: TLSIdentity { TLSIdentity(certificatePEM: certificatePEM, keyPEM: keyPEM) }
  var trust: TLSTrust { .pem(certificatePEM) }

  /// One for most tests.
  static let shared = TestCertificate()

  /// - Parameters:
  ///   - names: the subject alternative names in OpenSSL's form.
  ///   - validFrom: seconds from now.
  ///   - validTo: seconds from now.
  init(
    names: String = "DNS:localhost,IP:127.0.0.1,IP:::1", validFrom: Int = -3600, validTo: Int = 86_400,
    commonName: String = "postrider test"
  ) {
    let key = postrider_EVP_EC_gen("P-256")
    let certificate = X509_new()
    defer {
      EVP_PKEY_free(key)
      X509_free(certificate)
    }
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), validFrom)
    X509_gmtime_adj(X509_getm_notAfter(certificate), validTo)
    X509_set_pubkey(certificate, key)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, commonName, -1, -1, 0)
    X509_set_issuer_name(certificate, name)
    for (id, value) in [(NID_subject_alt_name, names), (NID_basic_constraints, "critical,CA:TRUE")] {
      let added = X509V3_EXT_conf_nid(nil, nil, id, value)
      X509_add_ext(certificate, added, -1)
      X509_EXTENSION_free(added)
    }
    X509_sign(certificate, key, EVP_sha256())
    certificatePEM = TestCertificate.text { PEM_write_bio_X509($0, certificate) }
    keyPEM = TestCertificate.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  private static func text(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    precondition(write(bio) == 1)
    var start: UnsafeMutablePointer<CChar>?
    let count = postrider_BIO_get_mem_data(bio, &start)
    return UnsafeBufferPointer(start: start, count: count).map { UInt8(bitPattern: $0) }
  }
}
