import Signing
import TestSupport
import Testing

@testable import WebAuthn

/// What is changed of a ceremony before it is answered.
typealias CeremonyChange = @Sendable (inout TestPasskey.Ceremony) -> Void

/// A reason to refuse an answer.
struct RefusalRow: Sendable, CustomTestStringConvertible {
  let kind: WebAuthnRefusal.Kind
  let testDescription: String
  let change: CeremonyChange

  init(_ kind: WebAuthnRefusal.Kind, _ name: String, _ change: @escaping CeremonyChange) {
    (self.kind, testDescription, self.change) = (kind, name, change)
  }
}

/// Answers of authenticators, and a row for each reason to refuse one.
@Suite struct AnswerTests {
  private static let challenge = Base64URL.encode([UInt8](repeating: 7, count: 56))
  private let party = RelyingParty(host: "localhost", isSecure: false)

  private func register(_ passkey: TestPasskey, change: CeremonyChange = { _ in }) throws -> StoredPasskey {
    let answer = passkey.register(challenge: Self.challenge, change: change)
    return try RegistrationAnswer(clientData: answer.clientData, attestation: answer.said)
      .verified(for: #require(party)) { Base64URL.encode($0) == Self.challenge }
  }

  private func signIn(
    _ passkey: TestPasskey, _ stored: StoredPasskey, counter: UInt32, change: CeremonyChange = { _ in }
  ) throws -> StoredPasskey {
    let answer = passkey.sign(challenge: Self.challenge, counter: counter, change: change)
    return try AssertionAnswer(
      clientData: answer.clientData, authenticatorData: answer.said, signature: answer.signature
    ).checked(for: #require(party)) { Base64URL.encode($0) == Self.challenge }.verified(by: stored)
  }

  @Test("A passkey of each algorithm is registered and signs in", arguments: TestPasskey.Algorithm.allCases)
  func signsIn(_ algorithm: TestPasskey.Algorithm) throws {
    let passkey = TestPasskey(algorithm)
    let stored = try register(passkey)
    #expect(stored.credential == passkey.id && stored.key == passkey.cose && stored.counter == 0)
    #expect(!stored.isBackupEligible && !stored.isBackedUp)
    #expect(try signIn(passkey, stored, counter: 0) == stored)
    let later = try signIn(passkey, stored, counter: 9)
    #expect(later.counter == 9)
    // Another key of the same kind does not.
    let other = TestPasskey(algorithm)
    let error = #expect(throws: WebAuthnRefusal.self) { try signIn(other, later, counter: 10) }
    #expect(error?.kind == .signature)
  }

  @Test("A passkey on several devices, with extensions, and in a page without crossOrigin is taken")
  func extras() throws {
    let passkey = TestPasskey(idBytes: 1_023)
    let stored = try register(passkey) { ceremony in
      ceremony.flags = 0xDD
      ceremony.behind = [0xA1, 0x61, 0x61, 0xF5]
      ceremony.members = #","other_keys_can_be_added_here":"do not compare""#
    }
    #expect(stored.isBackupEligible && stored.isBackedUp && stored.credential.count == 1_023)
    let next = try signIn(passkey, stored, counter: 0) { $0.flags = 0x0D }
    #expect(next.isBackupEligible && !next.isBackedUp)
  }

  static let both: [RefusalRow] = [
    RefusalRow(.type, "another type") { $0.type = $0.type == "webauthn.get" ? "webauthn.create" : "webauthn.get" },
    RefusalRow(.challenge, "another challenge") { $0.challenge = Base64URL.encode([8]) },
    RefusalRow(.form, "a challenge that is not Base64URL") { $0.challenge += "=" },
    RefusalRow(.origin, "another port") { $0.origin = "http://localhost:81" },
    RefusalRow(.origin, "another scheme") { $0.origin = "https://localhost" },
    RefusalRow(.origin, "another host") { $0.origin = "http://localhost.example.com" },
    RefusalRow(.origin, "a frame") { $0.members = #","crossOrigin":true"# },
    RefusalRow(.origin, "the page around a frame") { $0.members = #","topOrigin":"https://example.com""# },
    RefusalRow(.form, "no JSON") { $0.members = "," },
    RefusalRow(.form, "too long") { $0.members = #","x":"\#(String(repeating: "x", count: 2_100))""# },
    RefusalRow(.relyingParty, "another relying party") { $0.host = "example.com" },
    RefusalRow(.flags, "nobody present") { $0.flags &= ~0x01 },
    RefusalRow(.flags, "nobody verified") { $0.flags &= ~0x04 },
    RefusalRow(.flags, "backed up and not eligible") { $0.flags |= 0x10 },
    RefusalRow(.form, "bytes too many") { $0.behind = [0] },
    RefusalRow(.form, "extensions that are missing") { $0.flags |= 0x80 },
    RefusalRow(.form, "extensions that are no map") {
      $0.flags |= 0x80
      $0.behind = [0x01]
    },
  ]

  static let registration: [RefusalRow] = [
    RefusalRow(.form, "no credential") { $0.flags &= ~0x40 },
    RefusalRow(.attestation, "an attestation") { $0.format = "packed" },
    RefusalRow(.attestation, "a statement") { $0.statement = [0xA1, 0x61, 0x61, 0x01] },
    RefusalRow(.form, "a statement that is no map") { $0.statement = [0x01] },
    RefusalRow(.form, "an id without bytes") { $0.credential = [] },
    RefusalRow(.form, "an id that is too long") { $0.credential = [UInt8](repeating: 1, count: 1_024) },
    RefusalRow(.form, "too long in all") { $0.behind = [UInt8](repeating: 0, count: 4_097) },
    RefusalRow(.key, "a key that is no map") { $0.key = [0x01] },
    RefusalRow(.key, "a key without algorithm") { $0.key = [0xA1, 0x01, 0x02] },
    RefusalRow(.key, "an algorithm that was not offered") { $0.key = [0xA2, 0x01, 0x02, 0x03, 0x38, 0x22] },
    RefusalRow(.key, "a kind that is not the algorithm's") { $0.key = [0xA2, 0x01, 0x03, 0x03, 0x26] },
    RefusalRow(.key, "another curve") { $0.key[6] = 0x02 },
    RefusalRow(.key, "a point that is not on the curve") { $0.key[$0.key.count - 1] ^= 1 },
    RefusalRow(.key, "a key of RSA that is too short") {
      $0.key =
        [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x58, 0x80] + [UInt8](repeating: 0xFF, count: 128)
        + [0x21, 0x43, 0x01, 0x00, 0x01]
    },
    RefusalRow(.key, "an exponent of 1") {
      $0.key =
        [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00]
        + [UInt8](repeating: 0xFF, count: 256) + [0x21, 0x41, 0x01]
    },
    RefusalRow(.key, "a key of Ed25519 of 31 bytes") {
      $0.key = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x1F] + [UInt8](repeating: 1, count: 31)
    },
  ]

  static let assertion: [RefusalRow] = [
    RefusalRow(.signature, "a damaged signature") { $0.damagesSignature = true },
    RefusalRow(.flags, "eligible for backup by now") { $0.flags |= 0x08 },
    RefusalRow(.counter, "the counter as before") { $0.counter = 5 },
    RefusalRow(.counter, "a counter that goes back") { $0.counter = 4 },
    RefusalRow(.counter, "a counter that is none any more") { $0.counter = 0 },
    RefusalRow(.form, "a credential in a sign-in") { $0.flags |= 0x40 },
  ]

  @Test("A registration is refused, with the reason", arguments: both + registration)
  func refusesRegistration(_ row: RefusalRow) throws {
    let error = #expect(throws: WebAuthnRefusal.self) { try register(TestPasskey(), change: row.change) }
    #expect(error?.kind == row.kind, "\(error?.message ?? "")")
  }

  @Test("A sign-in is refused, with the reason", arguments: both + assertion)
  func refusesSignIn(_ row: RefusalRow) throws {
    let passkey = TestPasskey()
    let made = try register(passkey)
    let stored = StoredPasskey(
      credential: made.credential, key: made.key, counter: 5, isBackupEligible: false, isBackedUp: false)
    #expect(try signIn(passkey, stored, counter: 6).counter == 6)
    let error = #expect(throws: WebAuthnRefusal.self) {
      try signIn(passkey, stored, counter: 6, change: row.change)
    }
    #expect(error?.kind == row.kind, "\(error?.message ?? "")")
  }

  @Test("Every kind of refusal has a row") func kinds() {
    let kinds = Set((Self.both + Self.registration + Self.assertion).map(\.kind))
    #expect(kinds == Set(WebAuthnRefusal.Kind.allCases))
  }

  @Test("Cut anywhere, an answer is refused and nothing else happens") func cut() throws {
    let answer = TestPasskey(.rs256).register(challenge: Self.challenge)
    for count in 0..<answer.said.count {
      #expect(throws: WebAuthnRefusal.self) {
        try RegistrationAnswer(clientData: answer.clientData, attestation: Array(answer.said[..<count]))
          .verified(for: #require(party)) { _ in true }
      }
    }
  }

  // MARK: - Relying parties

  @Test(
    "A host name with TLS is a relying party, and localhost without",
    arguments: [
      ("push.example.com", true, "push.example.com", "https://push.example.com"),
      ("Push.Example.COM:8443", true, "push.example.com", "https://push.example.com:8443"),
      ("localhost:8787", false, "localhost", "http://localhost:8787"),
      ("localhost", true, "localhost", "https://localhost"),
      ("a.localhost:1", false, "a.localhost", "http://a.localhost:1"),
    ])
  func parties(_ host: String, _ isSecure: Bool, _ id: String, _ origin: String) throws {
    let party = try #require(RelyingParty(host: host, isSecure: isSecure))
    #expect(party.id == id && party.origin == origin)
  }

  @Test(
    "Nothing else is",
    arguments: [
      ("push.example.com", false), ("127.0.0.1:8787", true), ("127.1", true), ("[::1]:8787", true), ("", true),
      ("a..b", true), ("a b", true), ("a:b", true), ("a:", true), ("a:1:2", true), ("ä.example", true),
      ("notlocalhost", false), (String(repeating: "a", count: 64) + ".example", true), ("user@example.com", true),
      ("example.com/", true), ("a:123456", true),
    ])
  func noParties(_ host: String, _ isSecure: Bool) { #expect(RelyingParty(host: host, isSecure: isSecure) == nil) }
}
