internal import COpenSSL

/// A PKCS#12 file (`.p12`, `.pfx`), RFC 7292, taken apart: the form in which Keychain exports an APNs certificate.
public struct PKCS12: Sendable {
  /// The largest file that is read.
  public static let bytesMax = 256 * 1024

  /// The certificate that belongs to the key, PEM.
  public let certificatePEM: String
  /// Further certificates of the file, PEM, one block after another; empty when there are none.
  public let chainPEM: String
  /// The private key as unencrypted PKCS#8 PEM; secret.
  public let privateKeyPEM: String

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - bytes: the file, DER.
  ///   - password: the password it was exported with; "" for none.
  /// - Throws: `empty`, `damaged`, `wrongPassword`, or `wrongContent` when key or certificate is missing.
  public init(_ bytes: [UInt8], password: String) throws(SigningError) {
    guard !bytes.isEmpty else { throw SigningError(.empty, "the file is empty; expected PKCS#12 (.p12)") }
    guard bytes.count <= Self.bytesMax else {
      throw SigningError(.badLength, "the file has \(bytes.count) bytes; the limit for PKCS#12 is \(Self.bytesMax)")
    }
    guard !bytes.starts(with: Array("-----BEGIN".utf8)) else {
      throw SigningError(.wrongContent, "this is PEM, not PKCS#12; give it as certificate and key")
    }
    let library = try LegacyLibrary()
    let content = try unsafe Self.parse(bytes, password: password, library: library.context)
    defer { content.free() }
    guard let key = unsafe content.key, let certificate = unsafe content.certificate else {
      throw SigningError(
        .wrongContent,
        unsafe "the PKCS#12 file lacks \(content.key == nil ? "a private key" : "the key's certificate"); "
          + "export both together")
    }
    privateKeyPEM = try unsafe PEMText.write("write a private key") {
      unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil)
    }
    certificatePEM = try unsafe PEMText.write("write a certificate") { unsafe PEM_write_bio_X509($0, certificate) }
    var chain = ""
    for index in unsafe 0..<max(0, postrider_sk_X509_num(content.chain)) {
      guard let member = unsafe postrider_sk_X509_value(content.chain, index) else { continue }
      unsafe chain += try PEMText.write("write a certificate") { unsafe PEM_write_bio_X509($0, member) }
    }
    chainPEM = chain
  }

  /// `@safe`: `free` is called once, by the function that read the file, when it is left.
  @safe private struct Content {
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var chain: OpaquePointer?

    func free() {
      unsafe EVP_PKEY_free(key)
      unsafe X509_free(certificate)
      if let chain = unsafe chain { unsafe postrider_sk_X509_pop_free(chain) }
    }
  }

  private static func parse(
    _ bytes: [UInt8], password: String, library: OpaquePointer
  ) throws(SigningError) -> Content {
    OpenSSLQueue.clear()
    var file = unsafe PKCS12_init_ex(NID_pkcs7_data, library, nil)
    guard unsafe file != nil else { throw OpenSSLQueue.failure("make a PKCS#12 file") }
    let read = unsafe bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe d2i_PKCS12(&file, &start, buffer.count)
    }
    // On failure d2i has freed the file it was given.
    guard unsafe read != nil else {
      throw SigningError(.damaged, "the file is not PKCS#12 or is cut off (\(OpenSSLQueue.drain()))")
    }
    defer { unsafe PKCS12_free(file) }
    guard unsafe passwordFits(file, password) else {
      OpenSSLQueue.clear()
      throw SigningError(.wrongPassword, "the password does not open the PKCS#12 file")
    }
    var content = Content()
    guard unsafe PKCS12_parse(file, password, &content.key, &content.certificate, &content.chain) == 1 else {
      throw SigningError(.damaged, "the PKCS#12 file cannot be decrypted (\(OpenSSLQueue.drain()))")
    }
    return content
  }

  /// A file without a password is sealed with either the empty or the absent one.
  private static func passwordFits(_ file: OpaquePointer?, _ password: String) -> Bool {
    if unsafe PKCS12_mac_present(file) == 0 { return true }
    if unsafe PKCS12_verify_mac(file, password, -1) == 1 { return true }
    return unsafe password.isEmpty && PKCS12_verify_mac(file, nil, 0) == 1
  }
}

/// A library context of its own in which the old ciphers work that Keychain still exports with (RC2-40, 3DES).
///
/// `@safe`: it cannot be copied, so `deinit` frees the context and its providers once.
@safe private struct LegacyLibrary: ~Copyable {
  let context: OpaquePointer
  private let providers: [OpaquePointer]

  init() throws(SigningError) {
    OpenSSLQueue.clear()
    guard let context = unsafe OSSL_LIB_CTX_new() else { throw OpenSSLQueue.failure("make a library context") }
    guard let standard = unsafe OSSL_PROVIDER_load(context, "default") else {
      unsafe OSSL_LIB_CTX_free(context)
      throw OpenSSLQueue.failure("load its default provider")
    }
    // Without the legacy module, files with modern ciphers still open.
    let legacy = unsafe OSSL_PROVIDER_load(context, "legacy")
    OpenSSLQueue.clear()
    unsafe self.context = unsafe context
    unsafe self.providers = unsafe [standard] + (legacy.map { unsafe [$0] } ?? [])
  }

  deinit {
    unsafe providers.forEach { unsafe _ = OSSL_PROVIDER_unload($0) }
    unsafe OSSL_LIB_CTX_free(context)
  }
}
