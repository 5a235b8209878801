internal import Basics

/// A time as it is read on a clock, and that clock's distance from UTC.
struct LiquidTime {
  let year, month, day, hour, minute, second: WholeNumber
  /// Seconds east of UTC.
  let offset: WholeNumber

  /// Days since 1970, by the clock.
  var days: WholeNumber { CivilDay.days(year, month, day) }
  var weekday: WholeNumber { CivilDay.weekday(days) }
  /// From 1.
  var dayOfYear: WholeNumber { days - CivilDay.days(year, 1, 1) + 1 }
  /// Seconds since 1970.
  var seconds: WholeNumber { days * 86_400 + hour * 3_600 + minute * 60 + second - offset }
  /// The year and the week of ISO 8601.
  var isoWeek: (year: WholeNumber, week: WholeNumber) {
    let thursday = days - (weekday + 6) % 7 + 3
    let year = CivilDay.date(thursday).year
    return (year, (thursday - CivilDay.days(year, 1, 1)) / 7 + 1)
  }

  /// A time in UTC.
  init(seconds: Int64) {
    let (days, rest) = WholeNumber(seconds).floored(by: 86_400)
    (year, month, day) = CivilDay.date(days)
    (hour, minute, second, offset) = (rest / 3_600, rest / 60 % 60, rest % 60, 0)
  }

  private init?(_ date: [WholeNumber], _ time: [WholeNumber], offset: WholeNumber) {
    (year, month, day) = (date[0], date[1], date[2])
    (hour, minute, second) = (time[0], time[1], time[2])
    self.offset = offset
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDay.count(inMonth: month, of: year), hour < 24, minute < 60, second < 60
    else { return nil }
  }

  /// Reads seconds since 1970, `2026-11-24`, `2026-11-24 10:30:00 +0100`, `24 November 2026`, `Nov 24, 2026`, and the time of
  /// day behind each of them; nil for what is none.
  init?(reading text: String, now: Int64) {
    if text == "now" || text == "today" {
      self.init(seconds: now)
      return
    }
    if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
      // Later than the year 9999 there are no dates.
      guard text.utf8.count <= 12, let seconds = Int64(text), seconds < 253_402_300_800 else { return nil }
      self.init(seconds: seconds)
      return
    }
    var reader = TimeReader(text)
    guard let date = reader.date(), let time = reader.time(), let offset = reader.offset(), reader.isAtEnd else {
      return nil
    }
    self.init(date, time, offset: offset)
  }
}

/// Reads the parts of a time.
struct TimeReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool {
    var copy = self
    copy.skipSpaces()
    return copy.index == bytes.count
  }

  private mutating func skipSpaces() { while index < bytes.count, bytes[index] == 0x20 { index += 1 } }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: mark) else { return false }
    index += 1
    return true
  }

  private mutating func number(_ digits: ClosedRange<Int>) -> WholeNumber? {
    let start = index
    var value: WholeNumber = 0
    while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39, index - start < digits.upperBound {
      value = value * 10 + WholeNumber(bytes[index] - 0x30)
      index += 1
    }
    return index - start >= digits.lowerBound ? value : nil
  }

  private mutating func word() -> String {
    let start = index
    while index < bytes.count, bytes[index] | 0x20 >= 0x61, bytes[index] | 0x20 <= 0x7A { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
  }

  /// Year, month and day.
  mutating func date() -> [WholeNumber]? {
    skipSpaces()
    if index < bytes.count, bytes[index] | 0x20 >= 0x61 { return named() }
    let start = index
    if let year = number(4...4), take("-") || take("/"), let month = number(1...2), take("-") || take("/"),
      let day = number(1...2)
    {
      return [year, month, day]
    }
    index = start
    guard let day = number(1...2) else { return nil }
    skipSpaces()
    guard let month = TimeNames.month(word()) else { return nil }
    _ = take(",")
    skipSpaces()
    guard let year = number(4...4) else { return nil }
    return [year, month, day]
  }

  /// `November 24, 2026`, and the day of the week before it.
  private mutating func named() -> [WholeNumber]? {
    let name = word()
    guard let month = TimeNames.month(name) else {
      guard TimeNames.isWeekday(name), index < bytes.count else { return nil }
      _ = take(",")
      return date()
    }
    skipSpaces()
    guard let day = number(1...2) else { return nil }
    _ = take(",")
    skipSpaces()
    guard let year = number(4...4) else { return nil }
    return [year, month, day]
  }

  /// Hour, minute and second; midnight without any.
  mutating func time() -> [WholeNumber]? {
    if !take("T") { skipSpaces() }
    guard !isAtEnd else { return [0, 0, 0] }
    guard var hour = number(1...2), take(":"), let minute = number(2...2) else { return nil }
    var second: WholeNumber = 0
    if take(":") {
      guard let found = number(2...2) else { return nil }
      second = found
      if take(".") { guard number(1...9) != nil else { return nil } }
    }
    let start = index
    skipSpaces()
    switch word() {
    case "am": hour = hour == 12 ? 0 : hour
    case "pm": hour = hour == 12 ? 12 : hour + 12
    default: index = start
    }
    return [hour, minute, second]
  }

  /// Seconds east of UTC.
  mutating func offset() -> WholeNumber? {
    skipSpaces()
    if take("Z") { return 0 }
    let start = index
    if ["utc", "gmt"].contains(word()) { return 0 }
    index = start
    let isEast = take("+")
    guard isEast || take("-") else { return 0 }
    guard let hours = number(2...2) else { return nil }
    _ = take(":")
    let minutes = number(2...2) ?? 0
    guard hours < 24, minutes < 60 else { return nil }
    return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }
}

/// English names.
enum TimeNames {
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

  static func month(_ word: String) -> WholeNumber? {
    months.firstIndex { $0.lowercased() == word || $0.lowercased().prefix(3) == word }.map { WholeNumber($0 + 1) }
  }

  static func isWeekday(_ word: String) -> Bool {
    weekdays.contains { $0.lowercased() == word || $0.lowercased().prefix(3) == word }
  }
}
