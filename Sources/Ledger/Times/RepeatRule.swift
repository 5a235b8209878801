internal import Basics
package import StoreModel
package import TimeZones

/// When a schedule runs: every so many days, weeks or months, at a local time.
///
/// The time of each occurrence follows from its number alone, so nothing drifts and only the number is stored. A month
/// without the day runs on its last day. A time that a clock change skips is resolved with the UTC offset before the
/// change; of a repeated time the first is used (RFC 5545).
package struct RepeatRule: Sendable, Hashable {
  package enum Every: String, Sendable, CaseIterable { case day, week, month }

  package var every: Every
  package var interval: Int
  /// Days of the week, 1 (Monday) to 7 (Sunday), rising; for weeks only, where that of the start is the default.
  package var weekdays: [Int]
  package var start: CivilTime
  package var zone: ZoneRules
  package var count: Int?
  package var until: Timestamp?
  /// How late an occurrence may be and is still made, in seconds.
  package var catchUpSeconds: Int64

  /// Occurrences passed over in one step; daily ones of 27 years.
  package static let missedMax = 10_000

  package init(
    every: Every, interval: Int, weekdays: [Int], start: CivilTime, zone: ZoneRules, count: Int?, until: Timestamp?,
    catchUpSeconds: Int64
  ) {
    self.every = every
    self.interval = interval
    self.weekdays = every == .week && weekdays.isEmpty ? [RepeatRule.isoWeekday(start)] : weekdays
    self.start = start
    self.zone = zone
    self.count = count
    self.until = until
    self.catchUpSeconds = catchUpSeconds
  }

  /// The time of an occurrence, counted from 1; nil after the end.
  package func instant(_ number: Int) -> Timestamp? {
    if let count, number > count { return nil }
    guard let clock = clock(number) else { return nil }
    let instant = Timestamp(seconds: zone.instant(of: clock).seconds)
    if let until, instant > until { return nil }
    return instant
  }

  private func clock(_ number: Int) -> CivilTime? {
    switch every {
    case .day: return clock(daysAhead: (number - 1) * interval)
    case .week:
      let first = RepeatRule.isoWeekday(start)
      let inFirstWeek = weekdays.filter { $0 >= first }
      if number <= inFirstWeek.count { return clock(daysAhead: inFirstWeek[number - 1] - first) }
      // Whole weeks, from the Monday of the first one.
      let rest = number - 1 - inFirstWeek.count
      let weeks = (rest / weekdays.count + 1) * interval
      return clock(daysAhead: weeks * 7 - (first - 1) + weekdays[rest % weekdays.count] - 1)
    case .month:
      let months = start.month - 1 + (number - 1) * interval
      let (year, month) = (start.year + months / 12, months % 12 + 1)
      let day = min(start.day, CivilDay.count(inMonth: month, of: year))
      return CivilTime(year, month, day, start.hour, start.minute, start.second)
    }
  }

  private func clock(daysAhead days: Int) -> CivilTime? {
    let time = CivilTime(secondsOfClock: start.secondsOfClock + Int64(days) * 86_400)
    return time.year <= 9_999 ? time : nil
  }

  /// 1 is Monday, 7 is Sunday.
  private static func isoWeekday(_ time: CivilTime) -> Int { time.weekday == 0 ? 7 : time.weekday }

  /// The first occurrence that is not past.
  package func first(now: Timestamp) -> (at: Timestamp, number: Int)? {
    // Occurrences since a start long ago are skipped with a binary search: times increase with numbers.
    var (low, high) = (1, 2)
    while let instant = instant(high), instant < now, high < 1 << 24 { (low, high) = (high, high * 2) }
    while low < high {
      let middle = (low + high) / 2
      if let instant = instant(middle), instant < now { low = middle + 1 } else { high = middle }
    }
    return instant(low).map { ($0, low) }
  }

  /// What is due.
  package struct Due {
    /// The schedule's next run.
    package let expected: Timestamp
    /// The last occurrence that is due: the only one that may still be made.
    package let at: Timestamp
    /// Whether a push is made now.
    package let isMade: Bool
    /// Occurrences passed over.
    package let missed: Int
    /// The number behind the last occurrence that was looked at.
    package let passed: Int
    /// The occurrence after.
    package let next: (at: Timestamp, number: Int)?
  }

  /// What to do at `now` for a schedule whose next run is occurrence `number`.
  ///
  /// - Parameter made: later occurrences that were created by a clock that was ahead; they are neither created nor
  ///   missed again.
  package func due(expected: Timestamp, number: Int, now: Timestamp, made: Set<Timestamp> = []) -> Due {
    var (last, at, open) = (number, expected, 1)
    while last - number < RepeatRule.missedMax, let next = instant(last + 1), next <= now {
      last += 1
      guard !made.contains(next) else { continue }
      (at, open) = (next, open + 1)
    }
    let isMade = now <= at.adding(seconds: catchUpSeconds)
    return Due(
      expected: expected, at: at, isMade: isMade, missed: open - (isMade ? 1 : 0), passed: last + 1,
      next: occurrence(from: last + 1, without: made))
  }

  /// The first occurrence from a number on that is not among those that were made.
  package func occurrence(from number: Int, without made: Set<Timestamp>) -> (at: Timestamp, number: Int)? {
    var number = number
    while let at = instant(number) {
      if !made.contains(at) { return (at, number) }
      number += 1
    }
    return nil
  }

  /// What a clock that went back means for a schedule.
  package struct Rewind {
    /// The first occurrence that may still be made and was not.
    package let next: (at: Timestamp, number: Int)?
    /// Occurrences that were counted as missed and are still to come.
    package let notMissed: Int
  }

  /// What is to be done at `now` for a schedule whose next occurrence was computed by a clock that was ahead.
  ///
  /// - Parameter made: occurrences from `earliestToMake(now)` on that were made.
  package func rewind(_ schedule: Schedule, to now: Timestamp, made: Set<Timestamp>) -> Rewind {
    // A time that is still to come was read from the clock that was ahead.
    let isSetAhead = schedule.fromAt > now
    let earliest = isSetAhead ? now : max(schedule.fromAt, earliestToMake(now))
    guard let next = first(now: earliest).flatMap({ occurrence(from: $0.number, without: made) }) else {
      return Rewind(next: nil, notMissed: 0)
    }
    guard !isSetAhead, next.number < schedule.nextNumber else { return Rewind(next: next, notMissed: 0) }
    let end = instant(schedule.nextNumber)
    let between = made.count { at in at >= next.at && end.map { at < $0 } ?? true }
    return Rewind(next: next, notMissed: schedule.nextNumber - next.number - between)
  }

  /// The earliest time of an occurrence that is not too late at `now`.
  package func earliestToMake(_ now: Timestamp) -> Timestamp { now.adding(seconds: -catchUpSeconds) }
}
