import HTTPServer
import PostriderServer
import TestSupport
import Testing
import WireJSON

/// Passkeys: added, used and removed, and every reason to let nobody in.
@Suite(.timeLimit(.minutes(2))) struct PasskeyTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture(clock: clock.clock) }

  private func acts(_ name: String) throws -> [JSONValue] {
    (try fixture.send("GET", "/v1/audit").json["acts"]?.array ?? []).filter { $0["act"]?.string == name }
  }

  // MARK: - Adding and signing in

  @Test("A passkey is added, named, listed and signs in", arguments: TestPasskey.Algorithm.allCases)
  func signsIn(_ algorithm: TestPasskey.Algorithm) throws {
    let (id, ann) = try fixture.person("ann@example.com", ["analyst"])
    let passkey = TestPasskey(algorithm)
    let (number, handle) = try fixture.add(passkey, name: "Ann's phone", by: ann)
    let session = try fixture.signIn(passkey, handle: handle)
    let browser = try fixture.browser(session)
    #expect(session.json["person"]?.string == id && session.json["email"] == "ann@example.com")
    #expect(try fixture.send("GET", "/v1/apps", by: browser).status == 200)
    #expect(try fixture.signIn(passkey, handle: handle, email: "ANN@example.com").status == 200)
    let listed = try fixture.send("GET", "/session/passkeys", by: browser).json
    #expect(listed["password"] == true && listed["passkeys"]?.array?.count == 1)
    let one = listed["passkeys"]?[0]
    #expect(one?["id"]?.string == number && one?["name"] == "Ann's phone" && one?["host"] == "localhost")
    #expect(one?["synced"] == false && one?["used_at"] != nil)
    let named = try fixture.send("PATCH", "/session/passkeys/\(number)", ["name": "Old phone"], by: browser)
    #expect(named.status == 200 && named.json["name"] == "Old phone", "\(named)")
    #expect(try fixture.send("DELETE", "/session/passkeys/\(number)", by: browser).status == 204)
    // Whoever had the passkey may be signed in elsewhere.
    #expect(try fixture.send("GET", "/session/passkeys", by: ann).status == 401)
    #expect(try fixture.send("GET", "/session/passkeys", by: browser).json["passkeys"] == [])
    #expect(try fixture.signIn(passkey, handle: handle).status == 401)
    for act in ["addPasskey", "renamePasskey", "removePasskey"] {
      let found = try #require(try acts(act).first)
      #expect(found["author"]?["id"]?.string == id && found["target"]?.string == "/session/passkeys/\(number)")
    }
  }

  @Test("What a browser is asked with wants a person who is verified, and no attestation") func asks() throws {
    let (_, ann) = try fixture.person("ann@example.com", ["analyst"])
    let first = TestPasskey()
    try fixture.add(first, by: ann)
    let made = try #require(try fixture.options(by: ann).json["publicKey"])
    #expect(made["rp"] == ["id": "localhost", "name": "Postrider"] && made["attestation"] == "none")
    #expect(made["user"]?["name"] == "ann@example.com" && made["user"]?["displayName"] == "Ann")
    #expect(made["authenticatorSelection"]?["userVerification"] == "required")
    #expect(made["authenticatorSelection"]?["residentKey"] == "required")
    #expect(made["pubKeyCredParams"]?.array?.compactMap { $0["alg"]?.int } == [-7, -8, -257])
    #expect(made["excludeCredentials"]?.array?.count == 1)
    let again = try #require(try fixture.options(by: ann).json["publicKey"])
    #expect(again["challenge"] != made["challenge"] && again["user"] == made["user"])
    let used = try fixture.open("POST", "/session/passkey/options", nil)
    #expect(used.json["publicKey"]?["rpId"] == "localhost" && used.json["publicKey"]?["allowCredentials"] == [])
    #expect(used.json["publicKey"]?["userVerification"] == "required" && used.headers["cache-control"] == "no-store")
  }

  @Test("Behind a proxy with TLS the host name of the proxy counts") func proxied() throws {
    let (_, ann) = try fixture.person("ann@example.com", ["analyst"])
    let headers = ["Host: push.example.com", "X-Forwarded-Proto: https"]
    // The fixture writes the header itself, so this asks with another client.
    func ask(_ path: String, _ body: JSONValue, _ more: [String] = []) throws -> HTTPTestClient.Answer {
      let client = try HTTPTestClient(port: fixture.server.port)
      let text = JSON.minifiedText(body)
      client.send(
        "POST \(path) HTTP/1.1\r\n" + (headers + more).map { $0 + "\r\n" }.joined()
          + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
      return try client.readAnswer()
    }
    let writing = ann.writing.map { $0.replacing("postrider_session", with: "__Host-postrider_session") }
    let asked = try JSON.parse(try ask("/session/passkeys/options", [:], writing).body)["publicKey"]
    let challenge = try #require(asked?["challenge"]?.string)
    let passkey = TestPasskey()
    let made = passkey.register(
      challenge: challenge, host: "push.example.com", origin: "https://push.example.com")
    let added = try ask(
      "/session/passkeys", ["credential": ServerFixture.credential(passkey, made)], writing)
    #expect(added.status == 201, "\(added.body)")
    let handle = try #require(asked?["user"]?["id"]?.string)
    func signIn(origin: String) throws -> Int {
      let asked = try JSON.parse(try ask("/session/passkey/options", [:]).body)["publicKey"]
      let signed = passkey.sign(
        challenge: try #require(asked?["challenge"]?.string), host: "push.example.com", origin: origin)
      return try ask(
        "/session/passkey", ["credential": ServerFixture.credential(passkey, signed, handle: handle)]
      ).status
    }
    #expect(try signIn(origin: "https://push.example.com") == 200)
    #expect(try signIn(origin: "http://push.example.com") == 401)
    // The same server by another name: the passkey is not for that one.
    #expect(try fixture.signIn(passkey, handle: handle).status == 401)
  }

  @Test("At an address of numbers the answer says what is missing") func numbers() throws {
    let client = try HTTPTestClient(port: fixture.server.port)
    client.send("POST /session/passkey/options HTTP/1.1\r\nHost: 127.0.0.1:8787\r\nContent-Length: 0\r\n\r\n")
    let answer = try client.readAnswer()
    #expect(answer.status == 409 && answer.body.contains("https://push.example.com"), "\(answer)")
  }

  // MARK: - Refusals

  @Test("Who is not known is refused in the words of a wrong signature") func saysNothing() throws {
    let ann = try fixture.person("ann@example.com", ["analyst"]).browser
    let bob = try fixture.person("bob@example.com", ["analyst"], name: "Bob").browser
    let (anns, bobs, nobodys) = (TestPasskey(), TestPasskey(), TestPasskey())
    let (_, handle) = try fixture.add(anns, by: ann)
    let (_, other) = try fixture.add(bobs, by: bob)
    #expect(handle != other)
    let answers = try [
      fixture.signIn(nobodys, handle: handle), fixture.signIn(anns, handle: other),
      fixture.signIn(bobs, handle: handle),
      fixture.signIn(anns, handle: handle) { $0.damagesSignature = true },
      fixture.signIn(anns, handle: handle, email: "bob@example.com"),
      fixture.signIn(anns, handle: handle, email: "nobody@example.com"),
    ]
    for answer in answers {
      #expect(answer.status == 401 && answer.detail == "this passkey does not sign in here", "\(answer)")
      #expect(answer.headers["set-cookie"] == nil)
    }
    #expect(try fixture.signIn(anns, handle: handle).status == 200)
  }

  private static let refused: [(String, @Sendable (inout TestPasskey.Ceremony) -> Void)] = [
    ("type", { $0.type = "webauthn.create" }), ("challenge", { $0.challenge = "AAAA" }),
    ("page", { $0.origin = "https://evil.example" }), ("another host", { $0.host = "evil.example" }),
    ("saw nobody", { $0.flags = 0x04 }), ("verified nobody", { $0.flags = 0x01 }),
    ("authenticator data", { $0.behind = [1] }), ("clientDataJSON", { $0.members = "!" }),
  ]

  @Test("What needs no passkey to be wrong is refused with the reason", arguments: refused)
  func reasons(_ reason: String, _ change: @Sendable (inout TestPasskey.Ceremony) -> Void) throws {
    let ann = try fixture.person("ann@example.com", ["analyst"]).browser
    let passkey = TestPasskey()
    let (_, handle) = try fixture.add(passkey, by: ann)
    let answer = try fixture.signIn(passkey, handle: handle, change: change)
    #expect(answer.status == 401 && answer.detail.contains(reason), "\(answer)")
  }

  @Test("A challenge is good once, for five minutes, for what it was given for, also after a restart")
  func challenges() throws {
    let (_, ann) = try fixture.person("ann@example.com", ["analyst"])
    let second = try fixture.browser(fixture.signIn("ann@example.com"))
    let passkey = TestPasskey()
    let (_, handle) = try fixture.add(passkey, by: ann)
    func answer(_ challenge: String) -> JSONValue {
      ["credential": ServerFixture.credential(passkey, passkey.sign(challenge: challenge), handle: handle)]
    }
    func status(_ body: JSONValue) throws -> Int { try fixture.open("POST", "/session/passkey", body).status }
    let once = answer(try fixture.challenge())
    #expect(try status(once) == 200)
    #expect(try status(once) == 401)
    let late = answer(try fixture.challenge())
    clock.move(seconds: 300)
    #expect(try status(late) == 401)
    // That of a registration does not sign in, and that of a sign-in registers nothing; nor does one of another session.
    let made = try #require(try fixture.options(by: second).json["publicKey"]?["challenge"]?.string)
    #expect(try status(answer(made)) == 401)
    let new = TestPasskey()
    for challenge in [try fixture.challenge(), made] {
      let body: JSONValue = ["credential": ServerFixture.credential(new, new.register(challenge: challenge))]
      let refused = try fixture.send("POST", "/session/passkeys", body, by: ann)
      #expect(refused.status == 422 && refused.detail.contains("challenge"), "\(refused)")
    }
    let body: JSONValue = ["credential": ServerFixture.credential(new, new.register(challenge: made))]
    #expect(try fixture.send("POST", "/session/passkeys", body, by: second).status == 201)
    #expect(try fixture.send("POST", "/session/passkeys", body, by: second).status == 422)
    // A server that is started again knows what was given, and what was used.
    let (before, used) = (answer(try fixture.challenge()), answer(try fixture.challenge()))
    #expect(try status(used) == 200)
    fixture.server.stop()
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin, clock: clock.clock)
    #expect(try again.open("POST", "/session/passkey", used).status == 401)
    #expect(try again.open("POST", "/session/passkey", before).status == 200)
    #expect(try again.signIn(passkey, handle: handle).status == 200)
  }

  @Test("A signature counter that goes back is refused, said and kept") func counter() throws {
    let (id, ann) = try fixture.person("ann@example.com", ["analyst"])
    let passkey = TestPasskey()
    let (number, handle) = try fixture.add(passkey, by: ann)
    #expect(try fixture.signIn(passkey, handle: handle, counter: 7).status == 200)
    #expect(try fixture.signIn(passkey, handle: handle, counter: 8).status == 200)
    for counter: UInt32 in [8, 7, 0] {
      let answer = try fixture.signIn(passkey, handle: handle, counter: counter)
      #expect(answer.status == 401 && answer.detail.contains("may have been copied"), "\(answer)")
    }
    let act = try #require(try acts("signInWithPasskey").first)
    #expect(act["author"]?["id"]?.string == id)
    #expect(act["target"]?.string?.hasPrefix("/session/passkeys/\(number): refused") == true, "\(act)")
    #expect(fixture.lines.text.contains("a passkey's counter went back"))
    #expect(try fixture.signIn(passkey, handle: handle, counter: 9).status == 200)
  }

  @Test("Guessing is slowed down, and what succeeds does not count") func brake() throws {
    let ann = try fixture.person("ann@example.com", ["analyst"]).browser
    let passkey = TestPasskey()
    let (_, handle) = try fixture.add(passkey, by: ann)
    for _ in 0..<12 { #expect(try fixture.signIn(passkey, handle: handle).status == 200) }
    for _ in 0..<10 { #expect(try fixture.signIn(TestPasskey(), handle: handle).status == 401) }
    #expect(try fixture.signIn(passkey, handle: handle).status == 429)
    #expect(try fixture.signIn("ann@example.com").status == 429)
    clock.move(seconds: 60)
    #expect(try fixture.signIn(passkey, handle: handle).status == 200)
  }

  @Test("Only the dashboard's own page adds, removes and signs in, and each only their own") func own() throws {
    let ann = try fixture.person("ann@example.com", ["analyst"]).browser
    let bob = try fixture.person("bob@example.com", ["owner"], name: "Bob").browser
    let passkey = TestPasskey()
    let (number, handle) = try fixture.add(passkey, by: ann)
    let path = "/session/passkeys/\(number)"
    #expect(try fixture.send("DELETE", path, by: bob).status == 404)
    #expect(try fixture.send("PATCH", path, ["name": "Mine"], by: bob).status == 404)
    #expect(try fixture.send("DELETE", "/session/passkeys/x", by: ann).status == 404)
    #expect(try fixture.open("DELETE", path, nil, headers: ann.headers).status == 403)
    #expect(try fixture.open("POST", "/session/passkeys/options", [:], headers: ann.headers).status == 403)
    #expect(try fixture.options().status == 401)
    let key = try fixture.browser(fixture.open("POST", "/session", ["key": .string(fixture.admin)]))
    #expect(try fixture.options(by: key).status == 409)
    #expect(try fixture.signIn(passkey, handle: handle, headers: ["Sec-Fetch-Site: cross-site"]).status == 403)
    // The same passkey is nobody else's, either.
    let asked = try #require(try fixture.options(by: bob).json["publicKey"]?["challenge"]?.string)
    let taken = try fixture.send(
      "POST", "/session/passkeys",
      ["credential": ServerFixture.credential(passkey, passkey.register(challenge: asked))], by: bob)
    #expect(taken.status == 409, "\(taken)")
  }
}
