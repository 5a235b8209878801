import Glibc
import HTTPServer
import ProviderEmulator
import Synchronization
import Testing
import WireJSON

/// Stands for Postrider's server: takes reports of devices and remembers them.
private final class EventSink: HTTPHandler {
  let requests = Mutex<[String]>([])
  /// How many reports the server will not know the push of.
  let unknown = Mutex(0)

  func maxBodyBytes(for head: HTTPRequestHead) -> Int? { nil }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let line = "\(request.method.rawValue) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
    requests.withLock { $0.append(line) }
    let isUnknown = unknown.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    responder.respond(HTTPResponse.json(Array(#"{"results":["\#(isUnknown ? "unknown" : "recorded")"]}"#.utf8)))
  }
}

@Suite("Phones of virtual devices", .timeLimit(.minutes(1)))
struct PhoneTests {
  private static let path = "/control/devices/fcm/dev/phone"

  private struct Lab {
    let fixture: EmulatorFixture
    let accessToken: String

    init(phone: JSONValue = [:]) throws {
      fixture = try EmulatorFixture(reportServer: phone["report"]?["url"]?.string)
      let issued = try fixture.plain.json("POST", "/control/access-tokens", ["seconds": 3600])
      accessToken = try #require(issued["access_token"]?.string)
      _ = try fixture.plain.json(
        "POST", "/control/devices", ["provider": "fcm", "token": "dev", "phone": phone])
    }

    func push(_ message: String) throws {
      let path = "/v1/projects/\(fixture.emulator.credentials.projectID)/messages:send"
      let answer = try fixture.plain.send(
        "POST", path, headers: [("Authorization", "Bearer \(accessToken)")],
        body: #"{"message":{"token":"dev","# + message + "}}")
      #expect(answer.status == 200, "\(answer)")
    }

    func notify(_ title: String, _ rest: String = "", android: String = "") throws {
      try push(#""android":{\#(android)"notification":{"title":"\#(title)"\#(rest)}}"#)
    }

    func call(_ method: String, _ rest: String = "", _ body: JSONValue? = nil) throws -> JSONValue {
      try fixture.plain.json(method, PhoneTests.path + rest, body)
    }

    /// Waits until the phone's reports stand so, at most two minutes.
    func waitForReports(_ wanted: JSONValue) throws {
      var found: JSONValue?
      for _ in 0..<1200 {
        found = try call("GET")["reports"]
        if found == wanted { return }
        usleep(100_000)
      }
      #expect(found == wanted)
    }

    /// The titles that stand, newest first.
    func titles() throws -> [String] {
      let groups = try call("GET")["tray"]?["groups"]?.array ?? []
      return groups.flatMap { $0["items"]?.array ?? [] }.compactMap {
        $0["notification"]?["title"]?["text"]?.string
      }
    }
  }

  @Test("what is sent to the token stands in the tray, and a tag replaces")
  func arrives() throws {
    let lab = try Lab(phone: ["locales": ["de"], "app_name": "Laden"])
    try lab.notify("one", #","tag":"a""#)
    try lab.notify("two")
    try lab.notify("three", #","tag":"a""#)
    try lab.push(#""data":{"k":"v"}"#)
    #expect(try lab.titles() == ["three", "two"])
    let phone = try lab.call("GET")
    #expect(phone["tray"]?["badge"]?.int == 2)
    #expect(phone["tray"]?["silent"]?.int == 1)
    #expect(phone["app_name"] == "Laden")
    let changes = phone["changes"]?.array?.compactMap { $0["change"]?.string }
    #expect(changes == ["shown", "shown", "replaced", "silent"])
  }

  @Test("a watcher reads a little, and of a long tray the part it looks at")
  func isReadInPieces() throws {
    let lab = try Lab()
    _ = try lab.fixture.plain.json("POST", "/control/devices", ["provider": "apns"])
    let phones = try lab.fixture.plain.json("GET", "/control/devices/phones").array ?? []
    #expect(phones.map { $0["token"] } == ["dev"])
    let before = try lab.call("GET", "/summary")
    #expect(before["tray"]?["count"] == 0)
    for text in ["one", "two", "three", "four", "five"] { try lab.notify(text) }
    let after = try lab.call("GET", "/summary")
    #expect(after["tray"]?["count"] == 5)
    #expect(after["tray"]?["groups"] == [])
    #expect(after["changes"] == nil)
    #expect(after["revision"] != before["revision"])
    #expect(try lab.call("GET", "/summary")["revision"] == after["revision"])
    func texts(_ path: String) throws -> [String?] {
      let part = try lab.call("GET", path)
      #expect(part["count"] == 5)
      return (part["items"]?.array ?? []).map { $0["notification"]?["title"]?["text"]?.string }
    }
    #expect(try texts("/items/0/2") == ["five", "four"])
    #expect(try texts("/items/3/100") == ["two", "one"])
    #expect(try texts("/items/7/1") == [])
    let item = try lab.call("GET", "/items/0/1")["items"]?[0]?["item"]?.int ?? 0
    _ = try lab.call("POST", "/items/\(item)/tap")
    let tapped = try lab.call("GET", "/summary")
    #expect(tapped["tray"]?["count"] == 4)
    #expect(tapped["revision"] != after["revision"])
  }

  @Test("a phone that was away is given what the provider kept")
  func comesBack() throws {
    let lab = try Lab()
    _ = try lab.call("POST", "/offline")
    for key in 1...5 { try lab.notify("key \(key)", android: #""collapse_key":"k\#(key)","#) }
    try lab.notify("key 5 again", android: #""collapse_key":"k5","#)
    try lab.notify("plain")
    try lab.notify("now or never", android: #""ttl":"0s","#)
    #expect(try lab.titles() == [])
    #expect(try lab.call("GET")["held"]?.int == 5)
    _ = try lab.call("POST", "/online")
    #expect(try lab.titles() == ["plain", "key 5 again", "key 4", "key 3", "key 2"])
  }

  @Test("APNs keeps the last push for the app")
  func lastOne() async throws {
    let fixture = try EmulatorFixture()
    let path = "/control/devices/apns/\(EmulatorFixture.token)"
    _ = try fixture.plain.json("PUT", path, ["provider": "apns", "phone": [:]])
    let caller = try Caller(fixture.emulator, .apns)
    _ = try fixture.plain.json("POST", "\(path)/phone/offline")
    for text in ["one", "two"] {
      let body = Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
      let answer = try await caller.send(
        "/3/device/\(EmulatorFixture.token)", headers: fixture.apnsHeaders(), body: body)
      #expect(answer.status == 200)
    }
    let phone = try fixture.plain.json("POST", "\(path)/phone/online")
    let items = phone["tray"]?["groups"]?[0]?["items"]?.array ?? []
    #expect(items.map { $0["notification"]?["body"]?["text"]?.string } == ["two"])
    #expect(items.first?["push_id"] == "11111111-2222-3333-4444-555555555555")
    caller.close()
  }

  @Test("dismissing, clearing and a restart empty the tray of Android")
  func goes() throws {
    let lab = try Lab()
    for number in 1...3 { try lab.notify("\(number)") }
    #expect(try lab.fixture.plain.send("POST", "\(Self.path)/items/2/dismiss").status == 204)
    #expect(try lab.titles() == ["3", "1"])
    #expect(try lab.fixture.plain.send("POST", "\(Self.path)/items/2/tap").status == 404)
    _ = try lab.call("POST", "/restart")
    #expect(try lab.titles() == [])
    try lab.notify("4")
    #expect(try lab.call("POST", "/clear")["tray"]?["count"]?.int == 0)
  }

  @Test("a tap is reported to the server like an app's library does it")
  func reports() throws {
    let sink = EventSink()
    let server = try HTTPServer(HTTPServerConfiguration(port: 0), handler: sink)
    defer { server.stop(drainingFor: .zero) }
    let lab = try Lab(phone: [
      "contract": "onesignal",
      "report": ["url": .string("http://127.0.0.1:\(server.port)"), "app": "demo", "key": "prk_secret"],
    ])
    let custom = #"{\"i\":\"n-1\",\"u\":\"https://a.example\",\"a\":{\"k\":\"v\"}}"#
    let buttons = #"[{\"n\":\"Yes\",\"i\":\"y\"}]"#
    try lab.push(#""data":{"custom":"\#(custom)","title":"T","alert":"B","o":"\#(buttons)"}"#)
    let id = try #require(try lab.call("GET")["tray"]?["groups"]?[0]?["items"]?[0]?["push_id"]?.string)
    let arrival = #"{"events":[{"type":"received","message_name":"\#(id)"}]}"#
    try lab.waitForReports(["told": 1, "unknown": 0, "failed": 0])
    let tap = try lab.call("POST", "/items/1/press", ["button": "y"])
    #expect(tap["type"] == "action")
    #expect(tap["link"] == "https://a.example")
    #expect(tap["data"] == ["k": "v"])
    #expect(tap["reported"] == ["status": 200, "answer": ["results": ["recorded"]]])
    let event = #"{"events":[{"type":"action","action":"y","message_name":"\#(id)"}]}"#
    #expect(sink.requests.withLock { $0 } == [arrival, event].map { "POST /v1/apps/demo/events \($0)" })
    #expect(try !lab.fixture.plain.send("GET", Self.path).text.contains("prk_secret"))
  }

  @Test("arrivals are reported when code of the app runs, and again while the server does not know the push")
  func arrivals() throws {
    let sink = EventSink()
    sink.unknown.withLock { $0 = 2 }
    let server = try HTTPServer(HTTPServerConfiguration(port: 0), handler: sink)
    defer { server.stop(drainingFor: .zero) }
    let lab = try Lab(phone: [
      "report": ["url": .string("http://127.0.0.1:\(server.port)"), "app": "demo", "key": "k"]
    ])
    try lab.notify("shown by Firebase itself")
    try lab.push(#""data":{"k":"v"}"#)
    try lab.waitForReports(["told": 1, "unknown": 0, "failed": 0])
    #expect(sink.requests.withLock { $0.count } == 3)
  }

  @Test("a server that is not there is said, and the tap counts all the same")
  func reportsNowhere() throws {
    let lab = try Lab(phone: ["report": ["url": "http://127.0.0.1:1", "app": "demo", "key": "k"]])
    try lab.notify("one")
    let tap = try lab.call("POST", "/items/1/tap")
    #expect(tap["type"] == "opened")
    #expect(tap["reported"]?["error"]?.string?.hasPrefix("cannot connect to 127.0.0.1:1: ") == true)
    #expect(try lab.titles() == [])
  }

  @Test(
    "a wrong description is refused by the member's name",
    arguments: [
      (#"{"locales":[]}"#, "locales: expected at least one language, such as [\"de\"]"),
      (
        #"{"lang":"de"}"#,
        "lang: no such member; known are app_name, contract, development_locale, locales, report, strings"
      ),
      (#"{"contract":"x"}"#, "contract: \"x\" is unknown; use one of amba, imkit, powerauth, adobe, onesignal, native"),
      (#"{"report":{"url":"https://a","app":"a","key":"k"}}"#, "report.url: expected http://HOST:PORT"),
      (#"{"report":{"url":"http://a"}}"#, "report.key: url, app and key are required"),
    ])
  func refused(body: String, detail: String) throws {
    let lab = try Lab()
    let answer = try lab.fixture.plain.send("PUT", Self.path, body: body)
    #expect(answer.status == 400)
    #expect(try JSON.parse(answer.body)["detail"]?.string == detail)
  }

  @Test("a picture is SVG")
  func picture() throws {
    let lab = try Lab()
    try lab.notify("<script>")
    let picture = try lab.fixture.plain.send("GET", "\(Self.path)/picture/dark").text
    #expect(picture.hasPrefix("<svg ") && picture.contains("&lt;script&gt;") && !picture.contains("<script"))
  }
}
