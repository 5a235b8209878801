internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// The outcomes of pushes in numbers: the funnel of a push, and counts by time.
enum RecordRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/pushes/{push}/funnel", .scopes([.send, .read])), name: "getFunnel",
      about: "How many devices a push was for, reached, arrived at, and was opened on; which buttons were chosen; why"
        + " deliveries were rejected.",
      answers: [Route.Answer(status: 200, about: "The funnel.", schema: .named("Funnel"))], action: .now(funnel)),
    Route(
      .get("/v1/apps/{app}/pushes/{push}/series", .scopes([.send, .read])), name: "getPushSeries",
      about: "Outcomes and reports of a push by time.", query: query,
      answers: [Route.Answer(status: 200, about: "The series.", schema: .named("Series"))], action: .now(pushSeries)),
    Route(
      .get("/v1/apps/{app}/series", .scopes([.send, .read])), name: "getAppSeries",
      about: "Outcomes and reports of all pushes of an app by time.", query: query,
      answers: [Route.Answer(status: 200, about: "The series.", schema: .named("Series"))], action: .now(appSeries)),
  ]

  static let many = 0...1_000_000_000_000
  private static let steps: [(name: String, ms: Int64)] = [
    ("minute", 60_000), ("hour", 3_600_000), ("day", 86_400_000),
  ]
  private static let pointsMax = 2_000
  private static let reasonsMax = 200
  private static let query: [Route.Query] = [
    Route.Query(name: "step", schema: .choice(steps.map(\.name), "The width of a stretch (UTC); hour by default.")),
    Route.Query(name: "from", schema: .time("The earliest time; by default everything.")),
    Route.Query(name: "until", schema: .time("The time before which it ends; by default now.")),
  ]

  static let funnelSchema = Schema.object(
    [
      .required("targeted", .integer(many, "Devices the push was for.")),
      .required("accepted", .integer(many, "Devices whose provider took it.")),
      .required("received", .integer(many, "Devices that reported its arrival.")),
      .required("opened", .integer(many, "Devices on which it was opened.")),
      .required("action", .integer(many, "Devices on which one of its buttons was chosen.")),
      .required("open_rate", .share("opened / accepted, 0 to 1, to four places; null while none is accepted.")),
      .required(
        "actions",
        .array(
          of: .object([
            .required("action", .string("The button's id.", max: StoreLimits.actionBytesMax)),
            .required("count", .integer(many, "Devices on which it was chosen.")),
          ]), max: 200, "By button, the most chosen first.")),
      .required(
        "reasons",
        .array(
          of: .object([
            .optional(
              "provider", .choice(Provider.allCases.map(\.name), "Who refused; absent for what was never sent.")),
            .optional("status", .integer(100...599, "The HTTP status of the answer.")),
            .required("reason", .string("The reason, as deliveries have it.", min: 0, max: StoreLimits.reasonBytesMax)),
            .required("count", .integer(many, "Deliveries.")),
            .optional("explanation", .named("Explanation")),
          ]), max: reasonsMax,
          "Rejected deliveries by reason, the most frequent first; together they are the push's rejected deliveries.")),
      .optional("variants", VariantNumbers.schema),
    ], "From the audience to the person.")
  static let seriesSchema = Schema.object(
    [
      .required("step", .choice(steps.map(\.name), "The width of a stretch.")),
      .required(
        "points",
        .array(
          of: .object(
            [.required("at", .time("Where the stretch begins."))]
              + SeriesMetric.allCases.map { .optional($0.name, .integer(many, "")) }), max: pointsMax,
          "Stretches in which something happened, in order; a number that is absent is zero.")),
      .optional("next", .time("\"from\" of the request that continues; absent when this is all.")),
    ], "Counts by time.")

  // MARK: - Work

  @Sendable private static func funnel(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let events = try service.ask { store throws(StoreError) in try store.events(of: push.id) }
    let refusals = try service.ask { store throws(StoreError) in try store.refusals(of: push.id, limit: reasonsMax) }
    let variants = try VariantNumbers.json(of: push.id, service)
    return Reply(200, json(push.counts, events, refusals, variants))
  }

  private static func json(
    _ counts: LedgerCounts, _ events: PushEvents, _ refusals: [RefusalCount], _ variants: JSONValue?
  ) -> JSONValue {
    var object = JSONObject()
    let numbers = [
      ("targeted", counts.targeted), ("accepted", counts.accepted), ("received", events.counts.received),
      ("opened", events.counts.opened), ("action", events.counts.action),
    ]
    for (name, count) in numbers { object.append(name, .number(JSONNumber(count))) }
    object["open_rate"] = openRate(opened: events.counts.opened, accepted: counts.accepted)
    object["actions"] = .array(
      events.actions.map { ["action": .string($0.action), "count": .number(JSONNumber($0.count))] })
    object["reasons"] = .array(refusals.map(json))
    if let variants { object["variants"] = variants }
    return .object(object)
  }

  private static func json(_ refusal: RefusalCount) -> JSONValue {
    var object = JSONObject()
    if let provider = refusal.provider { object["provider"] = .string(provider.name) }
    if refusal.status != 0 { object["status"] = .number(JSONNumber(refusal.status)) }
    object["reason"] = .string(refusal.reason)
    object["count"] = .number(JSONNumber(refusal.count))
    if let text = ReasonTexts.text(provider: refusal.provider, reason: refusal.reason) {
      object["explanation"] = text.json
    }
    return .object(object)
  }

  /// Rounded to four decimal places, and written without more.
  static func openRate(opened: Int, accepted: Int) -> JSONValue {
    guard accepted > 0 else { return .null }
    let rounded = (opened * 20_000 / accepted + 1) / 2
    let digits = String(rounded % 10_000)
    let text = "\(rounded / 10_000).\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)"
    return (try? JSON.parse(text)) ?? .null
  }

  @Sendable private static func pushSeries(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    try series(.push(try PushRoutes.push(call, service).id), call, service)
  }

  @Sendable private static func appSeries(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    try series(.app(try service.app(call).app.id), call, service)
  }

  private static func series(_ scope: SeriesScope, _ call: Call, _ service: Service) throws(Problem) -> Reply {
    let step = steps.first { $0.name == call.http.query["step"] } ?? steps[1]
    let from = try instant("from", call) ?? Timestamp(milliseconds: 0)
    let until = try instant("until", call) ?? call.now.adding(milliseconds: 1)
    let points = try service.ask { store throws(StoreError) in
      try store.series(of: scope, from: from, until: until, stepMs: step.ms, limit: pointsMax + 1)
    }
    var object: JSONObject = ["step": .string(step.name), "points": .array(points.prefix(pointsMax).map(json))]
    if points.count > pointsMax { object["next"] = .string(TimeText.text(points[pointsMax].start)) }
    return Reply(200, .object(object))
  }

  private static func json(_ point: SeriesPoint) -> JSONValue {
    var object: JSONObject = ["at": .string(TimeText.text(point.start))]
    for metric in SeriesMetric.allCases {
      if let count = point.counts[metric] { object.append(metric.name, .number(JSONNumber(count))) }
    }
    return .object(object)
  }

  /// A timestamp of the query.
  static func instant(_ name: String, _ call: Call) throws(Problem) -> Timestamp? {
    guard let text = call.http.query[name] else { return nil }
    if let instant = TimeText.instant(text) { return instant }
    throw Problem(
      .badRequest, "?\(name): expected a date and time as in RFC 3339, such as 2026-11-20T12:00:00Z, found \"\(text)\"")
  }
}
