internal import HTTPServer
internal import PushStore
internal import WireJSON

/// `/v1/retention` and `/v1/apps/{app}/retention`: how long deliveries and reports are kept.
enum RetentionRoutes {
  static let routes: [Route] =
    both("/v1/retention", "the apps that have no time of their own")
    + both("/v1/apps/{app}/retention", "an app; what is null follows the server's")

  private static func both(_ path: String, _ whose: String) -> [Route] {
    let isApp = path.contains("{app}")
    return [
      Route(
        .get(path, .scopes([.read])), name: isApp ? "getAppRetention" : "getRetention",
        about: "Shows how long deliveries and reports are kept, for \(whose).", answers: [answer],
        action: .now { call, service throws(Problem) in
          let app = isApp ? try service.app(call).app.id : nil
          return Reply(200, try json(app, service))
        }),
      Route(
        .put(path, .scopes([])), name: isApp ? "putAppRetention" : "putRetention",
        about: "Sets how long deliveries and reports are kept, for \(whose).", body: body, answers: [answer],
        action: .now { call, service throws(Problem) in
          let app = isApp ? try service.app(call).app.id : nil
          let policy = RetentionPolicy(
            deliveriesDays: call["deliveries_days"]?.int, eventsDays: call["events_days"]?.int)
          try service.ask { store throws(StoreError) in try store.setRetention(app: app, policy) }
          service.upkeep.wake()
          service.log(.info, "retention set", ["app": .text(isApp ? call.parameters[0] : "")])
          return Reply(200, try json(app, service).object ?? [:], report: call.report)
        }),
    ]
  }

  private static let body = Schema.object([
    .nullable(
      "deliveries_days",
      .integer(
        StoreLimits.deliveriesDays,
        "Days after a push has ended until its deliveries, reports and content are deleted; null for never.")),
    .nullable(
      "events_days",
      .integer(StoreLimits.eventsDays, "Days after a push has ended until its reports are deleted; null for never.")),
  ])
  private static let answer = Route.Answer(status: 200, about: "The policy.", schema: .named("Retention"))
  static let schema = Schema.object(
    [
      .nullable("deliveries_days", .integer(StoreLimits.deliveriesDays, "Days deliveries are kept; null for ever.")),
      .nullable("events_days", .integer(StoreLimits.eventsDays, "Days reports are kept; null for ever.")),
      .optional("report", .named("Report")),
    ], "How long deliveries and reports are kept. Counts and series are kept for good.")

  private static func json(_ app: AppID?, _ service: Service) throws(Problem) -> JSONValue {
    let policy = try service.ask { store throws(StoreError) in try store.retention(app: app) }
    return [
      "deliveries_days": policy.deliveriesDays.map { .number(JSONNumber($0)) } ?? .null,
      "events_days": policy.eventsDays.map { .number(JSONNumber($0)) } ?? .null,
    ]
  }
}
