import Signing
import Testing

@Suite("Keys")
struct KeyTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var pem: String
    var code: SigningError.Code
    var says: String
    var testDescription: String { name }
  }

  static let ecRows: [Row] = [
    Row(name: "nothing", pem: "", code: .empty, says: "the file is empty"),
    Row(name: "white space", pem: " \n\t\n", code: .empty, says: "the file is empty"),
    Row(name: "prose", pem: "hello", code: .notPEM, says: "no -----BEGIN line"),
    Row(name: "a service account file", pem: "{\"type\":1}", code: .notPEM, says: "this is JSON, not PEM"),
    Row(
      name: "cut off", pem: String(KeyVectors.rfc7515EC.prefix(100)), code: .notPEM,
      says: "the PEM block PRIVATE KEY has no END line; the file is cut off"),
    Row(
      name: "mixed frames", pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PUBLIC KEY-----", code: .notPEM,
      says: "the PEM block PRIVATE KEY ends as PUBLIC KEY"),
    Row(
      name: "damaged", pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", code: .damaged,
      says: "the PEM block PRIVATE KEY cannot be decoded"),
    Row(
      name: "a public key", pem: KeyVectors.rfc7515ECPublic, code: .wrongContent,
      says: "the file holds a public key; expected an EC P-256 private key"),
    Row(
      name: "encrypted PKCS#8", pem: KeyVectors.encryptedPKCS8, code: .encrypted,
      says: "protected by a passphrase; remove it with: openssl pkcs8"),
    Row(
      name: "encrypted SEC 1", pem: KeyVectors.encryptedTraditional, code: .encrypted,
      says: "protected by a passphrase; remove it with: openssl pkcs8"),
    Row(
      name: "another curve", pem: KeyVectors.p384, code: .wrongAlgorithm,
      says: "the key is EC secp384r1; ES256 needs EC P-256"),
    Row(
      name: "RSA", pem: KeyVectors.rfc7515RSA, code: .wrongAlgorithm,
      says: "the key is RSA (2048 bits); ES256 needs EC P-256"),
    Row(
      name: "too large", pem: String(repeating: "x", count: 300_000), code: .badLength,
      says: "no key or certificate file is over 262144"),
  ]

  @Test("what is not an EC P-256 key is named", arguments: ecRows)
  func ecRefusals(row: Row) {
    do {
      _ = try ECPrivateKey(pem: row.pem)
      Issue.record("\(row.name) was read as a key")
    } catch {
      #expect(error.code == row.code)
      #expect(error.message.contains(row.says), "\(error.message)")
    }
  }

  static let rsaRows: [Row] = [
    Row(
      name: "EC", pem: KeyVectors.rfc7515EC, code: .wrongAlgorithm,
      says: "the key is EC prime256v1; RS256 needs RSA with 2048 to 16384 bits"),
    Row(
      name: "short RSA", pem: KeyVectors.rsa1024, code: .wrongAlgorithm, says: "the key is RSA (1024 bits)"),
  ]

  @Test("what is not an RSA key of 2048 bits is named", arguments: rsaRows)
  func rsaRefusals(row: Row) {
    do {
      _ = try RSAPrivateKey(pem: row.pem)
      Issue.record("\(row.name) was read as a key")
    } catch {
      #expect(error.code == row.code)
      #expect(error.message.contains(row.says), "\(error.message)")
    }
  }

  static let spellingRows: [Row] = [
    Row(name: "PKCS#8", pem: KeyVectors.rfc7515EC, code: .empty, says: ""),
    Row(name: "SEC 1", pem: KeyVectors.rfc7515ECTraditional, code: .empty, says: ""),
    Row(
      name: "Windows line ends", pem: KeyVectors.rfc7515EC.split(separator: "\n").joined(separator: "\r\n"),
      code: .empty, says: ""),
    Row(
      name: "indented", pem: "  " + KeyVectors.rfc7515EC.split(separator: "\n").joined(separator: "\n  "),
      code: .empty, says: ""),
    Row(name: "byte order mark", pem: "\u{FEFF}" + KeyVectors.rfc7515EC, code: .empty, says: ""),
    Row(name: "text around it", pem: "Key:\n" + KeyVectors.rfc7515EC + "\nBye\n", code: .empty, says: ""),
  ]

  @Test("the same key in every spelling", arguments: spellingRows)
  func spellings(row: Row) throws {
    #expect(try ECPrivateKey(pem: row.pem).publicKey == ECPublicKey(pem: KeyVectors.rfc7515ECPublic))
  }

  @Test("a generated EC key survives export and import")
  func generatedEC() throws {
    let key = try ECPrivateKey.generate()
    #expect(try ECPrivateKey(pem: key.pem()).publicKey == key.publicKey)
    #expect(try ECPublicKey(pem: key.publicKey.pem()) == key.publicKey)
    #expect(try key.publicKey != ECPrivateKey.generate().publicKey)
  }

  @Test("a generated RSA key survives export and import")
  func generatedRSA() throws {
    let key = try RSAPrivateKey.generate()
    let signature = try RSAPrivateKey(pem: key.pem()).signRS256([1, 2, 3])
    #expect(try RSAPublicKey(pem: key.publicKey.pem()).verifyRS256(signature, of: [1, 2, 3]))
    #expect(!key.publicKey.verifyRS256(signature, of: [1, 2, 4]))
    #expect(code { try RSAPrivateKey.generate(bits: 1024) } == .badLength)
  }

  @Test("no description shows key material")
  func descriptions() throws {
    let key = try ECPrivateKey(pem: KeyVectors.rfc7515EC)
    #expect("\(key)" == "EC P-256 private key")
    #expect(try "\(RSAPrivateKey(pem: KeyVectors.rfc7515RSA))" == "RSA private key")
  }
}
