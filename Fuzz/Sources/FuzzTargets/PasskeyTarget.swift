import WebAuthn

extension FuzzTarget {
  /// The first byte chooses the ceremony, the rest is what an authenticator says.
  static let passkeys = FuzzTarget(
    name: "passkeys",
    about: "CBOR and the answers of authenticators: what is read is written again as it was, nothing signs in"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let said = Array(bytes.dropFirst())
    if let value = try? CBORReader.read(said) {
      try expect(written(value) == said, "CBOR that is read in another form than CTAP2's")
    }
    guard let party = RelyingParty(host: "localhost", isSecure: false) else {
      throw FuzzFailure("localhost is no relying party")
    }
    if first & 1 == 0 {
      let client = Array(#"{"type":"webauthn.create","challenge":"AAAA","origin":"http://localhost"}"#.utf8)
      let made = try? RegistrationAnswer(clientData: client, attestation: said).verified(for: party) { _ in true }
      try expect((made?.credential.count ?? 1) > 0, "a passkey without an id")
      _ = try? RegistrationAnswer(clientData: said, attestation: said).verified(for: party) { _ in true }
    } else {
      let client = Array(#"{"type":"webauthn.get","challenge":"AAAA","origin":"http://localhost"}"#.utf8)
      let answer = AssertionAnswer(clientData: client, authenticatorData: said, signature: said)
      let checked = try? answer.checked(for: party) { _ in true }
      let known = StoredPasskey(credential: [1], key: key, counter: 0, isBackupEligible: false, isBackedUp: false)
      try expect((try? checked?.verified(by: known)) == nil, "a signature that nobody made")
    }
  }

  /// A COSE key: x and y of the base point of P-256, whose private number is 1.
  private static let key: [UInt8] =
    [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
    + [
      0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2, 0x77, 0x03, 0x7D,
      0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
    ] + [0x22, 0x58, 0x20]
    + [
      0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33,
      0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]

  /// CTAP2's canonical form, in the order of the value's own.
  private static func written(_ value: CBOR) -> [UInt8] {
    switch value {
    case .int(let int) where int >= 0: head(0, UInt64(int))
    case .int(let int): head(1, UInt64(-1 - int))
    case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
    case .text(let text): head(3, UInt64(text.utf8.count)) + Array(text.utf8)
    case .array(let items): head(4, UInt64(items.count)) + items.flatMap { written($0) }
    case .map(let pairs):
      head(5, UInt64(pairs.count)) + pairs.flatMap { written($0.key) + written($0.value) }
    case .bool(let bool): [bool ? 0xF5 : 0xF4]
    case .null: [0xF6]
    }
  }

  private static func head(_ kind: UInt8, _ number: UInt64) -> [UInt8] {
    let kind = kind << 5
    if number < 24 { return [kind | UInt8(number)] }
    let count = number < 256 ? 1 : number < 65_536 ? 2 : number < 1 << 32 ? 4 : 8
    let low: UInt8 = count == 1 ? 24 : count == 2 ? 25 : count == 4 ? 26 : 27
    return [kind | low] + (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}
