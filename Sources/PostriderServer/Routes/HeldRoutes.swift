internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/held` and `/v1/apps/{app}/held`: what a restored server holds until a person resumes it.
enum HeldRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/held", .scopes([.send, .read])), name: "listHeld",
      about: "Lists what is held since the server was restored from a backup, of all apps.", query: query,
      answers: [page], action: .now { call, service throws(Problem) in try list(nil, call, service) }),
    Route(
      .post("/v1/held/resume", .scopes([])), name: "resumeHeld",
      about: "Resumes everything that is held, of all apps; what is past due starts at once.", answers: [resumed],
      action: .write { call, service async throws(Problem) in try await resume(nil, call, service) }),
    Route(
      .get("/v1/apps/{app}/held", .scopes([.send, .read])), name: "listHeldOfApp",
      about: "Lists what is held of an app since the server was restored from a backup.", query: query, answers: [page],
      action: .now { call, service throws(Problem) in try list(try service.app(call).app.id, call, service) }),
    Route(
      .post("/v1/apps/{app}/held/resume", .scopes([.send])), name: "resumeHeldOfApp",
      about: "Resumes everything that is held of an app; what is past due starts at once.", answers: [resumed],
      action: .write { call, service async throws(Problem) in
        try await resume(try service.app(call).app.id, call, service)
      }),
  ]

  private static let count = Schema.integer(0...1_000_000_000, "How many.")
  private static let kinds: [Schema.Property] = HeldKind.allCases.map { .required($0.plural, count) }
  private static let query = [
    Paging.query[0],
    Route.Query(
      name: "cursor",
      schema: .string("\"next\" of the page before.", max: 21).documented(["pattern": "^[1-4]\\.[0-9]{1,19}$"])),
  ]
  private static let page = Route.Answer(
    status: 200, about: "A page of what is held, by kind and id.",
    schema: .object([
      .required("held", .array(of: .named("Held"), max: Paging.limitMax)),
      .required("counts", .object(kinds, "How much is held, by kind.")),
      .optional("next", .string("The cursor of the next page; absent on the last.", max: 40)),
    ]))
  private static let resumed = Route.Answer(
    status: 200, about: "How much was resumed, by kind, and what could not be.",
    schema: .object([
      .required("resumed", .object(kinds)),
      .optional(
        "failed",
        .array(
          of: .object(
            [
              .required("kind", .choice(HeldKind.allCases.map(\.name), "What it is.")),
              .required("id", .string("Its id.", max: 20)),
              .required("app", .string("The app.", max: 100)),
              .required("detail", .string("Why it is still held, and what to do.", max: 4_096)),
            ], "Something that could not be resumed."),
          max: failuresMax, "What is still held; absent when everything was resumed.")),
      .optional(
        "failed_count", .integer(0...1_000_000_000, "How much is still held; absent when everything was resumed.")),
    ]))
  /// Failures that an answer names; the rest is counted.
  private static let failuresMax = 100

  static let schema = Schema.object(
    [
      .required("kind", .choice(HeldKind.allCases.map(\.name), "What it is.")),
      .required("id", .string("The id of the push, schedule or webhook.", max: 20)),
      .required("app", .string("The app.", max: 100)),
      .required("since", .time("Since when it is held: when the server was restored.")),
      .optional("due_at", .time("When it was to start; absent for schedules and webhooks.")),
      .required(
        "waiting", .integer(0...1_000_000_000, "Deliveries of a push, or batches of a webhook, that would go out.")),
      .optional("name", .string("The campaign, your key of a user's push, or the webhook's address.", max: 4_096)),
    ], "Something that is held until it is resumed.")

  @Sendable private static func list(_ app: AppID?, _ call: Call, _ service: Service) throws(Problem) -> Reply {
    let limit = Paging.limit(call)
    let after = try cursor(call)
    let (rows, counts, apps) = try service.ask { store throws(StoreError) in
      (
        try store.held(app: app, after: after, limit: limit + 1), try store.countHeld(app: app), try store.apps()
      )
    }
    let names = Dictionary(apps.map { ($0.id, $0.name) }) { first, _ in first }
    var object: JSONObject = [
      "held": .array(rows.prefix(limit).map { json($0, names[$0.app] ?? "") }), "counts": json(counts),
    ]
    if rows.count > limit { object["next"] = .string("\(rows[limit - 1].id.kind.rawValue).\(rows[limit - 1].id.id)") }
    return Reply(200, .object(object))
  }

  private static func cursor(_ call: Call) throws(Problem) -> HeldID? {
    guard let text = call.http.query["cursor"] else { return nil }
    let parts = text.split(separator: ".")
    guard parts.count == 2, let kind = Int(parts[0]).flatMap(HeldKind.init), let id = Int64(parts[1]) else {
      throw Problem(.badRequest, "?cursor: expected \"next\" of the page before, found \"\(text.prefix(40))\"")
    }
    return HeldID(kind: kind, id: id)
  }

  @Sendable private static func resume(_ app: AppID?, _ call: Call, _ service: Service) async throws(Problem) -> Reply {
    var counts = try await service.change { store throws(StoreError) in try store.resumeHeld(app: app, now: call.now) }
    let (resumed, failures) = try await resumeSchedules(app, call, service)
    counts[.schedule] = resumed
    service.sending.wake()
    service.log(
      .info, "held resumed",
      ["app": .text(app == nil ? "" : call.parameters[0]), "count": .int(counts.total)])
    var object: JSONObject = ["resumed": json(counts)]
    if !failures.isEmpty {
      object["failed"] = .array(
        try failures.prefix(failuresMax).map { failure throws(Problem) in try json(failure, service) })
      object["failed_count"] = .number(JSONNumber(failures.count))
    }
    return Reply(200, .object(object))
  }

  /// A schedule that is still held, and why.
  private struct Failure {
    let item: HeldItem
    let detail: String
  }

  private static func json(_ failure: Failure, _ service: Service) throws(Problem) -> JSONValue {
    let app = try service.ask { store throws(StoreError) in try store.app(failure.item.app) }
    return [
      "kind": .string(failure.item.id.kind.name), "id": .string(String(failure.item.id.id)),
      "app": .string(app?.name ?? ""), "detail": .string(failure.detail),
    ]
  }

  /// Each schedule resumes at its next run; those that passed meanwhile are left out.
  ///
  /// One that cannot be resumed stays held and does not keep the others.
  private static func resumeSchedules(
    _ app: AppID?, _ call: Call, _ service: Service
  ) async throws(Problem) -> (resumed: Int, failures: [Failure]) {
    var count = 0
    var failures: [Failure] = []
    var after: HeldID? = HeldID(kind: .scheduled, id: .max)
    while let last = after {
      let page = try service.ask { store throws(StoreError) in
        try store.held(app: app, after: last, limit: StoreLimits.pageMax)
      }
      for item in page where item.id.kind == .schedule {
        do throws(Problem) {
          if try await resume(ScheduleID(rawValue: item.id.id), call, service) { count += 1 }
        } catch {
          service.log(
            .error, "schedule not resumed", ["schedule": .text(String(item.id.id)), "detail": .text(error.detail)])
          failures.append(Failure(item: item, detail: error.detail))
        }
      }
      after = page.count == StoreLimits.pageMax && page.last?.id.kind == .schedule ? page.last?.id : nil
    }
    return (count, failures)
  }

  /// Resumes one schedule; false when it was deleted meanwhile.
  private static func resume(_ id: ScheduleID, _ call: Call, _ service: Service) async throws(Problem) -> Bool {
    guard let schedule = try service.ask({ store throws(StoreError) in try store.schedule(id) }) else { return false }
    try await ScheduleRoutes.resume(schedule, service, now: call.now)
    return true
  }

  private static func json(_ counts: HeldCounts) -> JSONValue {
    var object = JSONObject()
    for kind in HeldKind.allCases { object.append(kind.plural, .number(JSONNumber(counts[kind]))) }
    return .object(object)
  }

  private static func json(_ item: HeldItem, _ app: String) -> JSONValue {
    var object: JSONObject = [
      "kind": .string(item.id.kind.name), "id": .string(String(item.id.id)), "app": .string(app),
      "since": .string(TimeText.text(item.since)),
    ]
    if let instant = item.dueAt { object["due_at"] = .string(TimeText.text(instant)) }
    object["waiting"] = .number(JSONNumber(item.waiting))
    if let name = item.name { object["name"] = .string(name) }
    return .object(object)
  }
}

extension HeldKind {
  /// The member that counts it.
  package var plural: String {
    switch self {
    case .push: "pushes"
    case .scheduled: "scheduled"
    case .schedule: "schedules"
    case .webhook: "webhooks"
    }
  }
}
