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
    let days = Int(CivilDay.floor(seconds, 86_400))
    let rest = Int(seconds - Int64(days) * 86_400)
    (year, month, day) = CivilDay.date(days)
    (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
  }

  /// Reads `2026-12-24T18:30:00`; the seconds may be missing, and a space may stand for the `T`.
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
  public var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let text = "\(year)"
    let padded = String(repeating: "0", count: max(0, 4 - text.utf8.count)) + text
    return "\(padded)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))"
  }

  /// Earlier on the clock is less.
  public static func < (left: Self, right: Self) -> Bool { left.secondsOfClock < right.secondsOfClock }
}

/// Days since 1970-01-01 and the calendar.
public enum CivilDay {
  /// The number of days in a month.
  public static func count(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Whether a year has a 29 February.
  public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// Days since 1970-01-01.
  ///
  /// Years begin in March here, so that the leap day comes last and the lengths of months follow one formula.
  public static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = Int(floor(Int64(year), 400))
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The date of a day.
  public static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = Int(floor(Int64(shifted), 146_097))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The day of the week of a day: 0 is Sunday.
  public static func weekday(_ days: Int) -> Int { days - Int(floor(Int64(days + 4), 7)) * 7 + 4 }

  /// The quotient rounded down.
  static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
  }
}
