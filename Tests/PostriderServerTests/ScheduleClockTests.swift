import Glibc
import Ledger
import PostgresEngine
import PushPayload
import TestEngines
import TestSupport
import Testing
import TimeZones
import WireJSON

@testable import PostriderServer
@testable import PushStore
@testable import StoreModel

/// Schedules under a clock that jumps.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct ScheduleClockTests {
  let clock = SteppedClock()
  let fixture: ServerFixture

  init() throws {
    fixture = try ServerFixture(clock: clock.clock)
    _ = try fixture.makeDemo()
  }

  /// From 2026-11-20 to a day in 2109, at noon.
  static let leap: Int64 = 30_400 * 86_400

  private func schedule(_ rule: JSONObject) throws -> String {
    var rule = rule
    rule["every"] = "day"
    rule["start"] = "2026-11-21T09:00:00"
    rule["timezone"] = "UTC"
    let answer = try fixture.post(
      "/v1/apps/demo/schedules",
      ["message": ["title": "T", "body": "B"], "to": ["all": true], "campaign": "daily", "repeat": .object(rule)])
    #expect(answer.status == 201, "\(answer.text)")
    return "/v1/apps/demo/schedules/\(answer.json["id"]?.string ?? "")"
  }

  @Test("A clock that jumps to 2109 and back: the next run is tomorrow's, and nothing was missed")
  func theFarFuture() throws {
    let path = try schedule([:])
    clock.move(seconds: Self.leap)
    let ahead = try fixture.poll(path) { $0["next"]?[0]?.string?.hasPrefix("2110-02") ?? false }
    #expect(ahead["missed"]?.int ?? 0 > 30_000, "\(ahead)")
    clock.move(seconds: -Self.leap)
    var now = try fixture.poll(path) { $0["missed"] == 0 }
    #expect(now["next"]?[0] == "2026-11-21T09:00:00.000Z" && now["missed"] == 0 && now["made"] == 0, "\(now)")
    clock.move(seconds: 21 * 3_600)
    now = try fixture.poll(path) { $0["made"] == 1 }
    #expect(now["made"] == 1 && now["missed"] == 0 && now["next"]?[0] == "2026-11-22T09:00:00.000Z", "\(now)")
    #expect(try fixture.pushes().count == 1)
  }

  @Test("A run that came due while the clock was away is made when the clock is back") func dueMeanwhile() throws {
    let path = try schedule([:])
    clock.move(seconds: 20 * 3_600 + 3_590)
    clock.move(seconds: Self.leap)
    _ = try fixture.poll(path) { $0["next"]?[0]?.string?.hasPrefix("2110-02") ?? false }
    clock.move(seconds: 600 - Self.leap)
    let now = try fixture.poll(path) { $0["made"] == 1 }
    #expect(now["made"] == 1 && now["missed"] == 0 && now["next"]?[0] == "2026-11-22T09:00:00.000Z", "\(now)")
  }

  @Test("A day forth and back: the run that was made is not made again") func aDay() throws {
    let path = try schedule(["catch_up_seconds": 14_400])
    for _ in 0..<3 {
      clock.move(seconds: 86_400)
      var now = try fixture.poll(path) { $0["made"] == 1 }
      #expect(now["made"] == 1, "\(now)")
      clock.move(seconds: -86_400)
      usleep(600_000)
      now = try fixture.send("GET", path).json
      #expect(now["made"] == 1 && now["missed"] == 0, "\(now)")
      #expect(now["next"]?[0] == "2026-11-22T09:00:00.000Z", "\(now)")
    }
    #expect(try fixture.pushes().count == 1)
  }

  @Test("A schedule that ended by a clock that was ahead goes on; one that a person ended or holds does not")
  func ended() throws {
    let until = try schedule(["until": "2026-12-31T00:00:00Z"])
    let (stopped, held) = (try schedule([:]), try schedule([:]))
    clock.move(seconds: Self.leap)
    let over = try fixture.poll(until) { $0["ended_at"] != nil }
    #expect(over["next"] == [], "\(over)")
    #expect(try fixture.send("DELETE", stopped).status == 204)
    #expect(try fixture.send("POST", held + "/pause").status == 200)
    clock.move(seconds: -Self.leap)
    let back = try fixture.poll(until) { $0["ended_at"] == nil }
    #expect(back["next"]?[0] == "2026-11-21T09:00:00.000Z" && back["missed"] == 0, "\(back)")
    usleep(300_000)
    #expect(try fixture.send("GET", stopped).json["next"] == [])
    #expect(try fixture.send("GET", held).json["next"] == [])
    #expect(try fixture.send("POST", held + "/resume").json["next"]?[0] == "2026-11-21T09:00:00.000Z")
  }

  @Test("A schedule that is created, changed or let go on by a clock that is ahead comes by the right clock")
  func touchedAhead() throws {
    let (edited, resumed) = (try schedule([:]), try schedule([:]))
    #expect(try fixture.send("POST", resumed + "/pause").status == 200)
    clock.move(seconds: Self.leap)
    let created = try schedule([:])
    let rule = #"{"repeat":{"every":"day","start":"2026-11-21T10:00:00","timezone":"UTC"}}"#
    #expect(try fixture.send("PATCH", edited, rule).status == 200)
    #expect(try fixture.send("POST", resumed + "/resume").status == 200)
    clock.move(seconds: -Self.leap)
    for (path, hour) in [(created, "09"), (edited, "10"), (resumed, "09")] {
      let now = try fixture.poll(path) { $0["next"]?[0]?.string?.hasPrefix("2026") ?? false }
      #expect(now["next"]?[0]?.string == "2026-11-21T\(hour):00:00.000Z", "\(now)")
    }
  }

  @Test("The clock went back while no server ran") func whileStopped() throws {
    let path = try schedule([:])
    clock.move(seconds: Self.leap)
    _ = try fixture.poll(path) { $0["next"]?[0]?.string?.hasPrefix("2110-02") ?? false }
    fixture.server.stop(drainingFor: .milliseconds(100))
    clock.move(seconds: -Self.leap)
    let again = try ServerFixture(folder: fixture.folder, admin: fixture.admin, clock: clock.clock)
    let now = try again.poll(path) { $0["next"]?[0]?.string?.hasPrefix("2026") ?? false }
    #expect(now["next"]?[0] == "2026-11-21T09:00:00.000Z", "\(now)")
  }

  // MARK: Random clocks

  /// A clock that wanders for days in both directions makes each run once, and loses none that came due by the right clock.
  @Test("A clock at random makes each run once") func randomClock() throws {
    var random = SeededRandom.fromEnvironment()
    for round in 0..<6 {
      let walk = try ClockWalk()
      for step in 0..<150 { try walk.step(&random, "seed \(random.seed), round \(round), step \(step)") }
      try walk.finish("seed \(random.seed), round \(round)")
    }
  }
}

