import HTTPServer
import PushStore
import Signing
import StoreModel
import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// What is not believed of an identity provider, or of a browser that comes from it.
@Suite(.timeLimit(.minutes(2))) struct OIDCRefusalTests {
  /// A lie, and the words that it is refused with.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let words: String
    let change: @Sendable (inout TestIssuer.Script) -> Void

    init(
      _ name: String, _ status: Int, _ words: String, _ change: @escaping @Sendable (inout TestIssuer.Script) -> Void
    ) {
      (self.name, self.status, self.words, self.change) = (name, status, words, change)
    }

    var testDescription: String { name }
  }

  private static let now = 1_795_176_000
  private static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
  private static func padded(_ count: Int) -> HTTPResponse {
    .json(Array(#"{"x":"\#(String(repeating: "a", count: count))"}"#.utf8))
  }

  static let tokens: [Refusal] = [
    Refusal("no signature", 502, "neither with RS256 nor with ES256") { $0.signer = .nobody },
    Refusal("HS256 with the public key as the secret", 502, "neither with RS256 nor with ES256") {
      $0.signer = .secret
    },
    Refusal("the algorithm of another key", 502, "a key that the provider does not list") {
      $0.header = ["alg": "ES256"]
    },
    Refusal("PS256", 502, "neither with RS256 nor with ES256") { $0.header = ["alg": "PS256"] },
    Refusal("another key's signature", 502, "signature is not of the key") { $0.signer = .otherRSA },
    Refusal("an unknown key", 502, "a key that the provider does not list") { $0.header = ["kid": "none"] },
    Refusal("a key in the token", 502, "a key that the provider does not list") {
      $0.header = ["kid": .null, "jwk": ["kty": "RSA"]]
      $0.keys = ["keys": []]
    },
    Refusal("a critical extension", 502, "critical extension") { $0.header = ["crit": ["exp"]] },
    Refusal("another issuer", 502, "of another issuer") { $0.claims = ["iss": "http://127.0.0.1:1"] },
    Refusal("the issuer with a slash", 502, "of another issuer") { $0.claims = ["iss": "http://127.0.0.1/"] },
    Refusal("another audience", 502, "another client than --oidc-client-id (aud)") { $0.claims = ["aud": "other"] },
    Refusal("no audience", 502, "has no aud") { $0.claims = ["aud": .null] },
    Refusal("two audiences and no party", 502, "(azp)") {
      $0.claims = ["aud": [.string(TestIssuer.clientID), "other"]]
    },
    Refusal("another party", 502, "(azp)") { $0.claims = ["azp": "other"] },
    Refusal("seventeen audiences", 502, "(aud)") {
      $0.claims = ["aud": .array(Array(repeating: .string(TestIssuer.clientID), count: 17))]
    },
    Refusal("another nonce", 401, "of another sign-in (nonce)") { $0.claims = ["nonce": "x"] },
    Refusal("no nonce", 401, "of another sign-in (nonce)") { $0.claims = ["nonce": .null] },
    Refusal("expired by the skew", 401, "has expired") { $0.claims = ["exp": number(now - 60)] },
    Refusal("no end", 502, "lacks exp or iat") { $0.claims = ["exp": .null] },
    Refusal("an end in words", 502, "lacks exp or iat") { $0.claims = ["exp": "9999999999"] },
    Refusal("from the future", 401, "from the future") { $0.claims = ["iat": number(now + 61)] },
    Refusal("no beginning", 502, "lacks exp or iat") { $0.claims = ["iat": .null] },
    Refusal("not valid yet", 401, "from the future") { $0.claims = ["nbf": number(now + 61)] },
    Refusal("nobody", 502, "names nobody") { $0.claims = ["sub": .null] },
    Refusal("a long name", 502, "names nobody") { $0.claims = ["sub": .string(String(repeating: "a", count: 256))] },
    Refusal("a token of three bytes", 502, "no signed JWT") { $0.answer = ["id_token": "a.b"] },
    Refusal("a token of 17 kB", 502, "no signed JWT") {
      $0.claims = ["more": .string(String(repeating: "a", count: 17 * 1_024))]
    },
    Refusal("no token", 502, "has no ID token") { $0.answer = ["id_token": .null] },
  ]

  static let documents: [Refusal] = [
    Refusal("another issuer", 502, "another issuer than --oidc-issuer") {
      $0.document = ["issuer": "https://example.com"]
    },
    Refusal("no issuer", 502, "names no issuer") { $0.document = ["issuer": .null] },
    Refusal("keys in plain", 502, "no address as jwks_uri") {
      $0.document = ["jwks_uri": "http://169.254.169.254/keys"]
    },
    Refusal("keys in a file", 502, "no address as jwks_uri") { $0.document = ["jwks_uri": "file:///etc/passwd"] },
    Refusal("keys of an inner host", 502, "private or reserved") {
      $0.document = ["jwks_uri": "https://127.0.0.2:9/keys"]
    },
    Refusal("keys elsewhere on this machine", 502, "cannot be had") {
      $0.document = ["jwks_uri": "http://localhost:9/keys"]
    },
    Refusal("a user in an address", 502, "no address as token_endpoint") {
      $0.document = ["token_endpoint": "https://a@example.com/"]
    },
    Refusal("HS256 only", 502, "neither RS256 nor ES256") {
      $0.document = ["id_token_signing_alg_values_supported": ["HS256"]]
    },
    Refusal("plain PKCE only", 502, "no PKCE with S256") {
      $0.document = ["code_challenge_methods_supported": ["plain"]]
    },
    Refusal("no document", 502, "answers 404") {
      $0.answers["/.well-known/openid-configuration"] = HTTPResponse(status: 404)
    },
    Refusal("a redirect", 502, "answers 302") {
      $0.answers["/.well-known/openid-configuration"] = HTTPResponse(
        status: 302, headers: [("Location", "/elsewhere")])
    },
    Refusal("no JSON", 502, "no JSON object") {
      $0.answers["/.well-known/openid-configuration"] = .json(Array("<html>".utf8))
    },
    Refusal("a member twice", 502, "no JSON object") {
      $0.answers["/.well-known/openid-configuration"] = .json(Array(#"{"issuer":"a","issuer":"b"}"#.utf8))
    },
    Refusal("a document of 257 kB", 502, "longer than") {
      $0.answers["/.well-known/openid-configuration"] = padded(257 * 1_024)
    },
    Refusal("keys of 257 kB", 502, "longer than") { $0.answers["/keys"] = padded(257 * 1_024) },
    Refusal("65 keys", 502, "at most 64") { $0.keys = ["keys": .array(Array(repeating: ["kty": "oct"], count: 65))] },
    Refusal("redirected keys", 502, "answers 301") {
      $0.answers["/keys"] = HTTPResponse(status: 301, headers: [("Location", "/k")])
    },
    Refusal("a token endpoint that fails", 502, "status 500") { $0.answers["/token"] = HTTPResponse(status: 500) },
    Refusal("a client that is not known", 502, "(invalid_client)") {
      $0.answers["/token"] = .json(Array(#"{"error":"invalid_client"}"#.utf8), status: 401)
    },
    Refusal("an error that is a text", 502, "(status 400)") {
      $0.answers["/token"] = .json(Array(#"{"error":"<img src=x>"}"#.utf8), status: 400)
    },
  ]

  @Test("A lie is refused, in words that help, and signs nobody in", arguments: tokens + documents)
  func refuses(_ refusal: Refusal) throws {
    let world = try OIDCFixture()
    _ = try world.server.invite("ann@example.com", ["sender"])
    world.issuer.script.withLock { refusal.change(&$0) }
    let begun = try world.server.open("POST", "/session/oidc", nil)
    let answer =
      begun.status == 200
      ? try {
        let url = try #require(begun.json["url"]?.string)
        let cookie = try #require(begun.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
        return try world.finish((url, cookie), code: world.issuer.code(for: url))
      }() : begun
    #expect(answer.status == refusal.status && answer.detail.contains(refusal.words), "\(answer)")
    #expect(answer.headers["set-cookie"] == nil || begun.status == 200 && answer.status == 200, "\(answer)")
    #expect(try world.server.send("GET", "/v1/people").json["people"]?[0]?["state"] == "invited")
    #expect(!answer.text.contains("<img") && !world.server.lines.text.contains("<img"))
  }

  @Test("Within the skew, and with what is allowed besides, a token is taken")
  func takes() throws {
    let world = try OIDCFixture()
    _ = try world.server.invite("ann@example.com", ["sender"])
    let now = Self.now
    let fine: [JSONObject] = [
      ["exp": Self.number(now - 59)], ["iat": Self.number(now + 60), "nbf": Self.number(now + 60)],
      ["azp": .string(TestIssuer.clientID), "aud": [.string(TestIssuer.clientID), "other"]],
      ["aud": [.string(TestIssuer.clientID)]],
    ]
    for claims in fine {
      world.issuer.script.withLock { $0.claims = claims }
      #expect(try world.signIn().status == 200, "\(claims)")
    }
    world.issuer.script.withLock {
      $0.claims = [:]
      $0.signer = .nameless
    }
    #expect(try world.signIn().status == 200)
  }

  // MARK: - The browser

  @Test("A state is of one browser, comes back once, and not too late") func states() throws {
    let world = try OIDCFixture()
    _ = try world.server.invite("ann@example.com", ["sender"])
    func code(_ start: (url: String, cookie: String)) throws -> String { try world.issuer.code(for: start.url) }
    let (first, second) = (try world.begin(), try world.begin())
    let notBegun = "not begun in this browser"
    for (answer, words) in [
      (try world.finish(first, code: code(first), cookie: .some(second.cookie)), notBegun),
      (try world.finish(first, code: code(first), cookie: .some(nil)), notBegun),
      (try world.finish(first, code: code(first), cookie: "postrider_oidc=x.1"), notBegun),
      (try world.finish(first, code: code(first), with: ["state": "x"]), notBegun),
      (try world.finish(first, code: code(first), cookie: .some(first.cookie + "0")), notBegun),
      (try world.finish(second, code: "made-up"), "does not take the code"),
      (try world.finish(second, code: code(second)), "was used already"),
    ] {
      #expect(answer.status == 401 && answer.detail.contains(words), "\(answer)")
      #expect(answer.headers["set-cookie"] == nil)
    }
    #expect(try world.finish(first, code: code(first)).status == 200)
    #expect(try world.finish(first, code: code(first)).detail.contains("was used already"))
    world.clock.move(seconds: 60)
    let late = try world.begin()
    world.clock.move(seconds: 601)
    #expect(try world.finish(late, code: code(late)).detail.contains("longer than 10 minutes"))
  }

  @Test("A code of another sign-in is of no use") func injectedCode() throws {
    let world = try OIDCFixture()
    _ = try world.server.invite("ann@example.com", ["sender"])
    let (victim, attacker) = (try world.begin(), try world.begin())
    let stolen = try world.issuer.code(for: victim.url)
    // PKCE: the verifier is another one.
    #expect(try world.finish(attacker, code: stolen).detail.contains("does not take the code"))
  }

  @Test("What the provider says instead of a code is told as a sentence, and repeats no text of it") func errors()
    throws
  {
    let world = try OIDCFixture()
    for (error, words) in [("access_denied", "did not sign you in (access_denied)"), ("<b>x", "did not sign you in;")] {
      let start = try world.begin()
      let answer = try world.finish(start, code: "x", with: ["code": .null, "error": .string(error)])
      #expect(answer.status == 401 && (answer.detail + ";").contains(words), "\(answer)")
    }
    let start = try world.begin()
    #expect(try world.finish(start, code: "x", with: ["code": .null]).detail.contains("without a code"))
  }

  @Test("An answer of another provider is refused (RFC 9207)") func mixUp() throws {
    let world = try OIDCFixture()
    _ = try world.server.invite("ann@example.com", ["sender"])
    var start = try world.begin()
    let other = try world.finish(start, code: world.issuer.code(for: start.url), with: ["iss": "https://example.com"])
    #expect(other.status == 401 && other.detail.contains("not of the provider"), "\(other)")
    start = try world.begin()
    let own = JSONValue.string(world.issuer.issuer)
    #expect(try world.finish(start, code: world.issuer.code(for: start.url), with: ["iss": own]).status == 200)
    let strict = try OIDCFixture()
    strict.issuer.script.withLock { $0.document = ["authorization_response_iss_parameter_supported": true] }
    start = try strict.begin()
    #expect(try strict.finish(start, code: strict.issuer.code(for: start.url)).detail.contains("not of the provider"))
  }

  @Test("Another site's page begins and finishes nothing") func otherSites() throws {
    let world = try OIDCFixture()
    for path in ["/session/oidc", "/session/oidc/finish"] {
      let answer = try world.server.open(
        "POST", path, ["state": "x", "code": "y"], headers: ["Sec-Fetch-Site: cross-site"])
      #expect(answer.status == 403, "\(path) \(answer)")
    }
    #expect(try world.server.open("POST", "/session/oidc/finish", ["code": "y"]).status == 422)
  }

  @Test("States that were used are remembered in bounded number") func boundsStates() async throws {
    let fixture = try ServerFixture()
    let service = fixture.server.service
    let starts = OIDCStarts(store: service.store, vault: service.vault, usedMax: 20)
    // Any node takes back what another one has begun.
    let others = OIDCStarts(store: service.store, vault: service.vault, usedMax: 20)
    let instant = Timestamp(milliseconds: WallClock { 1_795_176_000_000 }.nowMs())
    for index in 0..<20 {
      let start = starts.begin(now: instant)
      _ = try await others.finish(cookie: start.cookie, state: start.state, now: instant)
      guard index == 0 else { continue }
      let again = await #expect(throws: OIDCFault.self) {
        try await starts.finish(cookie: start.cookie, state: start.state, now: instant)
      }
      #expect(again?.kind == .refused)
    }
    let start = starts.begin(now: instant)
    let refused = await #expect(throws: OIDCFault.self) {
      try await starts.finish(cookie: start.cookie, state: start.state, now: instant)
    }
    #expect(refused?.kind == .busy)
    let later = instant.adding(seconds: OIDCStarts.lifetimeSeconds + OIDCToken.skewSeconds + 1)
    let next = starts.begin(now: later)
    #expect(try await starts.finish(cookie: next.cookie, state: next.state, now: later) == next)
  }

  @Test(
    "Settings that cannot be are refused",
    arguments: [
      "http://login.example.com", "https://", "login.example.com", "https://a@b.example", "https://b.example/?x",
      "https://b.example/#x", "ftp://b.example", "https://b.example:0", "https://b .example",
    ])
  func settings(_ issuer: String) {
    #expect(throws: OIDCSettingError.self) { try OIDCSetting(issuer: issuer, clientID: "a", secret: nil) }
  }
}
