internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/v1/retention` and `/v1/apps/{app}/retention`: how long deliveries and reports are retained.
enum RetentionRoutes {
  static let routes: [Route] =
    both("/v1/retention", "the apps that have no time of their own")
    + both("/v1/apps/{app}/retention", "an app; what is null follows the server's")

  private static func both(_ path: String, _ whose: String) -> [Route] {
    let isApp = path.contains("{app}")
    return [
      Route(
        .get(path, .scopes([.read])), name: isApp ? "getAppRetention" : "getRetention",
        about: "Shows how long deliveries and reports are retained, for \(whose).", answers: [answer],
        action: .now { call, service throws(Problem) in
          let app = isApp ? try service.app(call).app.id : nil
          let policy = try service.ask { store throws(StoreError) in try store.retention(app: app) }
          return Reply(200, .object(json(policy)))
        }),
      Route(
        .put(path, .scopes([])), name: isApp ? "putAppRetention" : "putRetention",
        about:
          "Changes the members given of how long deliveries and reports are retained, for \(whose); null removes one.",
        body: body, answers: [answer],
        action: .write { call, service async throws(Problem) in
          let app = isApp ? try service.app(call).app.id : nil
          let (deliveries, events) = (call["deliveries_days"], call["events_days"])
          let policy = try await service.change { store throws(StoreError) in
            try store.changeRetention(app: app) { policy in
              if let deliveries { policy.deliveriesDays = deliveries.int }
              if let events { policy.eventsDays = events.int }
            }
          }
          service.upkeep.wake()
          service.log(.info, "retention set", ["app": .text(isApp ? call.parameters[0] : "")])
          return Reply(200, json(policy), report: call.report)
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
      .nullable(
        "deliveries_days", .integer(StoreLimits.deliveriesDays, "Days deliveries are retained; null for ever.")),
      .nullable("events_days", .integer(StoreLimits.eventsDays, "Days reports are retained; null for ever.")),
      .optional("report", .named("Report")),
    ], "How long deliveries and reports are retained. Counts and series are retained for good.")

  private static func json(_ policy: RetentionPolicy) -> JSONObject {
    [
      "deliveries_days": policy.deliveriesDays.map { .number(JSONNumber($0)) } ?? .null,
      "events_days": policy.eventsDays.map { .number(JSONNumber($0)) } ?? .null,
    ]
  }
}
