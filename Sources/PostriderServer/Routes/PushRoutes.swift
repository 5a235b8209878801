internal import HTTPServer
internal import PushPayload
internal import PushStore
internal import WireJSON

/// `/v1/apps/{app}/pushes` and the deliveries of a push.
enum PushRoutes {
  static let routes: [Route] = [
    Route(
      .post, "/v1/apps/{app}/pushes", .scopes([.send]), name: "createPush",
      about: "Sends a message. It is durable before it is acknowledged, and sent after.", body: body,
      answers: [
        Route.Answer(
          status: 202, about: "The push is kept and will be sent.",
          schema: .object([
            .required("id", .string("The push's id.", max: 20)),
            .required("targeted", .integer(0...1_000_000_000, "Devices targeted so far.")),
            .optional("replayed", .boolean("True when this Idempotency-Key had made the push before.")),
            .optional("report", .named("Report")),
          ]))
      ], action: .later(create)),
    Route(
      .get, "/v1/apps/{app}/pushes", .scopes([.send, .read]), name: "listPushes", about: "Lists pushes, newest first.",
      query: Paging.query,
      answers: [
        Route.Answer(status: 200, about: "A page of pushes.", schema: Paging.schema("pushes", of: .named("Push")))
      ], action: .now(list)),
    Route(
      .get, "/v1/apps/{app}/pushes/{push}", .scopes([.send, .read]), name: "getPush",
      about: "Shows a push and where its deliveries stand.",
      answers: [Route.Answer(status: 200, about: "The push.", schema: .named("Push"))],
      action: .now { call, service throws(Problem) in Reply(200, json(try push(call, service))) }),
    Route(
      .get, "/v1/apps/{app}/pushes/{push}/deliveries", .scopes([.send, .read]), name: "listDeliveries",
      about: "Lists what became of a push, device by device.",
      query: [Route.Query(name: "state", schema: deliveryState)] + Paging.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of deliveries.", schema: Paging.schema("deliveries", of: .named("Delivery")))
      ], action: .now(deliveries)),
  ]

  private static let deliveryState = Schema.choice(DeliveryState.allCases.map(\.name), "Only deliveries in this state.")

  private static let body = Schema.object([
    .required("message", Schema(.map, "The message in the contract's form.")),
    .required(
      "to",
      .object(
        [
          .optional("all", .boolean("Every active device of the app.")),
          .optional("users", .array(of: .string("A user.", max: 250), min: 1, max: StoreLimits.listedAudienceMax)),
          .optional(
            "devices", .array(of: .string("A device's id.", max: 20), min: 1, max: StoreLimits.listedAudienceMax)),
          .optional("tokens", .array(of: address, min: 1, max: StoreLimits.listedAudienceMax)),
        ], "Whom it is for: exactly one of the members.")),
    .optional("contract", SchemaTable.contract),
    .optional(
      "campaign", .string("The campaign's id: a later push of the same campaign replaces it on screen.", max: 64)),
    .optional("expires_in_seconds", .integer(1...31_536_000, "Never sent after this time.")),
    .optional("throttle_per_minute", .integer(1...100_000_000, "At most this many sends a minute.")),
    .optional(
      "unknown",
      .choice(
        ["resend", "leave"], "What is done with sends that were on the wire when the server died; resend by default.")),
  ])
  private static let address = Schema.object([
    .required("type", .choice(DeviceKind.allCases.map(\.name), "What kind of address the token is.")),
    .required("token", .string("The provider's token.", max: DeviceToken.bytesMax)),
    .optional("environment", .choice(DeviceEnvironment.allCases.map(\.name), "production by default.")),
  ])

  private static let countNames: [(name: String, count: @Sendable (LedgerCounts) -> Int)] = [
    ("targeted", { $0.targeted }), ("waiting", { $0.waiting }), ("in_flight", { $0.inFlight }),
    ("accepted", { $0.accepted }), ("rejected", { $0.rejected }), ("expired", { $0.expired }),
    ("cancelled", { $0.cancelled }), ("unknown", { $0.unknown }),
  ]

  private static let eventNames: [(name: String, count: @Sendable (EventCounts) -> Int)] = [
    ("received", { $0.received }), ("opened", { $0.opened }), ("action", { $0.action }),
  ]

  static let pushSchema = Schema.object(
    [
      .required("id", .string("The push's id.", max: 20)),
      .optional("campaign", .string("The campaign's id.", max: 64)),
      .required("state", .choice(PushState.allCases.map(\.name), "Where it stands.")),
      .required(
        "counts",
        .object(
          countNames.map { .required($0.name, .integer(0...1_000_000_000, "")) },
          "How many deliveries are in each state; targeted is the sum of the others.")),
      .required(
        "events",
        .object(
          eventNames.map { .required($0.name, .integer(0...1_000_000_000, "")) },
          "Deliveries that devices reported to have arrived, to have been opened, and to have had a button chosen.")),
      .required("audience_complete", .boolean("Whether targeted no longer grows.")),
      .required(
        "resent", .integer(0...1_000_000_000, "Sends repeated because the server died while they were on the wire.")),
      .required("created_at", .time("When it was created.")), .required("start_at", .time("When sending may begin.")),
      .optional("expires_at", .time("When it becomes worthless.")),
      .optional("finished_at", .time("When every delivery had its final state.")),
      .optional("throttle_per_minute", .integer(1...100_000_000, "At most this many sends a minute.")),
    ], "A push as it stands.")

  static let deliverySchema = Schema.object(
    [
      .required("id", .string("The delivery's id.", max: 20)),
      .optional("device", .string("The device; absent for an address that is not registered.", max: 20)),
      .optional("user", .string("The user of the device.", max: 250)),
      .optional("type", .choice(DeviceKind.allCases.map(\.name), "What kind of address it went to.")),
      .required("state", .choice(DeliveryState.allCases.map(\.name), "Its state.")),
      .optional("provider", .choice(["apns", "fcm"], "Who answered last.")),
      .optional("status", .integer(100...599, "The HTTP status of the last answer.")),
      .optional("reason", .string("The provider's reason; absent when accepted.", max: StoreLimits.reasonBytesMax)),
      .optional("apns_id", .string("The apns-id of the send.", max: 36)),
      .optional("message_name", .string("FCM's name of the message.", max: 250)),
      .required("attempts", .integer(0...1_000_000, "Tries that have ended.")),
      .required("unknowns", .integer(0...1_000_000, "How often it was on the wire when the server died.")),
      .required("at", .time("When the state last changed.")),
      .optional("not_before", .time("When it is tried again.")),
    ], "One push to one device.")

  // MARK: - Work

  @Sendable private static func create(
    _ call: Call, _ service: Service, _ answer: @escaping @Sendable (Result<Reply, Problem>) -> Void
  ) {
    let push: NewPush
    let report: Report
    let appName: String
    do throws(Problem) {
      let entry = try service.app(call)
      appName = entry.app.name
      var composer = PushComposer(entry: entry, call: call, rules: service.rules)
      push = try composer.compose(idempotency: call.idempotency?.storeKey(call))
      report = composer.report
    } catch { return answer(.failure(error)) }
    service.store.createPushes([push], now: call.now) { result in
      switch result {
      case .success(let created):
        guard let created = created.first else {
          return answer(.failure(Problem(.internalError, "the store returned no push")))
        }
        answer(.success(accepted(created, app: appName, report: report)))
        service.sending.wake()
      case .failure(let error): answer(.failure(Problem(error)))
      }
    }
  }

  private static func accepted(_ created: CreatedPush, app: String, report: Report) -> Reply {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.key("id")
    writer.string(created.id.description)
    writer.key("targeted")
    writer.int(created.targeted)
    if created.replayed {
      writer.key("replayed")
      writer.bool(true)
    }
    if !report.isEmpty {
      writer.key("report")
      writer.value(report.json)
    }
    writer.endObject()
    var reply = Reply(202, json: writer.bytes)
    reply.headers = [("Location", "/v1/apps/\(app)/pushes/\(created.id)")]
    return reply
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let before: PushID? = try Paging.cursor(call)
    let pushes = try service.ask { store throws(StoreError) in
      try store.pushes(app: app, campaignsOnly: false, before: before, limit: limit + 1)
    }
    return Paging.page("pushes", pushes, limit: limit, id: \.id, json: json)
  }

  @Sendable private static func deliveries(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let push = try push(call, service)
    let limit = Paging.limit(call)
    let after: DeliveryID? = try Paging.cursor(call)
    let state = call.http.query["state"].flatMap { DeliveryState(name: $0) }
    let rows = try service.ask { store throws(StoreError) in
      try store.deliveries(of: push.id, state: state, after: after, limit: limit + 1)
    }
    return Paging.page("deliveries", rows, limit: limit, id: \.id, json: json)
  }

  static func push(_ call: Call, _ service: Service) throws(Problem) -> Push {
    let app = try service.app(call).app.id
    let found = try PushID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.push(id) }
    }
    // A push of another app does not exist here.
    guard let push = found ?? nil, push.app == app else {
      throw Problem(.notFound, "this app has no push with that id")
    }
    return push
  }

  static func json(_ push: Push) -> JSONValue {
    var object: JSONObject = ["id": .string(push.id.description)]
    if let name = push.name { object["campaign"] = .string(name) }
    object["state"] = .string(push.state.name)
    var counts = JSONObject()
    for (name, count) in countNames { counts.append(name, .number(JSONNumber(count(push.counts)))) }
    object["counts"] = .object(counts)
    var events = JSONObject()
    for (name, count) in eventNames { events.append(name, .number(JSONNumber(count(push.events)))) }
    object["events"] = .object(events)
    object["audience_complete"] = .bool(push.audienceComplete)
    object["resent"] = .number(JSONNumber(push.resent))
    object["created_at"] = .string(TimeText.text(push.createdAt))
    object["start_at"] = .string(TimeText.text(push.startAt))
    if let moment = push.expiresAt { object["expires_at"] = .string(TimeText.text(moment)) }
    if let moment = push.finishedAt { object["finished_at"] = .string(TimeText.text(moment)) }
    if let throttle = push.throttlePerMinute { object["throttle_per_minute"] = .number(JSONNumber(throttle)) }
    return .object(object)
  }

  private static func json(_ row: DeliveryRecord) -> JSONValue {
    var object: JSONObject = ["id": .string(row.id.description)]
    if let device = row.device { object["device"] = .string(device.description) }
    if let user = row.user { object["user"] = .string(user) }
    if let kind = row.kind { object["type"] = .string(kind.name) }
    object["state"] = .string(row.state.name)
    if let provider = row.provider { object["provider"] = .string(provider.name) }
    if row.status != 0 { object["status"] = .number(JSONNumber(row.status)) }
    if !row.reason.isEmpty { object["reason"] = .string(row.reason) }
    if let name = row.providerID {
      object[row.provider == .fcm ? "message_name" : "apns_id"] = .string(name)
    }
    object["attempts"] = .number(JSONNumber(row.attempts))
    object["unknowns"] = .number(JSONNumber(row.unknowns))
    object["at"] = .string(TimeText.text(row.at))
    if let moment = row.notBefore { object["not_before"] = .string(TimeText.text(moment)) }
    return .object(object)
  }
}
