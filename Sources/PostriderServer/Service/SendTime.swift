internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import TimeZones
internal import WireJSON

/// When a push is to go out, as a request says it.
enum SendTime: Sendable, Hashable {
  case now
  case draft
  case at(Timestamp)
  case local(LocalStart)
  /// After a wait in which it can be stopped, in seconds.
  case undoable(Int)

  /// The furthest ahead that a push can be scheduled: five years.
  static let aheadSecondsMax: Int64 = 5 * 366 * 86_400

  static let rule = "push-schedule"

  static let properties: [Schema.Property] = [
    .optional("send_at", instant("When sending begins, RFC 3339; at most five years ahead.")),
    .optional(
      "send_at_local",
      .string(
        "A wall clock's time, without an offset: each device gets it when its own clock shows it. A time that a clock"
          + " skips counts by the clock before the change; of a repeated time the first counts.", max: 30,
        example: "2026-12-24T18:00:00")),
    .optional(
      timeOfDay,
      .string(
        "A time of day: each device gets it when its own clock next shows it, from send_at on, or from now.", max: 8,
        example: "09:00"
      ).documented(["pattern": "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"])),
    .optional(
      lastActive,
      .boolean(
        "Each device gets it at the time of day at which its app last registered it, within a day from send_at, or from now."
      )),
    .optional("timezone", zone("The time zone of devices that have none; UTC by default.")),
    .optional(
      undo,
      .integer(
        0...AppSettings.undoSecondsMax,
        "Seconds that it waits before it starts, in which it can be stopped and nothing has been sent; 0 by default.",
        example: 30)),
  ]

  static let undo = "undo_seconds"

  static let timeOfDay = "send_at_time_of_day"
  static let lastActive = "send_at_last_active"

  static func instant(_ about: String) -> Schema { .time(about, example: "2026-12-24T18:00:00Z") }

  static func zone(_ about: String) -> Schema { .string(about, max: 64, example: "Europe/Vienna") }

  /// The members of a request that say when, and not what.
  static let names = ["draft", "send_at", "send_at_local", timeOfDay, lastActive, "timezone", undo]

  /// Reads the members; what is wrong goes into the report.
  static func read(_ body: JSONValue, now: Timestamp, report: inout Report) -> SendTime {
    let isDraft = body["draft"]?.bool ?? false
    if body["send_at"] != nil && body["send_at_local"] != nil {
      report.add(
        rule: rule, severity: .error, field: "send_at_local", message: "give either \"send_at\" or \"send_at_local\"")
      return .now
    }
    let ofDay = body[timeOfDay]?.string
    let isLastActive = body[lastActive]?.bool ?? false
    if [body["send_at_local"] != nil, ofDay != nil, isLastActive].count(where: { $0 }) > 1 {
      report.add(
        rule: rule, severity: .error, field: ofDay == nil ? lastActive : timeOfDay,
        message: "give one of \"send_at_local\", \"\(timeOfDay)\" and \"\(lastActive)\"")
      return .now
    }
    if isDraft && (body["send_at"] != nil || body["send_at_local"] != nil || ofDay != nil || isLastActive) {
      report.add(
        rule: rule, severity: .error, field: "draft",
        message: "a draft has no time; create it without one and schedule it later, or leave out \"draft\"")
    }
    let wait = body[undo]?.int ?? 0
    let hasTime = body["send_at"] != nil || body["send_at_local"] != nil || ofDay != nil || isLastActive
    if wait > 0, isDraft || hasTime {
      report.add(
        rule: rule, severity: .error, field: undo,
        message: "a draft, or a push with a time, can be stopped until it starts anyway; leave one of them out")
    }
    let zone = readZone(body["timezone"]?.string ?? "UTC", "timezone", &report)
    if ofDay != nil || isLastActive {
      guard let day = ofDay.map({ read(timeOfDay: $0, report: &report) }) ?? .lastActive else { return .now }
      return read(day, body["send_at"]?.string, zone: zone?.name ?? "UTC", now: now, report: &report)
    }
    if let text = body["send_at"]?.string { return read(instant: text, now: now, report: &report) }
    if let text = body["send_at_local"]?.string {
      return read(local: text, zone: zone?.name ?? "UTC", now: now, report: &report)
    }
    if body["timezone"] != nil {
      report.add(
        rule: rule, severity: .warning, field: "timezone",
        message: "means nothing without \"send_at_local\" or \"\(timeOfDay)\"")
    }
    return isDraft ? .draft : wait > 0 ? .undoable(wait) : .now
  }

