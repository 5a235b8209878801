import Glibc
import HTTP2
import ProviderEmulator
import Signing
import TLS
import TestSupport
import Testing
import WireJSON

/// An emulator whose clock stands still, and a request that its APNs side accepts.
struct EmulatorFixture {
  static let now = 1_770_000_000
  static let token = APNsFixture.token
  static let body = Array(#"{"aps":{"alert":"hi"},"n":1.0}"#.utf8)
  static let credentials = Result { try EmulatorCredentials.generate() }

  let emulator: ProviderEmulator
  let plain: PlainClient

  init(
    _ scenario: Scenario = Scenario(), clientAuthorityPEM: String? = nil, reportServer: String? = nil
  ) throws {
    var configuration = EmulatorConfiguration()
    configuration.credentials = try Self.credentials.get()
    configuration.clock = { Int64(Self.now) * 1000 }
    configuration.scenario = scenario
    configuration.clientAuthorityPEM = clientAuthorityPEM
    configuration.reportServer = reportServer.flatMap { ReportServer($0) }
    emulator = try ProviderEmulator(configuration)
    plain = PlainClient(emulator: emulator)
  }

  init(scenario: String) throws { try self.init(Scenario(parsing: Array(scenario.utf8))) }

  func apnsHeaders() throws -> [(String, String)] {
    [
      ("authorization", try emulator.bearer(nowSeconds: Self.now)), ("apns-topic", "com.example.app"),
      ("apns-push-type", "alert"), ("apns-id", "11111111-2222-3333-4444-555555555555"),
    ]
  }

  func push(
    _ caller: Caller, token: String = EmulatorFixture.token, timeout: Duration = .seconds(10)
  ) async throws -> Answer {
    try await caller.send("/3/device/\(token)", headers: apnsHeaders(), body: Self.body, timeout: timeout)
  }
}

@Suite("Emulator over the wire", .timeLimit(.minutes(1)))
struct EmulatorEndToEndTests {
  @Test("a push goes in over HTTP/2 and stands, byte for byte, in the control API")
  func push() async throws {
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .apns)
    let answer = try await fixture.push(caller)
    #expect(answer.status == 200 && answer.body.isEmpty)
    #expect(answer.headers["apns-id"] == "11111111-2222-3333-4444-555555555555")
    #expect(answer.headers["apns-unique-id"]?.utf8.count == 36)
    let path = "/control/devices/apns/\(EmulatorFixture.token)"
    #expect(try fixture.plain.send("GET", "\(path)/pushes/last/payload").body == EmulatorFixture.body)
    let push = try fixture.plain.json("GET", "\(path)/pushes/1")
    #expect(push["time_ms"]?.int == EmulatorFixture.now * 1000)
    #expect(push["headers"]?["apns-topic"]?.string == "com.example.app")
    #expect(push["payload_base64"]?.string == Base64.encode(EmulatorFixture.body))
    #expect(try fixture.plain.json("GET", path)["accepted"]?.int == 1)
    #expect(fixture.emulator.counters.answers == [.apns: [200: 1]])
    caller.close()
  }

