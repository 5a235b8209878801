internal import COpenSSL

/// A certificate with its private key, made on the spot for servers and clients on loopback.
///
/// Nothing outside the process that trusts it explicitly will accept it; that is the point.
public struct CertificateIdentity: Sendable {
  /// The certificate, PEM.
  public let certificatePEM: String
  /// The private key, PKCS#8 PEM; secret, though short-lived.
  public let privateKeyPEM: String
}

/// What a certificate made here says about its holder.
public struct CertificateRequest: Sendable {
  /// The common name of the subject.
  public var commonName: String
  /// The `UID` of the subject, where Apple's client certificates carry the bundle id; nil for none.
  public var userID: String?
  /// The DNS names a server answers to.
  public var dnsNames: [String]
  /// The IP addresses a server answers to, in text form.
  public var ipAddresses: [String]
  /// Validity in seconds relative to now.
  public var validity: ClosedRange<Int>

  /// Describes a certificate; the default validity is from an hour ago to 90 days ahead.
  public init(
    commonName: String, userID: String? = nil, dnsNames: [String] = [], ipAddresses: [String] = [],
    validity: ClosedRange<Int> = -3600...7_776_000
  ) {
    self.commonName = commonName
    self.userID = userID
    self.dnsNames = dnsNames
    self.ipAddresses = ipAddresses
    self.validity = validity
  }
}

/// A certificate that vouches for itself: hand it to a server as identity and to its clients as trust.
public enum SelfSignedCertificate {
  /// Makes a P-256 key and a certificate for a server on loopback.
  ///
  /// - Parameters:
  ///   - dnsNames: names it answers to.
  ///   - ipAddresses: addresses it answers to.
  /// - Throws: `badName` for a name or address that cannot be in a certificate.
  public static func make(
    dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1", "::1"]
  ) throws(SigningError) -> CertificateIdentity {
    try make(
      CertificateRequest(
        commonName: dnsNames.first ?? ipAddresses.first ?? "localhost", dnsNames: dnsNames, ipAddresses: ipAddresses))
  }

  /// Makes a P-256 key and a self-signed certificate as requested.
  public static func make(_ request: CertificateRequest) throws(SigningError) -> CertificateIdentity {
    let key = try ECPrivateKey.generate()
    let builder = try CertificateBuilder(request, key: key, isAuthority: false)
    return try builder.signed(by: nil, with: key)
  }
}

/// A certificate authority that lives as long as the value: it issues leaves that a client trusting it accepts.
public struct CertificateAuthority: Sendable {
  /// The authority's certificate, PEM: what a client must trust.
  public let certificatePEM: String
  private let key: ECPrivateKey

  /// Makes an authority with a key of its own.
  public init(commonName: String) throws(SigningError) {
    let key = try ECPrivateKey.generate()
    let builder = try CertificateBuilder(CertificateRequest(commonName: commonName), key: key, isAuthority: true)
    self.key = key
    self.certificatePEM = try builder.signed(by: nil, with: key).certificatePEM
  }

  /// Issues a leaf certificate with a P-256 key of its own.
  public func issue(_ request: CertificateRequest) throws(SigningError) -> CertificateIdentity {
    let leafKey = try ECPrivateKey.generate()
    let builder = try CertificateBuilder(request, key: leafKey, isAuthority: false)
    return try builder.signed(by: (certificatePEM, key), with: leafKey)
  }
}

/// One X.509 certificate under construction.
///
/// `@safe`: the object owns the certificate from `init` to `deinit`.
@safe private final class CertificateBuilder {
  private let certificate: OpaquePointer
  private let request: CertificateRequest
  private let isAuthority: Bool

