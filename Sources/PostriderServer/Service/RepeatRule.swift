internal import Basics
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import TimeZones
internal import WireJSON

/// When a schedule runs: every so many days, weeks or months, at a local time.
///
/// The time of each occurrence follows from its number alone, so nothing drifts and only the number is stored. A month
/// without the day runs on its last day. A time that a clock change skips is resolved with the UTC offset before the
/// change; of a repeated time the first is used (RFC 5545).
struct RepeatRule: Sendable, Hashable {
  enum Every: String, Sendable, CaseIterable { case day, week, month }

  var every: Every
  var interval: Int
  /// Days of the week, 1 (Monday) to 7 (Sunday), rising; for weeks only.
  var weekdays: [Int]
  var start: CivilTime
  var zone: ZoneRules
  var count: Int?
  var until: Timestamp?
  /// How late an occurrence may be and is still made, in seconds.
  var catchUpSeconds: Int64

  static let catchUpDefault = 3_600
  static let weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  /// Occurrences passed over in one step; daily ones of 27 years.
  static let missedMax = 10_000

  static let schema = Schema.object(
    [
      .required("every", .choice(Every.allCases.map(\.rawValue), "The unit.")),
      .optional("interval", .integer(1...365, "Every how many of them; 1 by default.")),
      .optional(
        "weekdays",
        .array(
          of: .choice(weekdayNames, "A day."), min: 1, max: 7, "With weeks: the days; that of the start by default.")),
      .required(
        "start",
        .string(
          "The first time, as a wall clock shows it; with weekdays, the first of them from there on.", max: 30,
          example: "2026-12-01T09:00:00")),
      .required("timezone", SendTime.zone("Where that clock hangs.")),
      .optional("count", .integer(1...1_000_000, "How often; without an end by default.")),
      .optional("until", SendTime.moment("Not after this moment, RFC 3339.")),
      .optional(
        "catch_up_seconds",
        .integer(
          0...604_800,
          "How late it is still made when no server ran at its moment; an hour by default. Of several that were missed"
            + " only the last is made.")),
    ], "When it comes.")

  /// Reads the member `repeat`, whose shape was checked before; nil when the report says what is wrong.
  init?(_ body: JSONValue, report: inout Report) {
    every = Every(rawValue: body["every"]?.string ?? "") ?? .day
    interval = body["interval"]?.int ?? 1
    let days = (body["weekdays"]?.array ?? []).compactMap { RepeatRule.weekdayNames.firstIndex(of: $0.string ?? "") }
    weekdays = Set(days.map { $0 + 1 }).sorted()
    count = body["count"]?.int
    catchUpSeconds = Int64(body["catch_up_seconds"]?.int ?? RepeatRule.catchUpDefault)
    if !weekdays.isEmpty && every != .week {
      report.add(
        rule: SendTime.rule, severity: .error, field: "repeat.weekdays", message: "goes with \"every\": \"week\" only")
    }
    if let text = body["until"]?.string {
      guard let instant = UTCInstant(text) else {
        report.add(
          rule: SendTime.rule, severity: .error, field: "repeat.until",
          message: "expected a moment as RFC 3339 writes it, such as \"2026-12-24T18:00:00Z\"")
        return nil
      }
      until = Timestamp(seconds: instant.seconds)
    }
    guard let zone = SendTime.readZone(body["timezone"]?.string ?? "", "repeat.timezone", &report) else { return nil }
    guard let start = CivilTime(body["start"]?.string ?? "") else {
      report.add(
        rule: SendTime.rule, severity: .error, field: "repeat.start",
        message: "expected a date and time without offset, such as \"2026-12-01T09:00:00\"")
      return nil
    }
    (self.zone, self.start) = (zone, start)
    if every == .week && weekdays.isEmpty { weekdays = [RepeatRule.isoWeekday(start)] }
  }

