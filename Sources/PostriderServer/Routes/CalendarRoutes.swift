internal import HTTPServer
internal import Ledger
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/calendar`: what is planned, by time.
enum CalendarRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/calendar", .scopes([.send, .read])), name: "getCalendar",
      about:
        "Lists what is planned in a stretch of at most \(daysMax) days: scheduled pushes and runs of schedules, the earliest"
        + " first. Pushes that wait for single users are left out.",
      query: [
        Route.Query(name: "from", schema: .time("Where it begins; now by default.")),
        Route.Query(name: "until", schema: .time("Before when it ends; \(daysUsual) days later by default.")),
      ],
      answers: [Route.Answer(status: 200, about: "What is planned.", schema: .named("Calendar"))], action: .now(show))
  ]

  private static let daysMax = 92
  private static let daysUsual = 31
  private static let entriesMax = 1_000
  /// Runs of one schedule; a daily one in the longest stretch.
  private static let runsMax = 100

  static let schema = Schema.object(
    [
      .required("from", .time("Where it begins.")), .required("until", .time("Before when it ends.")),
      .required(
        "entries",
        .array(
          of: .object([
            .required("at", .time("When it starts; of a push for a local time, before the first clock shows it.")),
            .required("kind", .choice(["push", "schedule"], "A scheduled push, or a run of a schedule.")),
            .required("id", .string("The id of the push or the schedule.", max: 20)),
            .optional("campaign", .string("The campaign.", max: 64)),
            .optional("title", .string("What it says first.", max: PushFinding.titleMax)),
            .optional("waits_for_approval", .boolean("Whether it starts only when somebody approves it.")),
          ]), max: entriesMax, "The earliest first.")),
      .required("complete", .boolean("Whether this is all; false when there is more than \(entriesMax).")),
    ], "What is planned.")

  private struct Entry {
    let at: Timestamp
    let json: JSONObject
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let from = try RecordRoutes.instant("from", call) ?? call.now
    let until = try RecordRoutes.instant("until", call) ?? from.adding(seconds: Int64(daysUsual) * 86_400)
    guard from < until, until <= from.adding(seconds: Int64(daysMax) * 86_400) else {
      throw Problem(.invalid, "?until: expected a time after ?from, at most \(daysMax) days later")
    }
    let (scheduledPushes, schedules) = try service.ask { store throws(StoreError) in
      (
        try store.scheduledPushes(app: app, from: from, until: until, limit: entriesMax),
        try store.schedules(app: app, after: nil, limit: entriesMax)
      )
    }
    var entries = scheduledPushes.map { entry($0) }
    for schedule in schedules { entries += runs(schedule, from, until) }
    entries.sort { $0.at < $1.at }
    let isAll = scheduledPushes.count < entriesMax && schedules.count < entriesMax && entries.count <= entriesMax
    return Reply(
      200,
      [
        "from": .string(TimeText.text(from)), "until": .string(TimeText.text(until)),
        "entries": .array(entries.prefix(entriesMax).map { .object($0.json) }), "complete": .bool(isAll),
      ])
  }

  private static func entry(_ scheduled: ScheduledPush) -> Entry {
    let at = scheduled.dueAt ?? Timestamp(milliseconds: 0)
    var json = described(scheduled.request)
    json["at"] = .string(TimeText.text(at))
    json["kind"] = "push"
    json["id"] = .string(scheduled.push.description)
    if scheduled.approval?.state == .waiting { json["waits_for_approval"] = true }
    return Entry(at: at, json: json)
  }

  /// The runs of a schedule that are still to come.
  private static func runs(_ schedule: Schedule, _ from: Timestamp, _ until: Timestamp) -> [Entry] {
    guard let next = schedule.nextAt, schedule.endedAt == nil, let rule = try? ScheduledRequest(schedule.request).rule
    else { return [] }
    let first = next < from ? rule.first(now: from) : (next, schedule.nextNumber)
    guard let (start, number) = first else { return [] }
    let described = described(schedule.request)
    var (entries, at, run) = ([Entry](), Optional(start), number)
    while let instant = at, instant < until, entries.count < runsMax {
      var json = described
      json["at"] = .string(TimeText.text(instant))
      json["kind"] = "schedule"
      json["id"] = .string(schedule.id.description)
      entries.append(Entry(at: instant, json: json))
      run += 1
      at = rule.instant(run)
    }
    return entries
  }

  private static func described(_ request: [UInt8]) -> JSONObject {
    guard let body = try? JSON.parse(request) else { return [:] }
    var json = JSONObject()
    if let campaign = body["campaign"]?.string { json["campaign"] = .string(campaign) }
    if let title = body["message"]?["title"]?.string {
      json["title"] = .string(String(title.prefix(PushFinding.titleMax)))
    } else if let template = body["template"]?.string {
      json["title"] = .string(String(template.prefix(PushFinding.titleMax)))
    }
    return json
  }
}
