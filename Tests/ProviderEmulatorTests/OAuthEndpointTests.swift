import ProviderEmulator
import Signing
import Testing
import WireJSON

/// One endpoint with one registered account, and an assertion that it accepts.
struct OAuthFixture {
  static let nowMs: Int64 = 1_770_000_000_000
  static let now = 1_770_000_000
  static let key = Result { try RSAPrivateKey.generate() }

  let key: RSAPrivateKey
  var endpoint = OAuthEndpoint(seed: 1)
  var faults = FaultEngine(seed: 1, nowMs: nowMs)
  var response = GatewayResponse()
  var method = "POST"
  var grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  var header: JSONObject = ["alg": "RS256", "typ": "JWT", "kid": "key-1"]
  var claims: JSONObject = [
    "iss": "sender@demo.iam.gserviceaccount.com", "scope": "https://www.googleapis.com/auth/firebase.messaging",
    "aud": "https://oauth2.googleapis.com/token", "iat": .number(JSONNumber(now)),
    "exp": .number(JSONNumber(now + 3600)),
  ]
  var signer: RSAPrivateKey?
  var body: String?

  static func account(project: String) throws -> (key: RSAPrivateKey, public: ServiceAccount) {
    let key = try key.get()
    return (
      key,
      ServiceAccount(
        clientEmail: "sender@\(project).iam.gserviceaccount.com", projectID: project, keyID: "key-1",
        publicKey: key.publicKey)
    )
  }

  init() throws {
    let account = try Self.account(project: "demo")
    key = account.key
    endpoint.accounts = [account.public]
  }

  mutating func send() throws -> JSONValue {
    let assertion = try JWS.compact(
      header: JSON.minified(.object(header)), claims: JSON.minified(.object(claims)), key: signer ?? key)
    let form = "grant_type=\(grantType.split(separator: ":").joined(separator: "%3A"))&assertion=\(assertion)"
    let request = GatewayRequest(
      method: method, path: "/token", headers: [("content-type", "application/x-www-form-urlencoded")],
      body: Array((body ?? form).utf8))
    _ = endpoint.handle(request, faults: &faults, nowMs: Self.nowMs, response: &response)
    return try JSON.parse(response.body)
  }
}

@Suite("Token endpoint")
struct OAuthEndpointTests {
  @Test("a good assertion earns a bearer token that FCM accepts until it expires")
  func valid() throws {
    var fixture = try OAuthFixture()
    let answer = try fixture.send()
    #expect(fixture.response.status == 200)
    #expect(answer["expires_in"]?.int == 3599)
    #expect(answer["token_type"]?.string == "Bearer")
    var fcm = FCMFixture()
    fcm.oauth = fixture.endpoint
    fcm.headers = [("authorization", "Bearer \(try #require(answer["access_token"]?.string))")]
    #expect(try fcm.summary() == "200 - - ")
    fcm.nowMs += 3_599_000
    #expect(try fcm.summary() == "401 UNAUTHENTICATED - ")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var error: String
    var change: @Sendable (inout OAuthFixture) throws -> Void

    init(_ name: String, _ error: String, _ change: @escaping @Sendable (inout OAuthFixture) throws -> Void) {
      testDescription = name
      self.error = error
      self.change = change
    }
  }

  static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  static let rows: [Row] = [
    Row("GET", "invalid_request") { $0.method = "GET" },
    Row("a broken escape", "invalid_request") { $0.body = "grant_type=%4" },
    Row("another grant", "unsupported_grant_type") { $0.grantType = "password" },
    Row("no assertion", "invalid_request") {
      $0.body = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer"
    },
    Row("an assertion that is no JWT", "invalid_request") {
      $0.body = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=abc"
    },
    Row("another algorithm", "invalid_grant") { $0.header["alg"] = "HS256" },
    Row("another key id", "invalid_grant") { $0.header["kid"] = "key-2" },
    Row("an unknown issuer", "invalid_grant") { $0.claims["iss"] = "stranger@x" },
    Row("another signer", "invalid_grant") { $0.signer = try RSAPrivateKey.generate() },
    Row("no times", "invalid_grant") { $0.claims["iat"] = nil },
    Row("expired", "invalid_grant") {
      $0.claims["iat"] = number(OAuthFixture.now - 7200)
      $0.claims["exp"] = number(OAuthFixture.now - 3600)
    },
    Row("from the future", "invalid_grant") {
      $0.claims["iat"] = number(OAuthFixture.now + 301)
      $0.claims["exp"] = number(OAuthFixture.now + 3600)
    },
    Row("longer than an hour", "invalid_grant") { $0.claims["exp"] = number(OAuthFixture.now + 3601) },
    Row("no scope for sending", "invalid_scope") { $0.claims["scope"] = "https://www.googleapis.com/auth/drive" },
  ]

  @Test("one thing wrong", arguments: rows)
  func broken(row: Row) throws {
    var fixture = try OAuthFixture()
    try row.change(&fixture)
    #expect(try fixture.send()["error"]?.string == row.error)
    #expect(fixture.response.status == (row.testDescription == "GET" ? 405 : 400))
  }

  static let acceptedRows: [Row] = [
    Row("no key id", "") { $0.header["kid"] = nil },
    Row("any audience", "") { $0.claims["aud"] = "http://127.0.0.1:1/token" },
    Row("the wider scopes of the Admin SDKs", "") {
      $0.claims["scope"] =
        "https://www.googleapis.com/auth/devstorage.read_write https://www.googleapis.com/auth/cloud-platform"
    },
    Row("a clock five minutes ahead", "") {
      $0.claims["iat"] = number(OAuthFixture.now + 300)
      $0.claims["exp"] = number(OAuthFixture.now + 3600)
    },
  ]

  @Test("still right", arguments: acceptedRows)
  func accepted(row: Row) throws {
    var fixture = try OAuthFixture()
    try row.change(&fixture)
    #expect(try fixture.send()["access_token"]?.string?.isEmpty == false)
  }

  @Test("errors can be scripted")
  func scripted() throws {
    var fixture = try OAuthFixture()
    var rule = FaultRule(name: "down", effect: .refuse(Refusal("temporarily_unavailable", status: 503)))
    rule.times = 1
    fixture.faults.rules = [rule]
    #expect(try fixture.send()["error"]?.string == "temporarily_unavailable")
    #expect(fixture.response.status == 503)
    #expect(try fixture.send()["access_token"] != nil)
  }
}
