import Basics
import HTTPServer
import Signing
import Synchronization
import Testing
import WireJSON

@testable import PostriderServer

/// An identity provider on loopback with keys of its own, which checks what a provider has to check, and lies where a test
/// wants it to.
final class TestIssuer: HTTPHandler {
  /// Whose signature a token has.
  enum Signer: Sendable { case rs256, es256, otherRSA, nobody, secret, nameless }

  /// How it answers.
  struct Script: Sendable {
    /// Members of the document that are other ones; null for one that is left out.
    var document: JSONObject = [:]
    /// Claims of the ID token that are other ones; null for one that is left out.
    var claims: JSONObject = [:]
    /// Members of the token's header that are other ones.
    var header: JSONObject = [:]
    var signer = Signer.rs256
    /// The list of keys; nil for the true one.
    var keys: JSONValue?
    /// The names of the keys.
    var keyNames = ["rs-1", "es-1"]
    var userInfo: JSONObject = [:]
    /// What it answers at a path instead.
    var answers: [String: HTTPResponse] = [:]
    /// Members of the answer to a code that are other ones.
    var answer: JSONObject = [:]
  }

  private struct Grant: Sendable {
    let nonce: String
    let challenge: String
    let back: String
  }

  static let clientID = "postrider test+1"
  static let secret = "s3cret & more/%"
  static let rsa = Result { try RSAPrivateKey.generate() }
  static let otherRSA = Result { try RSAPrivateKey.generate() }
  static let ec = Result { try ECPrivateKey.generate() }

  let script = Mutex(Script())
  private let grants = Mutex<[String: Grant]>([:])
  /// Each request, as method, path, body.
  let requests = Mutex<[String]>([])
  private let origin = Mutex("")
  private let clock: WallClock

  init(clock: WallClock) { self.clock = clock }

  var issuer: String { origin.withLock { $0 } }

  func serve(at origin: String) { self.origin.withLock { $0 = origin } }

  func count(_ path: String) -> Int { requests.withLock { $0.count { $0.contains(path) } } }

  /// What the provider would do in the browser: takes whoever comes, and gives a code.
  func code(for url: String) throws -> String {
    let query = try TestIssuer.query(url)
    let code = Base64URL.encode(SecureRandom.bytes(16))
    #expect(query["code_challenge_method"] == "S256" && query["response_type"] == "code")
    #expect(query["client_id"] == TestIssuer.clientID && query["scope"] == "openid email")
    let grant = Grant(
      nonce: try #require(query["nonce"]), challenge: try #require(query["code_challenge"]),
      back: try #require(query["redirect_uri"]))
    grants.withLock { $0[code] = grant }
    return code
  }

  static func query(_ url: String) throws -> [String: String] {
    let text = try #require(url.split(separator: "?").dropFirst().last)
    return Dictionary(form(text)) { first, _ in first }
  }

  private static func form(_ text: some StringProtocol) -> [(String, String)] {
    text.split(separator: "&").compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let value = PercentEncoding.decode(sides[1]) else { return nil }
      return (String(sides[0]), String(decoding: value, as: UTF8.self))
    }
  }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let body = String(decoding: request.body, as: UTF8.self)
    requests.withLock { $0.append("\(request.method.rawValue) \(request.path) \(body)") }
    let script = script.withLock { $0 }
    let answer =
      switch request.path {
      case let path where script.answers[path] != nil: script.answers[path] ?? HTTPResponse(status: 500)
      case "/.well-known/openid-configuration": json(document(script))
      case "/keys": json(script.keys ?? keys(script))
      case "/userinfo": userInfo(request, script)
      case "/token": token(request, body, script)
      default: HTTPResponse(status: 404)
      }
    responder.respond(answer)
  }

  private func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    .json(JSON.minified(value), status: status)
  }

  private func document(_ script: Script) -> JSONValue {
    merged(
      [
        "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize?tenant=1"),
        "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
        "userinfo_endpoint": .string(issuer + "/userinfo"), "response_types_supported": ["code"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
        "code_challenge_methods_supported": ["plain", "S256"],
      ], script.document)
  }

  private func merged(_ object: JSONObject, _ changes: JSONObject) -> JSONValue {
    var object = object
    for (name, value) in changes { object[name] = value == .null ? Optional<JSONValue>.none : value }
    return JSONValue.object(object)
  }

  private func keys(_ script: Script) -> JSONValue {
    guard let rsa = try? TestIssuer.numbers(TestIssuer.rsa.get().publicKey.pem()),
      let ec = try? TestIssuer.numbers(TestIssuer.ec.get().publicKey.pem())
    else { return .null }
    // SubjectPublicKeyInfo of 2048 bits has the modulus at this place, that of P-256 ends with the point.
    return [
      "keys": [
        ["kty": "oct", "kid": "hs-1", "k": "AAAA"],
        [
          "kty": "RSA", "kid": .string(script.keyNames[0]), "use": "sig", "alg": "RS256",
          "n": .string(Base64URL.encode(Array(rsa[33..<289]))), "e": .string(Base64URL.encode(Array(rsa.suffix(3)))),
        ],
        [
          "kty": "EC", "crv": "P-256", "kid": .string(script.keyNames[1]), "use": "sig",
          "x": .string(Base64URL.encode(Array(ec.suffix(64).prefix(32)))),
          "y": .string(Base64URL.encode(Array(ec.suffix(32)))),
        ],
      ]
    ]
  }

  private static func numbers(_ pem: String) throws -> [UInt8] {
    let text = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    return try #require(Base64.decode(text))
  }

  private func userInfo(_ request: HTTPRequest, _ script: Script) -> HTTPResponse {
    guard request.headers.first("Authorization") == "Bearer access-1" else { return HTTPResponse(status: 401) }
    return json(merged(["sub": "sub-ann"], script.userInfo))
  }

  private func token(_ request: HTTPRequest, _ body: String, _ script: Script) -> HTTPResponse {
    let form = Dictionary(TestIssuer.form(body)) { first, _ in first }
    let pair = "\(PercentEncoding.encode(TestIssuer.clientID)):\(PercentEncoding.encode(TestIssuer.secret))"
    guard request.headers.first("Authorization") == "Basic \(Base64.encode(Array(pair.utf8)))" else {
      return json(["error": "invalid_client"], status: 401)
    }
    let grant = grants.withLock { $0.removeValue(forKey: form["code"] ?? "") }
    guard let grant, form["grant_type"] == "authorization_code", form["redirect_uri"] == grant.back,
      Base64URL.encode(SHA256.digest(form["code_verifier"] ?? "")) == grant.challenge
    else { return json(["error": "invalid_grant", "error_description": "<b>no</b>"], status: 400) }
    let now = clock.nowMs() / 1_000
    let claims = merged(
      [
        "iss": .string(issuer), "aud": .string(TestIssuer.clientID), "sub": "sub-ann", "nonce": .string(grant.nonce),
        "exp": .number(JSONNumber(Int(now) + 300)), "iat": .number(JSONNumber(Int(now))),
        "email": "Ann@Example.com", "email_verified": true,
      ], script.claims)
    guard let text = try? signed(claims, script) else { return HTTPResponse(status: 500) }
    return json(merged(["access_token": "access-1", "token_type": "Bearer", "id_token": .string(text)], script.answer))
  }

  private func signed(_ claims: JSONValue, _ script: Script) throws -> String {
    func header(_ algorithm: String, _ name: String?) -> [UInt8] {
      var header: JSONObject = ["alg": .string(algorithm)]
      if let name { header["kid"] = .string(name) }
      return JSON.minified(merged(header, script.header))
    }
    let bytes = JSON.minified(claims)
    switch script.signer {
    case .rs256:
      return try JWS.compact(header: header("RS256", script.keyNames[0]), claims: bytes, key: TestIssuer.rsa.get())
    case .es256:
      return try JWS.compact(header: header("ES256", script.keyNames[1]), claims: bytes, key: TestIssuer.ec.get())
    case .otherRSA:
      return try JWS.compact(header: header("RS256", script.keyNames[0]), claims: bytes, key: TestIssuer.otherRSA.get())
    case .nameless: return try JWS.compact(header: header("RS256", nil), claims: bytes, key: TestIssuer.rsa.get())
    case .secret:
      // The classic: the public key's text, which everybody has, taken for a secret.
      let secret = Array(try TestIssuer.rsa.get().publicKey.pem().utf8)
      return JWS.compact(header: header("HS256", script.keyNames[0]), claims: bytes, secret: secret)
    case .nobody: return "\(Base64URL.encode(header("none", nil))).\(Base64URL.encode(bytes))."
    }
  }
}

