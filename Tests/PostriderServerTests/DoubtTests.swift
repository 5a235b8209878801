import Glibc
import SQLiteEngine
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer
@testable import PushStore
@testable import StoreModel

/// What the server does about a store that refuses one thing only, and about a clock that it has reason to doubt.
@Suite(.timeLimit(.minutes(2))) struct DoubtTests {
  @Test("A server that cannot lease deliveries is not ready, until it can", arguments: ["leases", "outcomes"])
  func cannotDeliver(table: String) throws {
    let clock = SteppedClock()
    let fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    try fixture.change("ALTER TABLE \(table) RENAME TO away")
    #expect(try fixture.send("GET", "/readyz", key: nil).status == 200)
    let body = #"{"to":{"all":true},"message":{"title":"T","body":"B"}}"#
    #expect(try fixture.send("POST", "/v1/apps/demo/pushes", body).status == 202)
    #expect(try fixture.waitForLine("store trouble"))
    for _ in 0..<5 {
      clock.move(seconds: 2)
      usleep(100_000)
    }
    let answer = try fixture.send("GET", "/readyz", key: nil)
    #expect(answer.status == 503)
    #expect(answer.detail.contains("nothing can be delivered"), "\(answer.detail)")
    #expect(!fixture.lines.text.contains("store recovered"))
    try fixture.change("ALTER TABLE away RENAME TO \(table)")
    var status = 503
    for _ in 0..<100 where status != 200 {
      clock.move(seconds: 2)
      usleep(50_000)
      status = try fixture.send("GET", "/readyz", key: nil).status
    }
    #expect(status == 200)
    let troubles = fixture.lines.text.split(separator: "\n").count { $0.contains("store trouble") }
    #expect(troubles == 1)
    fixture.server.stop()
  }

  @Test("What could not be leased and is not due any more keeps the server ready") func nothingIsDue() throws {
    let clock = SteppedClock()
    let fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    // One delivery waits for tomorrow morning.
    let quiet = #"{"quiet_hours":{"from":"00:00","to":"23:59","timezone":"UTC"}}"#
    #expect(try fixture.send("PUT", "/v1/apps/demo/suppression", quiet).status == 200)
    let body = #"{"to":{"all":true},"message":{"title":"T","body":"B"},"campaign":"c"}"#
    let held = try fixture.send("POST", "/v1/apps/demo/pushes", body)
    let heldPath = try "/v1/apps/demo/pushes/\(#require(held.json["id"]?.string))/deliveries"
    for _ in 0..<500 {
      if try fixture.send("GET", heldPath).json["deliveries"]?.array?.first?["not_before"] != nil { break }
      usleep(10_000)
    }
    try fixture.change("ALTER TABLE leases RENAME TO away")
    let now = #"{"to":{"all":true},"message":{"title":"T","body":"B"},"campaign":"d","urgent":true}"#
    let urgent = try fixture.send("POST", "/v1/apps/demo/pushes", now)
    #expect(try fixture.waitForLine("store trouble"))
    try fixture.change("ALTER TABLE away RENAME TO leases")
    let pause = try "/v1/apps/demo/pushes/\(#require(urgent.json["id"]?.string))/pause"
    #expect(try fixture.send("POST", pause).status == 200)
    var status = 503
    for _ in 0..<20 {
      clock.move(seconds: 2)
      usleep(50_000)
      status = try fixture.send("GET", "/readyz", key: nil).status
    }
    #expect(status == 200)
    #expect(fixture.lines.text.contains("store recovered"))
    fixture.server.stop()
  }

  @Test("A server that starts with a clock far ahead of its last clean-up deletes nothing") func startsAhead() throws {
    let clock = SteppedClock()
    let first = try ServerFixture(clock: clock.clock)
    let path = first.folder.path + "/data/postrider.sqlite"
    let trusted = { () throws -> Int64? in
      let db = try Connection(path: path, access: .readOnly)
      return try db.integer("SELECT trusted FROM clock")
    }
    for _ in 0..<500 {
      if try trusted() != 0 { break }
      usleep(10_000)
    }
    let before = try trusted()
    #expect(before == clock.clock.nowMs())
    // Ahead while it runs, and restarted then.
    clock.move(seconds: 60 * 86_400)
    #expect(try first.waitForLine("the clock jumped ahead"))
    first.server.stop()
    let second = try ServerFixture(folder: first.folder, admin: first.admin, clock: clock.clock)
    #expect(second.lines.text.contains("more than a day has passed since the last clean-up"))
    usleep(600_000)
    #expect(try trusted() == before)
    second.server.stop()
  }

  /// Steps of the wall clock and of the monotonic one in hours, and whether nothing is deleted then.
  static let steps: [(words: String, latest: Int64?, steps: [(wall: Int64, monotonic: Int64)], isDoubted: Bool)] = [
    ("a new server", nil, [], false),
    ("a server that was away for an hour", 1, [], false),
    ("a server that was away for two days", 48, [], true),
    ("a server that was away for two days, a day later", 48, [(24, 24)], false),
    ("a clock that runs", nil, [(12, 12), (12, 12), (500, 500)], false),
    ("a clock that jumped ahead", nil, [(48, 0)], true),
    ("a clock that jumped ahead, hours later", nil, [(48, 0), (23, 23)], true),
    ("a clock that jumped ahead, a day later", nil, [(48, 0), (24, 24)], false),
    ("a clock that jumped ahead and back", nil, [(48, 0), (-48, 0)], false),
    ("a clock that jumped ahead and a little back", nil, [(48, 0), (-2, 0)], true),
    ("a clock that jumped ahead and back in two steps", nil, [(48, 0), (-20, 0), (-28, 0)], false),
    ("a server that started ahead and was set right", 48, [(-48, 0)], false),
    ("a server that started ahead and was set a little back", 480, [(-48, 0)], true),
    ("a clock that jumped back", nil, [(-48, 0)], false),
    ("a clock that jumped back and ahead", nil, [(-48, 0), (48, 0)], true),
  ]

  @Test("Nothing is deleted for a day after the clock jumped ahead", arguments: steps)
  func doubts(words: String, latest: Int64?, steps: [(wall: Int64, monotonic: Int64)], isDoubted: Bool) {
    let hour: Int64 = 3_600_000
    let start: Int64 = 1_800_000_000_000
    var doubt = ClockDoubt(
      wallMs: start, monotonicMs: 0, latest: latest.map { Timestamp(milliseconds: start - $0 * hour) })
    var (wall, monotonic) = (Int64(0), Int64(0))
    for step in steps {
      wall += step.wall
      monotonic += step.monotonic
      let jump = doubt.step(wallMs: start + wall * hour, monotonicMs: monotonic * hour)
      #expect((jump != nil) == (step.wall - step.monotonic > 1), "\(words)")
    }
    #expect(doubt.isDoubted == isDoubted, "\(words)")
  }
}

extension ServerFixture {
  /// Changes the database behind the server's back.
  fileprivate func change(_ sql: String) throws {
    let db = try Connection(path: folder.path + "/data/postrider.sqlite", access: .readWrite)
    try db.execute(sql)
  }
}
