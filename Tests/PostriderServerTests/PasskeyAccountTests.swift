import HTTPServer
import PushStore
import Signing
import StoreModel
import TestSupport
import Testing
import WebAuthn
import WireJSON

@testable import PostriderServer

/// What passkeys change of accounts: invitations, the last thing to sign in with, bounds, and what remains of a person.
@Suite(.timeLimit(.minutes(2))) struct PasskeyAccountTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture(clock: clock.clock) }

  private func join(_ token: String, _ passkey: TestPasskey) throws -> (answer: ServerFixture.Answer, handle: String) {
    let asked = try fixture.options(["token": .string(token)])
    #expect(asked.status == 200, "\(asked)")
    let challenge = try #require(asked.json["publicKey"]?["challenge"]?.string)
    let credential = ServerFixture.credential(passkey, passkey.register(challenge: challenge))
    let body: JSONValue = ["token": .string(token), "credential": credential, "name": "Phone"]
    return (
      try fixture.open("POST", "/session/join", body),
      try #require(asked.json["publicKey"]?["user"]?["id"]?.string)
    )
  }

  private func renew(_ id: String) throws -> String {
    try #require(try fixture.send("POST", "/v1/people/\(id)/invitation", "{}").json["invitation"]?.string)
  }

  @Test("An invitation is joined by a passkey instead of a password") func joins() throws {
    let (id, token) = try fixture.invite("ann@example.com", ["owner"])
    #expect(try fixture.options(["token": "no such token"]).status == 404)
    let passkey = TestPasskey()
    let (answer, handle) = try join(token, passkey)
    let ann = try fixture.browser(answer)
    #expect(answer.json["person"]?.string == id)
    let own = try fixture.send("GET", "/session/passkeys", by: ann).json
    #expect(own["password"] == false && own["passkeys"]?[0]?["name"] == "Phone")
    #expect(try fixture.options(["token": .string(token)]).status == 404)
    #expect(try fixture.signIn(passkey, handle: handle).status == 200)
    // Without a password, none signs in, and the refusal is that of an unknown email.
    let refused = try fixture.signIn("ann@example.com", password: "")
    #expect(refused.status == 401 || refused.status == 422, "\(refused)")
    #expect(try fixture.signIn("ann@example.com").detail == "the email or the password is wrong")
    // They count as an owner who can sign in.
    #expect(try fixture.send("DELETE", "/v1/people/\(id)").status == 409)
    let both = try fixture.open(
      "POST", "/session/join",
      ["token": .string(try renew(id)), "password": .string(ServerFixture.password), "credential": try unsigned()])
    #expect(both.status == 422, "\(both)")
  }

  /// A credential of the right form that answers no challenge.
  private func unsigned() throws -> JSONValue {
    let passkey = TestPasskey()
    return ServerFixture.credential(passkey, passkey.register(challenge: "AAAA"))
  }

  @Test("With a later invitation everything begins anew, passkeys included") func resets() throws {
    let (id, ann) = try fixture.person("ann@example.com", ["analyst"])
    let (first, second) = (TestPasskey(), TestPasskey())
    let (_, handle) = try fixture.add(first, by: ann)
    #expect(try join(try renew(id), second).answer.status == 200)
    #expect(try fixture.signIn(first, handle: handle).status == 401)
    #expect(try fixture.signIn("ann@example.com").status == 401)
    #expect(try fixture.send("GET", "/session/all", by: ann).status == 401)
    #expect(try fixture.signIn(second, handle: handle).status == 200)
    #expect(try fixture.join(try renew(id)).status == 200)
    #expect(try fixture.signIn(second, handle: handle).status == 401)
    #expect(try fixture.signIn("ann@example.com").status == 200)
  }

  @Test("The last thing to sign in with is not removed; with a password it is") func last() throws {
    let (_, token) = try fixture.invite("ann@example.com", ["analyst"])
    let passkey = TestPasskey()
    let (answer, handle) = try join(token, passkey)
    let ann = try fixture.browser(answer)
    let number = try #require(
      try fixture.send("GET", "/session/passkeys", by: ann).json["passkeys"]?[0]?["id"]?.string)
    let refused = try fixture.send("DELETE", "/session/passkeys/\(number)", by: ann)
    #expect(refused.status == 409 && refused.detail.contains("the last thing to sign in with"), "\(refused)")
    #expect(try fixture.signIn(passkey, handle: handle).status == 200)
    let password: JSONValue = ["password": .string(ServerFixture.password)]
    #expect(try fixture.send("PUT", "/session/password", password, by: ann).status == 204)
    #expect(try fixture.signIn("ann@example.com").status == 200)
    #expect(try fixture.send("PUT", "/session/password", ["password": "another good one"], by: ann).status == 403)
    #expect(try fixture.send("DELETE", "/session/passkeys/\(number)", by: ann).status == 204)
    #expect(try fixture.signIn(passkey, handle: handle).status == 401)
  }

  @Test("An open session adds no passkey after ten minutes without the password") func fresh() throws {
    let (_, ann) = try fixture.person("ann@example.com", ["analyst"])
    clock.move(seconds: 599)
    #expect(try fixture.options(by: ann).status == 200)
    clock.move(seconds: 1)
    #expect(try fixture.options(by: ann).status == 403)
    #expect(try fixture.options(["password": "a wrong password"], by: ann).status == 403)
    #expect(try fixture.options(["password": .string(ServerFixture.password)], by: ann).status == 200)
    for _ in 0..<9 { #expect(try fixture.options(["password": "a wrong password"], by: ann).status == 403) }
    #expect(try fixture.options(["password": .string(ServerFixture.password)], by: ann).status == 429)
    // Somebody without a password signs in again instead.
    let (_, token) = try fixture.invite("bob@example.com", ["analyst"], name: "Bob")
    clock.move(seconds: 60)
    let bob = try fixture.browser(join(token, TestPasskey()).answer)
    clock.move(seconds: 600)
    #expect(try fixture.options(by: bob).status == 403)
    #expect(try fixture.options(["password": ""], by: bob).status >= 400)
    #expect(try fixture.send("PUT", "/session/password", ["password": "a good password"], by: bob).status == 403)
  }

  @Test("A person has at most 20 passkeys") func bounded() throws {
    let (_, ann) = try fixture.person("ann@example.com", ["analyst"])
    for number in 1...20 { try fixture.add(TestPasskey(), name: "Key \(number)", by: ann) }
    let challenge = try #require(try fixture.options(by: ann).json["publicKey"]?["challenge"]?.string)
    let passkey = TestPasskey()
    let body: JSONValue = ["credential": ServerFixture.credential(passkey, passkey.register(challenge: challenge))]
    let refused = try fixture.send("POST", "/session/passkeys", body, by: ann)
    #expect(refused.status == 409 && refused.detail.contains("at most 20"), "\(refused)")
  }

  @Test("Of somebody who was removed no passkey is left in any file") func removed() throws {
    let (id, ann) = try fixture.person("ann@example.com", ["analyst"])
    let passkey = TestPasskey()
    let (_, handle) = try fixture.add(passkey, name: "a name for this passkey only", by: ann)
    #expect(try fixture.send("DELETE", "/v1/people/\(id)").status == 204)
    #expect(try fixture.signIn(passkey, handle: handle).status == 401)
    fixture.server.stop()
    let data = fixture.folder.path + "/data"
    var looked = 0
    for name in try Files.list(data) where name.contains("postrider") || name.contains("db") {
      guard let bytes = try? Files.read("\(data)/\(name)") else { continue }
      looked += 1
      for part in [passkey.id, passkey.cose, Array("a name for this passkey only".utf8)] {
        #expect(bytes.firstRange(of: part) == nil, "\(name)")
      }
    }
    #expect(looked > 0)
  }

  @Test("Used challenges are bounded: a full table lets nobody in rather than somebody twice")
  func fullTable() async throws {
    let service = fixture.server.service
    let usedMax = 20
    let desk = ChallengeDesk(store: service.store, vault: service.vault, usedMax: usedMax)
    let party = try #require(RelyingParty(host: "localhost", isSecure: false))
    let now = Timestamp(milliseconds: 1_795_219_200_000)
    func challenge(_ now: Timestamp) -> [UInt8] { desk.make(for: .signIn, party, now: now) }
    let used = Problem(.signInRefused, "used")
    let first = challenge(now)
    try await desk.use(first, now: now, refusal: used)
    #expect(desk.isGood(first, for: .signIn, party, now: now))
    let again = await #expect(throws: Problem.self) { try await desk.use(first, now: now, refusal: used) }
    #expect(again?.kind == .signInRefused)
    for _ in 1..<usedMax { try await desk.use(challenge(now), now: now, refusal: used) }
    let error = await #expect(throws: Problem.self) { try await desk.use(challenge(now), now: now, refusal: used) }
    #expect(error?.kind == .busy)
    let later = now.adding(milliseconds: ChallengeDesk.lifetimeMs)
    #expect(!desk.isGood(first, for: .signIn, party, now: later))
    let over = later.adding(milliseconds: ChallengeDesk.skewMs + 1)
    try await desk.use(challenge(over), now: over, refusal: used)
    // Each is for one purpose and one origin, and not a bit of it may be another.
    let other = try #require(RelyingParty(host: "localhost:1", isSecure: false))
    let mine = desk.make(for: .session([1]), party, now: now)
    #expect(desk.isGood(mine, for: .session([1]), party, now: now))
    for (purpose, party) in [
      (ChallengeDesk.Purpose.session([2]), party), (.invitation([1]), party), (.signIn, party), (.session([1]), other),
    ] { #expect(!desk.isGood(mine, for: purpose, party, now: now)) }
    for index in mine.indices {
      var changed = mine
      changed[index] ^= 1
      #expect(!desk.isGood(changed, for: .session([1]), party, now: now))
    }
    #expect(!desk.isGood([], for: .signIn, party, now: now))
    // Another process with the same sealing key takes it, and one with another does not.
    let same = ChallengeDesk(store: service.store, vault: service.vault)
    #expect(same.isGood(mine, for: .session([1]), party, now: now))
    let foreign = ChallengeDesk(store: service.store, vault: try Vault(key: Array(repeating: 7, count: 32)))
    #expect(!foreign.isGood(mine, for: .session([1]), party, now: now))
  }
}