  /// The time of an occurrence, counted from 1; nil after the end.
  func moment(_ number: Int) -> Timestamp? {
    if let count, number > count { return nil }
    guard let clock = clock(number) else { return nil }
    let moment = Timestamp(seconds: zone.moment(of: clock).seconds)
    if let until, moment > until { return nil }
    return moment
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
  func first(now: Timestamp) -> (at: Timestamp, number: Int)? {
    // Occurrences since a start long ago are skipped with a binary search: times increase with numbers.
    var (low, high) = (1, 2)
    while let moment = moment(high), moment < now, high < 1 << 24 { (low, high) = (high, high * 2) }
    while low < high {
      let middle = (low + high) / 2
      if let moment = moment(middle), moment < now { low = middle + 1 } else { high = middle }
    }
    return moment(low).map { ($0, low) }
  }

  /// What is due.
  struct Due {
    /// The schedule's next run.
    let expected: Timestamp
    /// The last occurrence that is due: the only one that may still be made.
    let at: Timestamp
    /// Whether a push is made now.
    let isMade: Bool
    /// Occurrences passed over.
    let missed: Int
    /// The number behind the last occurrence that was looked at.
    let passed: Int
    /// The occurrence after.
    let next: (at: Timestamp, number: Int)?
  }

  /// What to do at `now` for a schedule whose next run is occurrence `number`.
  ///
  /// - Parameter made: later occurrences that were created by a clock that was ahead; they are neither created nor
  ///   missed again.
  func due(expected: Timestamp, number: Int, now: Timestamp, made: Set<Timestamp> = []) -> Due {
    var (last, at, open) = (number, expected, 1)
    while last - number < RepeatRule.missedMax, let next = moment(last + 1), next <= now {
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
  func occurrence(from number: Int, without made: Set<Timestamp>) -> (at: Timestamp, number: Int)? {
    var number = number
    while let at = moment(number) {
      if !made.contains(at) { return (at, number) }
      number += 1
    }
    return nil
  }

  /// What a clock that went back means for a schedule.
  struct Rewind {
    /// The first occurrence that may still be made and was not.
    let next: (at: Timestamp, number: Int)?
    /// Occurrences that were counted as missed and are still to come.
    let notMissed: Int
  }

  /// What is to be done at `now` for a schedule whose next occurrence was computed by a clock that was ahead.
  ///
  /// - Parameter made: occurrences from `earliestToMake(now)` on that were made.
  func rewind(_ schedule: Schedule, to now: Timestamp, made: Set<Timestamp>) -> Rewind {
    // A time that is still to come was read from the clock that was ahead.
    let isSetAhead = schedule.fromAt > now
    let earliest = isSetAhead ? now : max(schedule.fromAt, earliestToMake(now))
    guard let next = first(now: earliest).flatMap({ occurrence(from: $0.number, without: made) }) else {
      return Rewind(next: nil, notMissed: 0)
    }
    guard !isSetAhead, next.number < schedule.nextNumber else { return Rewind(next: next, notMissed: 0) }
    let end = moment(schedule.nextNumber)
    let between = made.count { at in at >= next.at && end.map { at < $0 } ?? true }
    return Rewind(next: next, notMissed: schedule.nextNumber - next.number - between)
  }

  /// The earliest time of an occurrence that is not too late at `now`.
  func earliestToMake(_ now: Timestamp) -> Timestamp { now.adding(seconds: -catchUpSeconds) }
}

/// The request a schedule was made from.
struct ScheduledRequest {
  let body: JSONValue
  let rule: RepeatRule

  init(_ bytes: [UInt8]) throws(Problem) {
    guard let body = try? JSON.parse(bytes) else {
      throw Problem(.internalError, "the schedule's request is no JSON")
    }
    var report = Report()
    guard let rule = RepeatRule(body["repeat"] ?? .null, report: &report) else {
      throw Problem(.internalError, report: report)
    }
    self.body = body
    self.rule = rule
  }

  func step(_ schedule: Schedule, now: Timestamp, made: Set<Timestamp>) -> RepeatRule.Due? {
    schedule.nextAt.map { rule.due(expected: $0, number: schedule.nextNumber, now: now, made: made) }
  }
}
