import Ledger
import TestEngines
import TestSupport
import Testing
import TimeZones

@testable import PushStore
@testable import StoreModel

/// Times of day of each device's own.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct LocalDayTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let start: String
    let zone: String?
    let time: String
    let instant: String
    var testDescription: String { "\(start) \(zone ?? "none") \(time)" }

    init(_ start: String, _ zone: String?, _ time: String, _ instant: String) {
      (self.start, self.zone, self.time, self.instant) = (start, zone, time, instant)
    }
  }

  private static func seconds(_ text: String) throws -> Int64 { try #require(CivilTime(text)).secondsOfClock }

  @Test(
    "A device gets it when its clock next shows the time",
    arguments: [
      // The time itself counts; a second later it is tomorrow's.
      Row("2026-11-24T09:00:00", "UTC", "09:00:00", "2026-11-24T09:00:00"),
      Row("2026-11-24T09:00:01", "UTC", "09:00:00", "2026-11-25T09:00:00"),
      // In Tokyo it is the next day already.
      Row("2026-11-24T20:00:00", "Asia/Tokyo", "04:00:00", "2026-11-25T19:00:00"),
      Row("2026-11-24T20:00:00", "Asia/Tokyo", "06:00:00", "2026-11-24T21:00:00"),
      Row("2026-11-24T20:00:00", "America/New_York", "23:59:59", "2026-11-25T04:59:59"),
      Row("2026-11-24T20:00:00", "Asia/Kathmandu", "00:00:00", "2026-11-25T18:15:00"),
      // Nobody knows the zone: that of the push.
      Row("2026-11-24T20:00:00", nil, "22:00:00", "2026-11-24T21:00:00"),
      Row("2026-11-24T20:00:00", "Mars/Olympus", "22:00:00", "2026-11-24T21:00:00"),
      // The clock skips half past two, which counts by the clock before the change, and has it twice in autumn.
      Row("2027-03-28T00:30:00", "Europe/Vienna", "02:30:00", "2027-03-28T01:30:00"),
      Row("2026-10-25T00:00:00", "Europe/Vienna", "02:30:00", "2026-10-25T00:30:00"),
      Row("2026-10-25T00:45:00", "Europe/Vienna", "02:30:00", "2026-10-26T01:30:00"),
      // Before 1970, and where a whole day was left out.
      Row("1960-01-01T12:00:00", "UTC", "11:00:00", "1960-01-02T11:00:00"),
      Row("2011-12-30T07:00:00", "Pacific/Apia", "20:00:00", "2011-12-31T06:00:00"),
    ]) func times(row: Row) throws
  {
    let time = Int(try Self.seconds("1970-01-01T\(row.time)"))
    var instants = ZoneInstants(
      LocalStart(clock: try Self.seconds(row.start), zone: "Europe/Vienna", day: .time(time)))
    let instant = instants.instant(in: row.zone, seenAt: nil)
    #expect(CivilTime(secondsOfClock: instant.seconds).description == row.instant)
    #expect(instants.instant(in: row.zone, seenAt: Timestamp(seconds: 5)) == instant)
  }

  @Test("In every zone the moment is the first one that shows the time, within 25 hours or a day that is left out")
  func everyZone() throws {
    let start = try Self.seconds("2026-10-24T18:20:30")
    for zone in ["Europe/Vienna", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe"]
    {
      let rules = try ZoneDatabase.system.zone(zone)
      for hour in 0..<48 {
        let local = LocalStart(clock: start, zone: "UTC", day: .time(hour * 1_800))
        var instants = ZoneInstants(local)
        let instant = instants.instant(in: zone, seenAt: nil).seconds
        #expect(instant >= start && instant <= start + LocalStart.daySeconds, "\(zone) \(hour)")
        #expect(rules.clock(at: instant).secondsOfClock % 86_400 == Int64(hour * 1_800), "\(zone) \(hour)")
      }
    }
  }

  @Test("A device gets it at the time of day at which it was last seen") func lastActive() throws {
    let start = try Self.seconds("2026-11-24T20:00:00")
    for (seen, instant) in [
      ("2026-11-24T20:00:00", "2026-11-24T20:00:00"), ("2026-11-20T07:30:00", "2026-11-25T07:30:00"),
      ("2026-11-24T19:59:59", "2026-11-25T19:59:59"), ("2026-11-24T23:00:00", "2026-11-24T23:00:00"),
      ("2026-12-30T21:00:00", "2026-11-24T21:00:00"), ("1965-06-01T03:00:00", "2026-11-25T03:00:00"),
    ] {
      var instants = ZoneInstants(LocalStart(clock: start, zone: "UTC", day: .lastActive))
      let found = instants.instant(in: "Asia/Tokyo", seenAt: Timestamp(seconds: try Self.seconds(seen)))
      #expect(CivilTime(secondsOfClock: found.seconds).description == instant, "\(seen)")
      #expect(instants.instant(in: nil, seenAt: nil).seconds == start)
    }
  }
}
