import Basics
import Testing

struct CivilDayTests {
  /// Counts every day of 1 000 years one by one, so that no formula checks itself.
  @Test func daysFollowEachOther() {
    var (year, month, day) = (1600, 1, 1)
    for days in -135_140..<230_000 {
      #expect(CivilDay.date(days) == (year, month, day))
      #expect(CivilDay.days(year, month, day) == days)
      day += 1
      if day > CivilDay.count(inMonth: month, of: year) { (month, day) = (month + 1, 1) }
      if month == 13 { (year, month) = (year + 1, 1) }
    }
    #expect(CivilDay.date(0) == (1970, 1, 1))
  }

  @Test(arguments: [(0, 4), (-1, 3), (-4, 0), (19_782, 4), (20_454, 4)])
  func weekdays(days: Int, weekday: Int) { #expect(CivilDay.weekday(days) == weekday) }

  @Test(arguments: [(1900, false), (2000, true), (2024, true), (2026, false), (-4, true), (-100, false), (0, true)])
  func leapYears(year: Int, isLeap: Bool) { #expect(CivilDay.isLeap(year) == isLeap) }

  @Test(arguments: [(7, 3, 2, 1), (-7, 3, -3, 2), (-6, 3, -2, 0), (Int.min, 86_400, -106_751_991_167_301, 30_592)])
  func floors(number: Int, divisor: Int, quotient: Int, remainder: Int) {
    #expect(number.floored(by: divisor) == (quotient, remainder))
  }
}

struct RFC3339TimeTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0, 0), ("2026-01-31t09:00:00.123456789z", 1_769_850_000, 123, 9),
      ("2026-01-31T09:00:00.5+05:30", 1_769_830_200, 500, 1), ("2026-01-31T09:00:00-00:00", 1_769_850_000, 0, 0),
      ("0000-01-01T00:00:00Z", -62_167_219_200, 0, 0), ("2016-12-31T23:59:60Z", 1_483_228_800, 0, 0),
      ("9999-12-31T23:59:59.999-23:59", 253_402_387_139, 999, 3),
    ] as [(String, Int64, Int64, Int)])
  func reads(text: String, seconds: Int64, milliseconds: Int64, digits: Int) throws {
    let time = try #require(RFC3339Time(text))
    #expect((time.seconds, time.milliseconds, time.fractionDigits) == (seconds, milliseconds, digits))
  }

  @Test(arguments: [
    "", "2026-01-31T09:00:00", "2026-01-31 09:00:00Z", "2026-01-31T09:00:00.Z", "2026-01-31T09:00:00+0100",
    "2026-01-31T09:00:00+5:30", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:60:00Z", "2026-01-31T09:00:61Z",
    "2026-01-31T09:00:00+24:00", "2026-01-31T09:00:00+23:60", "2026-01-31T09:00:00Zz", "+026-01-31T09:00:00Z",
    "２026-01-31T09:00:00Z",
  ])
  func refuses(text: String) { #expect(RFC3339Time(text) == nil) }

  @Test func acceptsFurtherFormsWhenAsked() {
    #expect(RFC3339Time("2026-01-31 09:00:00Z", accepting: .space)?.seconds == 1_769_850_000)
    #expect(RFC3339Time("2026-01-31T09:00:00+0100", accepting: .compactOffset)?.seconds == 1_769_846_400)
    #expect(RFC3339Time("2026-01-31 09:00:00+0100", accepting: .space) == nil)
    #expect(RFC3339Time("2026-01-31 09:00:00+0100", accepting: .compactOffset) == nil)
    #expect(RFC3339Time("2026-01-31 09:00:00+0100", accepting: [.space, .compactOffset]) != nil)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_007, "2000-02-29T00:00:00.007Z"),
      (253_402_300_800_000, "10000-01-01T00:00:00.000Z"), (-62_198_755_200_000, "-0001-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func writes(milliseconds: Int64, text: String) {
    #expect(RFC3339Time.text(milliseconds: milliseconds) == text)
    let seconds = Int64(Int(milliseconds).floored(by: 1_000).quotient)
    #expect(RFC3339Time.text(seconds: seconds) == text.dropLast(5) + "Z")
  }

  @Test(arguments: [Int64.min, .max, Int64.min / 1_000, .max / 1_000])
  func writesEveryNumber(number: Int64) {
    #expect(RFC3339Time.text(seconds: number).hasSuffix("Z"))
    #expect(RFC3339Time.text(milliseconds: number).hasSuffix("Z"))
  }

  @Test func readsWhatItWrites() {
    for seconds: Int64 in stride(from: -62_167_219_200, through: 253_402_300_799, by: 86_399_123) {
      #expect(RFC3339Time(RFC3339Time.text(seconds: seconds))?.seconds == seconds)
    }
  }
}
