import Glibc
import HTTPServer
import ProviderEmulator
import Synchronization
import Testing
import WireJSON

/// The server of an app: it takes the tokens of activities and remembers them.
private final class TokenSink: HTTPHandler {
  let requests = Mutex<[String]>([])
  let status = Mutex(201)

  func maxBodyBytes(for head: HTTPRequestHead) -> Int? { nil }

  func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let line = "\(request.method.rawValue) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
    requests.withLock { $0.append(line) }
    responder.respond(HTTPResponse(status: status.withLock { $0 }))
  }
}

@Suite("Live Activities on virtual phones", .timeLimit(.minutes(1)))
struct LivePhoneTests {
  private static let start = "5a5a"
  private static let phone = "/control/devices/apns/00aa/phone"

  private struct Lab {
    let fixture: EmulatorFixture
    let caller: Caller
    let headers: [(String, String)]

    init(report: JSONValue? = nil, phone more: JSONObject = [:]) throws {
      fixture = try EmulatorFixture(reportServer: report?["url"]?.string)
      caller = try Caller(fixture.emulator, .apns)
      headers = [
        ("authorization", try fixture.emulator.bearer(nowSeconds: EmulatorFixture.now)),
        ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
      ]
      var phone = more
      phone["app_name"] = "Shop"
      phone["report"] = report
      let made = try fixture.plain.json(
        "POST", "/control/devices", ["provider": "apns", "token": "00aa", "phone": .object(phone)])
      #expect(made["token"] == "00aa", "\(made)")
      let shared = try fixture.plain.json(
        "POST", "/control/devices", ["provider": "apns", "token": .string(LivePhoneTests.start), "phone_of": "00aa"])
      #expect(shared["token"]?.string == LivePhoneTests.start, "\(shared)")
    }

