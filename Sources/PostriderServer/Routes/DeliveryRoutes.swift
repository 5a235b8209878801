internal import Delivery
internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// The outcomes of pushes by device: lists, and exports of whole pushes.
enum DeliveryRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/pushes/{push}/deliveries", .scopes([.send, .read])), name: "listDeliveries",
      about:
        "Lists the deliveries of a push, device by device. A page may hold less than limit although there is a next.",
      query: filters + Paging.query, answers: [page], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/deliveries", .scopes([.send, .read])), name: "findDeliveries",
      about: "Lists the deliveries to one device or one user, the newest push first.", query: filters + Paging.query,
      answers: [page], action: .now(find)),
    Route(
      .get("/v1/apps/{app}/pushes/{push}/deliveries/export", .scopes([.send, .read])), name: "exportDeliveries",
      about: "Streams all deliveries of a push as of now.",
      query: [Route.Query(name: "format", schema: .choice(["ndjson", "csv"], "The form; ndjson by default."))]
        + filters,
      answers: [
        Route.Answer(
          status: 200, about: "One delivery a line.", schema: .string("NDJSON or CSV.", min: 0, max: 1_000_000_000),
          contentType: ndjsonType, otherContentTypes: [csvType])
      ], action: .now(export)),
  ]

  private static let ndjsonType = "application/x-ndjson"
  private static let csvType = "text/csv; charset=utf-8"
  private static let page = Route.Answer(
    status: 200, about: "A page of deliveries.", schema: Paging.schema("deliveries", of: .named("Delivery")))
  private static let plainText: JSONObject = ["pattern": "^[^\\u0000]+$"]
  private static let filters: [Route.Query] = [
    Route.Query(name: "state", schema: .choice(DeliveryState.allCases.map(\.name), "Only deliveries in this state.")),
    Route.Query(
      name: "reason",
      schema: .string("Only those with this last reason.", max: StoreLimits.reasonBytesMax, example: "Unregistered")
        .documented(plainText)),
    Route.Query(
      name: "provider", schema: .choice(Provider.allCases.map(\.name), "Only those this provider answered last.")),
    Route.Query(name: "user", schema: .string("Only those to this user's devices.", max: 250).documented(plainText)),
    Route.Query(
      name: "device",
      schema: .string("Only those to the device with this id.", max: 19).documented(["pattern": "^[1-9][0-9]{0,18}$"])),
    Route.Query(name: "from", schema: .time("Only those that changed then or later.")),
    Route.Query(name: "until", schema: .time("Only those that changed before.")),
  ]

  static let explanation = Schema.object(
    [
      .required("meaning", .string("What it means.", max: 1_000)),
      .required("action", .string("What Postrider does about it.", max: 1_000)),
      .required("next", .string("What to look at next.", max: 1_000)),
    ], "The reason explained; absent for one that nobody knows.")

  static let schema = Schema.object(
    [
      .required("id", .string("The delivery's id.", max: 20)), .required("push", .string("The push's id.", max: 20)),
      PushNumbers.property(),
      .optional("device", .string("The device; absent for an address that is not registered.", max: 20)),
      .optional("user", .string("The user of the device.", max: 250)),
      .optional("type", .choice(DeviceKind.all.map(\.name), "What kind of address it went to.")),
      .required("state", .choice(DeliveryState.allCases.map(\.name), "Its state.")),
      .optional("provider", .choice(Provider.allCases.map(\.name), "Who answered last.")),
      .optional("status", .integer(100...599, "The HTTP status of the last answer.")),
      .optional("reason", .string("The last reason; absent when accepted.", max: StoreLimits.reasonBytesMax)),
      .optional("explanation", .named("Explanation")),
      .optional("apns_id", .string("The apns-id of the send.", max: 36)),
      .optional("message_name", .string("FCM's name of the message.", max: 250)),
      .optional("request_id", .string("Push Kit's id of the request.", max: 250)),
      .optional("location", .string("The address of the message at the browser's push service.", max: 512)),
      .required("attempts", .integer(0...1_000_000, "Tries that have ended.")),
      .required("unknowns", .integer(0...1_000_000, "How often it was on the wire when the server died.")),
      .required("at", .time("When the state last changed.")),
      .optional("not_before", .time("When it is tried again.")),
      .optional("received_at", .time("When it arrived, as the device reported.")),
      .optional("opened_at", .time("When it was opened, as the device reported.")),
      .optional(
        "actions",
        .array(
          of: .string("A button's id.", max: StoreLimits.actionBytesMax), max: 100, "The buttons that were chosen.")),
    ], "One push to one device.")

  // MARK: - Work

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let entry = try service.app(call)
    let (filter, limit) = (try filter(call, entry), Paging.limit(call))
    let after: DeliveryID? = try Paging.cursor(call)
    let found = try service.ask { store throws(StoreError) in
      try store.deliveries(of: push.id, filter: filter, after: after, limit: limit)
    }
    return try reply(found.rows, entry, next: found.next?.description, service)
  }

  @Sendable private static func find(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let entry = try service.app(call)
    let app = entry.app.id
    let (filter, limit) = (try filter(call, entry), Paging.limit(call))
    guard filter.device != nil || filter.user != nil else {
      throw Problem(
        .invalid, "expected ?device or ?user; the deliveries of a push are under /v1/apps/{app}/pushes/{push}")
    }
    let before: PushID? = try Paging.cursor(call)
    let found = try service.ask { store throws(StoreError) in
      try store.deliveries(app: app, filter: filter, before: before, limit: limit)
    }
    return try reply(found.rows, entry, next: found.next?.description, service)
  }

  private static func reply(
    _ rows: [DeliveryRecord], _ entry: AppEntry, next: String?, _ service: Service
  ) throws(Problem) -> Reply {
    let numbers = try PushNumbers(rows.lazy.map(\.push), service)
    var object: JSONObject = ["deliveries": .array(rows.map { json($0, entry, number: numbers[$0.push]) })]
    if let next { object["next"] = .string(next) }
    return Reply(200, .object(object))
  }

  @Sendable private static func export(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let entry = try service.app(call)
    let filter = try filter(call, entry)
    let slot = try service.exports.take(push.app)
    let rows = try service.ask { store throws(StoreError) in
      try store.exportDeliveries(of: push.id, filter: filter, now: call.now)
    }
    let isCSV = call.http.query["format"] == "csv"
    let form = DeliveryText(isCSV: isCSV, entry: entry, number: push.number)
    var reply = Reply(200, json: [])
    reply.contentType = isCSV ? csvType : ndjsonType
    reply.headers = [
      ("Content-Disposition", "attachment; filename=\"push-\(push.id)-deliveries.\(isCSV ? "csv" : "ndjson")\"")
    ]
    let isFirst = Atomic(true)
    // The closure holds the slot until the response is complete or aborted.
    reply.producer = { [slot] piece in
      _ = slot
      if isFirst.exchange(false, ordering: .relaxed) { piece += form.header }
      let next = try rows.next(now: service.now)
      for row in next { form.append(row, to: &piece) }
      return !next.isEmpty
    }
    return reply
  }

  private static func filter(_ call: Call, _ entry: AppEntry) throws(Problem) -> DeliveryFilter {
    let query = call.http.query
    let device: DeviceID? = try query["device"].map { text throws(Problem) in
      guard let id = DeviceID(text) else {
        throw Problem(.badRequest, "?device: expected a device's id, found \"\(text)\"")
      }
      return id
    }
    var filter = DeliveryFilter(
      state: query["state"].flatMap { DeliveryState(name: $0) }, reason: query["reason"],
      provider: query["provider"].flatMap { name in Provider.allCases.first { $0.name == name } }, device: device,
      user: query["user"],
      from: try RecordRoutes.instant("from", call), until: try RecordRoutes.instant("until", call))
    // Only the first of those that wait for a credential was tried, and has the reason.
    if filter.reason == PipelineReason.noCredential, filter.provider == nil {
      filter.unanswered = entry.unreachedTargets
    }
    return filter
  }

  static func json(_ row: DeliveryRecord, _ entry: AppEntry, number: JSONValue? = nil) -> JSONValue {
    let reason = entry.reason(of: row)
    var object: JSONObject = ["id": .string(row.id.description), "push": .string(row.push.description)]
    if let number { object["push_number"] = number }
    if let device = row.device { object["device"] = .string(device.description) }
    if let user = row.user { object["user"] = .string(user) }
    if let kind = row.kind { object["type"] = .string(kind.name) }
    object["state"] = .string(row.state.name)
    if let provider = row.provider { object["provider"] = .string(provider.name) }
    if row.status != 0 { object["status"] = .number(JSONNumber(row.status)) }
    if !reason.isEmpty { object["reason"] = .string(reason) }
    if let text = ReasonTexts.text(provider: row.provider, reason: reason) { object["explanation"] = text.json }
    if let name = row.providerID { object[(row.provider ?? .apns).names.message] = .string(name) }
    object["attempts"] = .number(JSONNumber(row.attempts))
    object["unknowns"] = .number(JSONNumber(row.unknowns))
    object["at"] = .string(TimeText.text(row.at))
    for (name, instant) in [
      ("not_before", row.notBefore), ("received_at", row.events.receivedAt), ("opened_at", row.events.openedAt),
    ] { if let instant { object[name] = .string(TimeText.text(instant)) } }
    if !row.events.actions.isEmpty { object["actions"] = .array(row.events.actions.map { .string($0) }) }
    return .object(object)
  }
}

