import Glibc
import PostriderServer
import TestEngines
import TestSupport
import Testing
import WireJSON

/// A push that waits before it starts can be stopped, and then nothing of it was sent.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct UndoTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
  }

  static let path = "/v1/apps/demo/pushes"

  func make(_ more: JSONObject = ["undo_seconds": 30]) throws -> String {
    var body: JSONObject = ["message": ["title": "T", "body": "B"], "to": ["all": true], "campaign": "c"]
    for (name, value) in more { body[name] = value }
    let answer = try fixture.post(Self.path, .object(body))
    return try #require(answer.json["id"]?.string, "\(answer.text)")
  }

  func push(_ id: String) throws -> JSONValue { try fixture.send("GET", "\(Self.path)/\(id)").json }

  /// Lets the scheduler look a few times; what it must not do, it would have done by then.
  func lookTwice() { usleep(600_000) }

  @Test("It waits, and starts when its wait is over, with the audience of that time") func starts() throws {
    let id = try make()
    let waiting = try push(id)
    #expect(waiting["state"] == "scheduled")
    #expect(waiting["undo_until"] == "2026-11-20T12:00:30.000Z")
    #expect(waiting["counts"]?["targeted"] == 0)
    #expect(waiting["request"]?["undo_seconds"] == nil)
    clock.move(seconds: 29)
    lookTwice()
    #expect(try push(id)["state"] == "scheduled")
    clock.move(seconds: 1)
    let started = try fixture.poll("\(Self.path)/\(id)") { $0["audience_complete"] == true }
    #expect(started["counts"]?["targeted"] == 2)
    #expect(started["undo_until"] == nil)
  }

  @Test("Stopped in time, it has no deliveries, and never gets any") func stops() throws {
    let id = try make()
    clock.move(seconds: 29)
    // Anyone who may send can, not only the one who made it.
    let other = try fixture.key(["send"])
    let stopped = try fixture.send("POST", "\(Self.path)/\(id)/cancel", key: other)
    #expect(stopped.status == 200, "\(stopped.text)")
    #expect(stopped.json["state"] == "cancelled")
    #expect(stopped.json["stopped"] == 0)
    #expect(stopped.json["not_stopped"] == 0)
    clock.move(seconds: 3_600)
    lookTwice()
    let after = try push(id)
    #expect(after["state"] == "cancelled")
    #expect(after["undo_until"] == nil)
    #expect(after["finished_at"] != nil)
    for (_, count) in after["counts"]?.object ?? [:] { #expect(count == 0) }
    #expect(try fixture.send("GET", "\(Self.path)/\(id)/deliveries").json["deliveries"]?.array?.isEmpty == true)
  }

  @Test("A wait survives a restart, and so does its end") func survivesARestart() throws {
    let (kept, stopped) = (try make(), try make())
    #expect(try fixture.send("POST", "\(Self.path)/\(stopped)/cancel").status == 200)
    fixture.server.stop()
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin, clock: clock.clock)
    #expect(try again.send("GET", "\(Self.path)/\(kept)").json["undo_until"] == "2026-11-20T12:00:30.000Z")
    clock.move(seconds: 31)
    let started = try again.poll("\(Self.path)/\(kept)") { $0["audience_complete"] == true }
    #expect(started["counts"]?["targeted"] == 2)
    #expect(try again.send("GET", "\(Self.path)/\(stopped)").json["state"] == "cancelled")
    again.server.stop()
  }

  @Test("It can be taken back to be edited, and sent without waiting") func editedOrSent() throws {
    let draft = try make()
    #expect(try fixture.send("POST", "\(Self.path)/\(draft)/unschedule").json["state"] == "draft")
    #expect(try push(draft)["undo_until"] == nil)
    let again = try fixture.send("POST", "\(Self.path)/\(draft)/schedule", #"{"undo_seconds":45}"#)
    #expect(again.json["undo_until"] == "2026-11-20T12:00:45.000Z", "\(again.text)")
    #expect(try fixture.send("POST", "\(Self.path)/\(draft)/send").json["state"] == "sending")
    // A time of its own is no wait to be stopped in.
    let other = try make()
    let moved = try fixture.send("POST", "\(Self.path)/\(other)/schedule", #"{"send_at":"2026-11-21T12:00:00Z"}"#)
    #expect(moved.json["state"] == "scheduled", "\(moved.text)")
    #expect(moved.json["undo_until"] == nil)
  }

  @Test(
    "It goes with no other time, and has a limit",
    arguments: [
      #""undo_seconds":30,"draft":true"#, #""undo_seconds":30,"send_at":"2026-12-24T18:00:00Z""#,
      #""undo_seconds":30,"send_at_local":"2026-12-24T18:00:00""#, #""undo_seconds":3601"#, #""undo_seconds":-1"#,
      #""undo_seconds":"30""#,
    ])
  func refuses(more: String) throws {
    let answer = try fixture.send(
      "POST", Self.path, #"{"message":{"title":"T","body":"B"},"to":{"all":true},\#(more)}"#)
    #expect(answer.status == 422, "\(answer.text)")
    #expect(answer.json["report"]?.array?.contains { $0["field"] == "undo_seconds" } == true, "\(answer.text)")
  }

  @Test("Without the member, and with 0, it starts at once, whatever the app's dashboard does") func atOnce() throws {
    for more: JSONObject in [[:], ["undo_seconds": 0]] {
      let push = try push(try make(more))
      #expect(push["state"] == "sending", "\(push)")
      #expect(push["undo_until"] == nil)
    }
  }

  @Test("The app says how long campaigns from its dashboard wait") func setting() throws {
    let app = "/v1/apps/demo"
    #expect(try fixture.send("GET", app).json["undo_seconds"] == 30)
    for (body, seconds) in [(#"{"undo_seconds":0}"#, 0), (#"{"title":"D"}"#, 0), (#"{"undo_seconds":3600}"#, 3_600)] {
      #expect(try fixture.send("PATCH", app, body).json["undo_seconds"]?.int == seconds)
      #expect(try fixture.send("GET", app).json["undo_seconds"]?.int == seconds)
    }
    #expect(try fixture.send("PATCH", app, #"{"undo_seconds":3601}"#).status == 422)
    #expect(try fixture.send("PATCH", app, #"{"undo_seconds":null}"#).json["undo_seconds"] == 30)
  }
}