    @discardableResult
    func push(_ aps: String, to token: String, status: Int = 200) async throws -> Answer {
      let topic = [("apns-topic", "com.example.app.push-type.liveactivity")]
      let answer = try await caller.send(
        "/3/device/\(token)", headers: headers + topic, body: Array(#"{"aps":{\#(aps)}}"#.utf8))
      #expect(answer.status == status, "\(answer)")
      return answer
    }

    func begin(_ more: String = #""input-push-token":1"#, id: String = "order-17") async throws {
      try await push(
        #""timestamp":100,"event":"start","attributes-type":"Order","attributes":{"id":"\#(id)"},"#
          + #""content-state":{"minutes":25},"alert":{"title":{"loc-key":"T"},"body":"On its way"},\#(more)"#,
        to: LivePhoneTests.start)
    }

    func call(_ method: String = "GET", _ rest: String = "", of token: String = "00aa") throws -> JSONValue {
      try fixture.plain.json(method, "/control/devices/apns/\(token)/phone\(rest)")
    }

    func live() throws -> [JSONValue] { try call()["live_activities"]?.array ?? [] }

    func advance(seconds: Int) throws {
      _ = try fixture.plain.json("POST", "/control/clock", ["advance_ms": .number(JSONNumber(seconds * 1_000))])
    }
  }

  @Test("A start is on the lock screen with a token of its own, which updates and ends it") func life() async throws {
    let lab = try Lab(phone: ["strings": ["en.lproj/Localizable.strings": #""T" = "Your order";"#]])
    try await lab.begin()
    let one = try #require(try lab.live().first)
    #expect(one["type"] == "Order" && one["state"] == "active" && one["content_state"] == ["minutes": 25], "\(one)")
    #expect(one["alert"] == ["title": "Your order", "body": "On its way"], "\(one)")
    #expect(try lab.call()["tray"]?["count"] == 0 && lab.call("GET", "/summary")["live"] == 1)
    let token = try #require(one["token"]?.string)
    #expect(token.utf8.count == 160)
    try await lab.push(
      #""timestamp":110,"event":"update","content-state":{"minutes":5},"stale-date":1770000060"#, to: token)
    #expect(try lab.live().first?["content_state"] == ["minutes": 5])
    // The tokens lead to one phone.
    for other in [token, Self.start] { #expect(try lab.call(of: other)["live_activities"]?[0]?["updates"] == 1) }
    let svg = try lab.fixture.plain.send("GET", Self.phone + "/picture/dark")
    let text = String(decoding: svg.body, as: UTF8.self)
    #expect(text.contains(">minutes<") && text.contains(">5<") && text.contains(">Order<"))
    try lab.advance(seconds: 60)
    #expect(try lab.live().first?["state"] == "stale")
    try await lab.push(#""timestamp":120,"event":"end""#, to: token)
    #expect(try lab.live().first?["state"] == "ended")
    try await lab.push(#""timestamp":130,"event":"update","content-state":{}"#, to: token)
    let kinds = (try lab.call()["changes"]?.array ?? []).map { $0["change"]?.string }
    #expect(kinds == ["shown", "changed", "changed", "removed", "silent"], "\(kinds)")
    try lab.advance(seconds: 14_400)
    #expect(try lab.live().isEmpty)
    let gone = try await lab.push(#""timestamp":140,"event":"update","content-state":{}"#, to: token, status: 410)
    #expect(gone.body.contains("Unregistered"))
  }

  @Test("A person takes it away, and its token is dead") func dismissed() async throws {
    let lab = try Lab()
    try await lab.begin()
    let token = try #require(try lab.live().first?["token"]?.string)
    #expect(try lab.fixture.plain.send("POST", Self.phone + "/live/9/dismiss").status == 404)
    #expect(try lab.fixture.plain.send("POST", Self.phone + "/live/x/dismiss").status == 404)
    #expect(try lab.fixture.plain.send("POST", Self.phone + "/live/1/dismiss").status < 300)
    #expect(try lab.live().isEmpty)
    try await lab.push(#""timestamp":110,"event":"update","content-state":{}"#, to: token, status: 410)
  }

  @Test("A broadcast changes every activity that listens to its channel, and is stored for phones that are away")
  func channel() async throws {
    let lab = try Lab()
    let path = "/1/apps/com.example.app/channels"
    func make(_ policy: Int) async throws -> String {
      let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
      #expect(try await lab.caller.send(path, headers: lab.headers, body: Array(body.utf8)).status == 201)
      return try #require(try lab.fixture.plain.json("GET", "/control/channels").array?.last?["channel_id"]?.string)
    }
    func broadcast(_ id: String, _ home: Int, expiration: Int) async throws {
      let body = #"{"aps":{"timestamp":\#(200 + home),"event":"update","content-state":{"home":\#(home)}}}"#
      let answer = try await lab.caller.send(
        "/4/broadcasts/apps/com.example.app",
        headers: lab.headers + [("apns-channel-id", id), ("apns-expiration", "\(expiration)")], body: Array(body.utf8))
      #expect(answer.status == 200, "\(answer)")
    }
    let (stored, fleeting) = (try await make(1), try await make(0))
    try await lab.begin(#""input-push-channel":"\#(stored)""#, id: "a")
    try await lab.begin(#""input-push-channel":"\#(fleeting)""#, id: "b")
    func home(_ channel: String) throws -> JSONValue? {
      try lab.live().first { $0["channel"]?.string == channel }?["content_state"]?["home"]
    }
    try await broadcast(stored, 1, expiration: 0)
    #expect(try home(stored) == 1 && home(fleeting) == nil)
    _ = try lab.call("POST", "/offline")
    for number in 2...3 { try await broadcast(stored, number, expiration: EmulatorFixture.now + 600) }
    try await broadcast(fleeting, 9, expiration: 0)
    #expect(try home(stored) == 1 && lab.call()["held"] == 1)
    _ = try lab.call("POST", "/online")
    #expect(try home(stored) == 3 && home(fleeting) == nil)
  }

  @Test("An app reports its activity's token under the id among the attributes, and of one that has left none")
  func reports() async throws {
    let sink = TokenSink()
    let server = try HTTPServer(HTTPServerConfiguration(), handler: sink)
    defer { server.stop(drainingFor: .zero) }
    let report: JSONValue = ["url": .string("http://127.0.0.1:\(server.port)"), "app": "demo", "key": "prk_k"]
    let lab = try Lab(report: report)
    func waitFor(_ wanted: JSONValue) throws {
      for _ in 0..<600 {
        if try lab.call()["reports"] == wanted { return }
        usleep(100_000)
      }
      #expect(try lab.call()["reports"] == wanted)
    }
    try await lab.begin()
    try waitFor(["told": 1, "unknown": 0, "failed": 0])
    let token = try #require(try lab.live().first?["token"]?.string)
    let sent = "POST /v1/apps/demo/activities/order-17/tokens {\"token\":\"\(token)\"}"
    #expect(sink.requests.withLock { $0 } == [sent])
    sink.status.withLock { $0 = 404 }
    try await lab.begin(id: "order-18")
    try waitFor(["told": 1, "unknown": 1, "failed": 0])
    // What cannot be one segment of a path is not reported.
    for id in ["../x", "", "a/b", ".."] { try await lab.begin(id: id) }
    #expect(try lab.live().count == 6)
    #expect(sink.requests.withLock { $0.count } == 2)
  }

  @Test(
    "A token is one of another device's phone only where there is one",
    arguments: [
      #"{"provider":"apns","token":"01","phone_of":"ff"}"#, #"{"provider":"apns","token":"01","phone_of":"zz"}"#,
      #"{"provider":"fcm","phone_of":"00aa"}"#, #"{"provider":"apns","phone_of":"00aa","phone":{}}"#,
    ])
  func refusals(body: String) throws {
    let lab = try Lab()
    let answer = try lab.fixture.plain.send("POST", "/control/devices", body: body)
    #expect(answer.status == 400 && String(decoding: answer.body, as: UTF8.self).contains("phone_of"), "\(answer)")
    let scenario = #"{"devices":[\#(body)]}"#
    #expect(throws: ScenarioError.self) { try Scenario(parsing: Array(scenario.utf8)) }
  }

  @Test("A scenario has phones with several tokens, and a device that is removed is no phone of others") func scenario()
    throws
  {
    let fixture = try EmulatorFixture(
      scenario:
        #"{"devices":[{"provider":"apns","token":"00AA","phone":{}},{"provider":"apns","token":"01","phone_of":"00aa"}]}"#
    )
    #expect(try fixture.plain.send("GET", "/control/devices/apns/01/phone").status == 200)
    #expect(try fixture.plain.send("DELETE", "/control/devices/apns/00aa").status < 300)
    #expect(try fixture.plain.send("GET", "/control/devices/apns/01/phone").status == 404)
  }
}