  static func readZone(_ name: String, _ field: String, _ report: inout Report) -> ZoneRules? {
    do throws(TimeZoneError) { return try ZoneDatabase.system.zone(name) } catch {
      report.add(rule: "timezone-unknown", severity: .error, field: field, message: error.description)
      return nil
    }
  }

  private static func read(instant text: String, now: Timestamp, report: inout Report) -> SendTime {
    guard let parsed = UTCInstant(text) else {
      report.add(
        rule: rule, severity: .error, field: "send_at",
        message: "expected a time as RFC 3339 writes it, such as \"2026-12-24T18:00:00Z\" or with an offset")
      return .now
    }
    let instant = Timestamp(seconds: parsed.seconds)
    check(instant, now, "send_at", &report)
    return .at(instant)
  }

  private static func read(local text: String, zone: String, now: Timestamp, report: inout Report) -> SendTime {
    guard let time = CivilTime(text) else {
      report.add(
        rule: rule, severity: .error, field: "send_at_local",
        message: "expected a date and time without offset, such as \"2026-12-24T18:00:00\"")
      return .now
    }
    let local = LocalStart(clock: time.secondsOfClock, zone: zone)
    // While the time is still to come anywhere, it can be sent; where it has passed, devices get it at once.
    check(local.last, now, "send_at_local", &report)
    if local.first < now, local.last > now {
      report.add(
        rule: rule, severity: .warning, field: "send_at_local",
        message: "the time has passed already in some time zones; devices there get the push at once")
    }
    return .local(local)
  }

  private static func read(timeOfDay text: String, report: inout Report) -> LocalStart.Day? {
    // The day is any: a clock's time is read in the form in which times with a date are.
    if text.utf8.count == 5 || text.utf8.count == 8, let time = CivilTime("1970-01-01T\(text)") {
      return .time(Int(time.secondsOfClock))
    }
    report.add(
      rule: rule, severity: .error, field: timeOfDay,
      message: "expected a time of day such as \"09:00\" or \"21:45:00\"")
    return nil
  }

  /// A time of each day, from a time on.
  private static func read(
    _ day: LocalStart.Day, _ start: String?, zone: String, now: Timestamp, report: inout Report
  ) -> SendTime {
    var from = now
    if let start {
      guard case .at(let instant) = read(instant: start, now: now, report: &report) else { return .now }
      from = instant
    }
    return .local(LocalStart(clock: from.seconds, zone: zone, day: day))
  }

  private static func check(_ instant: Timestamp, _ now: Timestamp, _ field: String, _ report: inout Report) {
    if instant <= now {
      report.add(
        rule: rule, severity: .error, field: field,
        message: "is in the past (it is \(TimeText.text(now)) now); leave it out to send at once")
    } else if instant > now.adding(seconds: aheadSecondsMax) {
      report.add(rule: rule, severity: .error, field: field, message: "is more than five years ahead")
    }
  }

  /// When the push starts: for a local time, before the first time zone reaches it.
  func dueAt(now: Timestamp) -> Timestamp? {
    switch self {
    case .now, .draft: nil
    case .at(let instant): instant
    case .local(let local): max(local.first, now)
    case .undoable(let seconds): now.adding(seconds: Int64(seconds))
    }
  }

  /// Whether it waits only so that it can be stopped.
  var isUndoable: Bool { if case .undoable = self { true } else { false } }

  /// The start of a push that has one.
  func start(now: Timestamp) -> ScheduledStart? {
    dueAt(now: now).map { ScheduledStart(dueAt: $0, local: local, isUndoable: isUndoable) }
  }

  var local: LocalStart? { if case .local(let local) = self { local } else { nil } }
}