  init(_ request: CertificateRequest, key: ECPrivateKey, isAuthority: Bool) throws(SigningError) {
    try Self.check(request)
    OpenSSLQueue.clear()
    guard let certificate = unsafe X509_new() else { throw OpenSSLQueue.failure("make a certificate") }
    unsafe self.certificate = unsafe certificate
    self.request = request
    self.isAuthority = isAuthority
    // Positive and at most 20 bytes, RFC 5280 section 4.1.2.2.
    var serial = SecureRandom.bytes(16)
    serial[0] = serial[0] & 0x7F | 0x40
    let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
    defer { unsafe BN_free(number) }
    guard
      unsafe X509_set_version(certificate, 2) == 1,
      unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
      unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), request.validity.lowerBound) != nil,
      unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), request.validity.upperBound) != nil,
      unsafe X509_set_pubkey(certificate, key.key.pointer) == 1
    else { throw OpenSSLQueue.failure("fill in a certificate") }
    try add("CN", request.commonName)
    if let userID = request.userID { try add("UID", userID) }
  }

  deinit { unsafe X509_free(certificate) }

  private static func check(_ request: CertificateRequest) throws(SigningError) {
    // The extension text below is comma-separated `DNS:…,IP:…`; what could break out of it is refused.
    let allowed = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2A, 0x2D, 0x2E, 0x3A, 0x5F].contains(byte)
    }
    for name in request.dnsNames + request.ipAddresses where name.isEmpty || !name.utf8.allSatisfy(allowed) {
      throw SigningError(.badName, "\"\(name)\" is no DNS name or IP address; use letters, digits, \"-\", \".\", \":\"")
    }
    // The upper bound of a common name, RFC 5280 appendix A.1.
    guard (1...64).contains(request.commonName.utf8.count) else {
      throw SigningError(.badName, "a common name has 1 to 64 bytes, this one has \(request.commonName.utf8.count)")
    }
  }

  private func add(_ field: String, _ value: String) throws(SigningError) {
    let bytes = Array(value.utf8)
    let name = unsafe X509_get_subject_name(certificate)
    guard unsafe X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1 else {
      throw OpenSSLQueue.failure("set \(field) of a certificate")
    }
  }

  private func addExtension(_ kind: Int32, _ value: String, issuer: OpaquePointer) throws(SigningError) {
    var context = unsafe X509V3_CTX()
    unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    guard let made = unsafe X509V3_EXT_nconf_nid(nil, &context, kind, value) else {
      throw SigningError(.badName, "\"\(value)\" cannot be put into a certificate (\(OpenSSLQueue.drain()))")
    }
    defer { unsafe X509_EXTENSION_free(made) }
    guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw OpenSSLQueue.failure("extend a certificate") }
  }

  /// Signs the certificate: by itself, or by an authority.
  func signed(
    by authority: (certificatePEM: String, key: ECPrivateKey)?, with key: ECPrivateKey
  ) throws(SigningError) -> CertificateIdentity {
    let issuer = unsafe authority.flatMap { authority in
      unsafe PEMText.read(Array(authority.certificatePEM.utf8)) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
    }
    defer { unsafe X509_free(issuer) }
    let issuerName = unsafe X509_get_subject_name(issuer ?? certificate)
    guard unsafe X509_set_issuer_name(certificate, issuerName) == 1 else {
      throw OpenSSLQueue.failure("name an issuer")
    }
    try unsafe addExtensions(issuer: issuer ?? certificate)
    let signer = authority?.key ?? key
    guard unsafe X509_sign(certificate, signer.key.pointer, EVP_sha256()) > 0 else {
      throw OpenSSLQueue.failure("sign a certificate")
    }
    let pem = try unsafe PEMText.write("write a certificate") { unsafe PEM_write_bio_X509($0, certificate) }
    return CertificateIdentity(certificatePEM: pem, privateKeyPEM: try key.pem())
  }

  private func addExtensions(issuer: OpaquePointer) throws(SigningError) {
    try unsafe addExtension(
      NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE", issuer: issuer)
    try unsafe addExtension(
      NID_key_usage, isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature", issuer: issuer)
    try unsafe addExtension(NID_subject_key_identifier, "hash", issuer: issuer)
    // Python 3.13 and later verify strictly and require this one on every certificate that is not a root.
    if unsafe issuer != certificate { try unsafe addExtension(NID_authority_key_identifier, "keyid", issuer: issuer) }
    if !isAuthority { try unsafe addExtension(NID_ext_key_usage, "serverAuth,clientAuth", issuer: issuer) }
    let names = request.dnsNames.map { "DNS:\($0)" } + request.ipAddresses.map { "IP:\($0)" }
    if !names.isEmpty { try unsafe addExtension(NID_subject_alt_name, names.joined(separator: ","), issuer: issuer) }
  }
}
