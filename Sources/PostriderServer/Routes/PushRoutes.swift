internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/pushes` and the deliveries of a push.
enum PushRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/pushes", .scopes([.send])), name: "createPush",
      about: "Sends a message, now or later, or keeps it as a draft. It is durable before it is acknowledged.",
      body: body,
      answers: [
        Route.Answer(
          status: 202, about: "The push is stored and will be sent.",
          schema: .named("AcceptedPush"))
      ], traits: .init(repetition: .push), action: .write(create)),
    Route(
      .get("/v1/apps/{app}/pushes", .scopes([.send, .read])), name: "listPushes",
      about:
        "Lists pushes, newest first, all or those that are looked for. One request looks at a bounded number of pushes, so that a"
        + " page of a search may hold less than limit although there is a next.",
      query: Paging.query + [
        Route.Query(name: "number", schema: .integer(1...Int.max, "Only the push with this number."))
      ] + PushFinding.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of pushes.",
          schema: .object([
            .required("pushes", .array(of: .named("Push"), max: Paging.limitMax)),
            .optional("next", .string("The cursor of the next page; absent on the last.", max: 40)),
            .optional(
              "looked_back_to",
              .time("When the last push was created that a search has looked at; absent when it has looked at all.")),
          ]))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/pushes/{push}", .scopes([.send, .read])), name: "getPush",
      about: "Shows a push and the state of its deliveries.",
      answers: [Route.Answer(status: 200, about: "The push.", schema: .named("Push"))],
      traits: .init(outsideETag: ["counts", "events", "audience_complete", "resent", "finished_at", "variants"]),
      action: .now { call, service throws(Problem) in
        let push = try push(call, service)
        var object = try ScheduledPushRoutes.json(push, service).object ?? [:]
        // What it says is in the request, where one is kept.
        if object["request"] == nil || object["request"] == [:] {
          let document = try service.ask { store throws(StoreError) in try store.document(of: push.id) }
          if let message = PushText.message(document) { object["message"] = message }
        }
        object["variants"] = try VariantNumbers.json(of: push.id, service)
        return Reply(200, .object(object))
      }),
  ]

  static let properties: [Schema.Property] =
    [
      .required("to", .named("Audience")),
      MessageFields.userValues,
      .optional(
        "campaign", .string("The campaign's id: a later push of the same campaign replaces it on screen.", max: 64)),
      .optional(
        "category", .string("What it is about: devices and users may refuse it.", max: StoreLimits.tagBytesMax)),
      .optional("urgent", .boolean("Whether it goes out in quiet hours and beyond the frequency cap.")),
      .optional("expires_in_seconds", .integer(1...31_536_000, "Never sent after this time.")),
      .optional("throttle_per_minute", .integer(1...100_000_000, "At most this many sends a minute.")),
      .optional(
        "unknown",
        .choice(
          ["resend", "leave"], "What is done with sends that were on the wire when the server died; resend by default.")
      ),
    ] + MessageFields.properties
  private static let body = Schema.push(
    properties + SendTime.properties + [.optional("draft", .boolean("Whether to keep it until it is released."))])
  static let audience = Schema.object(
    [
      .optional("all", .boolean("Every active device of the app.")),
      .optional("segment", .string("A segment's name.", max: 100)),
      .optional("filter", SegmentLanguage.schema),
      .optional("users", .array(of: .string("A user.", max: 250), min: 1, max: StoreLimits.listedAudienceMax)),
      .optional("aliases", AliasFields.audience),
      .optional(
        "devices", .array(of: .string("A device's id.", max: 20), min: 1, max: StoreLimits.listedAudienceMax)),
      .optional("tokens", .array(of: .named("Address"), min: 1, max: StoreLimits.listedAudienceMax)),
      AudienceFields.exclusion,
    ], "Whom a push is for: exactly one of the members, and segments that are left out."
  ).strict
  static let address = Schema.object(
    [
      .required("type", .choice(DeviceKind.allCases.map(\.name), "What kind of address the token is.")),
      .optional("token", .string("The provider's token.", max: DeviceToken.bytesMax)),
    ] + WebSubscriptionField.properties + [
      .optional("environment", .choice(DeviceEnvironment.allCases.map(\.name), "production by default.")),
      .optional("values", Schema(.map, "Values of placeholders for this address, by name.")),
    ], "A token that need not be registered.")
  /// What is answered when a push is kept.
  static let acceptedSchema = Schema.object(
    [
      .required("id", .string("The push's id.", max: 20)),
      .optional("number", .integer(1...Int.max, "Its number among the app's pushes, for people.")),
      .required("targeted", .integer(0...1_000_000_000, "Devices targeted so far.")),
      repeats,
      .optional("replayed", .boolean("True when this Idempotency-Key had made the push before.")),
      .optional(
        "approval",
        .object(
          ApprovalRoutes.asked,
          "Present when the push waits until somebody else approves it; it is scheduled until then.")
      ),
      .optional("report", .named("Report")),
    ], "A push that is stored and will be sent.")

  static let countNames: [(name: String, count: @Sendable (LedgerCounts) -> Int)] = [
    ("targeted", { $0.targeted }), ("waiting", { $0.waiting }), ("in_flight", { $0.inFlight }),
    ("accepted", { $0.accepted }), ("rejected", { $0.rejected }), ("expired", { $0.expired }),
    ("cancelled", { $0.cancelled }), ("unknown", { $0.unknown }),
  ]

  static let countsSchema = Schema.object(
    countNames.map { .required($0.name, .integer(0...1_000_000_000_000, "")) },
    "How many deliveries are in each state; targeted is the sum of the others.")

  private static let eventNames: [(name: String, count: @Sendable (EventCounts) -> Int)] = [
    ("received", { $0.received }), ("opened", { $0.opened }), ("action", { $0.action }),
  ]

  /// Present when it is not 0.
  static let repeats = Schema.Property.optional(
    "repeats",
    .integer(
      1...StoreLimits.listedAudienceMax,
      "Entries of the list in \"to\" that name a recipient once more; each recipient gets the push once."))

  static let pushSchema = Schema.object(pushProperties, "A push.")
  static let pushProperties: [Schema.Property] =
    [
      .required("id", .string("The push's id.", max: 20)),
      .optional("campaign", .string("The campaign's id.", max: 64)),
      .optional(
        "title",
        .string("What it says first; in lists, while its message is stored.", min: 0, max: PushFinding.titleMax)),
      .optional("message", Schema(.map, "What it says, on its own page, when no request is stored.")),
      .required(
        "status",
        .choice(["draft", "scheduled", "sending", "sent", "cancelled", "failed"], "Its status, in six words.")),
      .required("state", .choice(stateNames, "Its exact state.")),
      .required("counts", .named("Counts")),
      .required(
        "events",
        .object(
          eventNames.map { .required($0.name, .integer(0...1_000_000_000, "")) },
          "Deliveries that devices reported to have arrived, to have been opened, and to have had a button chosen.")),
      .required("audience_complete", .boolean("Whether targeted no longer grows.")),
      repeats,
      .required(
        "resent", .integer(0...1_000_000_000, "Sends repeated because the server died while they were on the wire.")),
      .required("number", .integer(0...Int.max, "Its number among the app's pushes, for people: 1, 2, 3 …")),
      .required("created_at", .time("When it was created.")), .optional("author", .named("Author")),
      .required(
        "start_at", .time("When sending begins or began; for a local time, when the last clock shows it.")),
      .optional("expires_at", .time("Expiry time.")),
      .optional("finished_at", .time("When every delivery had its final state.")),
      .optional(
        "restored_at",
        .time(
          "When the server was restored from a backup in which this push was unfinished: the original server may have sent any"
            + " of its deliveries, so what ends without a provider's answer is unknown.")),
      .optional("throttle_per_minute", .integer(1...100_000_000, "At most this many sends a minute.")),
      .optional("send_at", .time("When it starts, while it waits.")),
      .optional(
        "undo_until", .time("Until when it waits only so that it can be stopped; present while it does.")),
      .optional("approval", .named("Approval")),
      .optional("maker", .named("Author")),
      .optional("send_at_local", .string("The local time at which each device gets it.", max: 30)),
      .optional(SendTime.timeOfDay, .string("The time of day at which each device gets it.", max: 8)),
      .optional(
        SendTime.lastActive, .boolean("Whether each device gets it when its app was last used, by the time of day.")),
      .optional("timezone", .string("The time zone of devices that have none.", max: 64)),
      .optional("user", .string("The user it waits for under a key.", max: 250)),
      .optional("key", .string("Your key of it among the user's pushes that wait.", max: 200)),
      .optional("schedule", .string("The schedule it is an occurrence of.", max: 20)),
      .optional(
        ScheduledPushRoutes.origin,
        .string("The push whose failed deliveries it sends again; on its own page.", max: 20)),
      .optional("problem", .string("Why it failed to start.", max: 250)),
      .optional("variants", VariantNumbers.schema),
      .optional(
        "request", Schema(.map, "What a campaign, a draft or a push that waits is made from; on its own page.")),
      .optional("report", .named("Report")),
    ]

  private static let stateNames = ["draft", "scheduled", "sending", "paused", "cancelled", "sent", "expired", "failed"]

  // MARK: - Work

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    if let reply = try await ScheduledPushRoutes.scheduled(call, entry, service) { return reply }
    var composer = PushComposer(
      entry: entry, body: try MessageFields.resolve(call.body, app: entry.app.id, store: service.store),
      now: call.now, store: service.store, rules: service.rules, report: call.report)
    var push = try composer.compose(idempotency: call.idempotency?.storeKey(call))
    if push.name != nil { push.request = ScheduledPushBuilder.request(call.body) }
    push.needsSubscriber = call.company.needsSubscriber
    if let needed = try await Approvals.needed(push, later: false, entry, service, now: call.now) {
      try ScheduledPushBuilder(entry, service, now: call.now).requireDevices(of: push)
      let kept = try await Approvals.keep(push, call.body, needed, call, service)
      var report = composer.report
      try service.ask { store throws(StoreError) in
        try LackedCredentials(entry: entry).warn(ofListed: push.audience, store, into: &report)
      }
      return accepted(kept, app: entry.app.name, report: report, waitsFor: needed)
    }
    let all = try await service.create([push], call)
    guard let created = all.first else { throw Problem(.internalError, "the store returned no push") }
    guard created.isCreated else { throw Problem(.nobody, "none of the users has a device that takes messages") }
    service.sending.wake()
    var report = composer.report.naming(created.unreached, composer.recipientFields)
    report.warn(of: created, entry)
    return accepted(created, app: entry.app.name, report: report)
  }

  static func accepted(
    _ created: CreatedPush, app: String, report: Report, waitsFor approval: ApprovalRequest? = nil
  ) -> Reply {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.key("id")
    writer.string(created.id.description)
    if created.number > 0 {
      writer.key("number")
      writer.int(Int(created.number))
    }
    writer.key("targeted")
    writer.int(created.targeted)
    if created.repeats > 0 {
      writer.key("repeats")
      writer.int(created.repeats)
    }
    if created.replayed {
      writer.key("replayed")
      writer.bool(true)
    }
    if let approval {
      writer.key("approval")
      writer.beginObject()
      writer.key("devices")
      writer.int(approval.devices)
      writer.key("above_devices")
      writer.int(approval.above)
      writer.key("expires_at")
      writer.string(TimeText.text(approval.until))
      writer.endObject()
    }
    if !report.isEmpty {
      writer.key("report")
      report.write(to: &writer)
    }
    writer.endObject()
    var reply = Reply(202, json: writer.bytes)
    reply.headers = [("Location", "/v1/apps/\(app)/pushes/\(created.id)")]
    if created.replayed { reply.headers.append(StoredAnswer.header) }
    return reply
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let before: PushID? = try Paging.cursor(call)
    if let number = call.http.query["number"].flatMap({ Int64($0) }) {
      let push = try service.ask { store throws(StoreError) in try store.push(app: app, number: number) }
      return Reply(200, ["pushes": .array(try PushFinding.rows(push.map { [$0] } ?? [], service))])
    }
    if let finding = try PushFinding(call, service) { return try finding.page(call, app: app, service) }
    let pushes = try service.ask { store throws(StoreError) in
      try store.pushes(app: app, campaignsOnly: false, before: before, limit: limit + 1)
    }
    var object: JSONObject = ["pushes": .array(try PushFinding.rows(Array(pushes.prefix(limit)), service))]
    if pushes.count > limit { object["next"] = .string(pushes[limit - 1].id.description) }
    return Reply(200, .object(object))
  }

  /// A push with the name of its author.
  static func json(_ push: Push, _ service: Service) throws(Problem) -> JSONValue {
    json(push, try AuthorText.names([push.author], service))
  }

  static func push(_ call: Call, _ service: Service) throws(Problem) -> Push {
    let app = try service.app(call).app.id
    let found = try PushID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.push(id) }
    }
    // A push of another app does not exist here.
    guard let push = found ?? nil, push.app == app else {
      throw Problem(.notFound, "this app has no push with that id" + (try otherID(call, app, service)))
    }
    return push
  }

  /// Where the id of a push was expected, people may have typed its number: the id of that one, in words.
  private static func otherID(_ call: Call, _ app: AppID, _ service: Service) throws(Problem) -> String {
    guard let number = Int64(call.parameters[1]), number > 0 else { return "" }
    let meant = try service.ask { store throws(StoreError) in try store.push(app: app, number: number) }
    return meant.map { "; push \(number) of this app has the id \($0.id)" } ?? ""
  }

  static func json(_ push: Push, _ names: [Author: String] = [:]) -> JSONValue {
    var object: JSONObject = ["id": .string(push.id.description)]
    if let name = push.name { object["campaign"] = .string(name) }
    object["status"] = .string(PushStatus.of(push).rawValue)
    object["state"] = .string(push.state.name)
    var counts = JSONObject()
    for (name, count) in countNames { counts.append(name, .number(JSONNumber(count(push.counts)))) }
    object["counts"] = .object(counts)
    var events = JSONObject()
    for (name, count) in eventNames { events.append(name, .number(JSONNumber(count(push.events)))) }
    object["events"] = .object(events)
    object["audience_complete"] = .bool(push.audienceComplete)
    if push.repeats > 0 { object["repeats"] = .number(JSONNumber(push.repeats)) }
    object["resent"] = .number(JSONNumber(push.resent))
    object["number"] = .number(JSONNumber(Int(push.number)))
    object["created_at"] = .string(TimeText.text(push.createdAt))
    if let author = push.author { object["author"] = AuthorText.json(author, names) }
    object["start_at"] = .string(TimeText.text(push.startAt))
    if let instant = push.expiresAt { object["expires_at"] = .string(TimeText.text(instant)) }
    if let instant = push.finishedAt { object["finished_at"] = .string(TimeText.text(instant)) }
    if let instant = push.restoredAt { object["restored_at"] = .string(TimeText.text(instant)) }
    if let throttle = push.throttlePerMinute { object["throttle_per_minute"] = .number(JSONNumber(throttle)) }
    return .object(object)
  }
}

extension Report {
  /// Warns of devices of listed users or devices that no credential reaches.
  mutating func warn(of created: CreatedPush, _ entry: AppEntry) {
    guard !created.unreachable.isEmpty else { return }
    LackedCredentials(entry: entry).warn(of: created.unreachable, .rejected, into: &self)
  }

  /// The report with a warning for each user of the list that has no device to send to.
  ///
  /// - Parameter fields: where the request names each of them, unless it is in `to.users`.
  func naming(_ unreached: [Int], _ fields: [String] = []) -> Report {
    guard !unreached.isEmpty else { return self }
    var report = self
    for index in unreached {
      report.add(
        rule: "push-user-unreached", severity: .warning,
        field: fields.indices.contains(index) ? fields[index] : "to.users[\(index)]",
        message: "this user is unknown or has no active device; nothing is sent to it")
    }
    return report
  }
}
