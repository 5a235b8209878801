internal import HTTPServer
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/templates`: messages that are kept under a name.
enum TemplateRoutes {
  static let routes: [Route] = [
    Route(
      .put("/v1/apps/{app}/templates/{name}", .scopes([.send])), name: "saveTemplate",
      about:
        "Saves a template, new or replacing the one with its name; it is written and checked for every platform.",
      body: .object(fields),
      answers: [
        Route.Answer(status: 201, about: "A new template.", schema: .named("Template")),
        Route.Answer(status: 200, about: "A template that was there.", schema: .named("Template")),
      ], action: .write(save)),
    Route(
      .get("/v1/apps/{app}/templates", .scopes([.send, .read])), name: "listTemplates",
      about: "Lists the templates, by name; at most \(listMax).",
      answers: [
        Route.Answer(
          status: 200, about: "The templates.",
          schema: .object([.required("templates", .array(of: .named("Template"), max: listMax))]))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/templates/{name}", .scopes([.send, .read])), name: "getTemplate", about: "Shows a template.",
      answers: [Route.Answer(status: 200, about: "The template.", schema: .named("Template"))],
      action: .now { call, service throws(Problem) in Reply(200, json(try template(call, service))) }),
    Route(
      .delete("/v1/apps/{app}/templates/{name}", .scopes([.send])), name: "deleteTemplate",
      about: "Removes a template; pushes that wait with it fail.",
      answers: [Route.Answer(status: 204, about: "It is removed.")], action: .write(delete)),
  ]

  private static let listMax = 1_000
  private static let nameMax = 200
  private static let fields = MessageFields.properties.filter { $0.name != "template" }

  static let schema = Schema.object(
    [
      .required("name", .string("Its name.", max: nameMax)), .required("created_at", .time("When it was created.")),
      .required("updated_at", .time("When it was last saved.")), .optional("report", .named("Report")),
    ] + fields, "A message that is saved under a name.")

  @Sendable private static func save(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let name = call.parameters[1]
    guard !name.isEmpty, name.unicodeScalars.count <= nameMax else {
      throw Problem(.invalid, "the path: expected a name of 1 to \(nameMax) characters")
    }
    // What the API does not know is not kept; the report names it.
    var object = known(call.body.object ?? [:])
    // A template's placeholders count, also when it names no value.
    if object["values"] == nil { object["values"] = [:] }
    let body = JSONValue.object(object)
    var composer = PushComposer(
      entry: entry, body: body, now: call.now, store: service.store, rules: service.rules, report: call.report)
    try composer.checkMessage()
    let (isNew, saved) = try await service.change { store throws(StoreError) in
      let isNew = try store.saveTemplate(app: entry.app.id, name: name, body: JSON.minified(body), now: call.now)
      return (isNew, try store.template(app: entry.app.id, named: name))
    }
    guard let saved else { throw Problem(.conflict, "the template was removed at once") }
    return Reply(isNew ? 201 : 200, json(saved).object ?? [:], report: composer.report)
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let rows = try service.ask { store throws(StoreError) in
      try store.templates(app: app, after: nil, limit: listMax)
    }
    return Reply(200, ["templates": .array(rows.map(json))])
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let template = try template(call, service)
    try await service.change { store throws(StoreError) in try store.deleteTemplate(app: app, named: template.name) }
    return .noContent
  }

  private static func template(_ call: Call, _ service: Service) throws(Problem) -> StoredTemplate {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    guard let template = try service.ask({ store throws(StoreError) in try store.template(app: app, named: name) })
    else { throw Problem(.notFound, "this app has no template with that name") }
    return template
  }

  private static func known(_ body: JSONObject) -> JSONObject {
    JSONObject(body.filter { member in fields.contains { $0.name == member.key } }.map { ($0.key, $0.value) })
  }

  private static func json(_ template: StoredTemplate) -> JSONValue {
    // A template of an earlier release may have members that were not known then either.
    var object = known((try? JSON.parse(template.body))?.object ?? [:])
    object["name"] = .string(template.name)
    object["created_at"] = .string(TimeText.text(template.createdAt))
    object["updated_at"] = .string(TimeText.text(template.updatedAt))
    return .object(object)
  }
}
