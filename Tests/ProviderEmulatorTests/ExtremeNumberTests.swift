import ProviderEmulator
import Signing
import Testing
import WireJSON

/// Numbers at the ends of their types, through every port of the emulator: each ends in an answer.
@Suite("Extreme numbers", .timeLimit(.minutes(1)))
struct ExtremeNumberTests {
  static let extremes: [Int] = [
    .min, .min + 1, -253_402_300_800_000, -1, 0, 1, 253_402_300_799_999, 9_223_372_036_854_775, .max / 1000, .max - 1,
    .max,
  ]

  private static func json(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

  @Test("the clock goes from 1970 to 9999, and not further however often it is moved", arguments: extremes)
  func clock(advance: Int) async throws {
    let fixture = try EmulatorFixture()
    let now = EmulatorFixture.now * 1000
    for _ in 0..<3 {
      let answer = try fixture.plain.json("POST", "/control/clock", ["advance_ms": Self.json(advance)])
      if let time = answer["time_ms"]?.int {
        #expect((0...253_402_300_799_999).contains(time))
      } else {
        #expect(answer["detail"] == "advance_ms: the clock goes from 1970 to 9999")
      }
    }
    let time = try #require(try fixture.plain.json("GET", "/control")["state"]?["time_ms"]?.int)
    #expect(abs(time - now) <= 3 * max(1, advance.magnitude > 1 << 60 ? 0 : abs(advance)) || time == now)
    // Every gateway works at that time.
    let caller = try Caller(fixture.emulator, .apns)
    let push = try await fixture.push(caller)
    #expect([200, 403].contains(push.status), "\(push)")
    #expect(try fixture.plain.send("POST", "/token", body: "grant_type=x").status == 400)
    #expect(try fixture.plain.send("POST", "/v1/projects/p/messages:send", body: "{}").status == 401)
  }

  @Test("the clock of the library, and a clock that says what no clock says", arguments: extremes)
  func libraryClock(advance: Int) throws {
    let emulator = try EmulatorFixture().emulator
    for _ in 0..<3 { _ = emulator.advanceClock(byMs: Int64(advance)) }
    var configuration = EmulatorConfiguration()
    configuration.credentials = try EmulatorFixture.credentials.get()
    configuration.clock = { Int64(advance) }
    configuration.scenario.rules = [FaultRule(name: "r")]
    let plain = PlainClient(emulator: try ProviderEmulator(configuration))
    #expect(try plain.send("POST", "/v1/projects/p/messages:send", body: "{}").status == 401)
    #expect(try plain.send("POST", "/token", body: "").status == 400)
    #expect(try plain.json("POST", "/control/clock", ["advance_ms": 1]).object != nil)
  }

  @Test("times of an assertion", arguments: extremes, extremes)
  func assertion(issued: Int, expires: Int) throws {
    var fixture = try OAuthFixture()
    fixture.claims["iat"] = Self.json(issued)
    fixture.claims["exp"] = Self.json(expires)
    #expect(try fixture.send()["error"] == "invalid_grant")
  }

  @Test("times of a provider token, as numbers and as text", arguments: extremes)
  func providerToken(issued: Int) throws {
    for text in ["\(issued)", "\"\(issued)\"", "\(issued)0", "1e\(abs(issued % 400))", "-0.5e3"] {
      var fixture = try APNsFixture()
      fixture.set("authorization", try Self.bearer(fixture.key, issuedAt: text))
      #expect(fixture.send().hasPrefix("403 "), "\(text)")
    }
  }

  private static func bearer(_ key: ECPrivateKey, issuedAt: String) throws -> String {
    try "bearer "
      + JWS.compact(
        header: Array(#"{"alg":"ES256","kid":"ABC123DEFG"}"#.utf8),
        claims: Array(#"{"iss":"TEAM123456","iat":\#(issuedAt)}"#.utf8), key: key)
  }

  @Test("gateways at any time, with a token from before", arguments: extremes, extremes)
  func gateways(first: Int, second: Int) throws {
    var fixture = try APNsFixture()
    fixture.gateway.settings.pushesPerDeviceMinute = 1
    var rule = FaultRule(name: "late", latency: .uniform(.min, .max))
    rule.fromMs = Int64(first)
    rule.untilMs = Int64(second)
    rule.after = first
    rule.every = second
    fixture.faults.rules = [rule, rule]
    for now in [Int(APNsFixture.nowMs), first, second, Int(APNsFixture.nowMs)] {
      fixture.nowMs = Int64(now)
      #expect([200, 403, 429].contains(Int(fixture.send().prefix(3)) ?? 0))
    }
    var oauth = OAuthEndpoint(seed: 1)
    _ = oauth.issue(projectID: "p", lifetimeSeconds: first, nowMs: Int64(second))
  }

  @Test(
    "apns-expiration, to a phone that is away",
    arguments: [
      "0", "1", "-1", "999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808", "+5",
      "1e9",
    ])
  func expiration(text: String) async throws {
    let fixture = try EmulatorFixture()
    let path = "/control/devices/apns/\(EmulatorFixture.token)"
    _ = try fixture.plain.json("PUT", path, ["provider": "apns", "phone": [:]])
    _ = try fixture.plain.json("POST", "\(path)/phone/offline")
    let caller = try Caller(fixture.emulator, .apns)
    let answer = try await caller.send(
      "/3/device/\(EmulatorFixture.token)", headers: fixture.apnsHeaders() + [("apns-expiration", text)],
      body: EmulatorFixture.body)
    #expect([200, 400].contains(answer.status), "\(answer)")
    let online = try fixture.plain.json("POST", "\(path)/phone/online")
    #expect(online["tray"]?["count"] == (Int64(text).map { $0 > EmulatorFixture.now } ?? false ? 1 : 0))
  }

  static let bodies: [(method: String, path: String, body: String)] = [
    ("PUT", "/control/scenario", #"{"seed":NUMBER}"#),
    ("PUT", "/control/scenario", #"{"apns":{"streams":NUMBER,"latency":NUMBER,"idle_timeout_ms":NUMBER}}"#),
    ("PUT", "/control/scenario", #"{"fcm":{"messages_per_project_minute":NUMBER,"max_age_ms":NUMBER}}"#),
    ("PUT", "/control/scenario", #"{"oauth":{"access_token_seconds":NUMBER},"limits":{"arising_devices":NUMBER}}"#),
    ("PUT", "/control/scenario", #"{"rules":[{"after":NUMBER,"every":NUMBER,"times":NUMBER}]}"#),
    ("PUT", "/control/scenario", #"{"rules":[{"from_ms":NUMBER,"until_ms":NUMBER}]}"#),
    ("PUT", "/control/scenario", #"{"rules":[{"effect":{"refuse":"X","timestamp_ms":NUMBER,"retry_after":NUMBER}}]}"#),
    ("PUT", "/control/scenario", #"{"rules":[{"effect":{"reset":NUMBER}},{"effect":{"stop_reading_ms":NUMBER}}]}"#),
    ("PUT", "/control/scenario", #"{"connections":[{"after":NUMBER,"every":NUMBER,"streams":NUMBER}]}"#),
    ("PUT", "/control/scenario", #"{"connections":[{"settings_delay_ms":NUMBER}]}"#),
    ("POST", "/control/rules", #"{"latency":{"uniform":[0,NUMBER]}}"#),
    ("POST", "/control/rules", #"{"latency":{"normal":{"mean":NUMBER,"deviation":NUMBER}}}"#),
    ("POST", "/control/rules", #"{"latency":{"percentiles":{"50":NUMBER}}}"#),
    ("POST", "/control/devices", #"{"provider":"apns","unregistered_since_ms":NUMBER}"#),
    ("POST", "/control/access-tokens", #"{"seconds":NUMBER}"#),
    ("POST", "/control/connections/now", #"{"streams":NUMBER}"#),
    ("POST", "/control/clock", #"{"advance_ms":NUMBER}"#),
  ]

  @Test("numbers in the control API and in scenarios", arguments: bodies.indices)
  func control(index: Int) throws {
    let row = Self.bodies[index]
    let plain = try EmulatorFixture().plain
    for number in Self.extremes.map({ "\($0)" }) + ["9223372036854775808", "1e308", "1e999", "-1e308", "0.5", "1e-400"]
    {
      let body = row.body.split(separator: "NUMBER", omittingEmptySubsequences: false).joined(separator: number)
      let answer = try plain.send(row.method, row.path, body: body)
      #expect((200..<500).contains(answer.status), "\(body): \(answer.text)")
      #expect(try plain.send("GET", "/control").status == 200)
    }
  }

  @Test("numbers in paths of the control API", arguments: extremes)
  func paths(number: Int) throws {
    let plain = try EmulatorFixture().plain
    _ = try plain.json("POST", "/control/devices", ["provider": "fcm", "token": "dev", "phone": [:]])
    for path in ["phone/items/\(number)/\(number)", "phone/items/0/\(number)", "pushes/\(number)/payload"] {
      #expect([200, 404].contains(try plain.send("GET", "/control/devices/fcm/dev/\(path)").status))
    }
    for verb in ["tap", "dismiss"] {
      #expect(try plain.send("POST", "/control/devices/fcm/dev/phone/items/\(number)/\(verb)").status == 404)
    }
  }

  @Test("a device that is removed or replaced while it is worked")
  func races() async throws {
    let plain = try EmulatorFixture().plain
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<100 {
          _ = try plain.send("POST", "/control/devices", body: #"{"provider":"fcm","token":"dev","phone":{}}"#)
          _ = try plain.send("POST", "/control/reset")
        }
      }
      for path in ["script", "phone", "phone/offline"] {
        group.addTask {
          for _ in 0..<200 {
            _ = try plain.send(path == "phone/offline" ? "POST" : "PUT", "/control/devices/fcm/dev/\(path)", body: "{}")
          }
        }
      }
    }
    #expect(try plain.send("GET", "/control").status == 200)
  }

  @Test("lists that are longer than an emulator keeps are refused")
  func tooMany() throws {
    let plain = try EmulatorFixture().plain
    let rules = Array(repeating: "{}", count: 10_000).joined(separator: ",")
    #expect(try plain.send("PUT", "/control/scenario", body: #"{"rules":[\#(rules),{}]}"#).status == 400)
    #expect(try plain.send("PUT", "/control/scenario", body: #"{"rules":[\#(rules)]}"#).status == 200)
    let more = try plain.send("POST", "/control/rules", body: #"{"name":"one more"}"#)
    #expect(more.status == 400 && more.text.contains("10000 rules"), "\(more.text)")
    #expect(try plain.send("PUT", "/control/scenario", body: #"{"connections":[\#(rules)]}"#).status == 200)
    #expect(try plain.send("POST", "/control/connections", body: "{}").status == 400)
  }

  @Test("a device removed and made again takes its place, and nothing is left of the old one")
  func madeAgain() throws {
    var devices = VirtualDevices()
    let first = devices.make(.fcm, token: "a")
    devices[first].topics = ["x"]
    devices.make(.fcm, token: "b")
    for _ in 0..<100 {
      devices.remove(first)
      #expect(devices.find(.fcm, "a") == nil && devices.all.map(\.token) == ["b"])
      #expect(devices.make(.fcm, token: "a") == first)
    }
    #expect(devices[first].topics.isEmpty && devices.all.map(\.token) == ["a", "b"])
  }

  @Test("more header fields than a place is wide")
  func manyFields() throws {
    var request = GatewayRequest()
    for (name, value) in [(":method", "POST"), (":path", "/3/device/\(APNsFixture.token)")] {
      request.add(name: Array(name.utf8), value: Array(value.utf8))
    }
    for number in 0..<40_000 { request.add(name: Array("x-\(number)".utf8), value: [0x31]) }
    request.add(name: Array("apns-topic".utf8), value: [0x31])
    var fixture = try APNsFixture()
    _ = fixture.act(request)
    #expect(String(decoding: fixture.response.body, as: UTF8.self) == #"{"reason":"DuplicateHeaders"}"#)
  }
}
