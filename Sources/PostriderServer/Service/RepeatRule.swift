internal import Basics
internal import Ledger
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import TimeZones
internal import WireJSON

extension RepeatRule {
  static let catchUpDefault = 3_600
  static let weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

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
      .optional("until", SendTime.instant("Not after this time, RFC 3339.")),
      .optional(
        "catch_up_seconds",
        .integer(
          0...604_800,
          "How late it is still created when no server ran at its time; an hour by default. Of several that were missed"
            + " only the last is made.")),
    ], "When it comes.")

  /// Reads the member `repeat`, whose shape was checked before; nil when the report says what is wrong.
  init?(_ body: JSONValue, report: inout Report) {
    let every = Every(rawValue: body["every"]?.string ?? "") ?? .day
    let days = (body["weekdays"]?.array ?? []).compactMap { RepeatRule.weekdayNames.firstIndex(of: $0.string ?? "") }
    if !days.isEmpty && every != .week {
      report.add(
        rule: SendTime.rule, severity: .error, field: "repeat.weekdays", message: "goes with \"every\": \"week\" only")
    }
    var until: Timestamp?
    if let text = body["until"]?.string {
      guard let instant = UTCInstant(text) else {
        report.add(
          rule: SendTime.rule, severity: .error, field: "repeat.until",
          message: "expected a time as RFC 3339 writes it, such as \"2026-12-24T18:00:00Z\"")
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
    self.init(
      every: every, interval: body["interval"]?.int ?? 1, weekdays: Set(days.map { $0 + 1 }).sorted(), start: start,
      zone: zone, count: body["count"]?.int, until: until,
      catchUpSeconds: Int64(body["catch_up_seconds"]?.int ?? RepeatRule.catchUpDefault))
  }
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
