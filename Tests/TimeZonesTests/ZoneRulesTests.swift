import Glibc
import Synchronization
import TestSupport
import Testing
import TimeZones

/// What clocks show, against the tables of the seasons and against the C library's own reader.
@Suite struct ZoneRulesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let zone: String
    let local: String
    let instant: LocalTimeResolution
    var testDescription: String { "\(zone) \(local)" }
  }

  static let rows = [
    Row(zone: "UTC", local: "1970-01-01T00:00:00", instant: .once(0)),
    Row(zone: "Europe/Vienna", local: "2026-01-15T12:00:00", instant: .once(1_768_474_800)),
    Row(zone: "Europe/Vienna", local: "2026-07-15T12:00:00", instant: .once(1_784_109_600)),
    // 29 March 2026: 02:00 becomes 03:00.
    Row(zone: "Europe/Vienna", local: "2026-03-29T01:59:59", instant: .once(1_774_745_999)),
    Row(zone: "Europe/Vienna", local: "2026-03-29T02:00:00", instant: .skipped(1_774_746_000)),
    Row(zone: "Europe/Vienna", local: "2026-03-29T02:30:00", instant: .skipped(1_774_747_800)),
    Row(zone: "Europe/Vienna", local: "2026-03-29T03:00:00", instant: .once(1_774_746_000)),
    // 25 October 2026: 03:00 becomes 02:00.
    Row(zone: "Europe/Vienna", local: "2026-10-25T02:00:00", instant: .repeated(1_792_886_400, 1_792_890_000)),
    Row(zone: "Europe/Vienna", local: "2026-10-25T02:59:59", instant: .repeated(1_792_889_999, 1_792_893_599)),
    Row(zone: "Europe/Vienna", local: "2026-10-25T03:00:00", instant: .once(1_792_893_600)),
    // Half an hour of summer time, on the southern side of the year.
    Row(zone: "Australia/Lord_Howe", local: "2026-10-04T02:15:00", instant: .skipped(1_791_042_300)),
    Row(zone: "Australia/Lord_Howe", local: "2026-04-05T01:45:00", instant: .repeated(1_775_313_900, 1_775_315_700)),
    // A zone without seasons, and one whose whole 30 December 2011 was skipped.
    Row(zone: "Asia/Kolkata", local: "2026-06-01T09:00:00", instant: .once(1_780_284_600)),
    Row(zone: "Pacific/Apia", local: "2011-12-30T12:00:00", instant: .skipped(1_325_282_400)),
    // Winter time is the exception by law: the footer counts backwards.
    Row(zone: "Europe/Dublin", local: "2026-07-01T09:00:00", instant: .once(1_782_892_800)),
    // Far beyond what any file lists.
    Row(zone: "America/New_York", local: "2400-07-04T12:00:00", instant: .once(13_585_507_200)),
    Row(zone: "America/New_York", local: "2400-01-04T12:00:00", instant: .once(13_569_786_000)),
  ]

  @Test("A local time has its moment, also where a clock skips or repeats an hour", arguments: rows)
  func localTime(_ row: Row) throws {
    let rules = try ZoneDatabase.system.zone(row.zone)
    let time = try #require(CivilTime(row.local))
    #expect(rules.instant(of: time) == row.instant)
    guard case .skipped = row.instant else { return #expect(rules.clock(at: row.instant.seconds) == time) }
    #expect(rules.clock(at: row.instant.seconds) > time)
  }

  /// Names of all zones, as the database's own list has them.
  static func names() throws -> [String] {
    try String(decoding: Files.read("/usr/share/zoneinfo/tzdata.zi"), as: UTF8.self).split(separator: "\n").compactMap {
      line in
      let words = line.split(separator: " ")
      return words.first == "Z" ? words.dropFirst().first.map(String.init) : nil
    }
  }

  /// The C library reads the same files with code of its own; `TZ` belongs to the whole process, so one test does all.
  @Test("Every zone agrees with the C library") func agreesWithTheCLibrary() throws {
    var random = SeededRandom(seed: 636)
    let names = try Self.names()
    #expect(names.count > 300)
    for name in names {
      let rules = try ZoneDatabase.system.zone(name)
      setenv("TZ", name, 1)
      tzset()
      for _ in 0..<60 {
        // 1902 to 2400: beyond the changes that files list.
        let seconds = Int64.random(in: -2_145_000_000...13_569_000_000, using: &random)
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        let offset = rules.offset(at: seconds)
        #expect(offset == parts.tm_gmtoff, "\(name) at \(seconds)")
        // There and back: the moment is among those at which the clock shows the time.
        let clock = rules.clock(at: seconds)
        switch rules.instant(of: clock) {
        case .once(let instant): #expect(instant == seconds, "\(name) at \(seconds)")
        case .repeated(let first, let last):
          #expect(first <= seconds && seconds <= last && rules.clock(at: first) == clock, "\(name) at \(seconds)")
        case .skipped: Issue.record("\(name) shows \(clock) at \(seconds), and moment(of:) calls it skipped")
        }
      }
    }
    unsetenv("TZ")
    tzset()
  }

  @Test("Changes of every zone are where the offset changes, and times around them are found")
  func aroundChanges() throws {
    for name in try Self.names() {
      let rules = try ZoneDatabase.system.zone(name)
      var instant: Int64 = 1_700_000_000
      for _ in 0..<6 {
        guard let next = rules.change(after: instant) else { break }
        #expect(next > instant)
        let (before, after) = (rules.offset(at: next - 1), rules.offset(at: next))
        let clock = CivilTime(secondsOfClock: next + Int64(max(before, after)) - 1)
        if before < after {
          #expect(rules.instant(of: clock) == .skipped(next - 1 + Int64(after - before)), "\(name) at \(next)")
        } else if before > after {
          #expect(
            rules.instant(of: clock) == .repeated(next - 1, next - 1 + Int64(before - after)), "\(name) at \(next)")
        }
        instant = next
      }
    }
  }

  @Test("The rule of a footer holds for ever, in all its forms")
  func footers() throws {
    let rows: [(rule: String, seconds: Int64, offset: Int)] = [
      ("<+0330>-3:30", 0, 12_600), ("<-00>0", 5_000_000_000, 0),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_745_999, 3_600), ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 7_200),
      // Summer time all year: EDT from the first to the last second.
      ("EST5EDT,0/0,J365/25", 1_767_243_599, -14_400), ("EST5EDT,0/0,J365/25", 1_767_243_600, -14_400),
      // A negative time of day, as the file of Nuuk has it.
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_745_999, -7_200),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_746_000, -3_600),
      // Day 60 by Julian count is 1 March, in leap years too.
      ("AAA0BBB,J60/0,J300/0", 1_835_481_599, 0), ("AAA0BBB,J60/0,J300/0", 1_835_481_600, 3_600),
    ]
    for row in rows {
      let rules = try ZoneRules(name: "test", tzif: TZifBytes.file(footer: row.rule))
      #expect(rules.offset(at: row.seconds) == row.offset, "\(row.rule) at \(row.seconds)")
    }
    #expect(try ZoneRules(name: "t", tzif: TZifBytes.file(footer: "EST5EDT,0/0,J365/25")).change(after: 0) == nil)
  }
}
