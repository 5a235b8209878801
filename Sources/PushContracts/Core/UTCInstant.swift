/// A point in time as whole seconds since 1970-01-01 00:00:00 UTC, with its RFC 3339 text.
public struct UTCInstant: Sendable, Hashable, Comparable {
  /// Seconds since 1970-01-01 UTC.
  public var seconds: Int64

  /// A point in time.
  public init(seconds: Int64) { self.seconds = seconds }

  /// Reads RFC 3339 (ISO 8601) such as `2030-01-02T03:04:05Z`, with an offset or a fraction, which is cut off.
  ///
  /// - Returns: nil for anything else, also for days that no calendar has.
  public init?(_ text: String) {
    var reader = Reader(text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
      let day = reader.number(2), reader.take("Tt "), let hour = reader.number(2), reader.take(":"),
      let minute = reader.number(2), reader.take(":"), let second = reader.number(2),
      (1...12).contains(month), day >= 1, day <= UTCInstant.days(inMonth: month, of: year), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    if reader.take(".") {
      guard reader.number(1) != nil else { return nil }
      while reader.number(1) != nil {}
    }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    let days = UTCInstant.days(toYear: year, month: month, day: day)
    seconds = Int64(days * 86_400 + hour * 3_600 + minute * 60 + second - offset)
  }

  /// `2030-01-02T03:04:05Z`.
  public var text: String {
    let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let days = Int(remainder < 0 ? quotient - 1 : quotient)
    let rest = Int(remainder < 0 ? remainder + 86_400 : remainder)
    let (year, month, day) = UTCInstant.date(ofDay: days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let yearText = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
    return "\(yearText)-\(two(month))-\(two(day))T\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
  }

  /// Orders by time.
  public static func < (a: UTCInstant, b: UTCInstant) -> Bool { a.seconds < b.seconds }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar.
  ///
  /// Years begin in March here, so that the leap day comes last and month lengths follow one formula.
  private static func days(toYear year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(ofDay days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private struct Reader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number(_ digits: Int) -> Int? {
      guard place + digits <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[place..<place + digits] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      place += digits
      return value
    }

    mutating func take(_ any: String) -> Bool {
      guard place < bytes.count, any.utf8.contains(bytes[place]) else { return false }
      place += 1
      return true
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
      if take("Zz") { return 0 }
      let sign = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0, let hours = number(2), hours < 24 else { return nil }
      _ = take(":")
      guard let minutes = number(2), minutes < 60 else { return nil }
      return sign * (hours * 3_600 + minutes * 60)
    }
  }
}
