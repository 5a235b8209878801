internal import Basics

/// A date and a time of day as a wall clock shows them, without a time zone, in the proleptic Gregorian calendar.
public struct CivilTime: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The year, 0 to 9999.
  public var year: Int
  /// The month, 1 to 12.
  public var month: Int
  /// The day of the month, from 1.
  public var day: Int
  /// The hour, 0 to 23.
  public var hour: Int
  /// The minute, 0 to 59.
  public var minute: Int
  /// The second, 0 to 59.
  public var second: Int

  /// Gathers the parts; nil for a day that no calendar or a time that no clock has.
  public init?(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDay.count(inMonth: month, of: year), (0...23).contains(hour), (0...59).contains(minute),
      (0...59).contains(second)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// The wall clock so many seconds after 1970-01-01 00:00:00 of the same clock.
  public init(secondsOfClock seconds: Int64) {
    let (days, rest) = Int(seconds).floored(by: 86_400)
    (year, month, day) = CivilDay.date(days)
    (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
  }

  /// Reads `2026-12-24T18:30:00`; the seconds may be missing, and a space may replace the `T`.
  ///
  /// - Returns: nil for anything else, also when an offset or a `Z` follows.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 16 || bytes.count == 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "), bytes[13] == UInt8(ascii: ":"),
      bytes.count == 16 || bytes[16] == UInt8(ascii: ":")
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = bytes.count == 16 ? 0 : number(17..<19)
    else { return nil }
    self.init(year, month, day, hour, minute, second)
  }

  /// Seconds since 1970-01-01 00:00:00 of the same clock.
  public var secondsOfClock: Int64 {
    Int64(CivilDay.days(year, month, day)) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
  }

  /// The day of the week: 0 is Sunday, 6 is Saturday.
  public var weekday: Int { CivilDay.weekday(CivilDay.days(year, month, day)) }

  /// `2026-12-24T18:30:00`.
  public var description: String { String(RFC3339Time.text(seconds: secondsOfClock).dropLast()) }

  /// Earlier on the clock is less.
  public static func < (left: Self, right: Self) -> Bool { left.secondsOfClock < right.secondsOfClock }
}
