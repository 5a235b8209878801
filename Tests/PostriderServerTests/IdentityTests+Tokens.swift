import Glibc
import PostriderServer
import Signing
import TestSupport
import Testing
import WireJSON

/// Which tokens are believed, for how long, and where their keys are.
extension IdentityTests {
  /// A token that is not believed, and the word for why.
  private struct Refusal {
    let name: String
    let code: String
    let token: String

    init(_ name: String, _ code: String, _ token: String) {
      (self.name, self.code, self.token) = (name, code, token)
    }
  }

  private static func number(_ value: Int64) -> JSONValue { .number(JSONNumber(Int(value))) }

  private static func refusedClaims(_ world: IdentityFixture) throws -> [Refusal] {
    let (good, now) = (world.token(), IdentityFixture.now)
    func claim(_ name: String, _ value: JSONValue?) throws -> String { try good.with { $0[name] = value }.text() }
    return [
      Refusal("expired", "expired", try claim("exp", number(now - 60))),
      Refusal("expired long ago", "expired", try claim("exp", number(.min))),
      Refusal("far end", "lifetime", try claim("exp", number(now + 86_461))),
      Refusal("no end in sight", "lifetime", try claim("exp", number(.max))),
      Refusal("no end", "claims", try claim("exp", nil)),
      Refusal("an end as text", "claims", try claim("exp", .string("\(now + 600)"))),
      Refusal("half a second", "claims", try claim("exp", JSON.parse("\(now + 600).5"))),
      Refusal("an end beyond all numbers", "claims", try claim("exp", JSON.parse("1e400"))),
      Refusal("made in the future", "not-yet-valid", try claim("iat", number(now + 61))),
      Refusal("valid later", "not-yet-valid", try claim("nbf", number(now + 61))),
      Refusal("made at no time", "claims", try claim("iat", "now")),
      Refusal("other app", "audience", try claim("aud", "other")),
      Refusal("app in another case", "audience", try claim("aud", "Demo")),
      Refusal("no app of several", "audience", try claim("aud", ["a", "b", 1])),
      Refusal("many apps", "claims", try claim("aud", .array(Array(repeating: "demo", count: 17)))),
      Refusal("for no app", "claims", try claim("aud", nil)),
      Refusal("nobody", "claims", try claim("sub", nil)),
      Refusal("nobody's name", "claims", try claim("sub", "")),
      Refusal("a number", "claims", try claim("sub", 7)),
      Refusal("long name", "claims", try claim("sub", .string(String(repeating: "a", count: 251)))),
      Refusal("a NUL", "claims", try claim("sub", "ann\0")),
      Refusal("two users", "malformed", try good.with { $0.claims.append(("sub", "bob")) }.text()),
      Refusal(
        "a member twice inside", "malformed",
        try good.text(
          header: good.object(good.header),
          claims: #"{"sub":"ann","aud":"demo","exp":\#(now + 600),"more":{"a":1,"a":2}}"#)),
      Refusal("claims that are a list", "malformed", try good.text(header: good.object(good.header), claims: "[]")),
      Refusal("deep claims", "malformed", try claim("more", JSON.parse("[[[[[[[[[]]]]]]]]]"))),
    ]
  }

  private static func refusedHeaders(_ world: IdentityFixture) throws -> [Refusal] {
    let (good, secret) = (world.token(), world.secretToken())
    func header(_ name: String, _ value: JSONValue?, _ maker: TokenMaker) throws -> String {
      try maker.with { maker in
        maker.header.removeAll { $0.0 == name }
        if let value { maker.header.append((name, value)) }
      }.text()
    }
    // The classic: the public key, which everybody may have, as the secret of an HMAC.
    let pem = try world.private256.publicKey.pem()
    let confused = TokenMaker(.hs256(pem), kid: world.es256, now: IdentityFixture.now)
    let unsigned = try header("alg", "none", good).split(separator: ".").dropLast().joined(separator: ".") + "."
    return [
      Refusal("none", "algorithm", unsigned), Refusal("None", "algorithm", try header("alg", "None", good)),
      Refusal("no algorithm", "malformed", try header("alg", nil, good)),
      Refusal("a list of algorithms", "malformed", try header("alg", ["ES256"], good)),
      Refusal("public key as secret", "algorithm", try confused.text()),
      Refusal("public key as secret, said to be ES256", "signature", try header("alg", "ES256", confused)),
      Refusal("HS256 said to be ES256", "algorithm", try header("alg", "ES256", secret)),
      Refusal("in lower case", "algorithm", try header("alg", "es256", good)),
      Refusal("unknown key", "unknown-key", try header("kid", "0123456789abcdef", good)),
      Refusal("no key", "unknown-key", try header("kid", nil, good)),
      Refusal("a number as key", "unknown-key", try header("kid", 1, good)),
      Refusal("long key", "unknown-key", try header("kid", .string(String(repeating: "a", count: 65)), good)),
      Refusal("another key's id", "signature", try secret.with { $0.signer = .hs256("ids_other") }.text()),
      Refusal("two keys", "malformed", try good.with { $0.header.append(("kid", .string(world.hs256.id))) }.text()),
      Refusal("two algorithms", "malformed", try good.with { $0.header.append(("alg", "none")) }.text()),
      Refusal("a critical extension", "malformed", try header("crit", ["b64"], good)),
      Refusal("a large header", "malformed", try header("x", .string(String(repeating: "x", count: 513)), good)),
      Refusal(
        "a large token", "malformed", try good.with { $0["x"] = .string(String(repeating: "x", count: 4_096)) }.text()),
    ]
  }

  private static func refusedForms(_ world: IdentityFixture) throws -> [Refusal] {
    let good = try world.token().text()
    let parts = good.split(separator: ".").map(String.init)
    let secret = try world.secretToken().text()
    let other = try world.token("bob").text().split(separator: ".").map(String.init)
    func signed(_ signature: [UInt8]) -> String { "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))" }
    let raw = try #require(Base64URL.decode(parts[2]))
    let ones = [UInt8](repeating: 0xFF, count: 32)
    return [
      Refusal("nothing", "malformed", "."), Refusal("words", "malformed", "a.b"),
      Refusal("two parts", "malformed", "\(parts[0]).\(parts[1])"),
      Refusal("four parts", "malformed", good + ".e30"), Refusal("padding", "malformed", good + "=="),
      Refusal("another alphabet", "malformed", "\(parts[0]).\(parts[1]).++++"),
      Refusal("a blank inside", "malformed", "\(parts[0]). \(parts[1]).\(parts[2])"),
      Refusal("a scheme before", "malformed", "Bearer \(good)"),
      Refusal("JSON as it is", "malformed", #"{"sub":"ann"}"#),
      Refusal("claims of another", "signature", "\(parts[0]).\(other[1]).\(parts[2])"),
      Refusal("no signature", "signature", "\(parts[0]).\(parts[1])."),
      Refusal("a changed signature", "signature", signed(raw.enumerated().map { $0 == 0 ? $1 ^ 1 : $1 })),
      Refusal("a short signature", "signature", signed(Array(raw.dropLast()))),
      Refusal("a long signature", "signature", signed(raw + [0])),
      Refusal("zeros", "signature", signed([UInt8](repeating: 0, count: 64))),
      Refusal("beyond the order", "signature", signed(ones + ones)),
      Refusal("DER", "signature", signed([0x30, 0x44, 0x02, 0x20] + raw[..<32] + [0x02, 0x20] + raw[32...])),
      Refusal("half an HMAC", "signature", String(secret.dropLast(23))),
    ]
  }

  @Test("A token that is not right in every respect is refused, with a word for why and what to do")
  func refusals() throws {
    let world = try IdentityFixture()
    try world.set("required")
    #expect(try world.register(1, user: "ann", token: world.token().text()).status == 201)
    #expect(try world.register(2, user: "ann", token: world.secretToken().text()).status == 201)
    // Both clocks may be a minute off, and libraries write one app as a list.
    for change in [
      { $0["exp"] = Self.number(IdentityFixture.now - 59) }, { $0["exp"] = Self.number(IdentityFixture.now + 86_460) },
      { $0["iat"] = Self.number(IdentityFixture.now + 60) }, { $0["nbf"] = Self.number(IdentityFixture.now) },
      { $0["aud"] = ["other", "demo"] }, { $0["more"] = ["roles": ["a"]] },
    ] as [(inout TokenMaker) -> Void] {
      let token = world.token().with(change)
      let answer = try world.register(3, user: "ann", token: token.text())
      #expect(answer.status < 300, "\(token.claims): \(answer.text)")
    }
    let all = try Self.refusedClaims(world) + Self.refusedHeaders(world) + Self.refusedForms(world)
    for (index, refusal) in all.enumerated() {
      let answer = try world.register(100 + index, user: "ann", token: refusal.token)
      #expect(answer.status == 401, "\(refusal.name): \(answer.text)")
      #expect(answer.json["type"] == "urn:postrider:problem:identity-refused", "\(refusal.name)")
      #expect(
        answer.headers["www-authenticate"] == "Postrider-Identity error=\"\(refusal.code)\"",
        "\(refusal.name): \(answer.headers["www-authenticate"] ?? "") \(answer.detail)")
      #expect(refusal.token.count < 8 || !answer.text.contains(refusal.token.prefix(40)), "\(refusal.name)")
      // A backend is not believed either when it hands a token on that is not right.
      #expect(try world.register(100 + index, user: "ann", token: refusal.token, key: world.backend).status == 401)
    }
    let twice = try world.fixture.send(
      "POST", "/v1/apps/demo/devices", #"{"type":"ios","token":"\#(IdentityFixture.address(99))"}"#, key: world.client,
      headers: Array(repeating: "Postrider-Identity: \(try world.token().text())", count: 2))
    #expect(twice.status == 401 && twice.detail.contains("more than once"), "\(twice.text)")
    #expect(try world.fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?.array?.count == 3)
    let metrics = try world.fixture.send("GET", "/metrics").text
    #expect(metrics.contains("postrider_identity_requests_total{result=\"verified\"} 8\n"))
    #expect(metrics.contains("postrider_identity_requests_total{result=\"refused\"} \(all.count + 1)\n"))
  }

  @Test(
    "Two keys are valid while one replaces the other; a deleted one is not believed from then on, also over a restart")
  func rotation() throws {
    let folder = try TemporaryFolder()
    let world = try IdentityFixture(folder: folder)
    try world.set("required")
    #expect(try world.register(1, user: "ann", token: world.token().text()).status == 201)
    #expect(try world.register(1, user: "ann", token: world.secretToken().text()).status == 200)
    let made = try world.fixture.post(IdentityFixture.path + "/keys", ["algorithm": "ES256"])
    let pem = try #require(made.json["secret"]?.string)
    let id = try #require(made.json["id"]?.string)
    let own = TokenMaker(.es256(try ECPrivateKey(pem: pem)), kid: id, now: IdentityFixture.now)
    #expect(try world.register(1, user: "ann", token: own.text()).status == 200)
    #expect(try world.fixture.send("DELETE", "\(IdentityFixture.path)/keys/\(world.es256)").status == 204)
    #expect(try world.register(1, user: "ann", token: world.token().text()).status == 401)
    #expect(try world.register(1, user: "ann", token: own.text()).status == 200)
    #expect(try world.fixture.send("DELETE", "\(IdentityFixture.path)/keys/\(world.es256)").status == 404)
    world.fixture.server.stop()

    let again = try ServerFixture(folder: folder, admin: world.fixture.admin, clock: world.clock.clock)
    let shown = try again.send("GET", IdentityFixture.path).json
    #expect(shown["mode"] == "required")
    #expect(shown["keys"]?.array?.map { $0["id"]?.string } == [world.hs256.id, id])
    func register(_ token: String?) throws -> Int {
      try again.send(
        "POST", "/v1/apps/demo/devices", #"{"type":"ios","token":"\#(IdentityFixture.address(1))","user":"ann"}"#,
        key: world.client, headers: token.map { ["Postrider-Identity: \($0)"] } ?? []
      ).status
    }
    #expect(try register(world.secretToken().text()) == 200)
    #expect(try register(own.text()) == 200)
    #expect(try register(world.token().text()) == 401)
    #expect(try register(nil) == 401)
    // Without a key nobody is believed, which is better than believing everybody.
    for key in [world.hs256.id, id] {
      #expect(try again.send("DELETE", "\(IdentityFixture.path)/keys/\(key)").status == 204)
    }
    #expect(try register(own.text()) == 401 && register(nil) == 401)
    #expect(again.lines.text.contains("no identity key is left"))
    // A token ends by itself.
    let last = try again.post(IdentityFixture.path + "/keys", ["algorithm": "HS256"]).json
    let short = TokenMaker(
      .hs256(try #require(last["secret"]?.string)), kid: try #require(last["id"]?.string), now: IdentityFixture.now)
    #expect(try register(short.text()) == 200)
    world.clock.move(seconds: 660)
    #expect(try register(short.text()) == 401)
  }

  @Test("Secrets are in one answer: not in the database, the log, a list, a stored answer or a refusal")
  func secrets() throws {
    let world = try IdentityFixture()
    try world.set("required")
    let fixture = world.fixture
    let path = IdentityFixture.path + "/keys"
    let first = try fixture.send("POST", path, #"{"algorithm":"HS256"}"#, headers: ["Idempotency-Key: a"])
    let repeated = try fixture.send("POST", path, #"{"algorithm":"HS256"}"#, headers: ["Idempotency-Key: a"])
    #expect(first.status == 201 && repeated.text == first.text && repeated.headers["idempotent-replayed"] == "true")
    let pair = try fixture.send("POST", path, #"{"algorithm":"ES256"}"#, headers: ["Idempotency-Key: b"])
    let pem = try #require(pair.json["secret"]?.string)
    #expect(
      try fixture.send("POST", path, #"{"algorithm":"ES256"}"#, headers: ["Idempotency-Key: b"]).text == pair.text)
    #expect(try ECPrivateKey(pem: pem).publicKey.pem() == pair.json["public_key"]?.string)
    let upload = JSON.minifiedText(["algorithm": "ES256", "public_key": .string(try world.private256.publicKey.pem())])
    let given = try fixture.send("POST", path, upload, headers: ["Idempotency-Key: c"])
    #expect(given.json["secret"] == nil)
    #expect(try fixture.send("POST", path, upload, headers: ["Idempotency-Key: c"]).text == given.text)
    #expect(try fixture.post(path, ["algorithm": "HS256"]).status == 409)

    let token = try world.token().text()
    let parts = token.split(separator: ".").map(String.init)
    #expect(try world.register(1, user: "ann", token: token).status == 201)
    #expect(try world.register(1, user: "bob", token: token).status == 403)
    #expect(try world.register(1, user: "ann", token: token + "A").status == 401)
    let list = try fixture.send("GET", IdentityFixture.path).text
    let secrets =
      [world.hs256.secret, try #require(first.json["secret"]?.string), parts[1], parts[2]]
      + pem.split(separator: "\n").filter { !$0.contains("---") }.dropLast().map(String.init)
    for secret in secrets {
      #expect(!fixture.lines.text.contains(secret))
      #expect(!list.contains(secret))
    }
    #expect(fixture.lines.text.contains("identity key created"))
    let acts = try fixture.send("GET", "/v1/apps/demo/audit").json["acts"]?.array ?? []
    #expect(acts.filter { $0["act"] == "createIdentityKey" }.count == 5 && acts.contains { $0["act"] == "setIdentity" })
    let data = fixture.folder.path + "/data"
    fixture.server.stop()
    for name in try Files.list(data) {
      let bytes = try Files.read(data + "/" + name)
      for secret in secrets {
        #expect(!Self.holds(bytes, Array(secret.utf8)), "\(name)")
        if let raw = Base64URL.decode(secret.dropFirst(4)) { #expect(!Self.holds(bytes, raw), "\(name)") }
      }
    }
  }

  private static func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count > 8 else { return false }
    return bytes.withUnsafeBytes { all in
      part.withUnsafeBytes { wanted in
        guard let start = all.baseAddress, let first = wanted.baseAddress, all.count >= wanted.count else {
          return false
        }
        return (0...all.count - wanted.count).contains { memcmp(start + $0, first, wanted.count) == 0 }
      }
    }
  }

  @Test(
    "A secret under another sealing key is named at the start, verifies nothing, and keeps the old key from being replaced unasked"
  )
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let world = try IdentityFixture(folder: folder)
    try world.set("required")
    world.fixture.server.stop()
    let other = String(repeating: "5a", count: 32)
    let words = try #require(StartTests.refusal(folder) { $0.sealingKey = other })
    #expect(words.contains("the identity key \(world.hs256.id) of app demo"), "\(words)")
    #expect(unlink(folder.path + "/data/sealing.key") == 0)
    #expect(StartTests.refusal(folder)?.contains("sealing.key is missing") == true)

    let again = try ServerFixture(folder: folder, admin: world.fixture.admin, clock: world.clock.clock) {
      $0.sealingKey = other
      $0.replacesSealingKey = true
    }
    #expect(again.lines.text.contains("the identity key \(world.hs256.id) of app demo"))
    func register(_ token: String) throws -> ServerFixture.Answer {
      try again.send(
        "POST", "/v1/apps/demo/devices", #"{"type":"ios","token":"\#(IdentityFixture.address(1))","user":"ann"}"#,
        key: world.client, headers: ["Postrider-Identity: \(token)"])
    }
    let answer = try register(world.secretToken().text())
    #expect(answer.status == 401 && answer.detail.contains("sealed with another sealing key"), "\(answer.text)")
    // A public key is not sealed.
    #expect(try register(world.token().text()).status == 201)
  }
}
