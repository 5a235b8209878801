import HTTPServer
import PushStore
import Signing
import StoreModel
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// How keys for identity tokens are made, and what is refused as one.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct IdentityKeyTests {
  let world: IdentityFixture
  let path = IdentityFixture.path + "/keys"

  init() throws { world = try IdentityFixture() }

  /// A public key as JSON Web Key; the last 64 bytes of its DER are the coordinates.
  static func jwk(_ key: ECPublicKey) throws -> JSONObject {
    let text = try key.pem().split(separator: "\n").filter { !$0.contains("---") }.joined()
    let point = try #require(Base64.decode(text)).suffix(64)
    return [
      "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point.prefix(32)))),
      "y": .string(Base64URL.encode(Array(point.suffix(32)))), "use": "sig", "kid": "theirs",
    ]
  }

  @Test("A JSON Web Key verifies like its PEM") func webKeys() throws {
    let own = try ECPrivateKey.generate()
    let made = try world.fixture.post(path, ["algorithm": "ES256", "jwk": .object(try Self.jwk(own.publicKey))])
    #expect(made.status == 201, "\(made.text)")
    #expect(made.json["public_key"]?.string == (try own.publicKey.pem()))
    try world.set("required")
    let token = TokenMaker(.es256(own), kid: try #require(made.json["id"]?.string), now: IdentityFixture.now)
    #expect(try world.register(1, user: "ann", token: token.text()).status == 201)
  }

  @Test("What is no public key of P-256 is refused, and says how to mend it") func refusedKeys() throws {
    let own = try ECPrivateKey.generate()
    let whole = try Self.jwk(own.publicKey)
    func jwk(_ change: (inout JSONObject) -> Void) -> JSONValue {
      var copy = whole
      change(&copy)
      return ["algorithm": "ES256", "jwk": .object(copy)]
    }
    func pem(_ text: String) -> JSONValue { ["algorithm": "ES256", "public_key": .string(text)] }
    let infinity = "-----BEGIN PUBLIC KEY-----\nMBkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDAgAA\n-----END PUBLIC KEY-----\n"
    let rows: [(JSONValue, String)] = [
      (pem("words"), "no -----BEGIN line"), (pem(try own.pem()), "the file holds a private key"),
      (pem(try RSAPrivateKey.generate().publicKey.pem()), "ES256 needs EC P-256"), (pem(infinity), "no point of P-256"),
      (jwk { $0["d"] = "AAAA" }, "private key (d)"), (jwk { $0["crv"] = "P-384" }, "expected kty EC, crv P-256"),
      (jwk { $0["kty"] = "OKP" }, "expected kty EC"), (jwk { $0["x"] = nil }, "expected kty EC"),
      (jwk { $0["x"] = "AA==" }, "expected kty EC"), (jwk { $0["x"] = "AAAA" }, "has 32 bytes"),
      // Not on the curve.
      (jwk { $0["y"] = $0["x"] }, "no point on the curve P-256"),
      (["algorithm": "HS256", "public_key": .string(try own.publicKey.pem())], "goes with ES256 only"),
      (
        ["algorithm": "ES256", "public_key": .string(try own.publicKey.pem()), "jwk": .object(whole)],
        "either public_key or jwk"
      ),
      (["algorithm": "none"], "algorithm"), (["algorithm": "RS256"], "algorithm"), ([:], "algorithm"),
    ]
    for (body, words) in rows {
      let answer = try world.fixture.post(path, body)
      #expect(answer.status == 422 && answer.detail.contains(words), "\(words): \(answer.text)")
    }
    #expect(try world.fixture.send("GET", IdentityFixture.path).json["keys"]?.array?.count == 2)
  }

  @Test("Tokens are read only when a key can verify them, and an app has few keys") func modes() throws {
    let fixture = world.fixture
    #expect(try fixture.post("/v1/apps", ["name": "other", "contract": "amba"]).status == 201)
    let other = "/v1/apps/other/identity"
    #expect(try fixture.send("GET", other).text == #"{"mode":"off","keys":[]}"#)
    for mode in ["optional", "required"] {
      let answer = try fixture.send("PUT", other, #"{"mode":"\#(mode)"}"#)
      #expect(answer.status == 409 && answer.detail.contains("make a key first"), "\(answer.text)")
    }
    #expect(try fixture.send("PUT", other, #"{"mode":"sometimes"}"#).status == 422)
    #expect(try fixture.send("PUT", other, #"{"mode":"off"}"#).status == 200)
    // A key of one app says nothing in another.
    let key = try fixture.post(other + "/keys", ["algorithm": "HS256"]).json
    try world.set("required")
    let foreign = TokenMaker(
      .hs256(try #require(key["secret"]?.string)), kid: try #require(key["id"]?.string), now: IdentityFixture.now)
    #expect(try world.register(1, user: "ann", token: foreign.text()).status == 401)
    #expect(try fixture.send("DELETE", "\(path)/\(key["id"]?.string ?? "")").status == 404)
    for _ in 0..<3 { #expect(try fixture.post(path, ["algorithm": "ES256"]).status == 201) }
    let beyond = try fixture.post(path, ["algorithm": "ES256"])
    #expect(beyond.status == 409 && beyond.detail.contains("has 5 identity keys"), "\(beyond.text)")
    // Tokens are not looked at where they are off.
    try world.set("off")
    #expect(try world.register(1, user: "ann", token: "nonsense").status == 201)
  }
}

/// Whom the setting concerns.
extension IdentityKeyTests {
  @Test("Every operation of an app's key reads the token") func everyOperation() {
    let names = RouteTable.routes.filter { route in
      if case .scopes(let scopes) = route.access { scopes.contains(.client) } else { false }
    }
    // What is public is shown to every user alike.
    let isPublic = names.filter { $0.name == "getWebPush" }
    #expect(isPublic.count == 1 && isPublic.allSatisfy { $0.method == .get })
    #expect(
      names.map(\.name).sorted() == [
        "deleteInboxMessage", "getInboxMessage", "getWebPush", "listInbox", "readInbox", "registerDevice",
        "reportActivityToken", "reportEvents", "updateInboxMessage",
      ])
    #expect(names.filter { $0.name != "getWebPush" }.allSatisfy { $0.traits.readsIdentity })
  }

  @Test("A key that may only look besides is an app's; one that may send is a backend's")
  func scopes() throws {
    try world.set("required")
    let (looking, sending) = (try world.fixture.key(["client", "read"]), try world.fixture.key(["client", "send"]))
    #expect(try world.register(1, user: "ann", key: looking).status == 401)
    #expect(try world.register(1, user: "ann", token: world.token().text(), key: looking).status == 201)
    #expect(try world.register(1, user: "bob", key: sending).status == 200)
    #expect(try world.register(1, user: "ann", key: world.fixture.admin).status == 200)
  }
}

/// The parser of tokens, for any bytes at all.
@Suite(.timeLimit(.minutes(2))) struct IdentityTokenTests {
  @Test("No bytes end the process, and a token with one byte changed is not signed") func anyBytes() throws {
    var random = SeededRandom.fromEnvironment()
    let key = try ECPrivateKey.generate()
    let maker = TokenMaker(.es256(key), kid: "k", now: IdentityFixture.now)
    let secret = TokenMaker(.hs256("secret"), kid: "k", now: IdentityFixture.now)
    for (text, verifier) in [
      (try maker.text(), IdentityVerifier.es256(key.publicKey)), (try secret.text(), .hs256(Array("secret".utf8))),
    ] {
      let good = Array(text.utf8)
      #expect(try IdentityToken(good[...]).isSigned(by: verifier))
      for _ in 0..<3_000 {
        var bytes = good
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = UInt8.random(in: 0...255, using: &random)
        guard bytes != good, let token = try? IdentityToken(bytes[...]) else { continue }
        #expect(!token.isSigned(by: verifier), "seed \(random.seed): \(String(decoding: bytes, as: UTF8.self))")
        _ = try? token.subject(app: "demo", now: .init(seconds: IdentityFixture.now))
      }
    }
    for _ in 0..<3_000 {
      let count = Int.random(in: 0..<300, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(throws: IdentityFault.self, "seed \(random.seed)") { try IdentityToken(bytes[...]) }
    }
  }

  @Test("Claims of any numbers and texts are judged without a trap") func anyClaims() throws {
    let values = [
      "0", "-0", "-1", "1e3", "1e999", "-1e999", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
      "1.5", "null", "true", "\"\"", "\"\\u0000\"", "[]", "{}", "[[]]", "[1]", "[\"demo\"]", "\"demo\"", "1795176600",
    ]
    for sub in values {
      for aud in values {
        for exp in values {
          let claims = #"{"sub":\#(sub),"aud":\#(aud),"exp":\#(exp),"iat":\#(exp),"nbf":\#(sub)}"#
          let text = try TokenMaker(.hs256("s"), kid: "k", now: 0).text(
            header: #"{"alg":"HS256","kid":"k"}"#, claims: claims)
          let token = try IdentityToken(Array(text.utf8)[...])
          // No text is a time, so that nbf refuses what sub allows.
          #expect(throws: IdentityFault.self, "\(claims)") {
            try token.subject(app: "demo", now: .init(seconds: IdentityFixture.now))
          }
        }
      }
    }
  }
}
