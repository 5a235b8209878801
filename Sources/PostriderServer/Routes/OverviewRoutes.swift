internal import Delivery
internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/overview` and `/audience`: an app's statistics, and the size of an audience.
enum OverviewRoutes {
  /// How many of the latest pushes the sums are made of.
  private static let pushesMax = 200

  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/overview", .scopes([.send, .read])), name: "getOverview",
      about: "Shows how an app is doing: sums of its latest pushes, providers, and what is wrong.",
      answers: [Route.Answer(status: 200, about: "How it is doing.", schema: .named("Overview"))],
      action: .now(overview)),
    Route(
      .post("/v1/apps/{app}/audience", .scopes([.send, .read])), name: "countAudience",
      about: "Counts whom a push would reach now.",
      body: .object([
        .required(
          "to",
          .object(
            [
              .optional("all", .boolean("Every active device of the app.")),
              .optional("users", .array(of: .string("A user.", max: 250), min: 1, max: usersMax)),
              .optional("aliases", AliasFields.audience),
              .optional("segment", .string("A segment's name.", max: 100)),
              .optional("filter", SegmentLanguage.schema),
              AudienceFields.exclusion,
            ], "Whom: exactly one of the members, and segments that are left out."
          ).strict)
      ]),
      answers: [
        Route.Answer(
          status: 200, about: "How many devices, by kind.",
          schema: .object([
            .required("total", count),
            .required(
              "devices",
              .object(
                DeviceKind.allCases.map { .required($0.name, count) }, "Active devices by type; none is left out.")),
            .optional("report", .named("Report")),
          ]))
      ], traits: .init(repetition: .harmless), action: .long(audience)),
  ]

  /// The pipeline's numbers.
  private static let pipeline: [(name: String, about: String, number: @Sendable (DeliveryStatistics) -> Int)] = [
    ("in_flight", "Deliveries taken from the store and not yet recorded.", { $0.inFlight }),
    ("on_wire", "Handed to a sender and not yet answered.", { $0.onWire }),
    ("queued", "Waiting for a sender.", { $0.queued }),
    ("unwritten", "Answers that wait to be written.", { $0.unwritten }),
    ("sent", "Handed to senders since the start.", { $0.sent }),
    ("accepted", "Recorded as accepted since the start.", { $0.accepted }),
    ("recorded", "Recorded since the start, whatever the result.", { $0.recorded }),
    ("devices_held", "Devices retired or quarantined since the start.", { $0.devicesHeld }),
  ]
  /// Users counted in one request; each costs a look at an index.
  private static let usersMax = 1_000
  private static let count = Schema.integer(0...1_000_000_000, "How many.")

  static let schema = Schema.object(
    [
      .required("app", .named("App")),
      .required(
        "ledger",
        .object(
          [
            .required("pushes", .integer(0...pushesMax, "Pushes summed up: the latest.")),
            .required("counts", .named("Counts")),
            .required("balanced", .boolean("Whether the sum holds for each push.")),
          ], "The latest pushes of the app together.")),
      .optional(
        "sending",
        .object(
          pipeline.map { .required($0.name, .integer(0...Int.max, $0.about)) },
          "The pipeline of the whole server; not for keys of one app.")),
      .required(
        "providers",
        .array(
          of: .object([
            .required("slot", .choice(CredentialSlot.allCases.map(\.rawValue), "Which credential.")),
            .required("state", .choice(["ready", "unreachable", "stopped"], "Whether pushes go out.")),
            .optional("detail", .string("Why not.", max: 2_000)),
            .optional("since", .time("Since when.")),
            .optional("retry_at", .time("When a few sends try a refused credential again.")),
          ]), max: CredentialSlot.allCases.count, "The providers that have credentials.")),
      .required(
        "alerts",
        .array(
          of: .object([
            .required("kind", .string("A stable name.", example: "gateway-unreachable")),
            .required("detail", .string("What is wrong.", max: 2_000)), .required("since", .time("Since when.")),
          ]), max: 10, "What needs attention.")),
      .required("at", .time("When this was true.")),
    ], "How an app is doing.")

  // MARK: - Work

  @Sendable private static func overview(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let entry = try service.app(call)
    let app = try service.app(named: entry.app.name)
    let pushes = try service.ask { store throws(StoreError) in
      try store.pushes(app: app.id, campaignsOnly: false, before: nil, limit: pushesMax)
    }
    let troubles = service.health.troubles(of: app.id, now: call.now)
    var object: JSONObject = ["app": AppRoutes.json(app), "ledger": ledger(pushes)]
    if call.caller?.app == nil { object["sending"] = sending(service) }
    let slots = CredentialSlot.allCases.filter { entry.credentials[$0] != nil }
    object["providers"] = .array(slots.map { provider($0, app, troubles) })
    object["alerts"] = .array(try held(app, service) + missing(entry, service) + alerts(app, troubles))
    object["at"] = .string(TimeText.text(call.now))
    return Reply(200, .object(object))
  }

  private static func ledger(_ pushes: [Push]) -> JSONValue {
    var counts = JSONObject()
    for (name, count) in PushRoutes.countNames {
      counts.append(name, .number(JSONNumber(pushes.reduce(0) { $0 + count($1.counts) })))
    }
    let isBalanced = pushes.allSatisfy { push in
      PushRoutes.countNames.dropFirst().reduce(0) { $0 + $1.count(push.counts) } == push.counts.targeted
    }
    return [
      "pushes": .number(JSONNumber(pushes.count)), "counts": .object(counts), "balanced": .bool(isBalanced),
    ]
  }

  private static func sending(_ service: Service) -> JSONValue {
    let numbers = service.sending.statistics
    var object = JSONObject()
    for row in pipeline { object.append(row.name, .number(JSONNumber(row.number(numbers)))) }
    return .object(object)
  }

  private static func provider(_ slot: CredentialSlot, _ app: App, _ troubles: [DeliveryHealth.Trouble]) -> JSONValue {
    var object: JSONObject = ["slot": .string(slot.rawValue)]
    if let stop = app.stops.first(where: { CredentialSlot($0.lane) == slot }) {
      object["state"] = "stopped"
      object["detail"] = .string("\(slot.provider.name) refused the credential: \(stop.reason)")
      object["since"] = .string(TimeText.text(stop.since))
      object["retry_at"] = .string(TimeText.text(stop.retryAt))
    } else if let trouble = troubles.first(where: { $0.subject == .unusable(app.id, slot) }) {
      object["state"] = "stopped"
      object["detail"] = .string(trouble.detail)
      object["since"] = .string(TimeText.text(trouble.since))
    } else if let trouble = troubles.first(where: { $0.subject == .gateway(slot.lane(of: app.id)) }) {
      object["state"] = "unreachable"
      object["detail"] = .string(trouble.detail)
      object["since"] = .string(TimeText.text(trouble.since))
    } else {
      object["state"] = "ready"
    }
    return .object(object)
  }

  /// What is held since the server was restored, as one alert.
  private static func held(_ app: App, _ service: Service) throws(Problem) -> [JSONValue] {
    let (counts, first) = try service.ask { store throws(StoreError) in
      (try store.countHeld(app: app.id), try store.held(app: app.id, after: nil, limit: 1).first)
    }
    guard let first else { return [] }
    let parts = HeldKind.allCases.filter { counts[$0] > 0 }.map { "\(counts[$0]) \($0.plural)" }
    let detail =
      "This server was restored from a backup. Held until they are resumed, because they may have gone out since: "
      + "\(parts.joined(separator: ", ")). GET /v1/apps/\(app.name)/held lists them, "
      + "POST /v1/apps/\(app.name)/held/resume resumes all."
    return [
      [
        "kind": "held-after-restore",
        "detail": .string(detail),
        "since": .string(TimeText.text(first.since)),
      ]
    ]
  }

  /// Credentials for which deliveries wait.
  private static func missing(_ entry: AppEntry, _ service: Service) throws(Problem) -> [JSONValue] {
    var alerts: [JSONValue] = []
    for slot in CredentialSlot.allCases where entry.credentials[slot] == nil {
      let since = try service.ask { store throws(StoreError) in try store.waitsSince(slot.lane(of: entry.app.id)) }
      guard let since else { continue }
      let remedy = "because the app has no credential for them; set it with PUT /v1/apps/\(entry.app.name)/credentials"
      alerts.append([
        "kind": "credential-missing",
        "detail": .string(
          slot.gatewayEnvironment == nil
            ? "\(slot.rawValue): deliveries wait, \(remedy)"
            : "\(slot.rawValue): deliveries to devices of the environment \(slot.environment.name) wait, \(remedy)"),
        "since": .string(TimeText.text(since)),
      ])
    }
    return alerts
  }

  private static func alerts(_ app: App, _ troubles: [DeliveryHealth.Trouble]) -> [JSONValue] {
    var alerts = troubles.map { trouble -> JSONValue in
      [
        "kind": .string(trouble.subject.name), "detail": .string(trouble.detail),
        "since": .string(TimeText.text(trouble.since)),
      ]
    }
    for stop in app.stops {
      guard let slot = CredentialSlot(stop.lane) else { continue }
      let detail =
        "\(slot.rawValue): \(slot.provider.name) refused the credential: \(stop.reason); "
        + "tried again at \(TimeText.text(stop.retryAt))"
      alerts.append(
        ["kind": "provider-stopped", "detail": .string(detail), "since": .string(TimeText.text(stop.since))])
    }
    return alerts
  }

  @Sendable private static func audience(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let known = try service.app(call)
    let (entry, app) = (known.app, known.app.id)
    let named = (call["to"]?.object ?? [:]).filter {
      ["all", "users", "aliases", "segment", "filter"].contains($0.key)
    }
    guard named.count == 1, let (name, value) = named.first, name != "all" || value.bool == true else {
      throw Problem(
        .invalid,
        "to: expected exactly one of {\"all\": true}, {\"users\": […]}, {\"aliases\": {…}}, {\"segment\": …} and"
          + " {\"filter\": …}")
    }
    var report = Report()
    let filter = try AudienceFields.filter(name, call["to"], app: entry, service.store, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    let counts: [KindInEnvironment: Int]
    switch name {
    case "users", "aliases": counts = try listed(name, value, app, call, service)
    default:
      counts = try service.ask { store throws(StoreError) in
        try store.countByKindInEnvironment(filter ?? .everyone, app: app, now: call.now)
      }
    }
    var devices = JSONObject()
    let byKind = counts.byKind
    for kind in DeviceKind.allCases { devices.append(kind.name, .number(JSONNumber(byKind[kind] ?? 0))) }
    // A Live Activity's token gets its own sends and no messages.
    let total = byKind.reduce(0) { $0 + ($1.key.isLiveActivity ? 0 : $1.value) }
    var said = call.report
    LackedCredentials(entry: known).warn(of: counts, .leftOut(amongNewest: false), into: &said)
    return Reply(200, ["total": .number(JSONNumber(total)), "devices": .object(devices)], report: said)
  }

  /// Active devices of users who are listed, by their names or by an alias.
  private static func listed(
    _ name: String, _ value: JSONValue, _ app: AppID, _ call: Call, _ service: Service
  ) throws(Problem) -> [KindInEnvironment: Int] {
    guard name == "aliases" else { return try counts(app, users: value.array?.compactMap(\.string) ?? [], service) }
    var report = call.report
    let named = try AliasFields.Audience(value, app: app, store: service.store, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return try counts(app, users: named.users, service)
  }

  /// Active devices of some users.
  private static func counts(
    _ app: AppID, users: [String], _ service: Service
  ) throws(Problem) -> [KindInEnvironment: Int] {
    try service.ask { store throws(StoreError) in try store.countByKind(users: users, app: app, withOptedOut: true) }
  }
}
