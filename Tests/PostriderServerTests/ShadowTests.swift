import Glibc
import HTTPServer
import ProviderEmulator
import PushStore
import StoreModel
import Synchronization
import TestEngines
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// Requests to vendors' interfaces that deliver nothing, against a vendor on loopback that notes what it gets.
@Suite(.onBothEngines, .timeLimit(.minutes(3))) final class ShadowTests: Sendable {
  /// A vendor: answers what the test says, and notes every request.
  final class Vendor: HTTPHandler {
    struct Noted: Sendable {
      let method: String
      let path: String
      let query: [String]
      let headers: HTTPHeaders
      let text: String

      var json: JSONValue { (try? JSON.parse(Array(text.utf8))) ?? .null }
    }

    let noted = Mutex<[Noted]>([])
    /// Requests that get no answer.
    let kept = Mutex<(isOn: Bool, responders: [HTTPResponder])>((false, []))
    let answer = Mutex<(status: Int, body: String, headers: [(String, String)])>(
      (200, #"{"id":"11111111-2222-4333-8444-555555555555"}"#, []))

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
      noted.withLock {
        $0.append(
          Noted(
            method: request.method.rawValue, path: request.head.target.path,
            query: request.query.pairs.map { "\($0.name)=\($0.value)" }, headers: request.headers,
            text: String(decoding: request.body, as: UTF8.self)))
      }
      let isKept = kept.withLock { kept in
        if kept.isOn { kept.responders.append(responder) }
        return kept.isOn
      }
      if isKept { return }
      let answer = answer.withLock { $0 }
      responder.respond(
        HTTPResponse(
          status: answer.status,
          headers: [("Content-Type", "application/json")] + answer.headers.map { (name: $0.0, value: $0.1) },
          bytes: Array(answer.body.utf8)))
    }

    var all: [Noted] { noted.withLock { $0 } }

    func set(_ status: Int, _ body: String, _ headers: [(String, String)] = []) {
      answer.withLock { $0 = (status, body, headers) }
    }
  }

  let vendor = Vendor()
  let server: HTTPServer
  let world: EndToEndTests
  let key: String
  var fixture: ServerFixture { world.fixture }

  static let vendorKey = "os_v2_app_vendors_own_key"

  convenience init() throws { try self.init(vendorAnswerMs: 60_000) }

  init(vendorAnswerMs: Int) throws {
    server = try HTTPServer(HTTPServerConfiguration(), handler: vendor)
    world = try EndToEndTests(clock: .system) {
      $0.allowsPrivateWebhooks = true
      $0.vendorAnswerMs = vendorAnswerMs
    }
    let enabled = try world.fixture.send(
      "PATCH", "/v1/apps/demo", #"{"compat":{"onesignal":{},"powerauth":{},"imkit":{},"amba":{}}}"#)
    #expect(enabled.status == 200, "\(enabled.text)")
    key = try world.fixture.key(["compat"], app: "demo")
    for (type, token, user) in [("ios", ServerFixture.iosToken, "ann"), ("android", ServerFixture.androidToken, "bob")]
    {
      let body: JSONValue = ["type": .string(type), "token": .string(token), "user": .string(user)]
      #expect(try world.fixture.post("/v1/apps/demo/devices", body).status == 201)
    }
  }

  deinit { server.stop(drainingFor: .zero) }

  var address: String { "http://127.0.0.1:\(server.port)" }

  func set(_ vendor: String = "onesignal", _ body: String) throws -> ServerFixture.Answer {
    try fixture.send("PUT", "/v1/apps/demo/compat/\(vendor)/shadow", body)
  }

  func forward(_ vendor: String = "onesignal", live: Int = 0) throws {
    let answer = try set(vendor, #"{"mode":"forward","url":"\#(address)/","live_percent":\#(live)}"#)
    #expect(answer.status == 200 && answer.json["url"]?.string == address, "\(answer.text)")
  }

  /// A request as a backend sends it: its own key of the vendor's where the vendor has it, and this server's beside it.
  func ask(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String] = []
  ) throws -> ServerFixture.Answer {
    try fixture.send(
      method, "/compat" + path, body, key: .some(nil),
      headers: ["Authorization: Key \(Self.vendorKey)", "Postrider-Key: \(key)", "Content-Type: application/json"]
        + headers)
  }

  /// The report of a vendor, once as many requests are recorded; what is recorded comes after the answer.
  func report(_ vendor: String = "onesignal", requests: Int) throws -> JSONValue {
    for _ in 0..<3_000 {
      let rows = try fixture.send("GET", "/v1/apps/demo/shadow").json["vendors"]?.array ?? []
      if let row = rows.first(where: { $0["vendor"]?.string == vendor }) {
        let total = (row["outcomes"]?.array ?? []).reduce(0) { $0 + ($1["count"]?.int ?? 0) }
        if total >= requests { return row }
      }
      usleep(10_000)
    }
    return try fixture.send("GET", "/v1/apps/demo/shadow").json
  }

  static func counts(_ row: JSONValue, _ kind: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for total in row[kind]?.array ?? [] { counts[total["name"]?.string ?? ""] = total["count"]?.int }
    return counts
  }

  /// The newest records, whole.
  func records() throws -> [JSONValue] {
    let rows = try fixture.send("GET", "/v1/apps/demo/shadow/requests").json["requests"]?.array ?? []
    return try rows.map { try fixture.send("GET", "/v1/apps/demo/shadow/requests/\($0["id"]?.string ?? "")").json }
  }

  private var pushes: Int {
    get throws { try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.count ?? -1 }
  }

  func expectNothingDelivered() throws {
    #expect(try pushes == 0)
    #expect(world.emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.isEmpty == true)
    #expect(world.emulator.device(.fcm, ServerFixture.androidToken)?.receivedPushes.isEmpty == true)
  }

  // MARK: - Observe

  @Test("Observed requests are checked, counted and answered, and deliver nothing") func observes() throws {
    #expect(try set("onesignal", #"{"mode":"observe"}"#).text == #"{"mode":"observe","live_percent":0}"#)
    let all = try ask(
      "POST", "/onesignal/notifications",
      #"{"included_segments":["Subscribed Users"],"contents":{"en":"Very private text"},"frobnicate":1,"send_after":"2031-05-01T13:00:00Z"}"#
    )
    #expect(all.status == 200 && CompatID.isUUID(all.json["id"]?.string ?? ""), "\(all.text)")
    let one = try ask(
      "POST", "/onesignal/notifications",
      #"{"include_aliases":{"external_id":["ann"]},"target_channel":"push","contents":{"en":"Very private text"}}"#)
    #expect(one.status == 200 && one.json["id"]?.string != "", "\(one.text)")
    let nobody = try ask(
      "POST", "/onesignal/notifications", #"{"include_external_user_ids":["nobody-7781"],"contents":{"en":"x"}}"#)
    #expect(nobody.json["id"] == "", "\(nobody.text)")
    let refused = try ask(
      "POST", "/onesignal/notifications",
      #"{"include_external_user_ids":["ann-secret-name"],"contents":{"en":"x"},"isIos":"ann-secret-name"}"#)
    #expect(refused.status == 400, "\(refused.text)")
    let broken = try ask("POST", "/onesignal/notifications", #"{"contents":"#)
    #expect(broken.status == 400, "\(broken.text)")
    let row = try report(requests: 5)
    #expect(Self.counts(row, "outcomes") == ["accepted": 2, "nobody": 1, "refused": 2], "\(row)")
    #expect(Self.counts(row, "unknown") == ["frobnicate": 1])
    #expect(Self.counts(row, "platforms") == ["ios": 2, "android": 1])
    #expect(Self.counts(row, "operations") == ["onesignalCreateNotification": 5])
    #expect(row["agreement"] == [])
    let text = try records().map { JSON.minifiedText($0) }.joined()
    for secret in ["Very private text", "nobody-7781", "ann-secret-name", ServerFixture.iosToken, key, Self.vendorKey] {
      #expect(!text.contains(secret), "\(secret) is in \(text)")
    }
    let first = try #require(try records().last)
    #expect(first["detail"]?["request"]?["contents"]?["en"] == "text of 17 bytes", "\(first)")
    #expect(first["detail"]?["payloads"]?["ios"]?["aps"]?["alert"] != nil && first["targeted"] == 2, "\(first)")
    #expect(fixture.lines.text.contains("unknown members") && fixture.lines.text.contains("frobnicate"))
    try expectNothingDelivered()
  }

  @Test("A usual message to iPhones and Android phones has no differences") func usualMessage() throws {
    #expect(try set("onesignal", #"{"mode":"observe"}"#).status == 200)
    let answer = try ask(
      "POST", "/onesignal/notifications",
      #"{"target_channel":"push","contents":{"en":"B"},"headings":{"en":"T"},"include_aliases":{"external_id":["ann","bob"]}}"#
    )
    #expect(answer.status == 200, "\(answer.text)")
    let row = try report(requests: 1)
    #expect(row["platforms"]?.array?.count == 2, "\(row)")
    #expect(row["differences"]?.array?.isEmpty == true, "\(row)")
  }

  @Test("What is no message is done while messages are observed, so that the switch loses nobody") func registers()
    throws
  {
    _ = try set("onesignal", #"{"mode":"observe"}"#)
    let app = try fixture.send("GET", "/v1/apps/demo").json["compat"]?["onesignal"]?["app_id"]?.string ?? ""
    let made = try ask(
      "POST", "/onesignal/apps/\(app)/users/by/external_id/ann/subscriptions",
      #"{"subscription":{"type":"AndroidPush","token":"fMEO1bKqT0:APA91bMadeUpForThisTest0123456789"}}"#)
    #expect(made.status < 300, "\(made.text)")
    #expect(try fixture.send("GET", "/v1/apps/demo/users/ann").json["devices"]?.array?.count == 2)
    _ = try report(requests: 1)
  }

  @Test("The other vendors' messages deliver nothing either") func otherVendors() throws {
    for name in ["powerauth", "imkit", "amba"] { #expect(try set(name, #"{"mode":"observe"}"#).status == 200) }
    let message = #"{"userId":"ann","body":{"title":"T","body":"B"}}"#
    let sent = try ask(
      "POST", "/powerauth/push/message/send", #"{"requestObject":{"appId":"demo","message":\#(message)}}"#)
    #expect(sent.json["responseObject"]?["apns"]?["total"] == 1, "\(sent.text)")
    let batch = try ask(
      "POST", "/powerauth/push/message/batch/send",
      #"{"requestObject":{"appId":"demo","batch":[\#(message),\#(message)]}}"#)
    #expect(batch.status == 200, "\(batch.text)")
    let clients = try ask(
      "POST", "/imkit/push/push2clients", #"{"clients":["ann","bob"],"payload":{"alert":"A","title":"T"}}"#)
    #expect(clients.text == #"{"RC":0,"RM":"OK","result":{}}"#, "\(clients.text)")
    let campaign = try ask("POST", "/amba/admin/push", #"{"title":"T","body":"B"}"#)
    let id = try #require(campaign.json["data"]?["id"]?.string, "\(campaign.text)")
    #expect(try ask("POST", "/amba/admin/push/\(id)/send").status == 200)
    let timed = try ask(
      "POST", "/amba/admin/push", #"{"title":"T","body":"B","scheduled_at":"2031-05-01T13:00:00Z"}"#)
    #expect(timed.json["data"]?["status"] == "draft", "\(timed.text)")
    let later = try ask(
      "POST", "/amba/admin/users/ann/push-schedule",
      #"{"title":"T","body":"B","scheduled_at":"2031-05-01T13:00:00Z"}"#)
    #expect(later.status == 201, "\(later.text)")
    #expect(Self.counts(try report("powerauth", requests: 2), "platforms") == ["ios": 3])
    #expect(Self.counts(try report("imkit", requests: 1), "platforms") == ["ios": 1, "android": 1])
    #expect(Self.counts(try report("amba", requests: 4), "outcomes")["refused"] == nil)
    let states = try fixture.send("GET", "/v1/apps/demo/pushes").json["pushes"]?.array?.map { $0["state"] }
    #expect(states == ["draft", "draft"])
    #expect(world.emulator.device(.apns, ServerFixture.iosToken)?.receivedPushes.isEmpty == true)
  }

  @Test("Members that are not known here are in the log, by name, of live requests too") func namesUnknown() throws {
    let sent = try ask(
      "POST", "/onesignal/notifications",
      #"{"include_external_user_ids":["ann"],"contents":{"en":"x"},"frobnicate":"secret-value","a@b.example":1}"#)
    #expect(sent.status == 200, "\(sent.text)")
    #expect(
      fixture.lines.text.contains(#""operation":"onesignalCreateNotification","members":"frobnicate, (another name)""#),
      "\(fixture.lines.text.suffix(1_500))")
    let refused = try ask(
      "POST", "/imkit/push/push2clients", #"{"clients":["ann"],"payload":{"alert":"A","wobble":1}}"#)
    #expect(refused.status == 400 && fixture.lines.text.contains(#""members":"payload.wobble""#), "\(refused.text)")
    let leaks = fixture.lines.text.split(separator: "\n").filter {
      $0.contains("secret-value") || $0.contains("a@b.example")
    }
    #expect(leaks.isEmpty, "\(leaks)")
    #expect(try fixture.send("GET", "/v1/apps/demo/shadow").json["vendors"]?[0]?["outcomes"] == [])
  }

  // MARK: - Forward

  @Test("Forwarded requests reach the vendor as they are, with its key and not with ours") func forwards() throws {
    try forward()
    vendor.set(200, #"{"id":"11111111-2222-4333-8444-555555555555","recipients":7}"#, [("Idempotent-Replayed", "true")])
    let body = #"{"included_segments":["All"],"contents":{"en":"Hello"}, "x":1.50}"#
    let answer = try ask("POST", "/onesignal/notifications?a=b%20c", body, headers: ["X-Other: 1"])
    // A query that is not known here is the vendor's business.
    #expect(answer.status == 200 && answer.json["recipients"] == 7 && answer.headers["idempotent-replayed"] == "true")
    let noted = try #require(vendor.all.first)
    #expect(noted.method == "POST" && noted.path == "/notifications" && noted.query == ["a=b c"] && noted.text == body)
    #expect(noted.headers.first("Authorization") == "Key \(Self.vendorKey)")
    #expect(noted.headers.first("Postrider-Key") == nil && noted.headers.first("X-Other") == nil)
    let read = try fixture.send(
      "GET", "/compat/onesignal/\(key)/api/v1/notifications/some%2Fid", key: .some(nil),
      headers: ["Authorization: Basic \(Self.vendorKey)"])
    #expect(read.status == 200 && vendor.all.last?.path == "/api/v1/notifications/some%2Fid", "\(read.text)")
    vendor.set(429, #"{"errors":["API rate limit exceeded."]}"#, [("Retry-After", "7")])
    let limited = try ask(
      "POST", "/onesignal/notifications", #"{"included_segments":["All"],"contents":{"en":"Hello"}}"#)
    #expect(limited.status == 429 && limited.headers["retry-after"] == "7")
    let row = try report(requests: 2)
    #expect(Self.counts(row, "agreement")["only_here"] == 1, "\(row)")
    let failed = try #require(try records().first { $0["vendor_status"] == 429 })
    #expect(failed["detail"]?["vendor"]?["error"] == "API rate limit exceeded." && failed["outcome"] == "accepted")
    try expectNothingDelivered()
  }

  @Test("Only a request with the keys apart is forwarded, and a vendor that is away is said in its form")
  func vendorAway()
    throws
  {
    try forward()
    let together = try fixture.send(
      "POST", "/compat/onesignal/notifications", #"{"contents":{"en":"x"}}"#, key: .some(nil),
      headers: ["Authorization: Key \(key)"])
    #expect(together.status == 403 && together.text.contains("Postrider-Key"), "\(together.text)")
    #expect(vendor.all.isEmpty)
    #expect(try set("onesignal", #"{"url":"http://127.0.0.1:9"}"#).status == 200)
    let away = try ask("POST", "/onesignal/notifications", #"{"included_segments":["All"],"contents":{"en":"x"}}"#)
    #expect(away.status == 502 && away.json["errors"]?[0]?.string?.contains("not reached") == true, "\(away.text)")
    #expect(Self.counts(try report(requests: 1), "agreement") == ["vendor_down": 1])
    try forward("powerauth")
    vendor.set(200, #"{"status":"OK"}"#)
    let plain = try fixture.send(
      "POST", "/compat/powerauth/\(key)/push/message/send",
      #"{"requestObject":{"appId":"demo","message":{"userId":"ann","body":{"title":"T","body":"B"}}}}"#, key: .some(nil)
    )
    #expect(plain.text == #"{"status":"OK"}"# && vendor.all.last?.path == "/push/message/send", "\(plain.text)")
    try expectNothingDelivered()
  }

  @Test("A change that the vendor has not made is not made here") func changes() throws {
    try forward()
    let app = try fixture.send("GET", "/v1/apps/demo").json["compat"]?["onesignal"]?["app_id"]?.string ?? ""
    let path = "/onesignal/apps/\(app)/users/by/external_id/ann"
    vendor.set(400, #"{"errors":["no"]}"#)
    #expect(try ask("PATCH", path, #"{"properties":{"tags":{"level":"7"}}}"#).status == 400)
    #expect(try fixture.send("GET", "/v1/apps/demo/users/ann").json["properties"]?["level"] == nil)
    vendor.set(202, #"{"properties":{"tags":{"level":"7"}}}"#)
    #expect(try ask("PATCH", path, #"{"properties":{"tags":{"level":"7"}}}"#).status == 202)
    #expect(try fixture.send("GET", "/v1/apps/demo/users/ann").json["properties"]?["level"] == 7)
    #expect(Self.counts(try report(requests: 2), "outcomes") == ["skipped": 1, "accepted": 1])
  }
}
