import Glibc
import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// Live Activities from the API to the emulator's phones.
@Suite(.timeLimit(.minutes(3))) struct ActivityTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }
  var emulator: ProviderEmulator { world.emulator }

  static let path = "/v1/apps/demo/activities"
  static let startToken = String(repeating: "5a", count: 48)
  static let token = String(repeating: "6b", count: 48)
  static let topic = EndToEndTests.topic + ".push-type.liveactivity"
  static let parts =
    #""attributes_type":"Order","attributes":{"order":"17"},"content_state":{"minutes":25},"#
    + #""alert":{"title":"Your order","body":"It is on its way."}"#

  init() throws { world = try EndToEndTests() }

  private func register(_ token: String = startToken, user: String = "ann") throws -> String {
    let body: JSONValue = [
      "type": "ios-live-activity-start", "token": .string(token), "user": .string(user),
    ]
    let answer = try fixture.post("/v1/apps/demo/devices", body)
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  @discardableResult
  private func start(_ id: String = "order-17", _ more: String = "", to: String = #"{"user":"ann"}"#) throws
    -> JSONValue
  {
    let answer = try fixture.send("POST", Self.path, #"{"id":"\#(id)","to":\#(to),\#(Self.parts)\#(more)}"#)
    #expect(answer.status == 202, "\(answer.text)")
    return answer.json
  }

  private func report(_ token: String = token, id: String = "order-17", key: String?? = .none) throws
    -> ServerFixture.Answer
  {
    try fixture.send("POST", "\(Self.path)/\(id)/tokens", #"{"token":"\#(token)"}"#, key: key)
  }

  private func update(_ body: String, id: String = "order-17", headers: [String] = []) throws -> ServerFixture.Answer {
    try fixture.send("POST", "\(Self.path)/\(id)/updates", body, headers: headers)
  }

  private func shown(_ id: String = "order-17") throws -> JSONValue {
    try fixture.send("GET", "\(Self.path)/\(id)").json
  }

  private func finished(_ answer: ServerFixture.Answer) throws -> JSONValue {
    #expect(answer.status == 202, "\(answer.text)")
    return try world.finished(answer.json["id"]?.string ?? "")
  }

  @Test("From the start to the end, as Apple's pages have it, with a ledger that balances") func life() throws {
    _ = try register()
    let made = try start("order-17", #","stale_date":"2033-05-18T03:33:20Z""#)
    #expect(made["priority"] == 10 && made["urgent_left"] == 11 && made["targeted"] == 1, "\(made)")
    let push = try world.finished(made["id"]?.string ?? "")
    #expect(push["counts"]?["accepted"] == 1, "\(push)")
    let first = try #require(emulator.device(.apns, Self.startToken)?.receivedPushes.first)
    var payload = try JSON.parse(first.payload)["aps"]?.object ?? [:]
    #expect(payload["timestamp"]?.int ?? 0 > 1_700_000_000)
    payload["timestamp"] = nil
    #expect(
      payload == [
        "event": "start", "content-state": ["minutes": 25],
        "alert": ["title": "Your order", "body": "It is on its way."], "stale-date": 2_000_000_000,
        "attributes-type": "Order", "attributes": ["order": "17"], "input-push-token": 1,
      ])
    var headers = Dictionary(first.headers.map { ($0.name, $0.value) }) { one, _ in one }
    #expect(headers["apns-push-type"] == "liveactivity" && headers["apns-topic"] == Self.topic)
    #expect(headers["apns-priority"] == "10" && headers["apns-expiration"] == nil)
    #expect(try shown()["state"] == "starting" && shown()["stale_at"] == "2033-05-18T03:33:20.000Z")
    #expect(try update(#"{"event":"update","content_state":{}}"#).status == 409)

    #expect(try report().status == 201)
    #expect(try report().status == 200)
    #expect(try shown()["state"] == "active")
    let answer = try update(
      #"{"event":"update","content_state":{"minutes":10},"priority":5,"expires_in_seconds":600}"#)
    #expect(answer.json["priority"] == 5 && answer.json["urgent_left"] == 11, "\(answer.text)")
    #expect(try finished(answer)["counts"]?["accepted"] == 1)
    let end = try update(#"{"event":"end","dismissal_date":"2033-05-18T03:33:20Z"}"#)
    #expect(try finished(end)["counts"]?["accepted"] == 1)
    let received = emulator.device(.apns, Self.token)?.receivedPushes ?? []
    let bodies = try received.map { try JSON.parse($0.payload)["aps"] ?? .null }
    #expect(bodies.map { $0["event"]?.string } == ["update", "end"] && bodies[1]["dismissal-date"] == 2_000_000_000)
    #expect(bodies[0]["content-state"] == ["minutes": 10] && bodies[0]["attributes"] == nil)
    #expect(bodies[0]["timestamp"]?.int ?? 0 < bodies[1]["timestamp"]?.int ?? 0)
    headers = Dictionary(received[0].headers.map { ($0.name, $0.value) }) { one, _ in one }
    #expect(headers["apns-priority"] == "5" && headers["apns-topic"] == Self.topic)
    #expect(headers["apns-expiration"].flatMap { Int($0) } ?? 0 > 1_700_000_000)

    let life = try shown()
    #expect(life["state"] == "ended" && life["ended_at"] != nil && life["tokens"]?[0]?["state"] == "active", "\(life)")
    #expect(life["sends"]?.array?.map { $0["event"]?.string } == ["end", "update", "start"])
    for send in life["sends"]?.array ?? [] {
      #expect(send["counts"]?["targeted"] == 1 && send["counts"]?["accepted"] == 1, "\(send)")
    }
    #expect(try update(#"{"event":"update","content_state":{}}"#).status == 409)
    #expect(try report(String(repeating: "7c", count: 48)).status == 409)
    let list = try fixture.send("GET", "\(Self.path)?user=ann").json["activities"]
    #expect(list?[0]?["id"] == "order-17" && list?[1] == nil)
    #expect(try fixture.send("GET", "\(Self.path)?user=bob").json["activities"] == [])
    #expect(try fixture.send("DELETE", "\(Self.path)/order-17").status == 204)
    #expect(try fixture.send("GET", "\(Self.path)/order-17").status == 404)
  }

  @Test("When the hour's urgent sends are used up, a send goes with 5 and says so, or is refused") func budget() throws
  {
    _ = try register()
    let made = try start("order-17", #","urgent_per_hour":2"#)
    #expect(made["urgent_left"] == 1, "\(made)")
    #expect(try report().status == 201)
    let body = #"{"event":"update","content_state":{}}"#
    let urgent = try update(body)
    #expect(urgent.json["priority"] == 10 && urgent.json["urgent_left"] == 0, "\(urgent.text)")
    let key = ["Idempotency-Key: u"]
    let lowered = try update(body, headers: key)
    #expect(lowered.json["priority"] == 5 && lowered.json["report"]?[0]?["severity"] == "warning", "\(lowered.text)")
    #expect(lowered.json["report"]?[0]?["field"] == "priority", "\(lowered.text)")
    #expect(try update(body, headers: key).json["replayed"] == true)
    let refused = try update(#"{"event":"update","content_state":{},"over_budget":"refuse"}"#)
    #expect(refused.status == 429 && refused.headers["retry-after"] != nil, "\(refused.text)")
    #expect(refused.detail.contains("\"priority\": 5"), "\(refused.text)")
    for push in [urgent, lowered] { #expect(try finished(push)["counts"]?["accepted"] == 1) }
    let priorities = (emulator.device(.apns, Self.token)?.receivedPushes ?? []).map { push in
      push.headers.first { $0.name == "apns-priority" }?.value
    }
    #expect(priorities.sorted { ($0 ?? "") < ($1 ?? "") } == ["10", "5"])
    #expect(try shown()["urgent_left"] == 0 && shown()["sends"]?.array?.count == 3)
    let none = try start("order-18", #","urgent_per_hour":0"#)
    #expect(none["priority"] == 5 && none["report"]?[0]?["field"] == "priority", "\(none)")
  }

  @Test("What leads nowhere is sent with a warning: a stale date that has passed, attributes of another id")
  func doubts()
    throws
  {
    _ = try register()
    func fields(_ answer: JSONValue) -> [String?] {
      (answer["report"]?.array ?? []).filter { $0["severity"] == "warning" }.map { $0["field"]?.string }
    }
    let past = #","stale_date":"2020-05-18T03:33:20Z""#
    #expect(try fields(start("order-17", past)) == ["stale_date"])
    #expect(try fields(start("order-18", #","stale_date":"2033-05-18T03:33:20Z""#)) == [])
    #expect(try report().status == 201)
    let old = try update(#"{"event":"update","content_state":{}\#(past)}"#)
    #expect(old.status == 202 && fields(old.json) == ["stale_date"], "\(old.text)")

    func started(_ id: String, _ attributes: String) throws -> [String?] {
      let body =
        #"{"id":"\#(id)","to":{"user":"ann"},"attributes_type":"Order","attributes":\#(attributes),"#
        + #""content_state":{},"alert":{"title":"T","body":"B"}}"#
      let answer = try fixture.send("POST", Self.path, body)
      #expect(answer.status == 202, "\(answer.text)")
      return fields(answer.json)
    }
    #expect(try started("order-19", #"{"id":"order-17"}"#) == ["attributes.id"])
    #expect(try started("order-20", #"{"id":20}"#) == ["attributes.id"])
    #expect(try started("order-21", #"{"id":"order-21"}"#) == [])
    #expect(try started("order-22", #"{"id":7,"order":"order-22"}"#) == [])
  }

  @Test("Apple's 410 and BadDeviceToken end an activity's token, and the next update says so") func deadToken() throws {
    _ = try register()
    try start()
    let gone = EndToEndTests.goneToken
    #expect(try report(gone).status == 201)
    let push = try finished(try update(#"{"event":"update","content_state":{}}"#))
    #expect(push["counts"]?["rejected"] == 1, "\(push)")
    let token = try shown()["tokens"]?[0]
    #expect(token?["state"] == "retired" && token?["state_reason"] == "Unregistered", "\(token ?? .null)")
    let answer = try update(#"{"event":"update","content_state":{}}"#)
    #expect(answer.status == 409 && answer.detail.contains("/activities/order-17/tokens"), "\(answer.text)")
  }

  @Test("A token that says which type it starts is left out of starts of others") func types() throws {
    _ = try register()
    let typed: JSONValue = [
      "type": "ios-live-activity-start", "token": .string(String(repeating: "8d", count: 48)), "user": "ann",
      "properties": ["attributes_type": "Ride"],
    ]
    #expect(try fixture.post("/v1/apps/demo/devices", typed).status == 201)
    #expect(try start()["targeted"] == 1)
    let ride = try fixture.send(
      "POST", Self.path,
      #"{"id":"ride","to":{"user":"ann"},\#(Self.parts.replacing("\"Order\"", with: "\"Ride\""))}"#)
    #expect(ride.json["targeted"] == 2, "\(ride.text)")
  }

  @Test("An activity that listens to a channel is updated by broadcasts, and by nothing else") func channel() throws {
    _ = try register()
    let channel = try fixture.send("POST", "/v1/apps/demo/channels", "{}").json
    let id = channel["id"]?.string ?? ""
    _ = try world.finished(try start("match", #","channel":"\#(id)""#)["id"]?.string ?? "")
    let received = try #require(emulator.device(.apns, Self.startToken)?.receivedPushes.first)
    let aps = try JSON.parse(received.payload)["aps"]
    #expect(aps?["input-push-channel"] == channel["channel_id"] && aps?["input-push-token"] == nil)
    #expect(try shown("match")["state"] == "active" && shown("match")["channel"]?.string == id)
    let answer = try update(#"{"event":"update","content_state":{}}"#, id: "match")
    #expect(answer.status == 409 && answer.detail.contains("/channels/\(id)/broadcasts"), "\(answer.text)")
    #expect(try report(id: "match").status == 409)
  }

  /// What is refused: path, body, the field and a word of the remedy.
  static let refusals: [(path: String, body: String, field: String, word: String)] = [
    ("", #"{"id":"a b","to":{"user":"ann"},\#(parts)}"#, "id", "letters, digits"),
    ("", #"{"to":{"user":"ann"},\#(parts)}"#, "id", "required"),
    ("", #"{"id":"a","to":{},\#(parts)}"#, "to", "exactly one"),
    ("", #"{"id":"a","to":{"user":"bob"},\#(parts)}"#, "to.user", "ios-live-activity-start"),
    ("", #"{"id":"a","to":{"device":"999"},\#(parts)}"#, "to.device", "ios-live-activity-start"),
    (
      "", #"{"id":"a","to":{"user":"ann"},"attributes":{},"content_state":{},"alert":{}}"#, "attributes_type",
      "required"
    ),
    (
      "", #"{"id":"a","to":{"user":"ann"},"attributes_type":"O","attributes":{},"content_state":{}}"#, "alert",
      "required"
    ),
    ("", #"{"id":"a","to":{"user":"ann"},"channel":"77",\#(parts)}"#, "channel", "no channel"),
    ("", #"{"id":"a","to":{"user":"ann"},"topic":"com.example.other",\#(parts)}"#, "topic", EndToEndTests.topic),
    ("", #"{"id":"a","to":{"user":"ann"},"priority":1,\#(parts)}"#, "priority", "5"),
    ("", #"{"id":"a","to":{"user":"ann"},"stale_date":"now",\#(parts)}"#, "stale_date", "expected a time"),
    ("", #"{"id":"a","to":{"user":"ann"},"urgent_per_hour":-1,\#(parts)}"#, "urgent_per_hour", "0"),
    ("/order-17/tokens", #"{"token":"not hexadecimal"}"#, "token", "hexadecimal"),
    ("/order-17/tokens", "{}", "token", "required"),
    ("/order-17/updates", #"{"event":"start"}"#, "event", "expected one of"),
    ("/order-17/updates", #"{"event":"update"}"#, "content_state", "add it"),
    (
      "/order-17/updates", #"{"event":"update","content_state":{},"dismissal_date":"2033-05-18T03:33:20Z"}"#,
      "dismissal_date", "leave it out"
    ),
    (
      "/order-17/updates", #"{"event":"update","content_state":{"a":"\#(String(repeating: "x", count: 4_200))"}}"#, "",
      "4096"
    ),
  ]

  @Test("What cannot be is refused with field and remedy, and leaves nothing") func refusals() throws {
    _ = try register()
    try start()
    #expect(try report().status == 201)
    let before = try shown()
    for (path, body, field, word) in Self.refusals {
      let answer = try fixture.send("POST", Self.path + path, body)
      #expect(answer.status == 422, "\(body): \(answer.text)")
      let finding = (answer.json["report"]?.array ?? []).first { $0["severity"] == "error" }
      #expect(finding?["field"]?.string == field, "\(body): \(answer.text)")
      #expect(finding?["message"]?.string?.contains(word) == true, "\(body): \(answer.text)")
    }
    let after = try shown()
    #expect(after["sends"]?.array?.count == 1 && after["urgent_left"] == before["urgent_left"], "\(after)")
    #expect(try fixture.send("GET", Self.path).json["activities"]?.array?.count == 1)
    let again = try fixture.send("POST", Self.path, #"{"id":"order-17","to":{"user":"ann"},\#(Self.parts)}"#)
    #expect(again.status == 409 && again.detail.contains("this id"), "\(again.text)")
  }

  @Test("An app's key reports tokens and does nothing else, with identity only of its own user") func rights() throws {
    _ = try register()
    try start()
    let client = try fixture.key(["client"], app: "demo")
    #expect(try report(key: client).status == 201)
    for (method, path, body) in [
      ("POST", "", #"{"id":"b","to":{"user":"ann"},\#(Self.parts)}"#), ("GET", "", nil), ("GET", "/order-17", nil),
      ("POST", "/order-17/updates", #"{"event":"end"}"#), ("DELETE", "/order-17", nil),
    ] as [(String, String, String?)] {
      #expect(try fixture.send(method, Self.path + path, body, key: client).status == 403, "\(method) \(path)")
    }
    #expect(try report(id: "nobodys", key: client).status == 404)
    let key = try fixture.send("POST", "/v1/apps/demo/identity/keys", #"{"algorithm":"HS256"}"#)
    #expect(key.status == 201)
    #expect(try fixture.send("PUT", "/v1/apps/demo/identity", #"{"mode":"required"}"#).status == 200)
    let other = String(repeating: "7c", count: 48)
    #expect(try report(other, key: client).status == 401)
    #expect(try report(other).status == 201)
    #expect(try shown()["tokens"]?.array?.count == 2)
  }
}
