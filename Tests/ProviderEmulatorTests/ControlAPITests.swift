import ProviderEmulator
import Signing
import Testing
import WireJSON

@Suite("Control API", .timeLimit(.minutes(1)))
struct ControlAPITests {
  @Test("devices are made, changed, looked at and removed")
  func devices() throws {
    let plain = try EmulatorFixture().plain
    let made = try plain.json("POST", "/control/devices", ["provider": "apns", "topics": ["com.example.app"]])
    let token = try #require(made["token"]?.string)
    #expect(token.utf8.count == 64)
    let path = "/control/devices/apns/\(token)"
    #expect(try plain.json("GET", path) == made)
    let changed = try plain.json("PUT", path, ["provider": "apns", "unregistered_since_ms": 5])
    #expect(changed["registration"]?.string == "unregistered")
    #expect(changed["since_ms"]?.int == 5)
    #expect(try plain.json("GET", "/control/devices").array?.count == 1)
    #expect(try plain.send("DELETE", path).status == 204)
    #expect(try plain.send("GET", path).status == 404)
  }

  @Test("the same seed makes up the same tokens")
  func seededTokens() throws {
    let tokens = try (0..<2).map { _ in
      try EmulatorFixture().plain.json("POST", "/control/devices", ["provider": "fcm"])["token"]?.string
    }
    #expect(tokens[0] == tokens[1])
    #expect(tokens[0]?.utf8.count == 163)
  }

  @Test("FCM, token endpoint and scripts over HTTP/1.1")
  func plainFCM() throws {
    let fixture = try EmulatorFixture()
    let issued = try fixture.plain.json("POST", "/control/access-tokens", ["seconds": 60])
    let token = try #require(issued["access_token"]?.string)
    _ = try fixture.plain.json(
      "POST", "/control/devices", ["provider": "fcm", "token": "dev", "script": ["UNAVAILABLE"]])
    let path = "/v1/projects/\(fixture.emulator.credentials.projectID)/messages:send"
    let send = {
      try fixture.plain.send(
        "POST", path, headers: [("Authorization", "Bearer \(token)")], body: #"{"message":{"token":"dev"}}"#
      ).status
    }
    #expect(try [send(), send()] == [503, 200])
    _ = try fixture.plain.json("POST", "/control/clock", ["advance_ms": 60_000])
    #expect(try send() == 401)
  }

