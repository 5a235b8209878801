import HTTPServer
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Accounts: invitations, passwords, the brake on guessing, sessions, and what remains of somebody who is removed.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct AccountTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture(clock: clock.clock) }

  private func invitation(_ token: String) throws -> ServerFixture.Answer {
    try fixture.open("POST", "/session/invitation", ["token": .string(token)])
  }

  // MARK: - Invitations

  @Test("An invitation is used once, and signs in") func once() throws {
    let (id, token) = try fixture.invite("Ann@Example.com", ["owner"])
    let shown = try invitation(token)
    #expect(shown.json["email"] == "ann@example.com" && shown.json["roles"] == ["owner"], "\(shown)")
    #expect(try fixture.send("GET", "/v1/people/\(id)").json["state"] == "invited")
    #expect(try fixture.signIn("ann@example.com").status == 401)
    let ann = try fixture.browser(fixture.join(token))
    let session = try fixture.send("GET", "/session", by: ann).json
    #expect(session["person"]?.string == id && session["name"] == "Ann" && session["scopes"] == ["admin"])
    let again = try fixture.join(token, password: "another good password")
    #expect(again.status == 404 && again.headers["set-cookie"] == nil)
    #expect(try invitation(token).status == 404)
    #expect(try fixture.signIn("ann@example.com", password: "another good password").status == 401)
    #expect(try fixture.signIn(" ann@example.com").status == 401)
    #expect(try fixture.signIn("ANN@example.com").status == 200)
    let person = try fixture.send("GET", "/v1/people").json["people"]?[0]
    #expect(person?["state"] == "active" && person?["invitation"] == nil && person?["signed_in_at"] != nil)
    #expect(!fixture.lines.text.contains(token) && !fixture.lines.text.contains(ServerFixture.password))
  }

  @Test("An invitation expires, is revoked, and is replaced by the next") func ends() throws {
    let (id, first) = try fixture.invite("ann@example.com", ["sender"])
    clock.move(seconds: 7 * 86_400)
    #expect(try fixture.join(first).status == 404)
    #expect(try fixture.send("GET", "/v1/people/\(id)").json["state"] == "expired")
    let renewed = try fixture.send("POST", "/v1/people/\(id)/invitation", "{}")
    let second = try #require(renewed.json["invitation"]?.string)
    let third = try #require(try fixture.send("POST", "/v1/people/\(id)/invitation", "{}").json["invitation"]?.string)
    #expect(try fixture.join(second).status == 404)
    #expect(try fixture.send("DELETE", "/v1/people/\(id)/invitation").status == 204)
    #expect(try fixture.join(third).status == 404)
    let twice = try fixture.post("/v1/people", ["email": "ANN@example.com", "name": "A", "roles": ["sender"]])
    #expect(twice.status == 409, "\(twice)")
  }

  @Test("With a later invitation a forgotten password is replaced, and every session ends") func resets() throws {
    let (id, ann) = try fixture.person("ann@example.com", ["sender"])
    let token = try #require(try fixture.send("POST", "/v1/people/\(id)/invitation", "{}").json["invitation"]?.string)
    #expect(try fixture.signIn("ann@example.com").status == 200)
    #expect(try fixture.join(token, password: "another good password").status == 200)
    #expect(try fixture.send("GET", "/session/all", by: ann).status == 401)
    #expect(try fixture.signIn("ann@example.com").status == 401)
    #expect(try fixture.signIn("ann@example.com", password: "another good password").status == 200)
  }

  @Test(
    "Passwords that are too short, or known to everybody, are refused",
    arguments: ["", "short", "elevenchars", "ann@example.com", "Ann@Example.COM"])
  func refusesPasswords(_ password: String) throws {
    let (_, token) = try fixture.invite("ann@example.com", ["sender"])
    let answer = try fixture.join(token, password: password)
    #expect((400...422).contains(answer.status) && answer.status != 404, "\(answer)")
    // The invitation is not used up by it.
    #expect(try fixture.join(token).status == 200)
  }

  @Test(
    "What is no email is refused", arguments: ["ann", "@example.com", "ann@", "a@b@c", "ann @example.com", "änn@x.y"])
  func refusesEmails(_ email: String) throws {
    let answer = try fixture.post("/v1/people", ["email": .string(email), "name": "A", "roles": ["sender"]])
    #expect(answer.status == 422, "\(answer)")
  }

  // MARK: - Signing in

  @Test("An unknown email is refused in the words of a wrong password, and an account without a password, too")
  func saysNothing() throws {
    _ = try fixture.person("ann@example.com", ["sender"])
    _ = try fixture.invite("bob@example.com", ["sender"])
    let answers = try [
      fixture.signIn("ann@example.com", password: "a wrong password"), fixture.signIn("bob@example.com"),
      fixture.signIn("nobody@example.com"),
    ]
    for answer in answers {
      #expect(answer.status == 401 && answer.detail == "the email or the password is wrong", "\(answer)")
    }
  }

  @Test("Guessing is slowed down by account, whoever guesses and whether or not there is one")
  func brake() throws {
    let clock = clock
    let fixture = try ServerFixture(clock: clock.clock) {
      $0.http.trustedProxies = [AddressBlock("127.0.0.1")].compactMap { $0 }
    }
    _ = try fixture.person("ann@example.com", ["sender"])
    func status(_ email: String, _ password: String, from client: String) throws -> Int {
      try fixture.signIn(email, password: password, headers: ["X-Forwarded-For: \(client)"]).status
    }
    for email in ["ann@example.com", "nobody@example.com"] {
      for attempt in 0..<10 {
        #expect(try status(email, "a wrong password", from: "2001:db8:\(attempt)::1") == 401)
      }
      #expect(try status(email, ServerFixture.password, from: "192.0.2.7") == 429)
    }
    // One network that guesses different accounts waits, too.
    for attempt in 0..<10 {
      #expect(try status("\(attempt)@example.com", "a wrong password", from: "192.0.2.1") == 401)
    }
    #expect(try status("10@example.com", "a wrong password", from: "192.0.2.1") == 429)
    clock.move(seconds: 60)
    #expect(try status("ann@example.com", ServerFixture.password, from: "192.0.2.1") == 200)
    // What succeeded does not count.
    for _ in 0..<20 { #expect(try status("ann@example.com", ServerFixture.password, from: "192.0.2.1") == 200) }
  }

  @Test(
    "A request names a key or a person",
    arguments: ["{}", #"{"email":"a@b.c"}"#, #"{"key":"x","email":"a@b.c","password":"p"}"#])
  func eitherOr(_ body: String) throws {
    #expect(try fixture.send("POST", "/session", body, key: .some(nil)).status == 422)
  }

  @Test("Another site's page uses no invitation") func otherSites() throws {
    let (_, token) = try fixture.invite("ann@example.com", ["sender"])
    let answer = try fixture.open(
      "POST", "/session/join", ["token": .string(token), "password": .string(ServerFixture.password)],
      headers: ["Sec-Fetch-Site: cross-site"])
    #expect(answer.status == 403)
    #expect(try fixture.join(token).status == 200)
  }

  // MARK: - Passwords and sessions

  @Test("A changed password ends the other sessions") func changesPassword() throws {
    let (_, ann) = try fixture.person("ann@example.com", ["analyst"])
    let other = try fixture.browser(fixture.signIn("ann@example.com"))
    func change(_ current: String, to next: String, headers: [String]) throws -> Int {
      try fixture.open(
        "PUT", "/session/password", ["current": .string(current), "password": .string(next)], headers: headers
      ).status
    }
    #expect(try change("a wrong password", to: "a new password 1", headers: ann.writing) == 403)
    #expect(try change(ServerFixture.password, to: "short", headers: ann.writing) != 204)
    #expect(try change(ServerFixture.password, to: "a new password 1", headers: ann.headers) == 403)
    #expect(try change(ServerFixture.password, to: "a new password 1", headers: ann.writing) == 204)
    #expect(try fixture.send("GET", "/session/all", by: other).status == 401)
    #expect(try fixture.send("GET", "/session/all", by: ann).json["sessions"]?.array?.count == 1)
    #expect(try fixture.signIn("ann@example.com").status == 401)
    #expect(try fixture.signIn("ann@example.com", password: "a new password 1").status == 200)
  }

  @Test("Sessions are listed and ended: one's own by everybody, all by owners") func lists() throws {
    let (id, ann) = try fixture.person("ann@example.com", ["analyst"])
    let second = try fixture.browser(fixture.signIn("ann@example.com", headers: ["User-Agent: Firefox/1 é"]))
    let bob = try fixture.person("bob@example.com", ["owner"], name: "Bob").browser
    let own = try fixture.send("GET", "/session/all", by: ann).json["sessions"]?.array ?? []
    #expect(own.count == 2 && own.count { $0["current"] == true } == 1)
    #expect(own.allSatisfy { $0["holder"] == ["kind": "person", "id": .string(id), "name": "Ann"] })
    #expect(own.contains { $0["agent"] == "Firefox/1 " } && own.allSatisfy { $0["from"] == "127.0.0.1" }, "\(own)")
    let all = try fixture.send("GET", "/v1/sessions", by: bob).json["sessions"]?.array ?? []
    #expect(all.count == 3)
    let bobs = try #require(all.first { $0["holder"]?["name"] == "Bob" }?["id"]?.string)
    #expect(try fixture.send("DELETE", "/session/all/\(bobs)", by: ann).status == 404)
    #expect(try fixture.send("DELETE", "/session/all", by: ann).status == 204)
    #expect(try fixture.send("GET", "/session/all", by: second).status == 401)
    let anns = try #require(own.first { $0["current"] == true }?["id"]?.string)
    #expect(try fixture.send("DELETE", "/v1/sessions/\(anns)", by: bob).status == 204)
    #expect(try fixture.send("GET", "/session/all", by: ann).status == 401)
    #expect(try fixture.send("DELETE", "/v1/sessions/\(anns)", by: bob).status == 404)
  }

  @Test("Sessions of people and keys survive a restart, and their bounds do, too") func survives() throws {
    let ann = try fixture.person("ann@example.com", ["analyst"]).browser
    let key = try fixture.browser(
      fixture.open("POST", "/session", ["key": .string(fixture.admin)]))
    let ended = try fixture.browser(fixture.signIn("ann@example.com"))
    #expect(try fixture.open("DELETE", "/session", nil, headers: ended.writing).status == 204)
    fixture.server.stop()
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin, clock: clock.clock)
    #expect(try again.send("GET", "/v1/apps", by: ann).status == 200)
    #expect(try again.send("GET", "/v1/keys", by: key).status == 200)
    #expect(try again.send("GET", "/v1/apps", by: ended).status == 401)
    clock.move(seconds: 2 * 3_600)
    #expect(try again.send("GET", "/v1/apps", by: ann).status == 401)
    again.server.stop()
    let later = try ServerFixture(folder: fixture.folder, admin: fixture.admin, clock: clock.clock)
    #expect(try later.send("GET", "/v1/apps", by: key).status == 401)
  }

  // MARK: - Removing

  @Test("The last owner who can sign in cannot be removed or made something else") func lastOwner() throws {
    let (ann, browser) = try fixture.person("ann@example.com", ["owner"])
    // Somebody who has not joined cannot let anybody in.
    let (bob, token) = try fixture.invite("bob@example.com", ["owner"], name: "Bob")
    for answer in [
      try fixture.send("DELETE", "/v1/people/\(ann)", by: browser), try fixture.send("DELETE", "/v1/people/\(ann)"),
      try fixture.send("PATCH", "/v1/people/\(ann)", ["roles": ["admin"]], by: browser),
    ] {
      #expect(answer.status == 409 && answer.detail.contains("the last owner who can sign in"), "\(answer)")
    }
    #expect(try fixture.join(token).status == 200)
    #expect(try fixture.send("DELETE", "/v1/people/\(ann)", by: browser).status == 204)
    #expect(try fixture.send("GET", "/v1/apps", by: browser).status == 401)
    #expect(try fixture.send("DELETE", "/v1/people/\(bob)").status == 409)
  }

  @Test("Who is removed has no session, no key and no email left; what they did keeps their name") func removed() throws
  {
    _ = try fixture.makeDemo()
    let email = "ann.only.here@example.com"
    let (id, ann) = try fixture.person(email, ["admin"])
    let key = try fixture.post("/v1/keys", ["name": "Ann's laptop", "scopes": ["read"], "person": .string(id)]).json
    let text = try #require(key["key"]?.string)
    #expect(key["person"]?.string == id)
    #expect(try fixture.send("GET", "/v1/apps", key: text).status == 200)
    #expect(try fixture.send("PUT", "/v1/apps/demo/retention", ["events_days": 90], by: ann).status == 200)
    #expect(try fixture.send("DELETE", "/v1/people/\(id)").status == 204)
    #expect(try fixture.send("GET", "/v1/apps", key: text).status == 401)
    #expect(try fixture.send("GET", "/v1/apps", by: ann).status == 401)
    #expect(try fixture.signIn(email).status == 401)
    #expect(try fixture.send("GET", "/v1/people/\(id)").status == 404)
    #expect(try fixture.send("GET", "/v1/people").json["people"] == [])
    let acts = try fixture.send("GET", "/v1/audit").json["acts"]?.array ?? []
    let act = acts.first { $0["act"] == "putAppRetention" }
    #expect(act?["author"] == ["kind": "person", "id": .string(id), "name": "Ann"], "\(acts)")
    // Who is gone is still found by the id.
    let theirs = try fixture.send("GET", "/v1/audit?person=\(id)").json["acts"]?.array ?? []
    #expect(theirs.map { $0["act"] } == ["putAppRetention", "join"], "\(theirs)")
    // The email can be invited anew, as somebody else.
    #expect(try fixture.invite(email, ["analyst"]).id != id)
    #expect(try fixture.send("DELETE", "/v1/people/\(id)").status == 404)
  }

  @Test("Who loses a role loses the keys that were made with it") func demoted() throws {
    let (id, _) = try fixture.person("ann@example.com", ["admin"])
    let key = try fixture.post("/v1/keys", ["name": "Ann's laptop", "scopes": ["admin"], "person": .string(id)]).json
    let text = try #require(key["key"]?.string)
    #expect(try fixture.send("PATCH", "/v1/people/\(id)", #"{"name":"Ann B."}"#).status == 200)
    #expect(try fixture.send("GET", "/v1/apps", key: text).status == 200)
    #expect(try fixture.send("PATCH", "/v1/people/\(id)", #"{"roles":["sender"]}"#).status == 200)
    #expect(try fixture.send("GET", "/v1/apps", key: text).status == 401)
  }

  @Test("Many sign-ins of one holder end that one's sessions only") func crowded() throws {
    let ann = try fixture.person("ann@example.com", ["analyst"]).browser
    var first: SessionTests.Browser?
    for _ in 0...20 {
      let made = try fixture.browser(fixture.open("POST", "/session", ["key": .string(fixture.admin)]))
      if first == nil { first = made }
    }
    #expect(try fixture.send("GET", "/session/all", by: #require(first)).status == 401)
    #expect(try fixture.send("GET", "/session/all", by: ann).status == 200)
  }

  @Test("The email of somebody who was removed is in no file of the store") func erased() throws {
    let email = "ann.only.here@example.com"
    let (id, _) = try fixture.person(email, ["admin"])
    // The answers that are kept for repeated requests name nobody either.
    let other = "bob.\(email)"
    let body = #"{"email":"\#(other)","name":"Bob","roles":["admin"]}"#
    let first = try fixture.send("POST", "/v1/people", body, headers: ["Idempotency-Key: bob"])
    let bob = try #require(first.json["id"]?.string, "\(first.text)")
    #expect(first.json["email"]?.string == other && first.json["invitation"] != nil, "\(first.text)")
    #expect(try fixture.send("POST", "/v1/people", body, headers: ["Idempotency-Key: bob"]).text == first.text)
    for one in [id, bob] { #expect(try fixture.send("DELETE", "/v1/people/\(one)").status == 204) }
    let again = try fixture.send("POST", "/v1/people", body, headers: ["Idempotency-Key: bob"])
    #expect(again.status == 201 && again.json["id"]?.string == bob && again.json["email"] == nil, "\(again.text)")
    fixture.server.stop()
    let data = fixture.folder.path + "/data"
    for name in try Files.list(data) where name.contains("postrider") || name.contains("db") {
      guard let bytes = try? Files.read("\(data)/\(name)") else { continue }
      #expect(!String(decoding: bytes, as: UTF8.self).contains(email), "\(name)")
    }
    #expect(!fixture.lines.text.contains(email))
  }
}
