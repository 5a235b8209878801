internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/views`: queries of the list of pushes that are kept under a name.
enum ViewRoutes {
  static let routes: [Route] = [
    Route(
      .put("/v1/apps/{app}/views/{name}", .scopes([.send])), name: "saveView",
      about: "Saves a query of the list of pushes under a name, new or replacing the one with that name.",
      body: .object([.required("query", querySchema)]),
      answers: [
        Route.Answer(status: 201, about: "A new view.", schema: .named("View")),
        Route.Answer(status: 200, about: "A view that was there.", schema: .named("View")),
      ], action: .write(save)),
    Route(
      .get("/v1/apps/{app}/views", .scopes([.send, .read])), name: "listViews",
      about: "Lists the saved views, by name; at most \(StoreLimits.viewsMax).",
      answers: [
        Route.Answer(
          status: 200, about: "The views.",
          schema: .object([.required("views", .array(of: .named("View"), max: StoreLimits.viewsMax))]))
      ], action: .now(list)),
    Route(
      .delete("/v1/apps/{app}/views/{name}", .scopes([.send])), name: "deleteView", about: "Removes a saved view.",
      answers: [Route.Answer(status: 204, about: "It is removed.")], action: .write(delete)),
  ]

  private static let nameMax = 100
  private static let querySchema = Schema.object(
    PushFinding.query.map { .optional($0.name, $0.schema) }, "Parameters of the list of pushes."
  ).strict
  static let schema = Schema.object(
    [
      .required("name", .string("Its name.", max: nameMax)), .required("query", querySchema),
      .required("updated_at", .time("When it was last saved.")), .optional("report", .named("Report")),
    ], "A query of the list of pushes that is saved under a name.")

  @Sendable private static func save(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    guard !name.isEmpty, name.unicodeScalars.count <= nameMax else {
      throw Problem(.invalid, "the path: expected a name of 1 to \(nameMax) characters")
    }
    for time in ["from", "until"] {
      guard let text = call["query"]?[time]?.string, TimeText.instant(text) == nil else { continue }
      throw Problem(
        .invalid,
        "query.\(time): expected a date and time as in RFC 3339, such as 2026-11-20T12:00:00Z, found \"\(text.prefix(40))\""
      )
    }
    let query = JSON.minified(call["query"] ?? [:])
    let isNew = try await service.change { store throws(StoreError) in
      try store.saveView(app: app, name: name, query: query, now: call.now)
    }
    let view = SavedView.json(name: name, query: query, updatedAt: call.now)
    return Reply(isNew ? 201 : 200, view, report: call.report)
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let views = try service.ask { store throws(StoreError) in try store.views(app: app) }
    return Reply(
      200,
      [
        "views": .array(views.map { .object(SavedView.json(name: $0.name, query: $0.query, updatedAt: $0.updatedAt)) })
      ])
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    try await service.change { store throws(StoreError) in try store.deleteView(app: app, named: name) }
    return .noContent
  }
}

extension SavedView {
  fileprivate static func json(name: String, query: [UInt8], updatedAt: Timestamp) -> JSONObject {
    [
      "name": .string(name), "query": (try? JSON.parse(query)) ?? [:], "updated_at": .string(TimeText.text(updatedAt)),
    ]
  }
}
