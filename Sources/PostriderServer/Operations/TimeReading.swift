internal import PushPayload
internal import PushStore

extension TimeText {
  /// Reads an RFC 3339 date and time, with any offset, to the millisecond; nil when it is none.
  static func moment(_ text: String) -> Timestamp? {
    // Validity (the calendar, the punctuation, the offset's bounds) is decided in one place.
    guard FCMTimestamp(text: text) != nil else { return nil }
    let bytes = Array(text.utf8)
    func number(_ start: Int, _ count: Int) -> Int64 {
      bytes[start..<start + count].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let day = days(year: number(0, 4), month: number(5, 2), day: number(8, 2))
    var seconds = day * 86_400 + number(11, 2) * 3_600 + number(14, 2) * 60 + number(17, 2)
    var place = 19
    var milliseconds: Int64 = 0
    if bytes[place] == UInt8(ascii: ".") {
      place += 1
      var weight: Int64 = 100
      while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) {
        milliseconds += Int64(bytes[place] - UInt8(ascii: "0")) * weight
        weight /= 10
        place += 1
      }
    }
    if bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") {
      let offset = number(place + 1, 2) * 3_600 + number(place + 4, 2) * 60
      seconds += bytes[place] == UInt8(ascii: "+") ? -offset : offset
    }
    return Timestamp(milliseconds: seconds * 1_000 + milliseconds)
  }

  /// Days since 1970 of a date: eras of 400 years that begin on 1 March (Howard Hinnant, "chrono-compatible low-level
  /// date algorithms").
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
