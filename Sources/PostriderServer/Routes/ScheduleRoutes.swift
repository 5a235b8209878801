internal import HTTPServer
internal import Ledger
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/schedules`: recurring pushes; each run is a push of its own.
enum ScheduleRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/schedules", .scopes([.send])), name: "createSchedule",
      about: "Schedules a recurring push: daily, weekly or monthly.",
      body: .push(PushRoutes.properties + [.required("repeat", .named("Repeat"))]),
      answers: [Route.Answer(status: 201, about: "The schedule.", schema: .named("Schedule"))], action: .write(create)),
    Route(
      .get("/v1/apps/{app}/schedules", .scopes([.send, .read])), name: "listSchedules", about: "Lists schedules.",
      query: Paging.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of schedules.", schema: Paging.schema("schedules", of: .named("Schedule")))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/schedules/{schedule}", .scopes([.send, .read])), name: "getSchedule",
      about: "Shows a schedule and when it comes.",
      answers: [Route.Answer(status: 200, about: "The schedule.", schema: .named("Schedule"))],
      traits: .init(outsideETag: ["next", "made", "missed", "last_push", "last_push_number", "problem"]),
      action: .now { call, service throws(Problem) in Reply(200, try json(try schedule(call, service), service)) }),
    Route(
      .patch("/v1/apps/{app}/schedules/{schedule}", .scopes([.send])), name: "updateSchedule",
      about: "Changes what a schedule makes from now on, and with repeat when; null takes a member away.",
      body: .push(PushControlRoutes.editable + [.optional("repeat", .named("Repeat"))]), answers: [answer],
      action: .write(edit)),
    Route(
      .post("/v1/apps/{app}/schedules/{schedule}/pause", .scopes([.send])), name: "pauseSchedule",
      about: "Pauses a schedule: it creates no push until it is resumed.", answers: [answer], action: .write(pause)),
    Route(
      .post("/v1/apps/{app}/schedules/{schedule}/resume", .scopes([.send])), name: "resumeSchedule",
      about: "Resumes a paused schedule at its next run; runs that passed meanwhile are left out.",
      answers: [answer], action: .write(resume)),
    Route(
      .delete("/v1/apps/{app}/schedules/{schedule}", .scopes([.send])), name: "endSchedule",
      about: "Ends a schedule; the pushes it has made stay.",
      answers: [Route.Answer(status: 204, about: "It comes no more.")], action: .write(end)),
  ]

  private static let answer = Route.Answer(status: 200, about: "The schedule.", schema: .named("Schedule"))

  static let schema = Schema.object(
    [
      .required("id", .string("The schedule's id.", max: 20)),
      .required("request", Schema(.map, "What each push is made from, and when.")),
      .required(
        "next",
        .array(of: .time("The time of a run."), max: shownMax, "The next runs; empty when it is paused or ended.")),
      .required("made", .integer(0...1_000_000_000, "How often it came.")),
      .required(
        "missed", .integer(0...1_000_000_000, "How often it did not: no server ran, or the push could not be made.")),
      .optional("last_push", .string("The last push it made.", max: 20)), PushNumbers.property("last_push_number"),
      .optional("problem", .string("Why the last push could not be made.", max: 250)),
      .required("created_at", .time("When it was created.")), .optional("author", .named("Author")),
      .optional("paused_at", .time("Since when it is held.")),
      .optional("ended_at", .time("When it ended.")), .optional("report", .named("Report")),
    ], "A recurring push.")

  /// Future runs in a response.
  private static let shownMax = 5

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    var report = call.report
    let first = try first(call["repeat"], call, &report)
    let builder = ScheduledPushBuilder(entry, service, now: call.now)
    try builder.requireDevices(of: try builder.check(call.body, &report))
    let made = try await service.change { store throws(StoreError) in
      let id = try store.createSchedule(
        app: entry.app.id, request: JSON.minified(call.body), first: first, now: call.now)
      try store.setMaker(of: id, call.maker?.text)
      return try store.schedule(id)
    }
    guard let made else { throw Problem(.internalError, "the store returned no schedule") }
    var reply = Reply(201, try json(made, service).object ?? [:], report: report)
    reply.headers = [("Location", "/v1/apps/\(entry.app.name)/schedules/\(made.id)")]
    return reply
  }

  /// The first run of a rule that is not in the past.
  private static func first(
    _ rule: JSONValue?, _ call: Call, _ report: inout Report
  ) throws(Problem) -> ScheduleStep.Next {
    let rule = RepeatRule(rule ?? .null, report: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    if let first = rule?.first(now: call.now) { return ScheduleStep.Next(at: first.at, number: first.number) }
    report.add(
      rule: SendTime.rule, severity: .error, field: "repeat", message: "has no run to come; all of it is past")
    throw Problem(.invalid, report: report)
  }

  @Sendable private static func edit(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let schedule = try schedule(call, service)
    var object = (try? JSON.parse(schedule.request))?.object ?? [:]
    for (name, value) in call.body.object ?? [:] { object[name] = value.isNull ? JSONValue?.none : value }
    let body = JSONValue.object(object)
    var report = call.report
    // Without a new rule the times of the runs are unchanged; a new rule starts again.
    let next = call["repeat"] == nil ? nil : try first(call["repeat"], call, &report)
    let builder = ScheduledPushBuilder(try service.app(call), service, now: call.now)
    let composed = try builder.check(body, &report)
    if call["to"] != nil { try builder.requireDevices(of: composed) }
    try await service.change { store throws(StoreError) in
      try store.editSchedule(
        schedule.id, revision: schedule.revision, request: JSON.minified(body), next: next, now: call.now)
      try store.setMaker(of: schedule.id, call.maker?.text)
    }
    return Reply(200, try json(try self.schedule(call, service), service).object ?? [:], report: report)
  }

  @Sendable private static func pause(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let schedule = try schedule(call, service)
    try await service.change { store throws(StoreError) in
      try store.pauseSchedule(schedule.id, revision: schedule.revision, now: call.now)
    }
    return Reply(200, try json(try self.schedule(call, service), service))
  }

  @Sendable private static func resume(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let schedule = try schedule(call, service)
    guard schedule.pausedAt != nil || schedule.endedAt != nil else {
      throw Problem(.conflict, "schedule \(schedule.id) is not held")
    }
    try await resume(schedule, service, now: call.now)
    return Reply(200, try json(try self.schedule(call, service), service))
  }

  /// Resumes a paused schedule at its next run.
  static func resume(_ schedule: Schedule, _ service: Service, now: Timestamp) async throws(Problem) {
    let next = try ScheduledRequest(schedule.request).rule.first(now: now)
    try await service.change { store throws(StoreError) in
      try store.resumeSchedule(
        schedule.id, revision: schedule.revision, next: next.map { .init(at: $0.at, number: $0.number) }, now: now)
    }
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let after: ScheduleID? = try Paging.cursor(call)
    let rows = try service.ask { store throws(StoreError) in
      try store.schedules(app: app, after: after, limit: limit + 1)
    }
    let names = try AuthorText.names(rows.map(\.author), service)
    let numbers = try PushNumbers(rows.lazy.compactMap(\.lastPush), service)
    return Paging.page("schedules", rows, limit: limit, id: \.id) { json($0, names, numbers) }
  }

  @Sendable private static func end(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let schedule = try schedule(call, service)
    try await service.change { store throws(StoreError) in try store.endSchedule(schedule.id, now: call.now) }
    return .noContent
  }

  private static func schedule(_ call: Call, _ service: Service) throws(Problem) -> Schedule {
    let app = try service.app(call).app.id
    let found = try ScheduleID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.schedule(id) }
    }
    // A schedule of another app does not exist here.
    guard let schedule = found ?? nil, schedule.app == app else {
      throw Problem(.notFound, "this app has no schedule with that id")
    }
    return schedule
  }

  private static func json(_ schedule: Schedule, _ service: Service) throws(Problem) -> JSONValue {
    let numbers = try PushNumbers([schedule.lastPush].compactMap { $0 }, service)
    return json(schedule, try AuthorText.names([schedule.author], service), numbers)
  }

  private static func json(_ schedule: Schedule, _ names: [Author: String], _ numbers: PushNumbers) -> JSONValue {
    var object: JSONObject = ["id": .string(schedule.id.description)]
    object["request"] = (try? JSON.parse(schedule.request)) ?? [:]
    object["next"] = .array(next(schedule).map { .string(TimeText.text($0)) })
    object["made"] = .number(JSONNumber(schedule.made))
    object["missed"] = .number(JSONNumber(schedule.missed))
    if let push = schedule.lastPush {
      object["last_push"] = .string(push.description)
      if let number = numbers[push] { object["last_push_number"] = number }
    }
    if let problem = schedule.problem { object["problem"] = .string(problem) }
    object["created_at"] = .string(TimeText.text(schedule.createdAt))
    if let author = schedule.author { object["author"] = AuthorText.json(author, names) }
    if let instant = schedule.pausedAt { object["paused_at"] = .string(TimeText.text(instant)) }
    if let instant = schedule.endedAt { object["ended_at"] = .string(TimeText.text(instant)) }
    return .object(object)
  }

  private static func next(_ schedule: Schedule) -> [Timestamp] {
    guard let first = schedule.nextAt, schedule.endedAt == nil else { return [] }
    guard let rule = try? ScheduledRequest(schedule.request).rule else { return [first] }
    return [first] + (1..<shownMax).compactMap { rule.instant(schedule.nextNumber + $0) }
  }
}
