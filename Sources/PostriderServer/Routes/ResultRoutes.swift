internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/results`: the outcomes of several pushes side by side, also as CSV.
enum ResultRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/results", .scopes([.send, .read])), name: "getResults",
      about: "Compares the outcomes of up to \(pushesMax) pushes, with those of their variants.",
      query: [pushes],
      answers: [
        Route.Answer(status: 200, about: "The outcomes, in the order of the ids.", schema: .named("PushResults"))
      ],
      action: .now { call, service throws(Problem) in
        Reply(200, ["results": .array(try rows(call, service).map { .object($0) })])
      }),
    Route(
      .get("/v1/apps/{app}/results/export", .scopes([.send, .read])), name: "exportResults",
      about: "The same as a file: a line for each push, and in CSV one for each of its variants behind it.",
      query: [
        pushes, Route.Query(name: "format", schema: .choice(["ndjson", "csv"], "The form; ndjson by default.")),
      ],
      answers: [
        Route.Answer(
          status: 200, about: "One push a line.", schema: .string("NDJSON or CSV.", min: 0, max: 1_000_000_000),
          contentType: ndjsonType, otherContentTypes: [csvType])
      ], action: .now(export)),
  ]

  private static let pushes = Route.Query(
    name: "pushes",
    schema: .string("The pushes' ids, separated by commas.", max: pushesMax * 20, example: "1,2")
      .documented(["pattern": "^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17}){0,99}$"]), isRequired: true)

  private static let pushesMax = 100
  private static let csvType = "text/csv; charset=utf-8"
  private static let ndjsonType = "application/x-ndjson"
  private static let rate = Schema.share("0 to 1, to four places; null while there is nothing to divide by.")

  /// The numbers of a push, in the order of the columns.
  private static let numbers: [(name: String, count: @Sendable (Push) -> Int)] = [
    ("targeted", { $0.counts.targeted }), ("accepted", { $0.counts.accepted }), ("rejected", { $0.counts.rejected }),
    ("expired", { $0.counts.expired }), ("cancelled", { $0.counts.cancelled }), ("unknown", { $0.counts.unknown }),
    ("received", { $0.events.received }), ("opened", { $0.events.opened }), ("action", { $0.events.action }),
  ]

  static let schema = Schema.object(
    [
      .required(
        "results",
        .array(
          of: .object(
            [
              .required("id", .string("The push's id.", max: 20)),
              .required("number", .integer(0...Int.max, "Its number among the app's pushes.")),
              .optional("campaign", .string("The campaign.", max: 64)),
              .optional("title", .string("What it says first.", min: 0, max: PushFinding.titleMax)),
              .required("state", .choice(PushState.names, "Its state.")),
              .required("start_at", .time("When sending began or begins.")),
              .optional("finished_at", .time("When every delivery had its final state.")),
            ] + numbers.map { .required($0.name, .integer(RecordRoutes.many, "")) } + [
              .required("acceptance_rate", rate), .required("open_rate", rate),
              .optional("variants", VariantNumbers.schema),
            ]), max: pushesMax))
    ], "The outcomes of several pushes.")

  private static func rows(_ call: Call, _ service: Service) throws(Problem) -> [JSONObject] {
    let app = try service.app(call).app.id
    guard let text = call.http.query["pushes"] else {
      throw Problem(.badRequest, "?pushes: is required: ids of pushes, separated by commas")
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let ids = parts.compactMap { PushID(String($0)) }
    guard ids.count == parts.count else {
      throw Problem(.badRequest, "?pushes: expected ids of pushes, separated by commas, such as 7,9")
    }
    guard ids.count <= pushesMax else {
      throw Problem(.badRequest, "?pushes: expected at most \(pushesMax) ids, found \(ids.count)")
    }
    let (pushes, documents) = try service.ask { store throws(StoreError) in
      (try store.pushes(ids), try store.documents(of: ids))
    }
    var rows: [JSONObject] = []
    for id in ids {
      guard let push = pushes[id], push.app == app else {
        throw Problem(.notFound, "this app has no push with the id \(id)")
      }
      rows.append(try row(push, documents[id], service))
    }
    return rows
  }

  @Sendable private static func export(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let rows = try rows(call, service)
    let format = call.http.query["format"] ?? "ndjson"
    let lines = rows.flatMap { JSON.minified(.object($0)) + [UInt8(ascii: "\n")] }
    var reply = Reply(200, json: format == "csv" ? csv(rows) : lines)
    reply.contentType = format == "csv" ? csvType : ndjsonType
    reply.headers = [("Content-Disposition", "attachment; filename=\"results.\(format)\"")]
    return reply
  }

  private static func row(
    _ push: Push, _ document: PushDocument?, _ service: Service
  ) throws(Problem) -> JSONObject {
    var object: JSONObject = ["id": .string(push.id.description), "number": .number(JSONNumber(Int(push.number)))]
    if let name = push.name { object["campaign"] = .string(name) }
    if let title = document.flatMap(PushText.title) {
      object["title"] = .string(String(title.prefix(PushFinding.titleMax)))
    }
    object["state"] = .string(push.state.name)
    object["start_at"] = .string(TimeText.text(push.startAt))
    if let instant = push.finishedAt { object["finished_at"] = .string(TimeText.text(instant)) }
    for (name, count) in numbers { object.append(name, .number(JSONNumber(count(push)))) }
    object["acceptance_rate"] = RecordRoutes.openRate(opened: push.counts.accepted, accepted: push.counts.targeted)
    object["open_rate"] = RecordRoutes.openRate(opened: push.events.opened, accepted: push.counts.accepted)
    if let variants = try VariantNumbers.json(of: push.id, service) { object["variants"] = variants }
    return object
  }

  // MARK: - CSV

  private static let columns =
    ["id", "number", "campaign", "title", "variant", "state", "start_at", "finished_at"] + numbers.map(\.name)
    + ["acceptance_rate", "open_rate"]

  /// The first line of the file.
  static let header = columns.joined(separator: ",") + "\r\n"

  /// A line for each push, and behind it one for each of its variants.
  private static func csv(_ rows: [JSONObject]) -> [UInt8] {
    var bytes = Array(header.utf8)
    for row in rows {
      line(row, &bytes)
      for variant in row["variants"]?.array ?? [] {
        var object = variant.object ?? [:]
        object["variant"] = object["name"] ?? "(the message itself)"
        for name in ["id", "number", "campaign"] { object[name] = row[name] }
        line(object, &bytes)
      }
    }
    return bytes
  }

  private static func line(_ object: JSONObject, _ bytes: inout [UInt8]) {
    for (index, column) in columns.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      switch object[column] {
      case .string(let text): DeliveryText.append(text.guardedAgainstFormulas, to: &bytes)
      case .number(let number): DeliveryText.append(number.text, to: &bytes)
      default: break
      }
    }
    bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }
}

extension String {
  /// The text with an apostrophe in front when a spreadsheet would compute it: titles are written by many.
  fileprivate var guardedAgainstFormulas: String {
    guard let first = utf8.first, "=+-@\t\r".utf8.contains(first) else { return self }
    return "'" + self
  }
}
