internal import Basics

/// The rule of a time zone for all years to come, as the footer of a TZif file gives it: POSIX `TZ` with the extensions
/// of RFC 9636 3.3.1 (offsets up to 24 hours, times of change from -167 to 167 hours).
///
/// `CET-1CEST,M3.5.0,M10.5.0/3` reads: one hour east of Greenwich; on the last Sunday of March, at 2 (the default), two
/// hours; on the last Sunday of October, at 3, one hour again.
struct PosixZone: Sendable, Hashable {
  /// A day of each year, and the time on it.
  struct Change: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// `Jn`: day 1 to 365; 29 February does not count.
      case julian(Int)
      /// `n`: day 0 to 365; 29 February counts.
      case ofYear(Int)
      /// `Mm.w.d`: weekday d of week w (5 is the last) of month m.
      case week(month: Int, week: Int, weekday: Int)
    }
    var day: Day
    /// Seconds after midnight by the clock that was right before the change; may be below 0 or beyond a day.
    var time: Int

    /// Seconds since 1970 on that clock.
    func clock(in year: Int) -> Int64 { Int64(days(in: year)) * 86_400 + Int64(time) }

    private func days(in year: Int) -> Int {
      let january = CivilDay.days(year, 1, 1)
      switch day {
      case .julian(let number): return january + number - 1 + (CivilDay.isLeap(year) && number >= 60 ? 1 : 0)
      case .ofYear(let number): return january + number
      case .week(let month, let week, let weekday):
        let first = CivilDay.days(year, month, 1)
        let ahead = weekday - CivilDay.weekday(first)
        let day = first + (ahead < 0 ? ahead + 7 : ahead) + (week - 1) * 7
        return day < first + CivilDay.count(inMonth: month, of: year) ? day : day - 7
      }
    }
  }

  /// Summer time, when the zone has it.
  struct Summer: Sendable, Hashable {
    var offset: Int
    var begin: Change
    var end: Change
  }

  /// Seconds east of Greenwich outside of summer time.
  let offset: Int
  let summer: Summer?

  /// Reads the text of the footer; nil when it is not such a rule.
  init?(_ text: [UInt8]) {
    var reader = Reader(bytes: text)
    guard reader.name(), let west = reader.time(hoursMax: 24) else { return nil }
    offset = -west
    if reader.isAtEnd {
      summer = nil
      return
    }
    guard reader.name() else { return nil }
    var summerOffset = -west + 3_600
    if !reader.isAt(",") {
      guard let west = reader.time(hoursMax: 24) else { return nil }
      summerOffset = -west
    }
    guard let begin = reader.change(), let end = reader.change(), reader.isAtEnd else { return nil }
    summer = Summer(offset: summerOffset, begin: begin, end: end)
  }

  /// Seconds east of Greenwich at a time.
  func offset(at seconds: Int64) -> Int {
    guard summer != nil else { return offset }
    // The last change at or before that time decides; each year has two, so the year before always has one.
    let year = CivilTime(secondsOfClock: seconds).year
    var latest: (at: Int64, offset: Int)?
    for change in changes(in: year - 1) + changes(in: year) + changes(in: year + 1) where change.at <= seconds {
      if latest.map({ $0.at <= change.at }) ?? true { latest = change }
    }
    return latest?.offset ?? offset
  }

  /// The first change of the offset after a time, or nil when there is none.
  func change(after seconds: Int64) -> Int64? {
    guard summer != nil else { return nil }
    let year = CivilTime(secondsOfClock: seconds).year
    // A zone with summer time all year writes changes that change nothing.
    let instants = (year - 1...year + 2).flatMap(changes).map(\.at)
    return instants.filter { $0 > seconds && offset(at: $0 - 1) != offset(at: $0) }.min()
  }

  private func changes(in year: Int) -> [(at: Int64, offset: Int)] {
    guard let summer else { return [] }
    return [
      (summer.begin.clock(in: year) - Int64(offset), summer.offset),
      (summer.end.clock(in: year) - Int64(summer.offset), offset),
    ]
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    func isAt(_ character: Unicode.Scalar) -> Bool {
      position < bytes.count && bytes[position] == UInt8(ascii: character)
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard isAt(character) else { return false }
      position += 1
      return true
    }

    /// `CET`, or `<+1030>`.
    mutating func name() -> Bool {
      let start = position
      if take("<") {
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") { position += 1 }
        return take(">") && position - start >= 5
      }
      while position < bytes.count, (bytes[position] | 0x20) >= 0x61, (bytes[position] | 0x20) <= 0x7A { position += 1 }
      return position - start >= 3
    }

    mutating func number(max: Int) -> Int? {
      var value = 0
      let start = position
      while position < bytes.count, (0x30...0x39).contains(bytes[position]), position - start < 4 {
        value = value * 10 + Int(bytes[position] - 0x30)
        position += 1
      }
      return position > start && value <= max ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]`, in seconds.
    mutating func time(hoursMax: Int) -> Int? {
      let sign = take("-") ? -1 : 1
      if sign == 1 { _ = take("+") }
      guard let hours = number(max: hoursMax) else { return nil }
      var seconds = hours * 3_600
      if take(":") {
        guard let minutes = number(max: 59) else { return nil }
        seconds += minutes * 60
        if take(":") {
          guard let rest = number(max: 59) else { return nil }
          seconds += rest
        }
      }
      return sign * seconds
    }

    /// `,date[/time]`.
    mutating func change() -> Change? {
      guard take(","), let day = day() else { return nil }
      guard take("/") else { return Change(day: day, time: 7_200) }
      return time(hoursMax: 167).map { Change(day: day, time: $0) }
    }

    private mutating func day() -> Change.Day? {
      if take("M") {
        guard let month = number(max: 12), month >= 1, take("."), let week = number(max: 5), week >= 1, take("."),
          let weekday = number(max: 6)
        else { return nil }
        return .week(month: month, week: week, weekday: weekday)
      }
      if take("J") { return number(max: 365).flatMap { $0 >= 1 ? .julian($0) : nil } }
      return number(max: 365).map { .ofYear($0) }
    }
  }
}
