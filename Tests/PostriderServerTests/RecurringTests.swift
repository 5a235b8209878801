import Glibc
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Pushes under a user's key, test pushes, and pushes that come again.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct RecurringTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
  }

  static let message: JSONValue = ["title": "T", "body": "B"]

  // MARK: Test pushes

  @Test("A test push goes to the newest active device of a user, and has no campaign") func testPush() throws {
    for (index, type) in ["ios", "ios", "android"].enumerated() {
      let token = type == "ios" ? String(repeating: "0\(index + 1)", count: 32) : "bk3RNwTe3H0:new\(index)"
      let device: JSONValue = ["type": .string(type), "token": .string(token), "user": "ann"]
      #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
      clock.move(seconds: 1)
    }
    let body: JSONValue = ["message": Self.message, "to": ["user": "ann"]]
    let answer = try fixture.post("/v1/apps/demo/test-pushes", body)
    #expect(answer.status == 202, "\(answer.text)")
    let id = try #require(answer.json["id"]?.string)
    let rows = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)/deliveries").json["deliveries"]?.array ?? []
    #expect(rows.map { $0["type"]?.string } == ["android"])
    #expect(rows.first?["device"] == answer.json["device"])
    let push = try fixture.send("GET", "/v1/apps/demo/pushes/\(id)").json
    #expect(push["campaign"] == nil)
    #expect(push["request"] == nil)
  }

  @Test(
    "A test push takes a token, a device or a user, and exactly one",
    arguments: [
      (#"{"user":"nobody"}"#, 422), (#"{}"#, 422), (#"{"user":"a","device":"1"}"#, 422), (#"{"device":"x"}"#, 422),
      (#"{"device":"999"}"#, 404), (#"{"token":{"type":"ios","token":"zz"}}"#, 422), (#"{"token":"t"}"#, 422),
      (#"{"token":{"type":"ios","token":"00fc13adff78512200fc13adff78512200fc13adff78512200fc13adff785122"}}"#, 202),
      (#"{"device":"1"}"#, 202), (#"{"all":true}"#, 422),
    ])
  func testPushTargets(to: String, status: Int) throws {
    let answer = try fixture.send(
      "POST", "/v1/apps/demo/test-pushes", #"{"message":{"title":"T","body":"B"},"to":\#(to)}"#)
    #expect(answer.status == status, "\(to): \(answer.text)")
  }

  // MARK: Appointments

  static let userPushName = "/v1/apps/demo/users/ann%2Fx/scheduled/trial%20ends"

  @Test("A user's push waits under a name, is moved, is sent once, and is taken back") func userScheduledPushes() throws
  {
    let device: JSONValue = ["type": "ios", "token": .string(String(repeating: "0a", count: 32)), "user": "ann/x"]
    #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    let first = try fixture.send(
      "PUT", Self.userPushName, #"{"message":{"title":"T","body":"B"},"send_at":"2026-11-22T12:00:00Z"}"#)
    #expect(first.status == 200, "\(first.text)")
    #expect(first.json["user"] == "ann/x")
    #expect(first.json["key"] == "trial ends")
    let second = try fixture.send(
      "PUT", Self.userPushName, #"{"message":{"title":"T","body":"B"},"send_at":"2026-11-21T12:00:00Z"}"#)
    #expect(second.status == 200)
    let list = try fixture.send("GET", "/v1/apps/demo/users/ann%2Fx/scheduled").json["scheduled"]?.array ?? []
    #expect(list.map { $0["id"] } == [second.json["id"]])
    let old = try fixture.send("GET", "/v1/apps/demo/pushes/\(first.json["id"]?.string ?? "")").json
    #expect(old["status"] == "cancelled")
    clock.move(seconds: 86_400)
    let id = second.json["id"]?.string ?? ""
    let sent = try fixture.poll("/v1/apps/demo/pushes/\(id)") { $0["counts"]?["targeted"] == 1 }
    #expect(sent["counts"]?["targeted"] == 1, "\(sent)")
    #expect(sent["campaign"] == nil)
    #expect(try fixture.send("DELETE", Self.userPushName).status == 404)
    _ = try fixture.send(
      "PUT", Self.userPushName, #"{"message":{"title":"T","body":"B"},"send_at":"2026-11-23T12:00:00Z"}"#)
    #expect(try fixture.send("DELETE", Self.userPushName).status == 204)
    #expect(try fixture.send("DELETE", Self.userPushName).status == 404)
    clock.move(seconds: 10 * 86_400)
    usleep(600_000)
    #expect(try fixture.pushes().map { $0["status"]?.string }.filter { $0 == "scheduled" }.isEmpty)
  }

  @Test("A user's push without a time is refused") func appointmentWithoutTime() throws {
    let answer = try fixture.send("PUT", Self.userPushName, #"{"message":{"title":"T","body":"B"}}"#)
    #expect(answer.status == 422)
    #expect(answer.rules == ["push-schedule"])
  }

  // MARK: Schedules

  func schedule(_ rule: JSONObject) throws -> ServerFixture.Answer {
    try fixture.post(
      "/v1/apps/demo/schedules",
      ["message": Self.message, "to": ["all": true], "campaign": "daily", "repeat": .object(rule)])
  }

  @Test("Each occurrence is a push of its own; what was missed is made once, and only when it is not too late")
  func occurrences() throws {
    let answer = try schedule([
      "every": "day", "start": "2026-11-21T09:00:00", "timezone": "Europe/Vienna", "catch_up_seconds": 7_200,
    ])
    #expect(answer.status == 201, "\(answer.text)")
    let path = "/v1/apps/demo/schedules/\(answer.json["id"]?.string ?? "")"
    #expect(answer.json["next"]?[0] == "2026-11-21T08:00:00.000Z")
    clock.move(seconds: 20 * 3_600)
    var now = try fixture.poll(path) { $0["made"] == 1 }
    #expect(now["made"] == 1 && now["missed"] == 0)
    #expect(now["next"]?[0] == "2026-11-22T08:00:00.000Z")
    // Three days and an hour on: two are missed, the third is an hour late and still made.
    clock.move(seconds: 3 * 86_400 + 3_600)
    now = try fixture.poll(path) { $0["made"] == 2 }
    #expect(now["made"] == 2 && now["missed"] == 2, "\(now)")
    // A day and four hours on: too late.
    clock.move(seconds: 86_400 + 4 * 3_600)
    now = try fixture.poll(path) { $0["missed"] == 3 }
    #expect(now["made"] == 2 && now["missed"] == 3, "\(now)")
    let pushes = try fixture.pushes()
    #expect(pushes.count == 2)
    #expect(pushes.allSatisfy { $0["campaign"] == "daily" })
    let last = try fixture.send("GET", "/v1/apps/demo/pushes/\(now["last_push"]?.string ?? "")").json
    #expect(last["schedule"] == answer.json["id"])
    #expect(last["number"] == 2 && now["last_push_number"] == 2)
    let listed = try fixture.send("GET", "/v1/apps/demo/schedules").json["schedules"]?[0]
    #expect(listed?["last_push_number"] == 2)
    #expect(try fixture.send("DELETE", path).status == 204)
    #expect(try fixture.send("DELETE", path).status == 409)
    clock.move(seconds: -40 * 86_400)
    clock.move(seconds: 80 * 86_400)
    usleep(600_000)
    #expect(try fixture.pushes().count == 2)
  }

  @Test("A schedule ends by its count, and an occurrence that cannot be made is missed with its reason")
  func endsAndFails() throws {
    let answer = try schedule([
      "every": "week", "weekdays": ["saturday", "monday"], "start": "2026-11-20T12:30:00", "timezone": "UTC",
      "count": 2,
    ])
    #expect(
      answer.json["next"] == ["2026-11-21T12:30:00.000Z", "2026-11-23T12:30:00.000Z"], "\(answer.text)")
    let path = "/v1/apps/demo/schedules/\(answer.json["id"]?.string ?? "")"
    clock.move(seconds: 86_400 + 1_800)
    _ = try fixture.poll(path) { $0["made"] == 1 }
    _ = try fixture.send("PUT", "/v1/apps/demo/credentials", #"{"apns":null,"fcm":null}"#)
    clock.move(seconds: 2 * 86_400)
    let end = try fixture.poll(path) { $0["ended_at"] != nil }
    #expect(end["made"] == 1 && end["missed"] == 1, "\(end)")
    #expect(end["problem"]?.string?.hasPrefix("the app \"demo\" has no credentials") == true)
    #expect(end["next"] == [])
  }

  @Test("The same schedule with the same key is one; another with that key is refused") func once() throws {
    let body: JSONValue = [
      "message": Self.message, "to": ["all": true],
      "repeat": ["every": "month", "start": "2027-01-31T09:00:00", "timezone": "UTC"],
    ]
    let first = try fixture.post("/v1/apps/demo/schedules", body, headers: ["Idempotency-Key: s"])
    let second = try fixture.post("/v1/apps/demo/schedules", body, headers: ["Idempotency-Key: s"])
    #expect(first.json["id"] == second.json["id"])
    #expect(
      first.json["next"] == [
        "2027-01-31T09:00:00.000Z", "2027-02-28T09:00:00.000Z", "2027-03-31T09:00:00.000Z",
        "2027-04-30T09:00:00.000Z", "2027-05-31T09:00:00.000Z",
      ])
    let push: JSONValue = ["message": Self.message, "to": ["all": true]]
    #expect(
      try fixture.post(
        "/v1/apps/demo/schedules",
        [
          "message": Self.message, "to": ["all": true],
          "repeat": ["every": "day", "start": "2027-01-31T09:00:00", "timezone": "UTC"],
        ],
        headers: ["Idempotency-Key: s"]
      ).status == 422)
    #expect(try fixture.post("/v1/apps/demo/pushes", push, headers: ["Idempotency-Key: s"]).status == 422)
  }

  @Test("A schedule is changed: its texts at once, its moments from now on") func edits() throws {
    let answer = try schedule(["every": "day", "start": "2026-11-21T09:00:00", "timezone": "UTC"])
    let path = "/v1/apps/demo/schedules/\(answer.json["id"]?.string ?? "")"
    let texts = try fixture.send(
      "PATCH", path, #"{"message":{"title":"New","body":"B"},"campaign":null,"expires_in_seconds":60}"#)
    #expect(texts.status == 200, "\(texts.text)")
    #expect(texts.json["next"] == answer.json["next"])
    #expect(texts.json["request"]?["message"]?["title"] == "New")
    #expect(texts.json["request"]?["campaign"] == nil)
    clock.move(seconds: 22 * 3_600)
    let made = try fixture.poll(path) { $0["made"] == 1 }
    let push = try fixture.send("GET", "/v1/apps/demo/pushes/\(made["last_push"]?.string ?? "")").json
    #expect(push["request"]?["message"]?["title"] == "New", "\(push)")
    let rule = try fixture.send(
      "PATCH", path, #"{"repeat":{"every":"day","interval":2,"start":"2026-11-22T07:00:00","timezone":"UTC"}}"#)
    #expect(rule.json["next"]?[0] == "2026-11-22T07:00:00.000Z", "\(rule.text)")
    #expect(rule.json["next"]?[1] == "2026-11-24T07:00:00.000Z")
    #expect(rule.json["made"] == 1)
    for (body, field) in [
      (#"{"repeat":null}"#, "repeat"), (#"{"repeat":{"every":"day","start":"x","timezone":"UTC"}}"#, "repeat.start"),
      (#"{"to":null}"#, "to"), (#"{"message":7}"#, "message"),
      (#"{"repeat":{"every":"day","start":"2020-12-01T09:00:00","timezone":"UTC","count":1}}"#, "repeat"),
    ] {
      let refused = try fixture.send("PATCH", path, body)
      #expect(refused.status == 422, "\(body): \(refused.text)")
      #expect(refused.json["report"]?[0]?["field"]?.string == field, "\(refused.text)")
    }
    #expect(try fixture.send("GET", path).json == rule.json)
    #expect(try fixture.send("DELETE", path).status == 204)
    #expect(try fixture.send("PATCH", path, #"{"expires_in_seconds":60}"#).status == 409)
    #expect(try fixture.send("PATCH", "/v1/apps/demo/schedules/999", "{}").status == 404)
  }

  @Test("A held schedule makes nothing, and goes on with the next moment") func pauses() throws {
    let answer = try schedule([
      "every": "day", "start": "2026-11-21T09:00:00", "timezone": "UTC", "count": 5, "catch_up_seconds": 14_400,
    ])
    let path = "/v1/apps/demo/schedules/\(answer.json["id"]?.string ?? "")"
    #expect(try fixture.send("POST", path + "/resume").status == 409)
    let held = try fixture.send("POST", path + "/pause")
    #expect(held.json["next"] == [] && held.json["paused_at"] == "2026-11-20T12:00:00.000Z", "\(held.text)")
    #expect(try fixture.send("POST", path + "/pause").json == held.json)
    clock.move(seconds: 2 * 86_400)
    // A change while it is held counts when it goes on.
    #expect(try fixture.send("PATCH", path, #"{"message":{"title":"New","body":"B"}}"#).json["next"] == [])
    usleep(600_000)
    #expect(try fixture.pushes().isEmpty)
    let resumed = try fixture.send("POST", path + "/resume")
    #expect(resumed.status == 200, "\(resumed.text)")
    #expect(resumed.json["next"]?[0] == "2026-11-23T09:00:00.000Z")
    #expect(resumed.json["paused_at"] == nil && resumed.json["missed"] == 0)
    clock.move(seconds: 86_400)
    #expect(try fixture.poll(path) { $0["made"] == 1 }["made"] == 1)
    // Held until all of it is past: it has ended.
    #expect(try fixture.send("POST", path + "/pause").status == 200)
    clock.move(seconds: 30 * 86_400)
    let over = try fixture.send("POST", path + "/resume")
    #expect(over.status == 200 && over.json["ended_at"] != nil && over.json["next"] == [], "\(over.text)")
    #expect(try fixture.send("POST", path + "/resume").status == 409)
    #expect(try fixture.send("POST", path + "/pause").status == 409)
  }

  @Test(
    "A rule that is none is refused by its field",
    arguments: [
      (#"{"every":"day","start":"soon","timezone":"UTC"}"#, "repeat.start"),
      (#"{"every":"day","start":"2026-12-01T09:00:00","timezone":"Moon/Base"}"#, "repeat.timezone"),
      (#"{"every":"year","start":"2026-12-01T09:00:00","timezone":"UTC"}"#, "repeat.every"),
      (#"{"every":"day","start":"2026-12-01T09:00:00","timezone":"UTC","interval":0}"#, "repeat.interval"),
      (#"{"every":"day","weekdays":["monday"],"start":"2026-12-01T09:00:00","timezone":"UTC"}"#, "repeat.weekdays"),
      (#"{"every":"week","weekdays":["noday"],"start":"2026-12-01T09:00:00","timezone":"UTC"}"#, "repeat.weekdays[0]"),
      (#"{"every":"day","start":"2026-12-01T09:00:00","timezone":"UTC","until":"never"}"#, "repeat.until"),
      (#"{"every":"day","start":"2020-12-01T09:00:00","timezone":"UTC","count":3}"#, "repeat"),
      (#"{"every":"day","start":"2026-12-01T09:00:00","timezone":"UTC","until":"2026-11-01T00:00:00Z"}"#, "repeat"),
      (#"{"every":"day","timezone":"UTC"}"#, "repeat.start"),
      (#"7"#, "repeat"),
    ])
  func badRules(rule: String, field: String) throws {
    let answer = try fixture.send(
      "POST", "/v1/apps/demo/schedules",
      #"{"message":{"title":"T","body":"B"},"to":{"all":true},"repeat":\#(rule)}"#)
    #expect(answer.status == 422, "\(answer.text)")
    #expect(answer.json["report"]?[0]?["field"]?.string == field, "\(answer.text)")
  }
}
