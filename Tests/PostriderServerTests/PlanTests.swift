import Glibc
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// Drafts and scheduled pushes: every state, every act.
@Suite(.onBothEngines, .timeLimit(.minutes(3))) struct PlanTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
  }

  static let path = "/v1/apps/demo/pushes"
  static let message: JSONValue = ["title": "T", "body": "B"]

  func make(_ more: JSONObject, to: JSONValue = ["all": true]) throws -> String {
    var body: JSONObject = ["message": Self.message, "to": to, "campaign": "c"]
    for (name, value) in more { body[name] = value }
    let answer = try fixture.post(Self.path, .object(body))
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  func state(_ id: String) throws -> String? { try fixture.send("GET", "\(Self.path)/\(id)").json["state"]?.string }

  func waitFor(_ state: String, _ id: String) throws {
    let push = try fixture.poll("\(Self.path)/\(id)") { $0["state"]?.string == state }
    #expect(push["state"]?.string == state, "\(push)")
  }

  @Test("Of edits of different members at once, none is lost") func editsTogether() async throws {
    let id = try make(["draft": true])
    let edits = (0..<24).map { number in
      [
        #"{"campaign":"c\#(number)"}"#, #"{"message":{"title":"T\#(number)","body":"B"}}"#,
        #"{"throttle_per_minute":\#(number + 1)}"#,
      ]
    }
    for (number, together) in edits.enumerated() {
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for body in together {
          group.addTask { try fixture.send("PATCH", "\(Self.path)/\(id)", body).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses == [200, 200, 200])
      let request = try fixture.send("GET", "\(Self.path)/\(id)").json["request"]
      #expect(request?["campaign"]?.string == "c\(number)", "\(request ?? .null)")
      #expect(request?["message"]?["title"]?.string == "T\(number)")
      #expect(request?["throttle_per_minute"]?.int == number + 1)
    }
  }

  @Test("An edit of exactly what was read is refused when another one came first, however close") func exactEdits()
    async throws
  {
    let id = try make(["draft": true])
    let path = "\(Self.path)/\(id)"
    for number in 0..<60 {
      let tag = try #require(try fixture.send("GET", path).headers["etag"])
      let statuses = try await withThrowingTaskGroup(of: (Bool, Int).self) { group in
        group.addTask {
          (true, try fixture.send("PATCH", path, #"{"campaign":"a\#(number)"}"#, headers: ["If-Match: \(tag)"]).status)
        }
        group.addTask { (false, try fixture.send("PATCH", path, #"{"campaign":"b\#(number)"}"#).status) }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(statuses[false] == 200)
      let last = try fixture.send("GET", path).json["request"]?["campaign"]?.string
      // Either it came first, and the other one was made to it; or it was not made.
      #expect(statuses[true] == 200 || statuses[true] == 412, "\(statuses)")
      #expect(last == "b\(number)", "an edit of exactly what was there before is not made to what came after")
    }
  }

  // MARK: The table

  static let acts: [(name: String, method: String, suffix: String, body: String?)] = [
    ("edit", "PATCH", "", #"{"message":{"title":"New","body":"B"}}"#),
    ("send", "POST", "/send", nil),
    ("schedule", "POST", "/schedule", #"{"send_at":"2026-12-24T18:00:00Z"}"#),
    ("unschedule", "POST", "/unschedule", nil), ("pause", "POST", "/pause", nil), ("resume", "POST", "/resume", nil),
    ("cancel", "POST", "/cancel", nil), ("resend", "POST", "/resend", nil), ("delete", "DELETE", "", nil),
  ]

  /// For each state, what each act leads to; acts that are not named are refused with 409 and change nothing.
  static let table: [(state: String, allowed: [String: String])] = [
    (
      "draft",
      [
        "edit": "draft", "send": "sending", "schedule": "scheduled", "cancel": "cancelled", "delete": "",
      ]
    ),
    (
      "scheduled",
      [
        "edit": "scheduled", "send": "sending", "schedule": "scheduled", "unschedule": "draft", "cancel": "cancelled",
        "delete": "",
      ]
    ),
    ("sending", ["pause": "paused", "cancel": "cancelled"]),
    ("paused", ["pause": "paused", "resume": "sending", "cancel": "cancelled"]),
    ("sent", ["resend": "sent"]), ("cancelled", ["resend": "cancelled"]), ("expired", ["resend": "expired"]),
    ("failed", ["resend": "failed"]),
  ]

  /// Makes one push in a state for each act.
  func prepare(_ state: String) throws -> [String] {
    let count = Self.acts.count
    func each(_ make: () throws -> String) rethrows -> [String] { try (0..<count).map { _ in try make() } }
    switch state {
    case "draft": return try each { try make(["draft": true]) }
    case "scheduled": return try each { try make(["send_at": "2026-11-25T12:00:00Z"]) }
    case "sent": return try each { try make([:], to: ["users": ["nobody"]]) }
    case "cancelled":
      return try each {
        let id = try make(["draft": true])
        #expect(try fixture.send("POST", "\(Self.path)/\(id)/cancel").status == 200)
        return id
      }
    case "expired":
      // The devices wait for their local time until the push is worthless.
      let ids = try each { try make(["send_at_local": "2026-11-20T20:00", "expires_in_seconds": 60]) }
      for id in ids { _ = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true } }
      clock.move(seconds: 2 * 86_400)
      for id in ids { try waitFor("expired", id) }
      return ids
    case "failed":
      let ids = try each { try make(["send_at": "2026-11-20T12:10:00Z"]) }
      _ = try fixture.send("PUT", "/v1/apps/demo/credentials", #"{"apns":null,"fcm":null}"#)
      clock.move(seconds: 3_600)
      for id in ids { try waitFor("failed", id) }
      let again = JSON.minifiedText(try ServerFixture.credentials())
      #expect(try fixture.send("PUT", "/v1/apps/demo/credentials", again).status == 200)
      return ids
    default:
      return try each {
        let id = try make(["throttle_per_minute": 1])
        if state == "paused" { #expect(try fixture.send("POST", "\(Self.path)/\(id)/pause").status == 200) }
        return id
      }
    }
  }

  @Test("Every act in every state does what the table says, and nothing else", arguments: table.map(\.state))
  func transitions(state: String) throws {
    let allowed = try #require(Self.table.first { $0.state == state }).allowed
    for (act, id) in zip(Self.acts, try prepare(state)) {
      #expect(try self.state(id) == state)
      let answer = try fixture.send(act.method, "\(Self.path)/\(id)\(act.suffix)", act.body)
      let after = try self.state(id)
      guard let wanted = allowed[act.name] else {
        #expect(answer.status == 409, "\(act.name) in \(state): \(answer.text)")
        #expect(after == state, "\(act.name) in \(state)")
        continue
      }
      #expect(answer.status < 300, "\(act.name) in \(state): \(answer.text)")
      #expect(after ?? "" == wanted, "\(act.name) in \(state)")
    }
  }

  // MARK: Times

  @Test("A scheduled push starts at its moment, with the audience of that moment") func startsAtItsMoment() throws {
    let id = try make(["send_at": "2026-11-20T13:00:00+00:00"])
    let waiting = try fixture.send("GET", "\(Self.path)/\(id)").json
    #expect(waiting["status"] == "scheduled")
    #expect(waiting["send_at"] == "2026-11-20T13:00:00.000Z")
    #expect(waiting["counts"]?["targeted"] == 0)
    let late: JSONValue = ["type": "ios", "token": .string(String(repeating: "ab", count: 32))]
    #expect(try fixture.post("/v1/apps/demo/devices", late).status == 201)
    clock.move(seconds: 3_599)
    usleep(600_000)
    #expect(try state(id) == "scheduled")
    clock.move(seconds: 1)
    let started = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
    #expect(started["counts"]?["targeted"] == 3)
    #expect(started["start_at"] == "2026-11-20T13:00:00.000Z")
  }

  @Test("A clock that jumps ahead starts what is due, one that jumps back starts nothing twice") func clockJumps()
    throws
  {
    let id = try make(["send_at": "2026-11-21T12:00:00Z"])
    clock.move(seconds: 10 * 86_400)
    try waitFor("sending", id)
    clock.move(seconds: -20 * 86_400)
    usleep(600_000)
    clock.move(seconds: 20 * 86_400)
    usleep(600_000)
    #expect(try fixture.pushes().count == 1)
    #expect(try fixture.send("GET", "\(Self.path)/\(id)").json["counts"]?["targeted"] == 2)
  }

  @Test("Each device is sent to when its own clock shows the time") func localTime() throws {
    for (index, zone) in ["Asia/Tokyo", "Europe/Vienna", "America/New_York", "Mars/Olympus"].enumerated() {
      let token = String(repeating: "0\(index + 1)", count: 32)
      let device: JSONValue = ["type": "ios", "token": .string(token), "timezone": .string(zone)]
      #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    }
    // Six devices: two without a zone and one with a zone that nobody knows count as Vienna.
    let id = try make(["send_at_local": "2026-11-21T09:00", "timezone": "Europe/Vienna"])
    let waiting = try fixture.send("GET", "\(Self.path)/\(id)").json
    #expect(waiting["send_at_local"] == "2026-11-21T09:00:00")
    #expect(waiting["send_at"] == "2026-11-20T19:00:00.000Z")
    clock.move(seconds: 7 * 3_600)
    let open = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
    #expect(open["counts"]?["waiting"] == 6, "\(open)")
    let rows = try fixture.send("GET", "\(Self.path)/\(id)/deliveries").json["deliveries"]?.array ?? []
    #expect(
      rows.map { $0["not_before"]?.string } == [
        "2026-11-21T08:00:00.000Z", "2026-11-21T08:00:00.000Z", "2026-11-21T00:00:00.000Z",
        "2026-11-21T08:00:00.000Z", "2026-11-21T14:00:00.000Z", "2026-11-21T08:00:00.000Z",
      ])
    // Midnight in Greenwich: nine in Tokyo.
    clock.move(seconds: 5 * 3_600)
    let first = try fixture.poll("\(Self.path)/\(id)/deliveries") { answer in
      answer["deliveries"]?[2]?["state"] == "in_flight" || answer["deliveries"]?[2]?["attempts"] != 0
    }
    #expect(
      first["deliveries"]?.array?.filter { $0["state"] == "waiting" && $0["attempts"] == 0 }.count == 5, "\(first)")
    #expect(try fixture.send("POST", "\(Self.path)/\(id)/cancel").status == 200)
    let end = try fixture.poll("\(Self.path)/\(id)") { $0["counts"]?["waiting"] == 0 }
    let counts = end["counts"]?.object ?? [:]
    #expect(counts["targeted"] == 6)
    #expect(counts.filter { $0.key != "targeted" }.reduce(0) { $0 + ($1.value.int ?? 0) } == 6)
  }

  @Test("Each device is sent to at a time of its day, or of its app's last use") func timesOfDay() throws {
    clock.move(seconds: 3_600)
    for (index, zone) in ["Asia/Tokyo", "America/New_York"].enumerated() {
      let token = String(repeating: "0\(index + 1)", count: 32)
      let device: JSONValue = ["type": "ios", "token": .string(token), "timezone": .string(zone)]
      #expect(try fixture.post("/v1/apps/demo/devices", device).status == 201)
    }
    clock.move(seconds: 1_800)
    func instants(_ more: JSONObject) throws -> [String?] {
      let id = try make(more)
      let shown = try fixture.send("GET", "\(Self.path)/\(id)").json
      for (name, value) in more where name != "send_at" { #expect(shown[name] == value, "\(shown)") }
      _ = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
      let rows = try fixture.send("GET", "\(Self.path)/\(id)/deliveries").json["deliveries"]?.array ?? []
      return rows.map { $0["not_before"]?.string }
    }
    // It is 13:30 in Greenwich, 22:30 in Tokyo and 8:30 in New York.
    let times = try instants(["send_at_time_of_day": "23:59:59", "timezone": "UTC"])
    #expect(
      times == [
        "2026-11-20T23:59:59.000Z", "2026-11-20T23:59:59.000Z", "2026-11-20T14:59:59.000Z", "2026-11-21T04:59:59.000Z",
      ])
    let active = try instants(["send_at_last_active": true])
    #expect(
      active == [
        "2026-11-21T12:00:00.000Z", "2026-11-21T12:00:00.000Z", "2026-11-21T13:00:00.000Z", "2026-11-21T13:00:00.000Z",
      ])
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let more: JSONObject
    let rule: String
    let field: String
    var testDescription: String { "\(more)" }
  }

  static let bad = [
    Bad(more: ["send_at": "tomorrow"], rule: "push-schedule", field: "send_at"),
    Bad(more: ["send_at": "2026-11-20T12:00:00Z"], rule: "push-schedule", field: "send_at"),
    Bad(more: ["send_at": "2099-01-01T00:00:00Z"], rule: "push-schedule", field: "send_at"),
    Bad(more: ["send_at": "2026-02-30T00:00:00Z"], rule: "push-schedule", field: "send_at"),
    Bad(more: ["send_at": 5], rule: "request-type", field: "send_at"),
    Bad(more: ["send_at_local": "2026-12-24T18:00:00Z"], rule: "push-schedule", field: "send_at_local"),
    Bad(more: ["send_at_local": "2020-12-24T18:00:00"], rule: "push-schedule", field: "send_at_local"),
    Bad(
      more: ["send_at_local": "2026-12-24T18:00", "timezone": "Mars/Olympus"], rule: "timezone-unknown",
      field: "timezone"),
    Bad(
      more: ["send_at_local": "2026-12-24T18:00", "timezone": "../../etc/passwd"], rule: "timezone-unknown",
      field: "timezone"),
    Bad(
      more: ["send_at": "2026-12-24T18:00:00Z", "send_at_local": "2026-12-24T18:00"], rule: "push-schedule",
      field: "send_at_local"),
    Bad(
      more: ["send_at_local": "2026-12-24T18:00", "throttle_per_minute": 5], rule: "push-schedule",
      field: "throttle_per_minute"),
    Bad(more: ["send_at_time_of_day": "9:00"], rule: "push-schedule", field: "send_at_time_of_day"),
    Bad(more: ["send_at_time_of_day": "24:00"], rule: "push-schedule", field: "send_at_time_of_day"),
    Bad(more: ["send_at_time_of_day": 9], rule: "request-type", field: "send_at_time_of_day"),
    Bad(
      more: ["send_at_time_of_day": "09:00", "timezone": "Mars/Olympus"], rule: "timezone-unknown", field: "timezone"),
    Bad(
      more: ["send_at_time_of_day": "09:00", "send_at": "2020-01-01T00:00:00Z"], rule: "push-schedule", field: "send_at"
    ),
    Bad(
      more: ["send_at_time_of_day": "09:00", "send_at_last_active": true], rule: "push-schedule",
      field: "send_at_time_of_day"),
    Bad(
      more: ["send_at_last_active": true, "send_at_local": "2026-12-24T18:00"], rule: "push-schedule",
      field: "send_at_last_active"),
    Bad(
      more: ["send_at_last_active": true, "throttle_per_minute": 5], rule: "push-schedule",
      field: "throttle_per_minute"),
    Bad(more: ["draft": true, "send_at_last_active": true], rule: "push-schedule", field: "draft"),
    Bad(more: ["draft": true, "send_at": "2026-12-24T18:00:00Z"], rule: "push-schedule", field: "draft"),
    Bad(more: ["draft": "yes"], rule: "request-type", field: "draft"),
  ]

  @Test("A time that is none is refused, and nothing is kept", arguments: bad) func badTimes(_ row: Bad) throws {
    var body: JSONObject = ["message": Self.message, "to": ["all": true]]
    for (name, value) in row.more { body[name] = value }
    let answer = try fixture.post(Self.path, .object(body))
    #expect(answer.status == 422, "\(answer.text)")
    #expect(answer.json["report"]?[0]?["rule"]?.string == row.rule)
    #expect(answer.json["report"]?[0]?["field"]?.string == row.field)
    #expect(try fixture.pushes().isEmpty)
  }

  // MARK: Contents

  @Test("A draft is composed whole at each edit, and refused when it is not legal") func edits() throws {
    let id = try make(["draft": true])
    let wrong = try fixture.send("PATCH", "\(Self.path)/\(id)", #"{"message":{"title":5}}"#)
    #expect(wrong.status == 422)
    let right = try fixture.send(
      "PATCH", "\(Self.path)/\(id)", #"{"message":{"title":"New","body":"B"},"campaign":"d","to":{"users":["u"]}}"#)
    #expect(right.json["campaign"] == "d")
    #expect(right.json["request"]?["message"]?["title"] == "New")
    #expect(right.json["request"]?["to"] == ["users": ["u"]])
    let without = try fixture.send("PATCH", "\(Self.path)/\(id)", #"{"campaign":null}"#)
    #expect(without.json["campaign"] == nil)
    #expect(without.json["request"]?.object?["campaign"] == nil)
  }

  @Test("What starts later to a device that the app does not have is refused as what starts now") func unknownDevices()
    throws
  {
    let known = try #require(try fixture.send("GET", "/v1/apps/demo/devices").json["devices"]?[0]?["id"]?.string)
    let to: JSONValue = ["devices": [.string(known), "987654321"]]
    let now = try fixture.post(Self.path, ["message": Self.message, "to": to])
    #expect(now.status == 404, "\(now.text)")
    var body: JSONObject = ["message": Self.message, "to": to, "campaign": "c"]
    for (name, value) in [("draft", true), ("send_at", "2027-01-01T00:00:00Z")] as [(String, JSONValue)] {
      var planned = body
      planned[name] = value
      let answer = try fixture.post(Self.path, .object(planned))
      #expect(answer.status == now.status && answer.detail == now.detail, "\(answer.text)")
    }
    body["repeat"] = ["every": "day", "start": "2027-01-01T09:00:00", "timezone": "UTC"]
    #expect(try fixture.post("/v1/apps/demo/schedules", .object(body)).detail == now.detail)
    let draft = try make(["draft": true], to: ["devices": [.string(known)]])
    let edit = try fixture.send("PATCH", "\(Self.path)/\(draft)", JSON.minifiedText(["to": to]))
    #expect(edit.status == now.status && edit.detail == now.detail, "\(edit.text)")
    #expect(try fixture.send("PATCH", "\(Self.path)/\(draft)", #"{"campaign":"d"}"#).status == 200)
    #expect(try fixture.send("PATCH", "/v1/apps/demo", #"{"approval":{"above_devices":0}}"#).status == 200)
    let approved = try fixture.post(Self.path, ["message": Self.message, "to": to])
    #expect(approved.status == now.status && approved.detail == now.detail, "\(approved.text)")
  }

  @Test("The same request with the same key makes one draft") func draftsOnce() throws {
    let body: JSONValue = ["message": Self.message, "to": ["all": true], "draft": true]
    let first = try fixture.post(Self.path, body, headers: ["Idempotency-Key: k"])
    let second = try fixture.post(Self.path, body, headers: ["Idempotency-Key: k"])
    #expect(first.json["id"] == second.json["id"])
    #expect(second.json["replayed"] == true)
    let other: JSONValue = ["message": ["title": "X", "body": "B"], "to": ["all": true], "draft": true]
    #expect(try fixture.post(Self.path, other, headers: ["Idempotency-Key: k"]).status == 422)
    #expect(try fixture.pushes().count == 1)
  }

  @Test("A push that cannot be made when its time comes has failed, and says why") func failing() throws {
    let id = try make(["send_at": "2026-11-20T12:10:00Z"])
    _ = try fixture.send("PUT", "/v1/apps/demo/credentials", #"{"apns":null,"fcm":null}"#)
    clock.move(seconds: 3_600)
    try waitFor("failed", id)
    let push = try fixture.send("GET", "\(Self.path)/\(id)").json
    #expect(push["status"] == "failed")
    #expect(push["problem"]?.string?.hasPrefix("the app \"demo\" has no credentials") == true, "\(push)")
    #expect(push["finished_at"] == "2026-11-20T13:00:00.000Z")
  }
}
