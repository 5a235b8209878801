public import WireJSON

/// An RFC 3339 date and time, as proto3 JSON writes it: `2026-01-31T09:00:00.5Z` or with an offset.
public struct FCMTimestamp: PayloadValue {
  /// The text, as it was read or given.
  public let text: String

  /// Reads a text; nil when it is not an RFC 3339 date and time with a valid date.
  public init?(text: String) {
    guard FCMTimestamp.isValid(Array(text.utf8)) else { return nil }
    self.text = text
  }

  /// Makes the UTC text of an instant in seconds since 1970, year 1 to 9999.
  public init?(epochSeconds: Int64) {
    guard (-62_135_596_800...253_402_300_799).contains(epochSeconds) else { return nil }
    let day = epochSeconds >= 0 ? epochSeconds / 86_400 : -((-epochSeconds + 86_399) / 86_400)
    let second = epochSeconds - day * 86_400
    let date = FCMTimestamp.civil(daysSinceEpoch: day)
    text =
      FCMTimestamp.padded(date.year, 4) + "-" + FCMTimestamp.padded(date.month, 2) + "-"
      + FCMTimestamp.padded(date.day, 2) + "T" + FCMTimestamp.padded(second / 3600, 2) + ":"
      + FCMTimestamp.padded(second / 60 % 60, 2) + ":" + FCMTimestamp.padded(second % 60, 2) + "Z"
  }

  /// Reads the JSON string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self.init(text: text)
  }

  /// The JSON string.
  public var json: JSONValue { .string(text) }

  /// The proleptic Gregorian date, with years that begin in March so that the leap day is the last one.
  private static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = daysSinceEpoch + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = "\(value)"
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func isValid(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 20, bytes.count <= 64, matches(bytes, "dddd-dd-ddtdd:dd:dd") else { return false }
    let year = number(bytes, 0, 4)
    let month = number(bytes, 5, 2)
    let day = number(bytes, 8, 2)
    guard (1...12).contains(month), day >= 1, day <= days(inMonth: month, of: year) else { return false }
    // Second 60 is a leap second, which RFC 3339 allows.
    guard number(bytes, 11, 2) < 24, number(bytes, 14, 2) < 60, number(bytes, 17, 2) <= 60 else { return false }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard (1...9).contains(digits.count) else { return false }
      rest = rest[digits.endIndex...]
    }
    return isOffset(Array(rest))
  }

  private static func isOffset(_ bytes: [UInt8]) -> Bool {
    if bytes.count == 1 { return bytes[0] | 0x20 == UInt8(ascii: "z") }
    guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-") else { return false }
    return matches(Array(bytes[1...]), "dd:dd") && number(bytes, 1, 2) < 24 && number(bytes, 4, 2) < 60
  }

  /// Compares with a pattern: `d` is a digit, `t` is T or t, anything else itself.
  private static func matches(_ bytes: [UInt8], _ pattern: StaticString) -> Bool {
    var index = 0
    for expected in pattern.description.utf8 {
      guard index < bytes.count else { return false }
      switch expected {
      case UInt8(ascii: "d"): if bytes[index] < 0x30 || bytes[index] > 0x39 { return false }
      case UInt8(ascii: "t"): if bytes[index] | 0x20 != expected { return false }
      default: if bytes[index] != expected { return false }
      }
      index += 1
    }
    return true
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    bytes[start..<start + count].reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
