import Glibc
import Signing
import TestSupport
import Testing

/// The `openssl` command as a second opinion; rows that need it pass without it when it is not installed.
enum OpenSSLCommand {
  static let isPresent = system("openssl version >/dev/null 2>&1") == 0

  /// Whether the command succeeds; arguments are fixed texts and temporary paths without spaces.
  static func succeeds(_ arguments: String) -> Bool {
    system("openssl \(arguments) >/dev/null 2>&1") == 0
  }
}

@Suite("Certificates", .serialized)
struct CertificateTests {
  @Test("a self-signed certificate names loopback and verifies against itself", .enabled(if: OpenSSLCommand.isPresent))
  func selfSigned() throws {
    let folder = try TemporaryFolder()
    let identity = try SelfSignedCertificate.make()
    try Files.write(Array(identity.certificatePEM.utf8), to: "\(folder.path)/cert.pem")
    let verify = "verify -x509_strict -CAfile \(folder.path)/cert.pem"
    #expect(OpenSSLCommand.succeeds("\(verify) -verify_hostname localhost \(folder.path)/cert.pem"))
    #expect(OpenSSLCommand.succeeds("\(verify) -verify_ip 127.0.0.1 \(folder.path)/cert.pem"))
    #expect(OpenSSLCommand.succeeds("\(verify) -verify_ip ::1 \(folder.path)/cert.pem"))
    #expect(!OpenSSLCommand.succeeds("\(verify) -verify_hostname example.com \(folder.path)/cert.pem"))
    #expect(
      try ECPublicKey(pem: identity.certificatePEM) == ECPrivateKey(pem: identity.privateKeyPEM).publicKey)
  }

  @Test(
    "a leaf verifies against its authority only, and an expired one not at all",
    .enabled(if: OpenSSLCommand.isPresent))
  func authority() throws {
    let folder = try TemporaryFolder()
    let authority = try CertificateAuthority(commonName: "Test Authority")
    let stranger = try CertificateAuthority(commonName: "Test Authority")
    let leaf = try authority.issue(
      CertificateRequest(commonName: "Apple Push Services: com.example.app", userID: "com.example.app"))
    let expired = try authority.issue(CertificateRequest(commonName: "old", validity: -7200...(-3600)))
    for (name, pem) in [
      ("ca", authority.certificatePEM), ("other", stranger.certificatePEM), ("leaf", leaf.certificatePEM),
      ("expired", expired.certificatePEM),
    ] { try Files.write(Array(pem.utf8), to: "\(folder.path)/\(name).pem") }
    #expect(
      OpenSSLCommand.succeeds("verify -x509_strict -CAfile \(folder.path)/ca.pem \(folder.path)/leaf.pem"))
    #expect(!OpenSSLCommand.succeeds("verify -CAfile \(folder.path)/other.pem \(folder.path)/leaf.pem"))
    #expect(!OpenSSLCommand.succeeds("verify -CAfile \(folder.path)/ca.pem \(folder.path)/expired.pem"))
  }

  @Test("the subject of a client certificate can be read back")
  func subject() throws {
    let request = CertificateRequest(commonName: "Apple Push Services: com.example.app", userID: "com.example.app")
    let identity = try SelfSignedCertificate.make(request)
    let subject = try CertificateSubject(certificatePEM: Array(identity.certificatePEM.utf8))
    #expect(subject.commonName == "Apple Push Services: com.example.app")
    #expect(subject.userID == "com.example.app")
    #expect(code { try CertificateSubject(certificatePEM: Array(identity.privateKeyPEM.utf8)) } == .wrongContent)
  }

  @Test("names that could break out of a certificate field are refused", arguments: ["", "a,b", "a b", "x\n", "DNS;x"])
  func badNames(name: String) {
    #expect(code { try SelfSignedCertificate.make(dnsNames: [name]) } == .badName)
  }

  @Test("an address that is none is refused")
  func badAddress() {
    #expect(code { try SelfSignedCertificate.make(ipAddresses: ["999.1.1.1"]) } == .badName)
  }

  @Test("openssl and we agree on signatures, both ways", .enabled(if: OpenSSLCommand.isPresent))
  func signatures() throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let key = try RSAPrivateKey(pem: KeyVectors.rfc7515RSA)
    try Files.write(Array(key.pem().utf8), to: "\(path)/key.pem")
    try Files.write(Array(key.publicKey.pem().utf8), to: "\(path)/public.pem")
    try Files.write([1, 2, 3], to: "\(path)/message")
    try Files.write(key.signRS256([1, 2, 3]), to: "\(path)/ours")
    #expect(OpenSSLCommand.succeeds("dgst -sha256 -verify \(path)/public.pem -signature \(path)/ours \(path)/message"))
    #expect(OpenSSLCommand.succeeds("dgst -sha256 -sign \(path)/key.pem -out \(path)/theirs \(path)/message"))
    #expect(try key.publicKey.verifyRS256(Files.read("\(path)/theirs"), of: [1, 2, 3]))
  }
}