/// A server whose people sign in with a ``TestIssuer``.
final class OIDCFixture: Sendable {
  let clock = SteppedClock()
  let issuer: TestIssuer
  let http: HTTPServer
  let server: ServerFixture

  init(name: String? = "Example", change: (inout PostriderServerConfiguration) -> Void = { _ in }) throws {
    issuer = TestIssuer(clock: clock.clock)
    http = try HTTPServer(HTTPServerConfiguration(), handler: issuer)
    issuer.serve(at: "http://127.0.0.1:\(http.port)")
    let setting = try OIDCSetting(
      issuer: issuer.issuer, clientID: TestIssuer.clientID, secret: TestIssuer.secret, name: name)
    server = try ServerFixture(clock: clock.clock) {
      $0.oidc = setting
      change(&$0)
    }
  }

  deinit {
    server.server.stop()
    http.stop(drainingFor: .zero)
  }

  func begin(headers: [String] = []) throws -> SignInOnItsWay { try server.beginOIDC(headers: headers) }

  func finish(
    _ start: SignInOnItsWay, code: String, cookie: String?? = .none, with more: JSONObject = [:]
  ) throws -> ServerFixture.Answer {
    try server.finishOIDC(start, code: code, cookie: cookie, with: more)
  }

  /// The whole way.
  func signIn() throws -> ServerFixture.Answer {
    let start = try begin()
    return try finish(start, code: issuer.code(for: start.url))
  }
}

/// A sign-in on its way: where the browser goes, and the cookie that it has.
typealias SignInOnItsWay = (url: String, cookie: String)

extension ServerFixture {
  func beginOIDC(headers: [String] = []) throws -> SignInOnItsWay {
    let answer = try open("POST", "/session/oidc", nil, headers: headers)
    #expect(answer.status == 200, "\(answer)")
    let cookie = try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    return (try #require(answer.json["url"]?.string), cookie)
  }

  func finishOIDC(
    _ start: SignInOnItsWay, code: String, cookie: String?? = .none, with more: JSONObject = [:]
  ) throws -> Answer {
    var body: JSONObject = [
      "state": .string(try #require(try TestIssuer.query(start.url)["state"])), "code": .string(code),
    ]
    for (name, value) in more { body[name] = value == .null ? Optional<JSONValue>.none : value }
    let given: String? =
      switch cookie {
      case .none: start.cookie
      case .some(let other): other
      }
    return try open(
      "POST", "/session/oidc/finish", .object(body), headers: given.map { ["Cookie: \($0)"] } ?? [])
  }
}