/// Deliveries as lines of text.
struct DeliveryText: Sendable {
  let isCSV: Bool
  let entry: AppEntry
  /// The number of the push whose deliveries they are.
  let number: Int64

  private static let columns = [
    "id", "push", "device", "user", "type", "state", "provider", "status", "reason", "meaning", "apns_id",
    "message_name", "attempts", "unknowns", "at", "not_before", "received_at", "opened_at", "actions", "location",
    "request_id", "push_number",
  ]

  /// The text before the first line.
  var header: [UInt8] { isCSV ? Array((DeliveryText.columns.joined(separator: ",") + "\r\n").utf8) : [] }

  func append(_ row: DeliveryRecord, to bytes: inout [UInt8]) {
    let json = DeliveryRoutes.json(row, entry, number: .number(JSONNumber(number)))
    guard isCSV else {
      bytes += JSON.minified(json)
      bytes.append(UInt8(ascii: "\n"))
      return
    }
    for (index, column) in DeliveryText.columns.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      DeliveryText.append(DeliveryText.cell(column, json), to: &bytes)
    }
    bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }

  private static func cell(_ column: String, _ json: JSONValue) -> String {
    if column == "meaning" { return json["explanation"]?["meaning"]?.string ?? "" }
    switch json[column] {
    case .string(let text): return text
    case .number(let number): return number.text
    case .array(let values): return values.compactMap(\.string).joined(separator: " ")
    default: return ""
    }
  }

  /// RFC 4180: what holds a comma, a quote or a line break is quoted.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let special: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    guard text.utf8.contains(where: special.contains) else { return bytes.append(contentsOf: text.utf8) }
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