  @Test("keys and accounts can be registered")
  func registration() throws {
    let plain = try EmulatorFixture().plain
    let key = try ECPrivateKey.generate().publicKey.pem()
    #expect(
      try plain.send(
        "POST", "/control/keys",
        body: JSON.minifiedText(["key_id": "K", "team_id": "T", "public_key": .string(key)])
      ).status == 201)
    let wrong = try plain.json("POST", "/control/keys", ["key_id": "K", "team_id": "T", "public_key": "x"])
    #expect(wrong["detail"]?.string?.hasPrefix("public_key: no -----BEGIN line") == true)
  }

  @Test("credentials and trust are handed out")
  func credentials() throws {
    let fixture = try EmulatorFixture()
    let credentials = try fixture.plain.json("GET", "/control/credentials")
    #expect(credentials["apns"]?["private_key"]?.string == fixture.emulator.credentials.signingKeyPEM)
    #expect(credentials["service_account"]?["token_uri"]?.string == fixture.emulator.ports.tokenURI)
    #expect(try fixture.plain.send("GET", "/control/trust").text == fixture.emulator.authorityPEM)
  }

  @Test("rules come, count and go")
  func rules() throws {
    let fixture = try EmulatorFixture()
    #expect(
      try fixture.plain.json("POST", "/control/rules", ["name": "storm", "provider": "fcm", "effect": "INTERNAL"])
        == ["name": "storm"])
    let path = "/v1/projects/x/messages:send"
    #expect(try fixture.plain.send("POST", path, body: "{}").status == 500)
    #expect(try fixture.plain.json("GET", "/control/rules") == [["name": "storm", "struck": 1]])
    #expect(try fixture.plain.send("DELETE", "/control/rules/storm").status == 204)
    #expect(try fixture.plain.send("POST", path, body: "{}").status == 401)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String { scenario }
    var scenario: String
    var detail: String
  }

  static let wrongScenarios: [Row] = [
    Row(
      scenario: "{",
      detail: "the scenario is not JSON: expected a member name in double quotes or \"}\", found the end of the text "
        + "at line 1, column 2 (byte 1)"),
    Row(scenario: "[]", detail: "expected an object, found an array"),
    Row(
      scenario: #"{"sed":1}"#,
      detail: "sed: no such member; known are apns, connections, devices, fcm, hms, limits, "
        + "oauth, rules, seed, web"),
    Row(scenario: #"{"rules":[{"share":2}]}"#, detail: "rules[0].share: expected a share from 0 to 1, such as 0.05"),
    Row(
      scenario: #"{"rules":[{"effect":{"reset":"NOPE"}}]}"#,
      detail: "rules[0].effect.reset: expected an HTTP/2 error code, such as REFUSED_STREAM or 7"),
    Row(
      scenario: #"{"apns":{"environment":"staging"}}"#,
      detail: "apns.environment: \"staging\" is unknown; use one of development, production"),
    Row(
      scenario: #"{"apns":{"checks_first":["auth"]}}"#,
      detail: "apns.checks_first: \"auth\" is unknown; use some of path, method, duplicates, apns-id, topic_present, "
        + "collapse_id, expiration, push_type, priority, token, topic, device, authentication, body_empty, body_size, json"
    ),
    Row(
      scenario: #"{"apns":{"checks_first":["path","path"]}}"#,
      detail: "apns.checks_first: \"path\" is there twice"),
    Row(
      scenario: #"{"devices":[{"provider":"nokia"}]}"#, detail: "devices[0].provider: expected apns, fcm, web or hms"),
    Row(
      scenario: #"{"devices":[{"provider":"oauth"}]}"#, detail: "devices[0].provider: expected apns, fcm, web or hms"),
    Row(
      scenario: #"{"devices":[{"provider":"apns","token":"xyz"}]}"#,
      detail: "devices[0].token: expected hexadecimal bytes"),
    Row(
      scenario: #"{"fcm":{"latency":{"uniform":[5]}}}"#,
      detail: "fcm.latency.uniform: expected [least, most] in milliseconds"),
    Row(
      scenario: #"{"limits":{"pushes_per_device":-1}}"#,
      detail: "limits.pushes_per_device: expected a whole number from 0 to 100000"),
  ]

  @Test("a wrong scenario changes nothing and says what is wrong", arguments: wrongScenarios)
  func wrong(row: Row) throws {
    let plain = try EmulatorFixture(scenario: #"{"seed":77}"#).plain
    let response = try plain.send("PUT", "/control/scenario", body: row.scenario)
    #expect(response.status == 400)
    let detail = try JSON.parse(response.body)["detail"]?.string
    #expect(detail == row.detail)
    #expect(try plain.json("GET", "/control")["state"]?["seed"]?.int == 77)
  }

  @Test("what is not there is said so", arguments: ["/control/x", "/control/devices/oauth/x", "/control/trust/x"])
  func missing(path: String) throws {
    #expect(try EmulatorFixture().plain.send("GET", path).status == 404)
  }
}

@Suite("Chance")
struct ChanceTests {
  /// The statuses of 200 pushes to 20 devices under a scenario.
  static func statuses(_ scenario: String) throws -> [Int] {
    var fixture = try APNsFixture()
    let read = try Scenario(parsing: Array(scenario.utf8))
    fixture.faults = FaultEngine(seed: read.seed ?? 0, nowMs: APNsFixture.nowMs)
    fixture.faults.rules = read.rules
    return (0..<200).map { index in
      let token = String(repeating: "0", count: 62) + String(10 + index % 20)
      fixture.path = "/3/device/\(token)"
      fixture.nowMs += 1
      _ = fixture.act()
      return fixture.response.status
    }
  }

  @Test("one seed, one course of events; another seed, another")
  func seeds() throws {
    let rule = #""rules":[{"share":0.3,"effect":"InternalServerError"}]"#
    let first = try Self.statuses("{\"seed\":1,\(rule)}")
    #expect(try first == Self.statuses("{\"seed\":1,\(rule)}"))
    #expect(try first != Self.statuses("{\"seed\":2,\(rule)}"))
    #expect((30...90).contains(first.count { $0 == 500 }))
  }

  @Test("a share of tokens strikes the same tokens each time")
  func shareOfTokens() throws {
    let statuses = try Self.statuses(#"{"seed":3,"rules":[{"share_of_tokens":0.5,"effect":"Unregistered"}]}"#)
    for index in 20..<200 { #expect(statuses[index] == statuses[index % 20]) }
    #expect(Set(statuses) == [200, 410])
  }

  @Test(
    "rules count and keep time",
    arguments: [
      (#"{"after":2,"times":3}"#, 2..<5), (#"{"from_ms":11,"until_ms":21}"#, 10..<20),
      (#"{"token_prefix":"\#(String(repeating: "0", count: 62))10","times":1}"#, 0..<1),
    ])
  func windows(rule: String, struck: Range<Int>) throws {
    let scenario = #"{"rules":[{"effect":"Shutdown",\#(rule.dropFirst())]}"#
    let statuses = try Self.statuses(scenario)
    #expect(statuses.indices.filter { statuses[$0] == 503 } == Array(struck))
  }

  @Test(
    "latencies stay in their bounds",
    arguments: [
      (#"25"#, 25...25), (#"{"uniform":[5,9]}"#, 5...9), (#"{"normal":{"mean":50,"deviation":5}}"#, 10...90),
      (#"{"percentiles":{"50":10,"100":40}}"#, 0...40),
    ])
  func latencies(text: String, bounds: ClosedRange<Int>) throws {
    var fixture = try APNsFixture()
    fixture.faults.rules = try Scenario(parsing: Array(#"{"rules":[{"latency":\#(text)}]}"#.utf8)).rules
    for _ in 0..<500 { #expect(bounds.contains(fixture.act().delayMs)) }
  }
}
