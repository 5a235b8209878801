internal import HTTPServer
internal import Signing
internal import StoreModel
internal import WebAuthn
internal import WireJSON

/// What adding a passkey and signing in with one have in common with joining by an invitation.
enum PasskeyCeremony {
  /// Whom passkeys are for at the address that a request came to.
  static func party(_ call: Call) throws(Problem) -> RelyingParty {
    let host = call.http.headers.first("Host") ?? ""
    guard let party = RelyingParty(host: host, isSecure: SessionCookie.isSecure(call.http.head)) else {
      throw Problem(
        .conflict,
        "passkeys need a host name and TLS, such as https://push.example.com, or http://localhost on the machine itself; "
          + "this server is called at “\(host.prefix(200))”")
    }
    return party
  }

  /// The host whose passkeys sign in at the address that a request came to; nil where none do, and it cannot be said which do
  /// elsewhere.
  static func host(_ call: Call) -> String? {
    do throws(Problem) { return try party(call).id } catch { return nil }
  }

  /// By what authenticators know a person: the same for all their passkeys, and nothing that names them.
  static func handle(of account: AccountID, _ service: Service) -> [UInt8] {
    HMACSHA256.authenticate(Array("passkey handle:\(account)".utf8), key: service.vault.derivation)
  }

  /// What a browser makes a passkey with.
  static func options(
    for account: Account, _ purpose: ChallengeDesk.Purpose, _ call: Call, _ service: Service
  ) throws(Problem) -> Reply {
    let party = try party(call)
    let known = try service.ask { store throws(StoreError) in try store.passkeys(of: account.id) }
    var reply = Reply(
      200,
      PasskeyFields.creation(
        account, handle: handle(of: account.id, service), excluding: known.filter { $0.made.host == party.id },
        challenge: service.challenges.make(for: purpose, party, now: call.now), party), report: call.report)
    reply.headers = [("Cache-Control", "no-store")]
    return reply
  }

  /// The passkey that a request has made, verified, its challenge used up.
  static func registered(
    for account: Account, _ purpose: ChallengeDesk.Purpose, _ call: Call, _ service: Service
  ) async throws(Problem) -> NewPasskey {
    let party = try party(call)
    let (id, answer) = try PasskeyFields.registration(call)
    let challenges = service.challenges
    var challenge: [UInt8] = []
    let made: StoredPasskey
    do throws(WebAuthnRefusal) {
      made = try answer.verified(for: party) { given in
        challenge = given
        return challenges.isGood(given, for: purpose, party, now: call.now)
      }
    } catch { throw Problem(.invalid, "credential: \(error.message)") }
    guard made.credential == id else {
      throw Problem(.invalid, "credential.id: is another one than the authenticator's")
    }
    let used = Problem(.invalid, "credential: the challenge was used; begin again")
    try await challenges.use(challenge, now: call.now, refusal: used)
    return NewPasskey(
      credential: made.credential, host: party.id, handle: handle(of: account.id, service), key: made.key,
      counter: made.counter, isBackupEligible: made.isBackupEligible, isBackedUp: made.isBackedUp,
      name: call["name"]?.string ?? "Passkey")
  }

  /// Whose passkey has signed the challenge of a request, and what is stored of it from now on.
  ///
  /// What does not depend on a passkey is refused with the reason. An unknown passkey, one of another person or host, and a wrong
  /// signature are refused in the same words.
  static func signedIn(_ call: Call, _ service: Service) async throws(Problem) -> PasskeyUse {
    let party = try party(call)
    let (id, handle, answer) = try PasskeyFields.assertion(call)
    let challenges = service.challenges
    let checked: AssertionAnswer.Checked
    do throws(WebAuthnRefusal) {
      checked = try answer.checked(for: party) { challenges.isGood($0, for: .signIn, party, now: call.now) }
    } catch { throw Problem(.signInRefused, error.message) }
    let found = try service.ask { store throws(StoreError) in
      try store.passkey(credential: id).map { passkey throws(StoreError) in
        (passkey, try store.account(passkey.account))
      }
    }
    let email = call["email"]?.string.map(EmailText.folded)
    guard let (passkey, account) = found, let account, account.removedAt == nil, passkey.made.host == party.id,
      constantTimeEqual(passkey.made.handle, handle), email == nil || account.email == email
    else { throw unknown }
    let next: StoredPasskey
    do throws(WebAuthnRefusal) { next = try checked.verified(by: passkey.stored) } catch {
      guard error.kind == .counter else { throw unknown }
      await wentBack(passkey, error, call, service)
      throw Problem(.signInRefused, "\(error.message); sign in otherwise, and remove it")
    }
    let used = Problem(.signInRefused, "the challenge was used; begin again")
    try await challenges.use(checked.challenge, now: call.now, refusal: used)
    return PasskeyUse(passkey, counter: next.counter, isBackedUp: next.isBackedUp)
  }

  private static let unknown = Problem(.signInRefused, "this passkey does not sign in here")

  /// Only whoever has the private key gets here: its owner and the operator have to know.
  private static func wentBack(
    _ passkey: Passkey, _ error: WebAuthnRefusal, _ call: Call, _ service: Service
  ) async {
    await AuditRoutes.keep(
      "signInWithPasskey", "/session/passkeys/\(passkey.id): refused, \(error.message)", of: passkey.account, call,
      service)
    service.log(
      .warning, "a passkey's counter went back",
      ["person": .text(passkey.account.description), "passkey": .text(passkey.id.description)])
  }
}

extension Passkey {
  /// What its next signature is verified with.
  fileprivate var stored: StoredPasskey {
    StoredPasskey(
      credential: made.credential, key: made.key, counter: made.counter, isBackupEligible: made.isBackupEligible,
      isBackedUp: made.isBackedUp)
  }
}