  @Test("the header host stands in for :authority")
  func host() async throws {
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .apns)
    let headers = try [("host", caller.authority)] + fixture.apnsHeaders()
    let answer = try await caller.send(
      "/3/device/\(EmulatorFixture.token)", headers: headers, body: EmulatorFixture.body, hasAuthority: false)
    #expect(answer.status == 200)
    caller.close()
  }

  @Test("a client without ALPN is served when the scenario says so, and not otherwise", arguments: [true, false])
  func withoutALPN(accepts: Bool) async throws {
    let fixture = try EmulatorFixture(scenario: #"{"apns":{"accepts_no_alpn":\#(accepts)}}"#)
    let folder = try TemporaryFolder()
    try Files.write(Array(fixture.emulator.authorityPEM.utf8), to: folder.path + "/ca.pem")
    // The preface of HTTP/2, empty SETTINGS, and a PING that is too short; a server of HTTP/2 answers with SETTINGS of
    // its own, and ends the connection for the PING.
    let preface =
      Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 1, 6, 0, 0, 0, 0, 0, 0]
    let client = try Subprocess(
      "openssl",
      [
        "s_client", "-quiet", "-connect", "127.0.0.1:\(fixture.emulator.ports.apns)", "-CAfile",
        folder.path + "/ca.pem", "-verify_return_error",
      ], input: preface)
    let result = try client.finish(seconds: 60)
    #expect(result.output.dropFirst(3).first == (accepts ? 4 : nil), "\(result.output) \(result.errorText)")
  }

  @Test("a rejection arrives as the gateway words it")
  func rejection() async throws {
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .apns)
    let answer = try await caller.send("/3/device/00", headers: [("apns-topic", "a.b")], body: [])
    #expect(answer.description == #"403 {"reason":"MissingProviderToken"}"#)
    #expect(answer.headers["content-type"] == "application/json")
    let get = try await caller.send(method: "GET", "/3/device/00", headers: [], body: [])
    #expect(get.description == #"405 {"reason":"MethodNotAllowed"}"#)
    caller.close()
  }

  @Test("one stream until the first accepted token, then a thousand")
  func streamLimit() async throws {
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .apns)
    let first = try await fixture.push(caller)
    let second = try await fixture.push(caller)
    #expect(first.status == 200 && second.status == 200)
    #expect(caller.events == ["streams 1", "streams 1000"])
    caller.close()
  }

  @Test("access token and message over one HTTP/2 connection")
  func fcm() async throws {
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .fcm)
    let credentials = fixture.emulator.credentials
    let assertion = try JWS.compact(
      header: JSON.minified(["alg": "RS256", "typ": "JWT", "kid": .string(credentials.privateKeyID)]),
      claims: JSON.minified([
        "iss": .string(credentials.clientEmail), "scope": "https://www.googleapis.com/auth/firebase.messaging",
        "aud": .string(fixture.emulator.ports.tokenURI), "iat": .number(JSONNumber(EmulatorFixture.now)),
        "exp": .number(JSONNumber(EmulatorFixture.now + 3600)),
      ]), key: RSAPrivateKey(pem: credentials.accountKeyPEM))
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    let grant = try await caller.send("/token", headers: [], body: Array(form.utf8))
    let token = try #require(try JSON.parse(grant.body)["access_token"]?.string)
    let body = Array(#"{"message":{"token":"android-1","data":{"screen":"home"}}}"#.utf8)
    let sent = try await caller.send(
      "/v1/projects/\(credentials.projectID)/messages:send", headers: [("authorization", "Bearer \(token)")], body: body
    )
    #expect(sent.status == 200)
    #expect(try fixture.plain.send("GET", "/control/devices/fcm/android-1/pushes/1/payload").body == body)
    #expect(try fixture.plain.send("POST", "/control/revoke-access-tokens").status == 204)
    let refused = try await caller.send(
      "/v1/projects/\(credentials.projectID)/messages:send", headers: [("authorization", "Bearer \(token)")], body: body
    )
    #expect(refused.status == 401)
    caller.close()
  }

  @Test("a client certificate stands in for the provider token")
  func certificate() async throws {
    let authority = try CertificateAuthority(commonName: "Provider Authority")
    let fixture = try EmulatorFixture(clientAuthorityPEM: authority.certificatePEM)
    let leaf = try authority.issue(
      CertificateRequest(commonName: "Apple Push Services: com.example.app", userID: "com.example.app"))
    let identity = TLSIdentity(
      certificatePEM: Array(leaf.certificatePEM.utf8), keyPEM: Array(leaf.privateKeyPEM.utf8))
    let caller = try Caller(fixture.emulator, .apns, identity: identity)
    for (topic, expected) in [("com.example.app", "200 "), ("com.other", #"400 {"reason":"TopicDisallowed"}"#)] {
      let answer = try await caller.send(
        "/3/device/\(EmulatorFixture.token)", headers: [("apns-topic", topic)], body: EmulatorFixture.body)
      #expect(answer.description == expected)
    }
    caller.close()
  }

  @Test("stopping twice is fine, and the ports are free again")
  func stop() throws {
    let fixture = try EmulatorFixture()
    fixture.emulator.stop()
    fixture.emulator.stop()
    var configuration = EmulatorConfiguration()
    configuration.ports[.apns] = fixture.emulator.ports.apns
    configuration.plainPort = fixture.emulator.ports.plain
    configuration.credentials = try EmulatorFixture.credentials.get()
    let second = try ProviderEmulator(configuration)
    #expect(second.ports.apns == fixture.emulator.ports.apns)
    #expect(throws: EmulatorError.self) { try ProviderEmulator(configuration) }
  }
}

