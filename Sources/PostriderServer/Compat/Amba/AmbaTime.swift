internal import PushContracts
internal import StoreModel
internal import TimeZones
internal import WireJSON

/// When a request wants something sent: at an instant, or when each person's own clock shows a time.
enum AmbaTime: Sendable {
  case at(Timestamp)
  case local(LocalStart, date: String, time: String)

  static let names: Set<String> = ["delivery_mode", "scheduled_at", "local_date", "local_time"]

  /// The time of a request; nil without one.
  static func read(_ object: CompatObject, now: Timestamp) throws(Problem) -> AmbaTime? {
    let isLocal = try object.choice("delivery_mode", [("absolute", false), ("local_time", true)]) ?? false
    let (instant, date, time) = (
      try text("scheduled_at", object), try text("local_date", object), try text("local_time", object)
    )
    guard isLocal else {
      guard date == nil, time == nil else {
        throw Problem.ofMember(date == nil ? "local_time" : "local_date", "goes with delivery_mode local_time")
      }
      return try instant.map { text throws(Problem) in try read(instant: text, now) }
    }
    guard instant == nil else {
      throw Problem.ofMember("scheduled_at", "goes with delivery_mode absolute; give local_date and local_time")
    }
    guard let date, let time else {
      throw AmbaErrors.problem(.badTime, "local_date and local_time are required with delivery_mode local_time")
    }
    return try read(date, time, now)
  }

  private static func text(_ name: String, _ object: CompatObject) throws(Problem) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string else { throw AmbaErrors.problem(.badTime, "\(name): expected a text") }
    return text
  }

  private static func read(instant text: String, _ now: Timestamp) throws(Problem) -> AmbaTime {
    guard let parsed = UTCInstant(text) else {
      throw AmbaErrors.problem(
        .badTime, "scheduled_at: expected a time in ISO 8601 such as \"2026-05-01T13:00:00Z\" or with an offset")
    }
    let instant = Timestamp(seconds: parsed.seconds)
    try check(instant, "scheduled_at", now)
    return .at(instant)
  }

  private static func read(_ date: String, _ time: String, _ now: Timestamp) throws(Problem) -> AmbaTime {
    let whole = time.utf8.count == 5 ? time + ":00" : time
    guard date.utf8.count == 10, whole.utf8.count == 8, let civil = CivilTime("\(date)T\(whole)") else {
      throw AmbaErrors.problem(
        .badTime, "local_date, local_time: expected a day such as \"2026-05-01\" and a time such as \"09:00\"")
    }
    let local = LocalStart(clock: civil.secondsOfClock, zone: "UTC")
    // While the time is still to come anywhere, it can be sent; where it has passed, devices get it at once.
    try check(local.last, "local_date, local_time", now)
    return .local(local, date: date, time: time)
  }

  private static func check(_ instant: Timestamp, _ name: String, _ now: Timestamp) throws(Problem) {
    guard instant > now else {
      throw AmbaErrors.problem(.timeInPast, "\(name): is in the past; it is \(TimeText.text(now)) now")
    }
    guard instant <= now.adding(seconds: SendTime.aheadSecondsMax) else {
      throw AmbaErrors.problem(.badTime, "\(name): is more than five years ahead")
    }
  }

  /// The members of our own request.
  var native: JSONObject {
    switch self {
    case .at(let instant): ["send_at": .string(TimeText.text(instant))]
    case .local(let local, _, _):
      ["send_at_local": .string(CivilTime(secondsOfClock: local.clock).description), "timezone": .string(local.zone)]
    }
  }

  /// When the push starts, as the store keeps it.
  func start(now: Timestamp) -> ScheduledStart {
    switch self {
    case .at(let instant): ScheduledStart(dueAt: instant, local: nil)
    case .local(let local, _, _): ScheduledStart(dueAt: max(local.first, now), local: local)
    }
  }

  /// The members as the caller gave them.
  var members: JSONObject {
    switch self {
    case .at(let instant): ["delivery_mode": "absolute", "scheduled_at": .string(TimeText.text(instant))]
    case .local(_, let date, let time):
      ["delivery_mode": "local_time", "local_date": .string(date), "local_time": .string(time)]
    }
  }
}
