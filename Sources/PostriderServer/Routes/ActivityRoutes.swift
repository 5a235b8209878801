internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/activities`: Live Activities that a push starts, updates and ends.
///
/// Every start, update and end is a push with its rows in the ledger.
enum ActivityRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/activities", .scopes([.send])), name: "startActivity",
      about: "Starts a Live Activity on a device, or on a user's devices, by push-to-start token.",
      body: .object(
        [
          .required(
            "id", .string("Your own id of it, unique; the app reports the activity's token under it.", max: nameMax)),
          .required("to", target),
          .required("attributes_type", .string("The name of its ActivityAttributes.", max: 200)),
          .required("attributes", Schema(.map, "What never changes; the id belongs here, for the app.")),
          .required("content_state", LiveContent.contentState), .required("alert", LiveContent.alert),
          .optional(
            "channel", .string("A channel's id here: the activity listens to it instead of having tokens.", max: 20)),
          .optional("topic", .string("Another of the app's bundle ids than the credentials' first.", max: 200)),
          .optional(
            "urgent_per_hour",
            .integer(
              0...3_600, "How many sends with priority 10 each hour of the clock may have; \(urgentDefault) by default."
            )),
          expiry,
        ] + LiveContent.properties), answers: [sent], traits: .init(repetition: .push), action: .write(start)),
    Route(
      .get("/v1/apps/{app}/activities", .scopes([.send, .read])), name: "listActivities",
      about: "Lists Live Activities, newest first.",
      query: [
        Route.Query(
          name: "user",
          schema: .string("Only this user's.", max: 250).documented(["pattern": "^[^\\u0000]+$"]))
      ] + Paging.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of activities.", schema: Paging.schema("activities", of: .named("Activity")))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/activities/{activity}", .scopes([.send, .read])), name: "getActivity",
      about: "Shows a Live Activity: its tokens, its budget, and what was sent to it.",
      answers: [Route.Answer(status: 200, about: "The activity.", schema: .named("ActivityLife"))],
      traits: .init(outsideETag: ["state", "urgent_left", "tokens", "sends"]), action: .now(show)),
    Route(
      .post("/v1/apps/{app}/activities/{activity}/updates", .scopes([.send])), name: "updateActivity",
      about: "Updates or ends a Live Activity on every phone that has reported its token.",
      body: .object(
        [
          .required("event", .choice(["update", "end"], "update changes the content, end ends it.")),
          .optional("content_state", LiveContent.contentState), .optional("alert", LiveContent.alert),
          .optional("dismissal_date", LiveContent.dismissalDate), expiry,
          .optional(
            "over_budget",
            .choice(
              ["lower", "refuse"],
              "When this hour's urgent sends are used up: lower sends with priority 5, refuse answers 429; lower by default."
            )),
        ] + LiveContent.properties), answers: [sent], traits: .init(repetition: .push), action: .write(update)),
    Route(
      .post("/v1/apps/{app}/activities/{activity}/tokens", .scopes([.client, .send])), name: "reportActivityToken",
      about: "Reports the push token of an activity, from the app that it runs in; the same again is harmless.",
      body: .object([
        .required("token", .string("The activity's pushToken, hexadecimal.", max: DeviceToken.bytesMax)),
        .optional(
          "environment",
          .choice(DeviceEnvironment.allCases.map(\.name), "Which world the token is from; production by default.")),
      ]),
      answers: [
        Route.Answer(status: 201, about: "A new token.", schema: .named("Registration")),
        Route.Answer(status: 200, about: "A token that was known.", schema: .named("Registration")),
      ], traits: .init(repetition: .harmless, readsIdentity: true), action: .write(report)),
    Route(
      .delete("/v1/apps/{app}/activities/{activity}", .scopes([.send])), name: "deleteActivity",
      about: "Forgets a Live Activity and its tokens; what was sent to it stays in the ledger.",
      answers: [Route.Answer(status: 204, about: "The activity is forgotten.")], action: .write(delete)),
  ]

  /// Characters of an activity's id.
  private static let nameMax = 100
  /// Urgent sends an hour unless a start says otherwise: Apple names no number, and throttles apps that send more.
  static let urgentDefault = 12
  /// Sends that one page of an activity shows.
  private static let sendsMax = 100

  private static let target = Schema.object(
    [
      .optional("user", .string("A user: every active device with a push-to-start token.", max: 250)),
      .optional("device", .string("A device's id, of the type ios-live-activity-start.", max: 20)),
    ], "Whom it is for: exactly one of the members.")
  private static let expiry = Schema.Property.optional(
    "expires_in_seconds", .integer(1...86_400, "Never sent, and not kept by APNs, after this time."))
  private static let sent = Route.Answer(
    status: 202, about: "The send is stored and will be sent.",
    schema: .object([
      .required("id", .string("The id of the push that sends it.", max: 20)),
      .optional("number", .integer(1...Int.max, "Its number among the app's pushes, for people.")),
      .required("targeted", .integer(0...1_000_000, "Devices targeted.")),
      .optional("priority", .integer(5...10, "What it is sent with: 10, or 5.")),
      .optional("urgent_left", .integer(0...3_600, "Urgent sends that are left in this hour.")),
      .optional("replayed", .boolean("True when this Idempotency-Key had sent it before.")),
      .optional("report", .named("Report")),
    ]))

  private static let properties: [Schema.Property] = [
    .required("id", .string("Your own id of it.", max: nameMax)), .optional("user", .string("Whose it is.", max: 250)),
    .required("attributes_type", .string("The name of its ActivityAttributes.", max: 200)),
    .required("bundle_id", .string("The app at Apple.", max: 200)),
    .optional("channel", .string("The channel that it listens to.", max: 20)),
    .required(
      "state",
      .choice(
        ["starting", "active", "stale", "ended", "over"],
        "starting: no phone has reported a token; stale: its content is out of date; over: it ran for twelve hours.")),
    .required("urgent_per_hour", .integer(0...3_600, "Urgent sends in each hour.")),
    .required("urgent_left", .integer(0...3_600, "Those that are left in this hour.")),
    .required("created_at", .time("When it was created.")),
    .optional("stale_at", .time("From when its content is out of date.")),
    .optional("dismissal_at", .time("When it leaves the lock screen.")),
    .optional("ended_at", .time("When its end was sent.")),
  ]
  static let schema = Schema.object(properties, "A Live Activity.")
  static let lifeSchema = Schema.object(
    properties + [
      .required(
        "tokens",
        .array(
          of: .object([
            .required("device", .string("The token's device id.", max: 20)),
            .required("environment", .choice(DeviceEnvironment.allCases.map(\.name), "Its world.")),
            .required("state", .choice(DeviceState.allCases.map(\.name), "retired: Apple says that it has ended.")),
            .optional("state_reason", .string("Why, in Apple's words.", max: 250)),
            .required("registered_at", .time("When it was reported.")),
          ]), max: StoreLimits.devicesPerActivityMax, "The activity on each phone that has reported a token.")),
      .required(
        "sends",
        .array(of: .named("LiveSend"), max: sendsMax, "The latest starts, updates and ends, newest first.")),
      .optional("report", .named("Report")),
    ], "A Live Activity with its life.")
  static let sendSchema = Schema.object(
    [.required("event", .choice(LiveEvent.allCases.map(\.name), "What it does."))] + PushRoutes.pushProperties,
    "A push to a Live Activity.")

  // MARK: - Reading

  private static func activity(_ call: Call, _ service: Service) throws(Problem) -> Activity {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    let found = try service.ask { store throws(StoreError) in try store.activity(app: app, named: name) }
    guard let found else {
      throw Problem(.notFound, "this app has no activity with that id; GET /v1/apps/{app}/activities lists them")
    }
    return found
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let before: ActivityID? = try Paging.cursor(call)
    let rows = try service.ask { store throws(StoreError) in
      try store.activities(app: app, user: call.http.query["user"], before: before, limit: limit + 1)
    }
    let shown = try service.ask { store throws(StoreError) in
      try rows.prefix(limit).map { row throws(StoreError) in
        json(row, hasTokens: try !store.devices(of: row.id).isEmpty, call.now)
      }
    }
    var object: JSONObject = ["activities": .array(shown.map { .object($0) })]
    if rows.count > limit { object["next"] = .string(rows[limit - 1].id.description) }
    return Reply(200, .object(object))
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let one = try activity(call, service)
    let (devices, pushes) = try service.ask { store throws(StoreError) in
      (
        try store.devices(of: one.id),
        try store.livePushes(of: .activity(one.id), before: nil, limit: sendsMax)
      )
    }
    var object = json(one, hasTokens: !devices.isEmpty, call.now)
    object["tokens"] = .array(
      devices.map { device in
        var token: JSONObject = [
          "device": .string(device.id.description), "environment": .string(device.environment.name),
          "state": .string(device.state.name),
        ]
        if let reason = device.stateReason { token["state_reason"] = .string(reason) }
        token["registered_at"] = .string(TimeText.text(device.registeredAt))
        return .object(token)
      })
    object["sends"] = .array(pushes.map(BroadcastRoutes.json))
    return Reply(200, .object(object))
  }

  /// How long an activity runs and is shown at most: eight hours, and four on the lock screen (Apple, ActivityKit).
  static let longestSeconds: Int64 = 12 * 3_600

  private static func state(_ one: Activity, hasTokens: Bool, _ now: Timestamp) -> String {
    if one.endedAt != nil { return "ended" }
    if one.createdAt.adding(seconds: longestSeconds) <= now { return "over" }
    if let staleAt = one.staleAt, staleAt <= now { return "stale" }
    return hasTokens || one.channel != nil ? "active" : "starting"
  }

  private static func json(_ one: Activity, hasTokens: Bool, _ now: Timestamp) -> JSONObject {
    var object: JSONObject = ["id": .string(one.name)]
    if let user = one.user { object["user"] = .string(user) }
    object["attributes_type"] = .string(one.attributesType)
    object["bundle_id"] = .string(one.bundleID)
    if let channel = one.channel { object["channel"] = .string(channel.description) }
    object["state"] = .string(state(one, hasTokens: hasTokens, now))
    object["urgent_per_hour"] = .number(JSONNumber(one.budget.perHour))
    object["urgent_left"] = .number(JSONNumber(one.budget.left(at: now)))
    object["created_at"] = .string(TimeText.text(one.createdAt))
    if let time = one.staleAt { object["stale_at"] = .string(TimeText.text(time)) }
    if let time = one.dismissalAt { object["dismissal_at"] = .string(TimeText.text(time)) }
    if let time = one.endedAt { object["ended_at"] = .string(TimeText.text(time)) }
    return object
  }

  // MARK: - Changing

  @Sendable private static func start(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try await ActivitySend(call, service).start()
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let one = try activity(call, service)
    return try await ActivitySend(call, service).update(one)
  }

  @Sendable private static func report(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app
    let one = try activity(call, service)
    let identity = try IdentityCheck(call, app, service)
    try identity.check(user: one.user)
    guard one.endedAt == nil, one.channel == nil else {
      throw Problem(
        .conflict,
        one.endedAt == nil
          ? "the activity listens to channel \(one.channel?.description ?? ""), and has no tokens"
          : "the activity has ended")
    }
    var report = call.report
    let token = TokenField.read(
      call["token"]?.string ?? "", kind: .iosLiveActivity, field: "token", report: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    var registration = DeviceRegistration(
      app: app.id, token: token, kind: .iosLiveActivity,
      environment: DeviceEnvironment(name: call["environment"]?.string ?? "") ?? .production, user: one.user)
    registration.principal = identity.principal
    let registered: RegisteredDevice?
    do throws(StoreError) {
      registered = try await service.store.change { [registration] store throws(StoreError) in
        let devices = try store.registerDevices([registration], now: call.now)
        if let device = devices.first { try store.addDevice(device.id, to: one.id) }
        return devices.first
      }
    } catch { throw identity.problem(error) }
    guard let registered else { throw Problem(.internalError, "the store returned no device") }
    return Reply(
      registered.created ? 201 : 200,
      ["id": .string(registered.id.description), "created": .bool(registered.created)], report: report)
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let one = try activity(call, service)
    try await service.change { store throws(StoreError) in try store.deleteActivity(one.id) }
    return .noContent
  }
}