@Suite("Faults over the wire", .timeLimit(.minutes(1)))
struct EmulatorFaultTests {
  struct StreamRow: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var effect: String
    var expected: String
  }

  static let streamRows: [StreamRow] = [
    StreamRow(
      testDescription: "silence", effect: #""silence""#,
      expected: "unknown whether processed: no response within the request's deadline"),
    StreamRow(
      testDescription: "half-open", effect: #""half_open""#,
      expected: "unknown whether processed: no response within the request's deadline"),
    StreamRow(
      testDescription: "refused stream", effect: #"{"reset":"REFUSED_STREAM"}"#,
      expected: "not processed: the server reset the stream with REFUSED_STREAM"),
    StreamRow(
      testDescription: "reset by number", effect: #"{"reset":2}"#,
      expected: "unknown whether processed: the server reset the stream with INTERNAL_ERROR"),
    StreamRow(
      testDescription: "a refusal by name", effect: #""ServiceUnavailable""#,
      expected: #"503 {"reason":"ServiceUnavailable"}"#),
    StreamRow(
      testDescription: "a raw answer", effect: #"{"answer":{"status":502,"content_type":"text/html","body":"<p>"}}"#,
      expected: "502 <p>"),
    StreamRow(
      testDescription: "a pause in reading", effect: #"{"stop_reading_ms":50}"#, expected: "200 "),
  ]

  @Test("what a request meets", arguments: streamRows)
  func streams(row: StreamRow) async throws {
    let fixture = try EmulatorFixture(scenario: #"{"rules":[{"times":1,"effect":\#(row.effect)}]}"#)
    let caller = try Caller(fixture.emulator, .apns)
    let answer = try await fixture.push(caller, timeout: .milliseconds(400))
    #expect(answer.description == row.expected)
    caller.close()
  }

  @Test("a GOAWAY that counts the request as processed answers it first")
  func gracefulGoAway() async throws {
    let fixture = try EmulatorFixture(
      scenario: #"{"rules":[{"effect":{"goaway":{"reason":"Shutdown"}}}]}"#)
    let caller = try Caller(fixture.emulator, .apns)
    #expect(try await fixture.push(caller).status == 200)
    guard case .goAway(let frame) = await caller.closeReason() else {
      Issue.record("the connection ended otherwise")
      return
    }
    #expect(String(decoding: frame.debugData, as: UTF8.self) == #"{"reason":"Shutdown"}"#)
  }

  @Test("a GOAWAY below the request leaves it unprocessed")
  func unprocessedGoAway() async throws {
    let fixture = try EmulatorFixture(
      scenario: #"{"rules":[{"effect":{"goaway":{"code":"ENHANCE_YOUR_CALM","processed":false}}}]}"#)
    let caller = try Caller(fixture.emulator, .apns)
    let answer = try await fixture.push(caller)
    #expect(answer.failure?.processing == .notProcessed)
    #expect(fixture.emulator.acceptedCount == 0)
    caller.close()
  }

  @Test("a connection that is cut leaves the request in doubt")
  func cut() async throws {
    let fixture = try EmulatorFixture(scenario: #"{"rules":[{"effect":"close"}]}"#)
    let caller = try Caller(fixture.emulator, .apns)
    #expect(try await fixture.push(caller).failure?.processing == .unknown)
  }

  @Test("answers are held back")
  func latency() async throws {
    let fixture = try EmulatorFixture(scenario: #"{"apns":{"latency":{"uniform":[60,80]}}}"#)
    let caller = try Caller(fixture.emulator, .apns)
    let start = ContinuousClock.now
    #expect(try await fixture.push(caller).status == 200)
    #expect(ContinuousClock.now - start >= .milliseconds(59))
    caller.close()
  }

  static let openingRows: [(String, String)] = [
    ("reset", "tls"), ("silence", "timeout"), ("silence_after_tls", "settings"), ("garbage", "tls"),
    ("expired_certificate", "tls"), ("wrong_name", "tls"), ("untrusted_certificate", "tls"), ("no_alpn", "alpn"),
  ]

  @Test("how a connection begins", arguments: openingRows)
  func openings(opening: String, expected: String) async throws {
    let fixture = try EmulatorFixture(scenario: #"{"connections":[{"times":1,"opening":"\#(opening)"}]}"#)
    let caller = try Caller(fixture.emulator, .apns)
    let kind =
      switch await caller.closeReason() {
      case .tlsFailed, .broken, .closedByPeer, .connectFailed: "tls"
      case .connectTimeout: "timeout"
      case .settingsTimeout: "settings"
      case .noALPN: "alpn"
      case let other: "\(other)"
      }
    #expect(kind == expected || opening == "no_alpn" && kind == "tls")
    let second = try Caller(fixture.emulator, .apns)
    #expect(try await fixture.push(second).status == 200)
    second.close()
  }

  @Test("connections end when they lie idle, and when they are old")
  func connectionLifetime() async throws {
    for (scenario, words) in [
      (#"{"apns":{"idle_timeout_ms":30}}"#, #"{"reason":"IdleTimeout"}"#), (#"{"apns":{"max_age_ms":60}}"#, "max_age"),
    ] {
      let fixture = try EmulatorFixture(scenario: scenario)
      let caller = try Caller(fixture.emulator, .apns)
      guard case .goAway(let frame) = await caller.closeReason() else {
        Issue.record("the connection ended otherwise")
        continue
      }
      #expect(String(decoding: frame.debugData, as: UTF8.self) == words)
    }
  }

  @Test("GOAWAY before SETTINGS")
  func goAwayFirst() async throws {
    let fixture = try EmulatorFixture(
      scenario: #"{"connections":[{"goaway":{"code":0,"reason":"Shutdown"}}]}"#)
    let caller = try Caller(fixture.emulator, .apns)
    let answer = try await fixture.push(caller)
    #expect(answer.failure?.processing == .notProcessed)
  }

  @Test("open connections can be struck from the control API")
  func now() async throws {
    let fixture = try EmulatorFixture()
    let caller = try Caller(fixture.emulator, .apns)
    #expect(try await fixture.push(caller).status == 200)
    let struck = try fixture.plain.json(
      "POST", "/control/connections/now", ["effect": ["goaway": ["reason": "IdleTimeout"]]])
    #expect(struck["connections"]?.int == 1)
    guard case .goAway = await caller.closeReason() else {
      Issue.record("the connection ended otherwise")
      return
    }
  }
}
