import ProviderEmulator
import Testing
import WireJSON

/// Who may use the control API over the network: no page of another site and no rebound name; writes and secrets need
/// the token.
@Suite("Control API against web pages", .timeLimit(.minutes(1)))
struct ControlSecurityTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var method = "GET"
    var path = "/control/devices"
    var headers: [(String, String)]
    var body = ""
    var status: Int
  }

  /// `TOKEN` in a header is replaced by the emulator's token, `PORT` by its port.
  private static let bearer = ("Authorization", "Bearer TOKEN")
  private static let json = ("Content-Type", "application/json")
  private static let host = ("Host", "127.0.0.1:PORT")
  private static let advance = #"{"advance_ms":1}"#

  private static func read(_ name: String, _ headers: [(String, String)], _ status: Int) -> Row {
    Row(testDescription: name, headers: headers, status: status)
  }

  private static func write(_ name: String, _ headers: [(String, String)], _ status: Int) -> Row {
    Row(
      testDescription: name, method: "POST", path: "/control/clock", headers: headers, body: advance, status: status)
  }

  static let rows: [Row] = [
    read("a program reads by address", [host], 200),
    read("by localhost", [("Host", "localhost:PORT")], 200),
    read("by an IPv6 address", [("Host", "[::1]:PORT")], 200),
    read("by a name that was given", [("Host", "Emulator.test:9")], 200),
    read("a name that was rebound", [("Host", "evil.example:PORT")], 403),
    read("a name that only looks like an address", [("Host", "127.0.0.1.evil.example")], 403),
    read("digits that are no address", [("Host", "127.0.0.999")], 403),
    read("a broken port", [("Host", "127.0.0.1:x")], 403),
    read("a page of another site", [host, ("Origin", "https://evil.example")], 403),
    read("a sandboxed page", [host, ("Origin", "null")], 403),
    read("a page of another port of this machine", [host, ("Origin", "http://127.0.0.1:1")], 403),
    read("an image on another site's page", [host, ("Sec-Fetch-Site", "cross-site")], 403),
    read("a frame of another port", [host, ("Sec-Fetch-Site", "same-site")], 403),
    read("the address typed by a person", [host, ("Sec-Fetch-Site", "none")], 200),
    read("a page of this port", [host, ("Sec-Fetch-Site", "same-origin"), ("Origin", "http://127.0.0.1:PORT")], 200),
    write("a program with the token", [host, bearer, json], 200),
    write("a media type with a parameter", [host, bearer, ("Content-Type", "Application/JSON; charset=utf-8")], 200),
    write("the scheme in another case", [host, ("Authorization", "bearer TOKEN"), json], 200),
    write("no token", [host, json], 401),
    write("another token", [host, ("Authorization", "Bearer emu_00000000000000000000000000000000"), json], 401),
    write("half the token", [host, ("Authorization", "Bearer emu_"), json], 401),
    write("the token by another scheme", [host, ("Authorization", "Basic TOKEN"), json], 401),
    write("text/plain, which a form of any site can send", [host, bearer, ("Content-Type", "text/plain")], 415),
    write("a form", [host, bearer, ("Content-Type", "application/x-www-form-urlencoded")], 415),
    write("no media type", [host, bearer], 415),
    write("the token from a page of another site", [host, bearer, json, ("Origin", "https://evil.example")], 403),
    Row(
      testDescription: "an empty write without the token", method: "POST", path: "/control/reset", headers: [host],
      status: 401),
    Row(
      testDescription: "a removal without the token", method: "DELETE", path: "/control/pushes", headers: [host],
      status: 401),
    Row(testDescription: "keys without the token", path: "/control/credentials", headers: [host], status: 401),
    Row(testDescription: "keys with it", path: "/control/credentials", headers: [host, bearer], status: 200),
    Row(testDescription: "the certificate authority is public", path: "/control/trust", headers: [host], status: 200),
    Row(
      testDescription: "FCM from a page of another site", method: "POST", path: "/v1/projects/p/messages:send",
      headers: [host, ("Origin", "https://evil.example")], body: "{}", status: 403),
    Row(
      testDescription: "the token endpoint from a page of another site", method: "POST", path: "/token",
      headers: [host, ("Sec-Fetch-Site", "cross-site")], body: "x", status: 403),
  ]

  @Test("who is answered", arguments: rows)
  func answered(row: Row) throws {
    var configuration = EmulatorConfiguration()
    configuration.credentials = try EmulatorFixture.credentials.get()
    configuration.allowedHosts = ["emulator.TEST"]
    let emulator = try ProviderEmulator(configuration)
    defer { emulator.stop() }
    let headers = row.headers.map { name, value in
      (
        name,
        value.split(separator: "TOKEN", omittingEmptySubsequences: false).joined(separator: emulator.controlToken)
          .split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(emulator.ports.plain)")
      )
    }
    let answer = try PlainClient(emulator: emulator).sendAsIs(row.method, row.path, headers: headers, body: row.body)
    #expect(answer.status == row.status, "\(answer.text)")
    guard row.status >= 400 else { return }
    #expect(!answer.text.contains(emulator.controlToken) && !answer.text.contains("PRIVATE KEY"))
  }

  @Test("each emulator has a token of its own, and one may be chosen")
  func tokens() throws {
    let tokens = try (0..<2).map { _ in try EmulatorFixture().emulator.controlToken }
    #expect(tokens[0] != tokens[1] && tokens[0].utf8.count == 36)
    var configuration = EmulatorConfiguration()
    configuration.credentials = try EmulatorFixture.credentials.get()
    configuration.controlToken = "a-token-of-my-own"
    #expect(try ProviderEmulator(configuration).controlToken == "a-token-of-my-own")
    for wrong in ["short", "with a space in it", String(repeating: "a", count: 201)] {
      configuration.controlToken = wrong
      #expect(throws: EmulatorError.self) { try ProviderEmulator(configuration) }
    }
  }

  // MARK: Reports

  static let phone: @Sendable (String, String, String) -> JSONValue = { url, app, key in
    ["report": ["url": .string(url), "app": .string(app), "key": .string(key)]]
  }

  private static let otherServer =
    "report.url: phones of this emulator report to http://127.0.0.1:8787 only; emulate --server URL names it"
  private static let noAddress = "report.url: expected http://HOST:PORT"
  private static let noApp = "report.app: expected the name of an app: letters, digits, . _ -"
  private static let noKey = "report.key: expected a key of at most 200 visible ASCII characters"

  static let refusedReports: [(url: String, app: String, key: String, detail: String)] = [
    ("http://127.0.0.1:9", "demo", "k", otherServer),
    ("http://169.254.169.254:80", "demo", "k", otherServer),
    ("http://127.0.0.1:8787/admin", "demo", "k", noAddress),
    ("http://user@127.0.0.1:8787", "demo", "k", noAddress),
    ("http://127.0.0.1:99999", "demo", "k", noAddress),
    ("http://127.0.0.1:+87", "demo", "k", noAddress),
    ("http://127.0.0.1:8787?", "demo", "k", noAddress),
    ("http://127.0.0.1:8787", "../../v1/keys?", "k", noApp),
    ("http://127.0.0.1:8787", "..", "k", noApp),
    ("http://127.0.0.1:8787", "a/b", "k", noApp),
    ("http://127.0.0.1:8787", "%2e%2e", "k", noApp),
    ("http://127.0.0.1:8787", "demo", "k\r\nX: y", noKey),
    ("http://127.0.0.1:8787", "demo", "", noKey),
  ]

  @Test("a phone reports to the configured server and nowhere else", arguments: refusedReports.indices)
  func reports(index: Int) throws {
    let row = Self.refusedReports[index]
    let plain = try EmulatorFixture(reportServer: "http://127.0.0.1:8787").plain
    let phone = Self.phone(row.url, row.app, row.key)
    _ = try plain.json("POST", "/control/devices", ["provider": "fcm", "token": "dev"])
    let put = try plain.json("PUT", "/control/devices/fcm/dev/phone", phone)
    #expect(put["detail"]?.string == row.detail)
    let device: JSONValue = ["provider": "fcm", "token": "new", "phone": phone]
    #expect(try plain.json("POST", "/control/devices", device)["detail"]?.string == "phone." + row.detail)
    #expect(try plain.json("PUT", "/control/devices/fcm/new", device)["detail"]?.string == "phone." + row.detail)
    #expect(
      try plain.json("PUT", "/control/scenario", ["devices": [device]])["detail"]?.string
        == "devices[0].phone." + row.detail)
    #expect(try plain.json("GET", "/control/devices").array?.count == 1)
    #expect(try plain.send("GET", "/control/devices/fcm/dev/phone").status == 404)
  }

  @Test("localhost is the configured loopback address, and a scenario to begin with is held to it too")
  func sameServer() throws {
    let plain = try EmulatorFixture(reportServer: "http://127.0.0.1:8787").plain
    let made = try plain.send(
      "POST", "/control/devices",
      body: JSON.minifiedText(["provider": "fcm", "phone": Self.phone("http://localhost:8787/", "demo", "k")]))
    #expect(made.status == 201, "\(made.text)")
    let report = #"{"url":"http://127.0.0.1:1","app":"a","key":"k"}"#
    let scenario = #"{"devices":[{"provider":"fcm","phone":{"report":\#(report)}}]}"#
    #expect(throws: EmulatorError.self) { try EmulatorFixture(scenario: scenario) }
  }
}
