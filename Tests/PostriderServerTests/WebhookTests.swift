import Glibc
import HTTPServer
import PostriderServer
import Signing
import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Notices to a real receiver on loopback: signed, in order, again until they are taken, given up and told again.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) final class WebhookTests: Sendable {
  /// A receiver that answers with a status of the test's choice.
  final class Receiver: HTTPHandler {
    struct Notice: Sendable {
      let headers: HTTPHeaders
      let body: [UInt8]

      var json: JSONValue { (try? JSON.parse(body)) ?? .null }
      var types: [String] { (json["notices"]?.array ?? []).compactMap { $0["type"]?.string } }
    }

    let status = Atomic(200)
    let notices = Mutex<[Notice]>([])

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      notices.withLock { $0.append(Notice(headers: request.headers, body: request.body)) }
      responder.respond(HTTPResponse(status: status.load(ordering: .relaxed)))
    }

    var all: [Notice] { notices.withLock { $0 } }
  }

  /// A clock that the test moves ahead of the system's.
  final class Ahead: Sendable {
    let ms = Atomic<Int64>(0)
    var clock: WallClock { WallClock { WallClock.system.nowMs() + self.ms.load(ordering: .relaxed) } }
  }

  let receiver = Receiver()
  let ahead = Ahead()
  let server: HTTPServer
  let world: EndToEndTests

  init() throws {
    server = try HTTPServer(HTTPServerConfiguration(), handler: receiver)
    world = try EndToEndTests(clock: ahead.clock) { $0.allowsPrivateWebhooks = true }
    try world.register()
  }

  deinit { server.stop(drainingFor: .zero) }

  var fixture: ServerFixture { world.fixture }

  static let types = [
    "delivery.accepted", "delivery.rejected", "delivery.expired", "delivery.cancelled", "delivery.unknown",
    "event.received", "event.opened", "event.action", "push.finished",
  ]

  func make(_ types: [String] = types, url: String? = nil) throws -> (id: String, secret: String) {
    let url = url ?? "http://127.0.0.1:\(server.port)/hook"
    let answer = try fixture.post(
      "/v1/apps/demo/webhooks", ["url": .string(url), "types": .array(types.map { .string($0) })])
    #expect(answer.status == 201, "\(answer.text)")
    return (try #require(answer.json["id"]?.string), try #require(answer.json["secret"]?.string))
  }

  func push() throws -> String {
    let id = try world.push(#"{"to":{"all":true},"campaign":"c-1","message":{"title":"T","body":"B"}}"#)
    _ = try world.finished(id)
    return id
  }

  func hook(_ id: String) throws -> JSONValue { try fixture.send("GET", "/v1/apps/demo/webhooks/\(id)").json }

  func wait(_ what: String, _ isDone: () throws -> Bool) throws {
    for _ in 0..<2_000 {
      if try isDone() { return }
      usleep(10_000)
    }
    #expect(Bool(false), "never: \(what)")
  }

  @Test func tellsOutcomesReportsAndTheEnd() throws {
    let (id, secret) = try make()
    let gone: JSONValue = ["type": "ios", "token": .string(EndToEndTests.goneToken)]
    _ = try fixture.post("/v1/apps/demo/devices", gone)
    let push = try push()
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(push)/deliveries").json["deliveries"]?.array ?? []
    let delivery = try #require(rows.first { $0["state"] == "accepted" }?["id"])
    let reports: JSONValue = ["events": [["type": "action", "action": "yes", "delivery": delivery]]]
    #expect(try fixture.post("/v1/apps/demo/events", reports).status == 200)
    try wait("all is told") { try hook(id)["queued"] == 0 && receiver.all.flatMap(\.types).contains("event.action") }
    let notices = receiver.all.flatMap { $0.json["notices"]?.array ?? [] }
    let types = notices.compactMap { $0["type"]?.string }
    #expect(
      types.sorted() == [
        "delivery.accepted", "delivery.accepted", "delivery.rejected", "event.action", "event.opened", "event.received",
        "push.finished",
      ])
    // The end comes after what it is the end of, and reports after that.
    #expect(types.suffix(4) == ["push.finished", "event.received", "event.opened", "event.action"])
    #expect(notices.first { $0["type"] == "delivery.rejected" }?["reason"] == "Unregistered")
    #expect(notices.first { $0["type"] == "push.finished" }?["state"] == "sent")
    #expect(notices.last?["action"] == "yes")
    for notice in receiver.all {
      #expect(notice.json["push"]?.string == push)
      #expect(notice.json["app"] == "demo")
      #expect(notice.headers.first("Postrider-Batch") == notice.json["id"]?.string)
      #expect(try signatures(notice, [secret]))
    }
    #expect(try hook(id)["succeeded_at"] != nil)
  }

  /// Whether the signatures are those of these secrets, computed here.
  func signatures(_ notice: Receiver.Notice, _ secrets: [String]) throws -> Bool {
    let parts = (notice.headers.first("Postrider-Signature") ?? "").split(separator: ",").map(String.init)
    let time = try #require(parts.first?.dropFirst(2))
    let wanted = secrets.map { secret in
      "v1="
        + HMACSHA256.authenticate(Array("\(time).".utf8) + notice.body, key: Array(secret.utf8))
        .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    return Array(parts.dropFirst()) == wanted
  }

  @Test func tellsAgainInOrderUntilItIsTaken() throws {
    let (id, _) = try make(["delivery.accepted", "push.finished"])
    receiver.status.store(503, ordering: .relaxed)
    let push = try push()
    try wait("a first try") { try hook(id)["failure"] != nil }
    #expect(try hook(id)["failure"] == "the receiver answered 503")
    // Nothing overtakes: the next batch of this push waits for the first.
    let tried = Set(receiver.all.compactMap { $0.json["id"]?.string })
    #expect(tried.count == 1)
    receiver.status.store(200, ordering: .relaxed)
    ahead.ms.add(60_000, ordering: .relaxed)
    try wait("the second try") { try hook(id)["queued"] == 0 }
    let notices = receiver.all
    #expect(notices.filter { $0.json["id"]?.string == tried.first }.count == 2)
    #expect(notices.compactMap { $0.headers.first("Postrider-Attempt") }.prefix(2) == ["1", "2"])
    #expect(notices.last?.types.last == "push.finished")
    #expect(notices.allSatisfy { $0.json["push"]?.string == push })
    #expect(try hook(id)["failure"] == nil)
  }

  @Test func givesUpAndTellsAgainWhenAsked() throws {
    let (id, _) = try make(["push.finished"])
    receiver.status.store(500, ordering: .relaxed)
    _ = try push()
    try wait("it is given up") {
      ahead.ms.add(40_000_000, ordering: .relaxed)
      usleep(100_000)
      return try fixture.send("GET", "/v1/apps/demo/webhooks/\(id)/dead").json["batches"]?.array?.count == 1
    }
    let batch = try #require(
      try fixture.send("GET", "/v1/apps/demo/webhooks/\(id)/dead").json["batches"]?.array?.first)
    #expect(batch["attempts"] == 10)
    let pushes = try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array ?? []
    let told = pushes.first { $0["id"] == batch["push"] }
    #expect(told?["number"] != nil && batch["push_number"] == told?["number"], "\(batch)")
    #expect(batch["failure"] == "the receiver answered 500")
    #expect(batch["notices"]?[0]?["type"] == "push.finished")
    #expect(try hook(id)["queued"] == 0)
    receiver.status.store(200, ordering: .relaxed)
    let before = receiver.all.count
    let one: JSONValue = ["batches": [try #require(batch["id"])]]
    #expect(try fixture.post("/v1/apps/demo/webhooks/\(id)/replay", one).text == #"{"replayed":1}"#)
    try wait("it is told again") { try receiver.all.count > before && hook(id)["queued"] == 0 }
    #expect(try fixture.post("/v1/apps/demo/webhooks/\(id)/replay", [:]).text == #"{"replayed":0}"#)
  }

  @Test func theQueueSurvivesARestart() throws {
    let (id, secret) = try make(["push.finished"], url: "http://127.0.0.1:9/closed")
    _ = try push()
    try wait("a first try") { try hook(id)["failure"] != nil }
    fixture.server.stop()
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin, clock: ahead.clock) {
      $0.allowsPrivateWebhooks = true
    }
    let url = "http://127.0.0.1:\(server.port)/hook"
    #expect(
      try again.send("PATCH", "/v1/apps/demo/webhooks/\(id)", #"{"url":"\#(url)","types":["push.finished"]}"#).status
        == 200)
    ahead.ms.add(60_000, ordering: .relaxed)
    try wait("it is told") { !receiver.all.isEmpty }
    #expect(receiver.all.first?.types == ["push.finished"])
    #expect(try signatures(try #require(receiver.all.first), [secret]))
  }

  @Test func signsWithBothSecretsForADay() throws {
    let (id, old) = try make(["push.finished"])
    let answer = try fixture.send("POST", "/v1/apps/demo/webhooks/\(id)/rotate")
    let new = try #require(answer.json["secret"]?.string)
    #expect(new != old)
    #expect(try hook(id)["secret"] == nil)
    _ = try push()
    try wait("it is told") { receiver.all.count == 1 }
    #expect(try signatures(receiver.all[0], [new, old]))
    ahead.ms.add(86_400_000, ordering: .relaxed)
    _ = try push()
    try wait("it is told") { receiver.all.count == 2 }
    #expect(try signatures(receiver.all[1], [new]))
  }

  @Test func isDisabledAndDeleted() throws {
    let (id, _) = try make(["push.finished"])
    #expect(try fixture.send("PATCH", "/v1/apps/demo/webhooks/\(id)", #"{"enabled":false}"#).json["enabled"] == false)
    _ = try push()
    #expect(try hook(id)["queued"] == 0)
    #expect(try fixture.send("DELETE", "/v1/apps/demo/webhooks/\(id)").status == 204)
    #expect(try fixture.send("GET", "/v1/apps/demo/webhooks/\(id)").status == 404)
    #expect(try fixture.send("GET", "/v1/apps/demo/webhooks").text == #"{"webhooks":[]}"#)
    #expect(receiver.all.isEmpty)
  }

  @Test func makesOneForOneIdempotencyKeyAndKeepsSecretsSealed() throws {
    let body = #"{"url":"https://example.com/h","types":["event.opened"]}"#
    let first = try fixture.send("POST", "/v1/apps/demo/webhooks", body, headers: ["Idempotency-Key: w"])
    #expect(first.status == 201)
    #expect(
      try fixture.send("POST", "/v1/apps/demo/webhooks", body, headers: ["Idempotency-Key: w"]).text == first.text)
    let conflict = try fixture.send("POST", "/v1/apps/demo/webhooks", body)
    #expect(conflict.status == 409)
    let id = try #require(first.json["id"]?.string)
    let rotate = "/v1/apps/demo/webhooks/\(id)/rotate"
    let rotated = try fixture.send("POST", rotate, headers: ["Idempotency-Key: r"]).json["secret"]
    #expect(try fixture.send("POST", rotate, headers: ["Idempotency-Key: r"]).json["secret"] == rotated)
    let secret = try #require(first.json["secret"]?.string)
    fixture.server.stop()
    for name in ["postrider.sqlite", "postrider.sqlite-wal"] {
      guard let bytes = try? Files.read(fixture.folder.path + "/data/" + name) else { continue }
      #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
    }
    #expect(!fixture.lines.text.contains(secret))
  }

  @Test(arguments: [
    (#"{"url":"ftp://example.com","types":["event.opened"]}"#, "url: expected an address that begins with"),
    (#"{"url":"https://user@example.com/","types":["event.opened"]}"#, "url: expected an address that begins with"),
    (#"{"url":"https:///x","types":["event.opened"]}"#, "url: expected an address that begins with"),
    (#"{"url":"https://example.com/#x","types":["event.opened"]}"#, "url: expected an address that begins with"),
    (#"{"url":"https://example.com/ x","types":["event.opened"]}"#, "url: expected an address that begins with"),
    (#"{"url":"https://example.com/","types":[]}"#, "types: expected at least one element, found 0"),
    (#"{"url":"https://example.com/","types":["all"]}"#, "types[0]: expected one of"),
    (#"{"types":["event.opened"]}"#, "url: is required and missing"),
  ])
  func saysWhatIsWrong(_ body: String, _ detail: String) throws {
    let answer = try fixture.send("POST", "/v1/apps/demo/webhooks", body)
    #expect(answer.status == 422)
    #expect(answer.detail.hasPrefix(detail), "\(answer.detail)")
  }

  @Test func needsAnAdminAndHttpsUnlessTheOperatorAllowsMore() throws {
    let sender = try fixture.key(["send", "read"])
    for (method, path) in [("GET", ""), ("POST", ""), ("DELETE", "/1"), ("POST", "/1/replay"), ("GET", "/1/dead")] {
      #expect(try fixture.send(method, "/v1/apps/demo/webhooks\(path)", "{}", key: sender).status == 403)
    }
    let strict = try ServerFixture()
    _ = try strict.makeDemo()
    let plain = try strict.post(
      "/v1/apps/demo/webhooks", ["url": "http://example.com/", "types": ["event.opened"]])
    #expect(plain.status == 422)
  }
}
