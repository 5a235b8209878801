internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Devices as files: import, its progress, and export.
enum DeviceFileRoutes {
  static let routes: [Route] = [
    Route(
      .put("/v1/apps/{app}/devices/import", .scopes([.send])), name: "importDevices",
      about: "Registers devices from a file as it is uploaded: NDJSON with one registration a line, or CSV.",
      query: [format],
      answers: [Route.Answer(status: 200, about: "The result of the lines.", schema: .named("ImportResult"))],
      action: .upload(handling, types: ["application/x-ndjson", "text/csv"])),
    Route(
      .get("/v1/apps/{app}/devices/imports", .scopes([.send, .read])), name: "listImports",
      about: "Shows imports under way and the last ones that ended, the newest first.",
      answers: [
        Route.Answer(
          status: 200, about: "The imports of all nodes.",
          schema: .object([.required("imports", .array(of: running, max: ImportDirectory.rememberedMax))]))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/devices/export", .scopes([.send, .read])), name: "exportDevices",
      about: "Sends all devices as of one instant, as NDJSON or CSV.", query: [format],
      answers: [
        Route.Answer(
          status: 200, about: "One device a line.", schema: .string("NDJSON or CSV.", min: 0, max: 1_000_000_000),
          contentType: ndjsonType, otherContentTypes: [csvType])
      ], action: .now(export)),
  ]

  private static let ndjsonType = "application/x-ndjson"
  private static let csvType = "text/csv; charset=utf-8"
  private static let format = Route.Query(
    name: "format", schema: .choice(["ndjson", "csv"], "The form; ndjson unless the Content-Type is text/csv."))

  private static let counts: [Schema.Property] = [
    .required("bytes", .integer(0...Int.max, "Bytes read.")),
    .required("lines", .integer(0...Int.max, "Lines read, without a header.")),
    .required("created", .integer(0...Int.max, "Devices that were new.")),
    .required("updated", .integer(0...Int.max, "Devices that were known.")),
    .required("older", .integer(0...Int.max, "Lines older than the device's last registration; they change nothing.")),
    .required("failed", .integer(0...Int.max, "Lines that were not registered.")),
    .required(
      "errors",
      .array(
        of: finding, max: DeviceImport.errorsMax, "What was wrong with them; the first \(DeviceImport.errorsMax).")),
    .required(
      "warnings",
      .array(of: finding, max: DeviceImport.errorsMax, "Members that are not known and were left out, each once.")),
  ]
  private static let finding = Schema.object([
    .required("line", .integer(1...Int.max, "The line, from 1.")),
    .required("field", .string("Where in the line, as a path; empty for all of it.", min: 0, max: 4_096)),
    .required("message", .string("What was found and what to do.", max: 4_096)),
  ])
  static let result = Schema.object(counts, "The result of the lines.")
  private static let running = Schema.object(
    [
      .required("id", .integer(1...Int.max, "The import's number.")),
      .required("started_at", .time("When it began.")), .required("running", .boolean("Whether it is under way.")),
      .optional("author", .named("Author")), .required("node", .string("The node that reads the file.", max: 255)),
      .optional("problem", .string("Why it ended before the file did, and what to do.", max: 4_096)),
    ] + counts, "An import.")

  // MARK: - Work

  @Sendable private static func handling(
    _ call: Call, _ service: Service, _ answered: @escaping @Sendable (HTTPResponder, Result<Reply, Problem>) -> Void
  ) throws(Problem) -> HTTPBodyHandling {
    let app = try service.app(call)
    let type = call.http.headers.first("Content-Type") ?? ""
    let isCSV = call.http.query["format"].map { $0 == "csv" } ?? type.hasPrefix("text/csv")
    let work = DeviceImport(app: app, isCSV: isCSV, service: service, now: call.now, answered: answered)
    guard service.imports.add(work, app: app.app.id, author: call.caller?.author, now: call.now) else {
      throw Problem(
        .busy, "\(ImportDirectory.runningMax) imports are under way already", headers: [("Retry-After", "10")])
    }
    return .streamed(work, maxBytes: DeviceImport.bytesMax)
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let entries = try service.imports.imports(of: app, now: call.now)
    let names = try AuthorText.names(entries.map(\.record.author), service)
    let imports = entries.map { entry -> JSONValue in
      var object: JSONObject = [
        "id": .number(JSONNumber(Int(entry.record.id.rawValue))),
        "started_at": .string(TimeText.text(entry.record.startedAt)), "running": .bool(entry.isRunning),
        "node": .string(entry.record.node),
      ]
      if let author = entry.record.author { object["author"] = AuthorText.json(author, names) }
      for (name, value) in entry.progress { object[name] = value }
      if entry.isLost {
        object["problem"] = "its node ended before the file did; send the file again, nothing is doubled"
      }
      return .object(object)
    }
    return Reply(200, ["imports": .array(imports)])
  }

  @Sendable private static func export(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app
    let slot = try service.exports.take(app.id)
    let rows = try service.ask { store throws(StoreError) in try store.exportDevices(app: app.id, now: call.now) }
    let isCSV = call.http.query["format"] == "csv"
    var reply = Reply(200, json: [])
    reply.contentType = isCSV ? csvType : ndjsonType
    reply.headers = [
      ("Content-Disposition", "attachment; filename=\"\(app.name)-devices.\(isCSV ? "csv" : "ndjson")\"")
    ]
    let isFirst = Atomic(true)
    // The closure holds the slot until the response is complete or aborted.
    reply.producer = { [slot] piece in
      _ = slot
      if isFirst.exchange(false, ordering: .relaxed), isCSV {
        piece += Array((DeviceCSV.exported.joined(separator: ",") + "\r\n").utf8)
      }
      let next = try rows.next(now: service.now)
      for device in next {
        let json = DeviceRoutes.json(device)
        if isCSV {
          piece += DeviceCSV.record(json)
        } else {
          piece += JSON.minified(json)
          piece.append(UInt8(ascii: "\n"))
        }
      }
      return !next.isEmpty
    }
    return reply
  }
}