@Suite("PKCS#12", .enabled(if: OpenSSLCommand.isPresent))
struct PKCS12Tests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var options: String
    var password: String
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "modern", options: "", password: "secret"),
    Row(name: "Keychain's old ciphers", options: "-legacy", password: "secret"),
    Row(name: "no password", options: "", password: ""),
  ]

  @Test("an exported certificate comes back as PEM", arguments: rows)
  func opens(row: Row) throws {
    let export = try Export(options: row.options, password: row.password)
    let content = try PKCS12(export.file, password: row.password)
    #expect(content.certificatePEM == export.leaf.certificatePEM)
    #expect(content.chainPEM == export.authority.certificatePEM)
    #expect(
      try ECPrivateKey(pem: content.privateKeyPEM).publicKey
        == ECPrivateKey(pem: export.leaf.privateKeyPEM).publicKey)
  }

  @Test("what is wrong with a file is named")
  func refusals() throws {
    let export = try Export(options: "", password: "secret")
    #expect(code { try PKCS12(export.file, password: "guess") } == .wrongPassword)
    #expect(code { try PKCS12([], password: "") } == .empty)
    #expect(code { try PKCS12([0x30, 1, 2], password: "") } == .damaged)
    #expect(
      code { try PKCS12(Array(export.file.dropLast(9)), password: "secret") } == .damaged)
    let pem = Array(KeyVectors.rfc7515EC.utf8)
    #expect(code { try PKCS12(pem, password: "") } == .wrongContent)
    let unprotected = try Export(options: "-nomac", password: "secret")
    #expect(code { try PKCS12(unprotected.file, password: "secret") } == .damaged)
    let keyless = try Export(options: "-nokeys", password: "secret")
    #expect(code { try PKCS12(keyless.file, password: "secret") } == .wrongContent)
  }

  /// A PKCS#12 file made by the `openssl` command.
  struct Export {
    let authority: CertificateAuthority
    let leaf: CertificateIdentity
    let file: [UInt8]

    init(options: String, password: String) throws {
      let folder = try TemporaryFolder()
      let path = folder.path
      authority = try CertificateAuthority(commonName: "Test Authority")
      leaf = try authority.issue(CertificateRequest(commonName: "Apple Push Services: com.example.app"))
      try Files.write(Array(authority.certificatePEM.utf8), to: "\(path)/ca.pem")
      try Files.write(Array(leaf.certificatePEM.utf8), to: "\(path)/leaf.pem")
      try Files.write(Array(leaf.privateKeyPEM.utf8), to: "\(path)/key.pem")
      let made = OpenSSLCommand.succeeds(
        "pkcs12 -export \(options) -in \(path)/leaf.pem -inkey \(path)/key.pem -certfile \(path)/ca.pem "
          + "-passout pass:\(password) -out \(path)/out.p12")
      try #require(made)
      file = try Files.read("\(path)/out.p12")
    }
  }
}
