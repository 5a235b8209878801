internal import PushStore

/// Moments as callers write them (RFC 3339): a date, a time, and the offset from UTC, which may not be left out.
enum MomentText {
  /// Reads `2026-11-20T12:00:00Z`, `2026-11-20 13:00:00.25+01:00`; nil for anything else.
  static func read(_ text: String) -> Timestamp? {
    var bytes = Array(text.utf8)[...]
    guard bytes.count >= 20, bytes.count <= 40, let year = number(&bytes, 4), take(&bytes, "-"),
      let month = number(&bytes, 2), take(&bytes, "-"), let day = number(&bytes, 2),
      take(&bytes, "T") || take(&bytes, "t") || take(&bytes, " "), let hour = number(&bytes, 2), take(&bytes, ":"),
      let minute = number(&bytes, 2), take(&bytes, ":"), let second = number(&bytes, 2),
      let millis = fraction(&bytes), let offset = offset(&bytes), bytes.isEmpty
    else { return nil }
    guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Timestamp(milliseconds: seconds * 1_000 + millis)
  }

  private static func take(_ bytes: inout ArraySlice<UInt8>, _ mark: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: mark) else { return false }
    bytes.removeFirst()
    return true
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>, _ digits: Int) -> Int64? {
    guard bytes.count >= digits else { return nil }
    var value: Int64 = 0
    for byte in bytes.prefix(digits) {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    bytes.removeFirst(digits)
    return value
  }

  /// Milliseconds; further digits are dropped.
  private static func fraction(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    guard take(&bytes, ".") else { return 0 }
    var value: Int64 = 0
    var count = 0
    while let byte = bytes.first, (0x30...0x39).contains(byte) {
      if count < 3 { value = value * 10 + Int64(byte - 0x30) }
      count += 1
      bytes.removeFirst()
    }
    guard count > 0 else { return nil }
    for _ in min(count, 3)..<3 { value *= 10 }
    return value
  }

  /// Seconds east of Greenwich.
  private static func offset(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    if take(&bytes, "Z") || take(&bytes, "z") { return 0 }
    let isWest = bytes.first == UInt8(ascii: "-")
    guard take(&bytes, "+") || take(&bytes, "-"), let hours = number(&bytes, 2), take(&bytes, ":"),
      let minutes = number(&bytes, 2), hours < 24, minutes < 60
    else { return nil }
    return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01; years begin in March here, so that the leap day comes last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = (month <= 2 ? year - 1 : year) + 400
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return (era - 1) * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
