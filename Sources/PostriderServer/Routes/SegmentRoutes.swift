internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/segments`.
enum SegmentRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/segments", .scopes([.send])), name: "createSegment", about: "Saves a segment.",
      body: .object([
        .required(
          "name",
          .string("The name in addresses and in pushes: letters, digits, - _ and .; unique.", max: 100)
            .documented(["pattern": "^(?!\\.{1,2}$)[A-Za-z0-9._-]+$"])),
        .optional("title", .string("What people call it.", min: 0, max: 200)),
        .optional("filter", SegmentLanguage.schema), .optional("expression", expression),
      ]), answers: [Route.Answer(status: 201, about: "The segment.", schema: .named("Segment"))], action: .write(create)
    ),
    Route(
      .get("/v1/apps/{app}/segments", .scopes([.send, .read])), name: "listSegments",
      about: "Lists the segments, those that every app has first.",
      answers: [
        Route.Answer(
          status: 200, about: "The segments.",
          schema: .object([
            .required("segments", .array(of: .named("Segment"), max: SegmentLimits.segmentsMax + 100))
          ]))
      ], action: .now(list)),
    Route(
      .post("/v1/apps/{app}/segments/count", .scopes([.send, .read])), name: "countFilter",
      about: "Counts the active devices that a filter names, and shows some of them.",
      body: .object([
        .optional("filter", SegmentLanguage.schema), .optional("expression", expression), .optional("sample", sample),
      ]), answers: [counted],
      traits: .init(repetition: .harmless), action: .long(countFilter)),
    Route(
      .get("/v1/apps/{app}/segments/{segment}", .scopes([.send, .read])), name: "getSegment", about: "Shows a segment.",
      answers: [Route.Answer(status: 200, about: "The segment.", schema: .named("Segment"))], action: .now(show)),
    Route(
      .get("/v1/apps/{app}/segments/{segment}/count", .scopes([.send, .read])), name: "countSegment",
      about: "Counts the active devices in a segment, and shows some of them.",
      query: [Route.Query(name: "sample", schema: sample)], answers: [counted], action: .long(countSaved)),
    Route(
      .patch("/v1/apps/{app}/segments/{segment}", .scopes([.send])), name: "updateSegment", about: "Changes a segment.",
      body: .object([
        .optional("title", .string("What people call it.", min: 0, max: 200)),
        .optional("filter", SegmentLanguage.schema), .optional("expression", expression),
      ]), answers: [Route.Answer(status: 200, about: "The segment.", schema: .named("Segment"))], action: .write(update)
    ),
    Route(
      .delete("/v1/apps/{app}/segments/{segment}", .scopes([.send])), name: "deleteSegment",
      about: "Forgets a segment; pushes that have started keep who was meant, those that still wait for it fail.",
      answers: [Route.Answer(status: 204, about: "The segment is forgotten.")], action: .write(delete)),
  ]

  private static let sampleMax = 100
  private static let sampleDefault = 10
  private static let sample = Schema.integer(0...sampleMax, "Devices shown; \(sampleDefault) by default.")
  private static let expression = Schema.string(
    "The filter as text, instead of it: plan = \"pro\" and last_seen < 7d.", max: SegmentExpression.bytesMax,
    example: #"plan = "pro" and last_seen < 7d"#)
  private static let counted = Route.Answer(
    status: 200, about: "Who is in it now.",
    schema: .object([
      .required("devices", .integer(0...1_000_000_000, "Active devices that messages go to.")),
      .required(
        "activity_tokens",
        .integer(0...1_000_000_000, "Active tokens of Live Activities, which get their own sends and no messages.")),
      .required("sample", .array(of: .named("Device"), max: sampleMax, "The first of them.")),
      .optional("filter", SegmentLanguage.schema), .optional("expression", expression),
      .optional("report", .named("Report")),
    ]))

  static let schema = Schema.object(
    [
      .required("name", .string("The name.", max: 100)), .required("title", .string("What people call it.", min: 0)),
      .required("system", .boolean("Whether every app has it.")), .required("filter", SegmentLanguage.schema),
      .required("expression", expression),
      .optional("author", .named("Author")), .optional("created_at", .time("When it was saved.")),
      .optional("updated_at", .time("When it was last changed.")),
      .optional("report", .named("Report")),
    ], "A named part of the audience.")

  // MARK: - Finding

  /// The filter of a system or saved segment.
  static func filter(named name: String, of app: AppID, _ store: any Store) throws(Problem) -> SegmentFilter? {
    let definition: JSONValue?
    if let system = SystemSegments.all.first(where: { $0.name == name }) {
      definition = system.filter
    } else {
      do throws(StoreError) {
        definition = try store.segment(app: app, named: name).map { (try? JSON.parse($0.definition)) ?? .null }
      } catch { throw Problem(error) }
    }
    guard let definition else { return nil }
    var report = Report()
    guard let filter = SegmentLanguage.read(definition, at: FieldPath(), into: &report) else {
      throw Problem(.conflict, "the segment \"\(name.prefix(100))\" cannot be read any more; save its filter anew")
    }
    return filter
  }

  private static func saved(_ call: Call, _ service: Service) throws(Problem) -> Segment {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    if SystemSegments.all.contains(where: { $0.name == name }) {
      throw Problem(.conflict, "\(name) is a segment that every app has; it cannot be changed")
    }
    let segment = try service.ask { store throws(StoreError) in try store.segment(app: app, named: name) }
    guard let segment else { throw missing(name) }
    return segment
  }

  private static func missing(_ name: String) -> Problem {
    Problem(.notFound, "this app has no segment \"\(name.prefix(100))\"; GET /v1/apps/{app}/segments lists them")
  }

  // MARK: - Work

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    var report = call.report
    let name = call["name"]?.string ?? ""
    if !AppRoutes.isPlainName(name) {
      report.add(
        rule: "segment-name", severity: .error, field: "name",
        message: "expected letters, digits, - _ and . only, because the name is used in URLs")
    }
    let definition = JSON.minified(try given(call, &report).json)
    if name == "count" || SystemSegments.all.contains(where: { $0.name == name }) {
      throw Problem(.conflict, "\(name) is a name that every app has already; choose another")
    }
    let title = call["title"]?.string ?? name
    let segment: Segment
    do throws(Problem) {
      segment = try await service.change { store throws(StoreError) in
        try store.createSegment(app: app, name: name, title: title, definition: definition, now: call.now)
      }
    } catch {
      // A retry of the same request: the segment exists already.
      let existing = try? service.store.segment(app: app, named: name)
      guard error.kind == .conflict, call.idempotency != nil, let existing, existing.definition == definition else {
        throw error
      }
      segment = existing
    }
    return Reply(201, try json(segment, service), report: report)
  }

  /// The filter of a request, as JSON or as an expression.
  private static func given(
    _ call: Call, _ report: inout Report
  ) throws(Problem) -> (filter: SegmentFilter, json: JSONValue) {
    var found: (SegmentFilter, JSONValue)?
    switch (call["filter"], call["expression"]?.string) {
    case (let json?, nil):
      found = SegmentLanguage.read(json, at: FieldPath().member("filter"), into: &report).map { ($0, json) }
    case (nil, let text?): found = SegmentExpression.read(text, at: FieldPath().member("expression"), into: &report)
    case (nil, nil), (_?, _?):
      report.add(
        rule: "segment", severity: .error, field: "filter",
        message: "give “filter” (JSON) or “expression” (text), one of them")
    }
    guard let found, !report.hasErrors else { throw Problem(.invalid, report: report) }
    return found
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let segments = try service.ask { store throws(StoreError) in try store.segments(app: app) }
    let system = SystemSegments.all.map { JSONValue.object(json($0.name)) }
    let names = try AuthorText.names(segments.map(\.author), service)
    return Reply(200, ["segments": .array(system + segments.map { .object(json($0, names)) })])
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    if SystemSegments.all.contains(where: { $0.name == call.parameters[1] }) {
      _ = try service.app(call)
      return Reply(200, .object(json(call.parameters[1])))
    }
    return Reply(200, .object(try json(try saved(call, service), service)))
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let segment = try saved(call, service)
    var report = call.report
    let isSame = call["filter"] == nil && call["expression"] == nil
    let definition = isSame ? nil : JSON.minified(try given(call, &report).json)
    let changed = try await service.change { store throws(StoreError) in
      try store.updateSegment(segment.id, title: call["title"]?.string, definition: definition, now: call.now)
    }
    return Reply(200, try json(changed, service), report: report)
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let segment = try saved(call, service)
    try await service.change { store throws(StoreError) in try store.deleteSegment(segment.id) }
    return .noContent
  }

  @Sendable private static func countFilter(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    var report = call.report
    let app = try service.app(call).app.id
    let (filter, json) = try given(call, &report)
    var object = try count(filter, app, sample: call["sample"]?.int, call, service)
    object.append("filter", json)
    object.append("expression", .string(filter.expression))
    return Reply(200, object, report: report)
  }

  @Sendable private static func countSaved(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    guard let filter = try filter(named: call.parameters[1], of: app, service.store) else {
      throw missing(call.parameters[1])
    }
    let object = try count(filter, app, sample: call.http.query["sample"].flatMap { Int($0) }, call, service)
    return Reply(200, object, report: call.report)
  }

  private static func count(
    _ filter: SegmentFilter, _ app: AppID, sample: Int?, _ call: Call, _ service: Service
  ) throws(Problem) -> JSONObject {
    let count = try service.ask { store throws(StoreError) in
      try store.count(filter, app: app, sample: sample ?? sampleDefault, now: call.now)
    }
    return [
      "devices": .number(JSONNumber(count.devices)), "activity_tokens": .number(JSONNumber(count.activityTokens)),
      "sample": .array(count.sample.map(DeviceRoutes.json)),
    ]
  }

  private static func json(_ system: String) -> JSONObject {
    let segment = SystemSegments.all.first { $0.name == system }
    return [
      "name": .string(system), "title": .string(segment?.title ?? ""), "system": .bool(true),
      "filter": segment?.filter ?? .null, "expression": expression(segment?.filter),
    ]
  }

  /// A stored filter as text; empty when it cannot be read any more.
  private static func expression(_ filter: JSONValue?) -> JSONValue {
    var report = Report()
    return .string(filter.flatMap { SegmentLanguage.read($0, at: FieldPath(), into: &report) }?.expression ?? "")
  }

  private static func json(_ segment: Segment, _ service: Service) throws(Problem) -> JSONObject {
    json(segment, try AuthorText.names([segment.author], service))
  }

  private static func json(_ segment: Segment, _ names: [Author: String]) -> JSONObject {
    let filter = try? JSON.parse(segment.definition)
    var object: JSONObject = [
      "name": .string(segment.name), "title": .string(segment.title), "system": .bool(false),
      "filter": filter ?? [:], "expression": expression(filter),
      "created_at": .string(TimeText.text(segment.createdAt)),
      "updated_at": .string(TimeText.text(segment.updatedAt)),
    ]
    if let author = segment.author { object["author"] = AuthorText.json(author, names) }
    return object
  }
}
