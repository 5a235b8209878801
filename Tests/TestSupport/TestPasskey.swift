import COpenSSL

/// A passkey of an authenticator in software, written on OpenSSL alone, so that nothing of what it tests is used to test it.
public final class TestPasskey: @unchecked Sendable {
  /// The algorithm of its key.
  public enum Algorithm: Int, Sendable, CaseIterable {
    case es256 = -7
    case ed25519 = -8
    case rs256 = -257
  }

  /// What one ceremony says; tests change it before it is signed.
  public struct Ceremony: Sendable {
    /// The type of the ceremony.
    public var type: String
    /// The challenge, in Base64URL.
    public var challenge: String
    /// The origin of the page.
    public var origin: String
    /// The relying party.
    public var host: String
    /// Present, verified; of a registration also that a credential follows.
    public var flags: UInt8
    /// The signature counter.
    public var counter: UInt32
    /// Further members of the client data.
    public var members = #","crossOrigin":false"#
    /// The format of the attestation.
    public var format = "none"
    /// The attestation statement, an empty map.
    public var statement: [UInt8] = [0xA0]
    /// The public key in COSE.
    public var key: [UInt8]
    /// The id of the credential, within the authenticator data.
    public var credential: [UInt8]
    /// Behind the authenticator data.
    public var behind: [UInt8] = []
    /// A bit of the signature that is turned.
    public var damagesSignature = false
  }

  /// What the authenticator answers.
  public struct Answer: Sendable {
    /// The client data.
    public let clientData: [UInt8]
    /// The attestation object of a registration, the authenticator data of a sign-in.
    public let said: [UInt8]
    /// The signature; none of a registration.
    public let signature: [UInt8]
  }

  /// The id of the credential.
  public let id: [UInt8]
  /// The algorithm of the key.
  public let algorithm: Algorithm
  // Complete when it is made; OpenSSL 3 allows concurrent signing with one key.
  private let key: OpaquePointer

  /// Makes one.
  public init(_ algorithm: Algorithm = .es256, idBytes: Int = 32) {
    self.algorithm = algorithm
    var id = [UInt8](repeating: 0, count: idBytes)
    precondition(RAND_bytes(&id, Int32(idBytes)) == 1)
    self.id = id
    switch algorithm {
    case .es256: key = postrider_EVP_EC_gen("P-256")
    case .rs256: key = postrider_EVP_RSA_gen(2_048)
    case .ed25519:
      let context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil)
      defer { EVP_PKEY_CTX_free(context) }
      var made: OpaquePointer?
      precondition(EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_generate(context, &made) == 1)
      guard let made else { preconditionFailure("OpenSSL without Ed25519") }
      key = made
    }
  }

  deinit { EVP_PKEY_free(key) }

  // MARK: - Ceremonies

  /// Answers a registration.
  public func register(
    challenge: String, host: String = "localhost", origin: String = "http://localhost", flags: UInt8 = 0x45,
    change: (inout Ceremony) -> Void = { _ in }
  ) -> Answer {
    var ceremony = Ceremony(
      type: "webauthn.create", challenge: challenge, origin: origin, host: host, flags: flags, counter: 0, key: cose,
      credential: id)
    change(&ceremony)
    let client = Self.clientData(ceremony)
    let length = ceremony.credential.count
    let credential =
      [UInt8](repeating: 0, count: 16) + [UInt8(length >> 8), UInt8(length & 0xFF)] + ceremony.credential + ceremony.key
    let data = Self.head(ceremony) + (ceremony.flags & 0x40 == 0 ? [] : credential) + ceremony.behind
    let object =
      [0xA3] + Self.text("fmt") + Self.text(ceremony.format) + Self.text("attStmt") + ceremony.statement
      + Self.text("authData") + Self.sized(0x40, data.count) + data
    return Answer(clientData: client, said: object, signature: [])
  }

  /// Answers a sign-in.
  public func sign(
    challenge: String, counter: UInt32 = 0, host: String = "localhost", origin: String = "http://localhost",
    flags: UInt8 = 0x05, change: (inout Ceremony) -> Void = { _ in }
  ) -> Answer {
    var ceremony = Ceremony(
      type: "webauthn.get", challenge: challenge, origin: origin, host: host, flags: flags, counter: counter, key: cose,
      credential: id)
    change(&ceremony)
    let client = Self.clientData(ceremony)
    let data = Self.head(ceremony) + ceremony.behind
    var signature = sign(data + Self.hash(client))
    if ceremony.damagesSignature { signature[signature.count - 1] ^= 1 }
    return Answer(clientData: client, said: data, signature: signature)
  }

  private static func clientData(_ ceremony: Ceremony) -> [UInt8] {
    Array(
      #"{"type":"\#(ceremony.type)","challenge":"\#(ceremony.challenge)","origin":"\#(ceremony.origin)"\#(ceremony.members)}"#
        .utf8)
  }

  private static func head(_ ceremony: Ceremony) -> [UInt8] {
    hash(Array(ceremony.host.utf8)) + [ceremony.flags]
      + (0..<4).map { UInt8(truncatingIfNeeded: ceremony.counter >> UInt32(24 - 8 * $0)) }
  }

  // MARK: - CBOR

  private static func sized(_ kind: UInt8, _ count: Int) -> [UInt8] {
    if count < 24 { return [kind | UInt8(count)] }
    if count < 256 { return [kind | 24, UInt8(count)] }
    return [kind | 25, UInt8(count >> 8), UInt8(count & 0xFF)]
  }

  private static func text(_ text: String) -> [UInt8] { sized(0x60, text.utf8.count) + Array(text.utf8) }
  private static func bytes(_ bytes: [UInt8]) -> [UInt8] { sized(0x40, bytes.count) + bytes }

  /// The public key in COSE.
  public var cose: [UInt8] {
    switch algorithm {
    case .es256:
      var point = [UInt8](repeating: 0, count: 65)
      var length = 0
      precondition(EVP_PKEY_get_octet_string_param(key, "pub", &point, 65, &length) == 1 && length == 65)
      return [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + Self.bytes(Array(point[1..<33])) + [0x22]
        + Self.bytes(Array(point[33...]))
    case .ed25519:
      var raw = [UInt8](repeating: 0, count: 32)
      var length = 32
      precondition(EVP_PKEY_get_raw_public_key(key, &raw, &length) == 1)
      return [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21] + Self.bytes(raw)
    case .rs256:
      return [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20] + Self.bytes(number("n")) + [0x21]
        + Self.bytes(number("e"))
    }
  }

  private func number(_ name: String) -> [UInt8] {
    var number: OpaquePointer?
    precondition(EVP_PKEY_get_bn_param(key, name, &number) == 1)
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
    BN_bn2bin(number, &bytes)
    return bytes
  }

  // MARK: - Signing

  private static func hash(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    precondition(EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil) == 1)
    return digest
  }

  private func sign(_ message: [UInt8]) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    let digest = algorithm == .ed25519 ? nil : EVP_sha256()
    precondition(EVP_DigestSignInit(context, nil, digest, nil, key) == 1)
    var length = 0
    precondition(EVP_DigestSign(context, nil, &length, message, message.count) == 1)
    var signature = [UInt8](repeating: 0, count: length)
    precondition(EVP_DigestSign(context, &signature, &length, message, message.count) == 1)
    return Array(signature[..<length])
  }
}
