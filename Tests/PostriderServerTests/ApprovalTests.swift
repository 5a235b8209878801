import Glibc
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Pushes to more devices than the app allows wait for somebody other than their maker.
@Suite(.onBothEngines, .timeLimit(.minutes(3))) struct ApprovalTests {
  let clock = SteppedClock()
  let fixture: ServerFixture
  /// The key of the one who approves.
  let other: String

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    other = try fixture.key(["send"])
  }

  static let path = "/v1/apps/demo/pushes"
  static let message = #""message":{"title":"T","body":"B"}"#
  static let everyone = #"{\#(message),"to":{"all":true},"campaign":"c"}"#

  func limit(_ devices: Int, hours: Int = 24) throws {
    let body = #"{"approval":{"above_devices":\#(devices),"expires_in_hours":\#(hours)}}"#
    #expect(try fixture.send("PATCH", "/v1/apps/demo", body).status == 200)
  }

  func make(_ body: String = everyone, to path: String = path) throws -> (id: String, answer: JSONValue) {
    let answer = try fixture.send("POST", path, body)
    #expect(answer.status == 202 || answer.status == 201, "\(answer.text)")
    return (try #require(answer.json["id"]?.string, "\(answer.text)"), answer.json)
  }

  func push(_ id: String) throws -> JSONValue { try fixture.send("GET", "\(Self.path)/\(id)").json }

  func act(_ verb: String, _ id: String, _ body: String? = nil, key: String?) throws -> ServerFixture.Answer {
    try fixture.send("POST", "\(Self.path)/\(id)/\(verb)", body ?? "{}", key: key)
  }

  /// A key of another name: keys of one name count as one, since a key that is rotated keeps its own.
  func key(named name: String) throws -> String {
    let made = try fixture.send("POST", "/v1/keys", #"{"name":"\#(name)","scopes":["send"]}"#)
    return try #require(made.json["key"]?.string, "\(made.text)")
  }

  func device(_ number: Int) throws {
    let body: JSONValue = ["type": "ios", "token": .string(String(repeating: "0\(number)", count: 32))]
    #expect(try fixture.post("/v1/apps/demo/devices", body).status == 201)
  }

  func lookTwice() { usleep(600_000) }

  @Test("It waits, its maker cannot approve it, another key can, and the log says who") func waits() throws {
    try limit(1)
    let (id, answer) = try make()
    #expect(answer["targeted"] == 0)
    #expect(answer["approval"]?["devices"] == 2)
    #expect(answer["approval"]?["above_devices"] == 1)
    lookTwice()
    let waiting = try push(id)
    #expect(waiting["state"] == "scheduled")
    #expect(waiting["counts"]?["targeted"] == 0)
    #expect(waiting["approval"]?["state"] == "waiting")
    #expect(waiting["approval"]?["expires_at"] == "2026-11-21T12:00:00.000Z")
    #expect(waiting["maker"]?["kind"] == "key")
    let list = try fixture.send("GET", "/v1/apps/demo/approvals").json["pushes"]?.array
    #expect(list?.map { $0["id"]?.string } == [id])

    let own = try act("approve", id, key: fixture.admin)
    #expect(own.status == 403, "\(own.text)")
    #expect(own.detail.contains("have somebody else decide"))
    #expect(try act("send", id, key: other).status == 409)
    #expect(try act("approve", id, key: fixture.key(["read"])).status == 403)
    #expect(try push(id)["state"] == "scheduled")

    let approved = try act("approve", id, key: other)
    #expect(approved.status == 200, "\(approved.text)")
    #expect(approved.json["approval"]?["state"] == "approved")
    #expect(approved.json["approval"]?["decided_by"]?["name"] == "test")
    let started = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
    #expect(started["counts"]?["targeted"] == 2)
    #expect(started["approval"]?["state"] == "approved")
    #expect(try act("approve", id, key: other).status == 409)
    #expect(try fixture.send("GET", "/v1/apps/demo/approvals").json["pushes"]?.array?.isEmpty == true)
    let acts = try fixture.send("GET", "/v1/apps/demo/audit").json["acts"]?.array ?? []
    #expect(acts.first?["act"] == "approvePush", "\(acts)")
    #expect(acts.first?["target"]?.string?.hasPrefix("\(Self.path)/\(id)/approve") == true)
  }

  @Test("Declined, it is cancelled with the reason; not decided in time, it fails with one") func ends() throws {
    try limit(0, hours: 1)
    let (declined, late, cancelled) = (try make().id, try make().id, try make().id)
    #expect(try act("decline", declined, "{}", key: fixture.admin).status == 403)
    let answer = try act("decline", declined, #"{"reason":"last year's price"}"#, key: other)
    #expect(answer.json["state"] == "cancelled", "\(answer.text)")
    #expect(answer.json["approval"]?["reason"] == "last year's price")
    #expect(try act("cancel", cancelled, key: fixture.admin).json["state"] == "cancelled")
    #expect(try push(cancelled)["approval"] == nil)
    clock.move(seconds: 3_599)
    lookTwice()
    #expect(try push(late)["state"] == "scheduled")
    clock.move(seconds: 1)
    let failed = try fixture.poll("\(Self.path)/\(late)") { $0["state"] == "failed" }
    #expect(failed["problem"]?.string?.contains("nobody approved it in time") == true, "\(failed)")
    #expect(failed["approval"]?["state"] == "expired")
    #expect(try act("approve", late, key: other).status == 409)
    for id in [declined, late, cancelled] {
      for (_, count) in try push(id)["counts"]?.object ?? [:] { #expect(count == 0) }
    }
  }

  @Test("One that is split into several is not smaller, until an hour has passed") func splitting() throws {
    try limit(3)
    let first = try make()
    #expect(first.answer["approval"] == nil)
    let second = try make()
    #expect(second.answer["approval"]?["devices"] == 2)
    #expect(try push(second.id)["approval"]?["recent_devices"] == 2)
    clock.move(seconds: 3_660)
    #expect(try make().answer["approval"] == nil)
    // To one person, now, and without a campaign: it counts by itself only.
    let single = #"{\#(Self.message),"to":{"devices":["1"]}}"#
    for _ in 0..<5 { #expect(try make(single).answer["approval"] == nil) }
    try limit(0)
    #expect(try make(single).answer["approval"]?["devices"] == 1)
  }

  @Test("One that is due later is approved before, and starts at its time") func approvedEarly() throws {
    try limit(1)
    let later = #"{\#(Self.message),"to":{"all":true},"campaign":"c","send_at":"2026-11-20T18:00:00Z"}"#
    let (id, answer) = try make(later)
    #expect(answer["approval"]?["devices"] == 2)
    #expect(try act("approve", id, key: other).status == 200)
    lookTwice()
    #expect(try push(id)["state"] == "scheduled")
    clock.move(seconds: 6 * 3_600)
    _ = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
    #expect(try push(id)["counts"]?["targeted"] == 2)
  }

  @Test("What was approved and then changed, or grew, has to be approved again") func changed() throws {
    try limit(1)
    let later = #"{\#(Self.message),"to":{"all":true},"campaign":"c","send_at":"2026-11-20T18:00:00Z"}"#
    let (edited, grown) = (try make(later).id, try make(later).id)
    for id in [edited, grown] { #expect(try act("approve", id, key: other).status == 200) }
    let patch = try fixture.send(
      "PATCH", "\(Self.path)/\(edited)", #"{"message":{"title":"New","body":"B"}}"#, key: other)
    #expect(patch.json["approval"]?["state"] == "waiting", "\(patch.text)")
    // Whoever changed it is its maker now, and whoever wrote the rest of it does not approve that.
    #expect(try act("approve", edited, key: other).status == 403)
    #expect(try act("approve", edited, key: fixture.admin).status == 403)
    let third = try key(named: "third")
    let old = #"{"asked_at":"2026-11-20T11:59:59Z"}"#
    #expect(try act("approve", edited, old, key: third).status == 409)
    let read = try #require(try push(edited)["approval"]?["asked_at"]?.string)
    #expect(try act("approve", edited, #"{"asked_at":"\#(read)"}"#, key: third).status == 200)
    try device(1)
    clock.move(seconds: 6 * 3_600)
    for id in [edited, grown] {
      let again = try fixture.poll("\(Self.path)/\(id)") { $0["approval"]?["state"] == "waiting" }
      #expect(again["state"] == "scheduled")
      #expect(again["approval"]?["devices"] == 3, "\(again)")
    }
    #expect(try act("approve", grown, key: other).status == 200)
    let started = try fixture.poll("\(Self.path)/\(grown)") { $0["audience_complete"] == true }
    #expect(started["counts"]?["targeted"] == 3)
  }

  @Test("A segment that changes behind an approval needs another one, and a rotated key is the same writer")
  func segments() throws {
    try limit(1)
    let segment =
      #"{"name":"s","filter":{"operator":"AND","conditions":[{"field":"platform","op":"eq","value":"ios"}]}}"#
    #expect(try fixture.send("POST", "/v1/apps/demo/segments", segment).status == 201)
    try device(1)
    let writer = try key(named: "writer")
    let body = #"{\#(Self.message),"to":{"segment":"s"},"campaign":"c","send_at":"2026-11-20T18:00:00Z"}"#
    let made = try fixture.send("POST", Self.path, body, key: writer)
    let id = try #require(made.json["id"]?.string, "\(made.text)")
    let keys = try fixture.send("GET", "/v1/keys").json["keys"]?.array ?? []
    let mine = try #require(keys.first { $0["name"] == "writer" }?["id"]?.string)
    let rotated = try fixture.send("POST", "/v1/keys/\(mine)/rotate", "{}")
    let successor = try #require(rotated.json["key"]?.string, "\(rotated.text)")
    #expect(try act("approve", id, key: successor).status == 403)
    #expect(try act("approve", id, key: other).status == 200)
    clock.move(seconds: 3_600)
    let wider = #"{"filter":{"operator":"AND","conditions":[{"field":"platform","op":"exists"}]}}"#
    #expect(try fixture.send("PATCH", "/v1/apps/demo/segments/s", wider, key: writer).status == 200)
    clock.move(seconds: 5 * 3_600)
    let again = try fixture.poll("\(Self.path)/\(id)") { $0["approval"]?["state"] == "waiting" }
    #expect(again["state"] == "scheduled", "\(again)")
  }

  @Test("A push that is edited while it falls due waits for its approval as edited, and does not fail")
  func editedWhenDue()
    async throws
  {
    #expect(try fixture.send("PUT", "/v1/apps/demo/templates/t1", #"{\#(Self.message)}"#).status < 300)
    let made = #"{"template":"t1","to":{"all":true},"campaign":"c","send_at":"2026-11-20T12:00:05Z"}"#
    let ids = try (0..<24).map { _ in try make(made).id }
    try limit(1)
    clock.move(seconds: 10)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for id in ids {
        group.addTask { try fixture.send("PATCH", "\(Self.path)/\(id)", #"{"campaign":"z"}"#).status }
      }
      for try await status in group { #expect(status == 200 || status == 409) }
    }
    for id in ids {
      let push = try fixture.poll("\(Self.path)/\(id)") { $0["approval"]?["state"] == "waiting" }
      #expect(push["state"] == "scheduled", "\(push["problem"]?.string ?? "") \(push)")
      #expect(push["approval"]?["state"] == "waiting")
    }
  }

  @Test("A time is part of what is approved: another one needs another approval") func movedAnew() throws {
    try limit(1)
    let (id, _) = try make(#"{\#(Self.message),"to":{"all":true},"campaign":"c","send_at":"2026-12-24T12:00:00Z"}"#)
    let asked = try push(id)["approval"]?["asked_at"]?.string ?? ""
    clock.move(seconds: 5)
    #expect(try act("schedule", id, #"{"send_at":"2026-12-25T12:00:00Z"}"#, key: fixture.admin).status == 200)
    let late = try act("approve", id, #"{"asked_at":"\#(asked)"}"#, key: other)
    #expect(late.status == 409, "approved with the time of before: \(late.text)")
    #expect(try act("approve", id, key: other).status == 200)
    #expect(try push(id)["approval"]?["state"] == "approved")
    #expect(try act("schedule", id, #"{"send_at":"2027-06-01T12:00:00Z"}"#, key: fixture.admin).status == 200)
    let moved = try push(id)
    #expect(moved["approval"]?["state"] == "waiting", "\(moved)")
    #expect(moved["send_at"] == "2027-06-01T12:00:00.000Z")
    #expect(try act("approve", id, key: fixture.admin).status == 403)
  }

  @Test("Runs of schedules, drafts, resends and pushes after a wait need it too") func everyWay() throws {
    try limit(1)
    let repeating =
      #"{\#(Self.message),"to":{"all":true},"campaign":"weekly","repeat":{"every":"day","start":"2026-11-20T13:00:00","timezone":"UTC"}}"#
    let schedule = try make(repeating, to: "/v1/apps/demo/schedules").id
    let draft = try make(#"{\#(Self.message),"to":{"all":true},"campaign":"d","draft":true}"#).id
    let undone = try make(#"{\#(Self.message),"to":{"all":true},"campaign":"u","undo_seconds":30}"#)
    #expect(undone.answer["approval"]?["devices"] == 2)
    #expect(try push(draft)["approval"] == nil)
    let sent = try act("send", draft, key: fixture.admin)
    #expect(sent.json["approval"]?["state"] == "waiting", "\(sent.text)")
    let over = try make(#"{\#(Self.message),"to":{"users":["nobody"]},"campaign":"o"}"#).id
    #expect(try act("resend", over, key: fixture.admin).json["approval"] == nil)
    clock.move(seconds: 3_600)
    let run = try fixture.poll("/v1/apps/demo/schedules/\(schedule)") { $0["made"] == 1 }
    let occurrence = try push(try #require(run["last_push"]?.string))
    #expect(occurrence["approval"]?["state"] == "waiting", "\(occurrence)")
    #expect(occurrence["schedule"]?.string == schedule)
    for id in [draft, undone.id] { #expect(try push(id)["state"] == "scheduled") }
    let id = try #require(occurrence["id"]?.string)
    #expect(try act("approve", id, key: fixture.admin).status == 403)
    #expect(try act("approve", id, key: other).status == 200)
    let started = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
    #expect(started["counts"]?["targeted"] == 2)
    // The whole campaign again is as large as it was.
    #expect(try act("cancel", id, key: other).status == 200)
    #expect(try act("resend", id, key: fixture.admin).json["approval"]?["devices"] == 2)
  }

  @Test("A change of its template does not change what was approved") func templates() throws {
    try limit(1)
    let template = "/v1/apps/demo/templates/t"
    #expect(try fixture.send("PUT", template, "{\(Self.message)}").status < 300)
    let (id, _) = try make(#"{"template":"t","to":{"all":true},"campaign":"c"}"#)
    #expect(try fixture.send("PUT", template, #"{"message":{"title":"Other","body":"B"}}"#).status < 300)
    let waiting = try push(id)
    #expect(waiting["request"]?["template"] == nil)
    #expect(waiting["request"]?["message"]?["title"] == "T", "\(waiting)")
  }

  @Test("The rule is the administrator's, is checked, and can be taken away") func setting() throws {
    let app = "/v1/apps/demo"
    #expect(try fixture.send("GET", app).json["approval"] == nil)
    #expect(try fixture.send("PATCH", app, #"{"approval":{"above_devices":5}}"#, key: other).status == 403)
    for bad in [
      #"{"approval":{}}"#, #"{"approval":{"above_devices":-1}}"#,
      #"{"approval":{"above_devices":1,"expires_in_hours":0}}"#,
    ] {
      #expect(try fixture.send("PATCH", app, bad).status == 422)
    }
    let set = try fixture.send("PATCH", app, #"{"approval":{"above_devices":5}}"#).json
    #expect(set["approval"] == ["above_devices": 5, "expires_in_hours": 24])
    #expect(try fixture.send("PATCH", app, #"{"title":"D"}"#).json["approval"]?["above_devices"] == 5)
    #expect(try fixture.send("PATCH", app, #"{"approval":null}"#).json["approval"] == nil)
    #expect(try make().answer["approval"] == nil)
  }
}
