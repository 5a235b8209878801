import Glibc
import TestSupport
import Testing

@testable import PostriderServer
@testable import PushStore

/// What the server does about a store that refuses one thing only, and about a clock that it has reason to doubt.
@Suite(.timeLimit(.minutes(2))) struct DoubtTests {
  @Test("A server that cannot lease deliveries is not ready, until it can", arguments: ["leases", "outcomes"])
  func cannotDeliver(table: String) throws {
    let clock = SteppedClock()
    let fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
    let path = fixture.folder.path + "/data/postrider.sqlite"
    let change = { (sql: String) in
      let db = try Connection(path: path, access: .readWrite)
      try db.execute(sql)
    }
    try change("ALTER TABLE \(table) RENAME TO away")
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
    try change("ALTER TABLE away RENAME TO \(table)")
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
    ("a clock that jumped back", nil, [(-48, 0)], false),
    ("a clock that jumped back and ahead", nil, [(-48, 0), (48, 0)], true),
  ]

  @Test("Nothing is deleted for a day after the clock jumped ahead", arguments: steps)
  func doubts(words: String, latest: Int64?, steps: [(wall: Int64, monotonic: Int64)], isDoubted: Bool) {
    let hour: Int64 = 3_600_000
    let start: Int64 = 1_800_000_000_000
    func clock(_ wall: Int64, _ monotonic: Int64) -> WallClock {
      WallClock {
        start + wall * hour
      } monotonicMs: {
        monotonic * hour
      }
    }
    var doubt = ClockDoubt(clock(0, 0), latest: latest.map { Timestamp(milliseconds: start - $0 * hour) })
    var (wall, monotonic) = (Int64(0), Int64(0))
    for step in steps {
      wall += step.wall
      monotonic += step.monotonic
      let jump = doubt.step(clock(wall, monotonic))
      #expect((jump != nil) == (step.wall - step.monotonic > 1), "\(words)")
    }
    #expect(doubt.isDoubted == isDoubted, "\(words)")
  }
}