/// The steps that the scheduler takes, with the real store and the real rule, and a clock that is wrong at times.
private final class ClockWalk {
  private let folder: TemporaryFolder
  private let store: SQLStore
  private let app: AppID
  private let id: ScheduleID
  private let rule: RepeatRule
  private let start = Timestamp(seconds: 1_795_176_000)
  private var right: Timestamp
  private var made: [Timestamp: Int] = [:]

  init() throws {
    folder = try TemporaryFolder()
    store =
      switch Engine.current {
      case .sqlite: try SQLStore(path: folder.path + "/store.db")
      case .postgres: try SQLStore(postgres: PostgresOptions(url: folder.own { try TestDatabase(empty: true) }.url))
      }
    app = try store.createApp(name: "demo", title: "", settings: [], now: start).id
    var report = Report()
    rule = try #require(
      RepeatRule(
        ["every": "day", "start": "2026-11-20T15:00:00", "timezone": "UTC", "catch_up_seconds": 7_200], report: &report)
    )
    let first = try #require(rule.first(now: start))
    id = try store.createSchedule(
      app: app, request: [123, 125], first: .init(at: first.at, number: first.number), now: start)
    right = start
  }

  deinit { store.close() }

  func step(_ random: inout SeededRandom, _ words: String) throws {
    right = right.adding(seconds: Int64.random(in: 60...7_000, using: &random))
    // One look in four is by a clock that is wrong: minutes or days ahead, or back a little.
    let wrong: [Int64] = [600, 86_400, 3 * 86_400, 40 * 86_400, -30, -3_600]
    let isWrong = Int.random(in: 0..<4, using: &random) == 0
    try look(isWrong ? right.adding(seconds: wrong.randomElement(using: &random) ?? 0) : right, words)
    if isWrong { try look(right, words) }
  }

  /// What one tick of the scheduler does.
  private func look(_ now: Timestamp, _ words: String) throws {
    for schedule in try store.schedulesAhead(of: now, limit: 10) {
      let known = Set(try store.occurrences(of: id, from: rule.earliestToMake(now), limit: 10_000))
      let rewind = rule.rewind(schedule, to: now, made: known)
      try store.rewindSchedule(
        id, revision: schedule.revision, next: rewind.next.map { .init(at: $0.at, number: $0.number) },
        notMissed: rewind.notMissed, now: now)
      #expect(try store.schedulesAhead(of: now, limit: 10).isEmpty, "\(words)")
    }
    for schedule in try store.dueSchedules(now: now, limit: 10) { try take(schedule, now, words) }
    #expect(try store.verifyLedger(push: nil).map(\.description) == [], "\(words)")
  }

  private func take(_ schedule: Schedule, _ now: Timestamp, _ words: String) throws {
    let expected = try #require(schedule.nextAt)
    let known = Set(try store.occurrences(of: id, from: expected, limit: 10_000))
    let due = rule.due(expected: expected, number: schedule.nextNumber, now: now, made: known)
    let push = NewPush(app: app, audience: .users(["nobody"]), payloads: [], salt: 1)
    var step = ScheduleStep(
      schedule: id, expected: due.expected, push: due.isMade ? push : nil, missed: due.missed,
      next: due.next.map { .init(at: $0.at, number: $0.number) })
    (step.occurrence, step.passed) = (due.at, due.passed)
    let result = try store.wait { store.takeStep(step, now: now, completion: $0) }
    guard due.isMade else { return }
    #expect(result != nil, "\(words): run \(due.at) was to be made twice")
    made[due.at, default: 0] += 1
  }

  func finish(_ words: String) throws {
    #expect(made.values.allSatisfy { $0 == 1 }, "\(words)")
    // Looks by the right clock come more often than a run may be late, so every run up to now was made.
    var number = 1
    var count = 0
    while let at = rule.instant(number), at <= right {
      if at >= start { #expect(made[at] == 1, "\(words): run \(at) was not made") }
      (number, count) = (number + 1, count + 1)
    }
    #expect(count > 5, "\(words): nothing was tested")
    let schedule = try #require(try store.schedule(id))
    #expect(schedule.made == made.count && schedule.missed == 0, "\(words): \(schedule)")
  }
}
