internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/shadow`: the outcome of requests to vendors' interfaces that delivered nothing, and the switch.
enum ShadowRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/shadow", .scopes([.send, .read])), name: "getShadow",
      about:
        "Shows what this server made of the requests to other vendors' interfaces, in numbers, and which are live.",
      answers: [Route.Answer(status: 200, about: "The report.", schema: .named("ShadowReport"))],
      traits: .init(outsideETag: ["dropped"]), action: .now(report)),
    Route(
      .get("/v1/apps/{app}/shadow/requests", .scopes([.send, .read])), name: "listShadowRequests",
      about: "Lists the requests, newest first, without ids, tokens and texts.", query: Paging.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of requests.",
          schema: Paging.schema("requests", of: .named("ShadowRequest")))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/shadow/requests/{request}", .scopes([.send, .read])), name: "getShadowRequest",
      about: "Shows what this server made of one request: its shape, the findings, and what the vendor answered.",
      answers: [Route.Answer(status: 200, about: "The request.", schema: .named("ShadowRequest"))],
      action: .now { call, service throws(Problem) in Reply(200, json(try found(call, service), isWhole: true)) }),
    Route(
      .put("/v1/apps/{app}/compat/{vendor}/shadow", .scopes([])), name: "putShadow",
      about:
        "Sets whether requests to a vendor's interface deliver, and for how many of a hundred users; what is not named stays.",
      body: body,
      answers: [Route.Answer(status: 200, about: "The setting.", schema: .named("ShadowSetting"))],
      action: .write(put)),
    Route(
      .delete("/v1/apps/{app}/shadow", .scopes([])), name: "clearShadow",
      about: "Removes the records and numbers of the app's requests; the settings stay.",
      answers: [Route.Answer(status: 204, about: "They are gone.")],
      action: .write { call, service async throws(Problem) in
        let app = try service.app(call).app.id
        try await service.change { store throws(StoreError) in try store.clearShadow(app: app) }
        return .noContent
      }),
  ]

  private static let mode = Schema.choice(
    ShadowSetting.Mode.allCases.map(\.rawValue),
    "off: requests deliver. observe: nothing is delivered; the backend sends each request to the vendor, too. forward: nothing"
      + " is delivered, each request is passed on to the vendor, and the caller gets the vendor's answer.")
  private static let url = Schema.string(
    "Where requests are passed on to; the vendor's public address unless given.", max: StoreLimits.urlBytesMax,
    example: "https://api.onesignal.com")
  private static let percent = Schema.integer(
    0...100,
    "Of a hundred users, how many get their messages from here; 100 is as good as off. Between them only with forward.")

  private static let body = Schema.object([
    .optional("mode", mode), .nullable("url", url), .optional("live_percent", percent),
  ])

  private static let settingMembers: [Schema.Property] = [
    .required("mode", mode), .optional("url", url), .required("live_percent", percent),
  ]
  static let settingSchema = Schema.object(
    settingMembers + [.optional("report", .named("Report"))], "Whether requests to a vendor's interface deliver.")

  private static let vendorName = Schema.choice(CompatVendor.allCases.map(\.rawValue), "The vendor.")
  private static let total = Schema.object([
    .required("name", .string("Which one.", min: 0, max: 1_200)),
    .required("count", .integer(0...Int.max, "How often.")),
    .required("latest", .time("When it was seen last.")),
  ])

  static let reportSchema = Schema.object(
    [
      .required(
        "vendors",
        .array(
          of: .object(
            [
              .required("vendor", vendorName),
              .required("enabled", .boolean("Whether the app answers to this vendor's clients.")),
            ] + settingMembers
              + ShadowTotal.Kind.allCases.map { kind in
                .required(kind.name, .array(of: total, max: StoreLimits.shadowNamesMax + 1, about(kind)))
              }), max: CompatVendor.allCases.count, "The vendors that are enabled, or have numbers.")),
      .required(
        "dropped", .integer(0...Int.max, "Records that were not stored since the server's start, of all apps.")),
    ], "The outcomes of requests to vendors' interfaces since the numbers were removed.")

  private static func about(_ kind: ShadowTotal.Kind) -> String {
    switch kind {
    case .outcome: "Requests by what this server made of them: accepted, nobody, refused, skipped, live."
    case .agreement: "Forwarded requests by how the answers compare: same, only_here, only_vendor, vendor_down."
    case .operation: "Requests by operation."
    case .reason: "Refusals by their sentence."
    case .unknown: "Requests with a member that is not known here, by its path."
    case .difference: "Requests of whose payload something is reported, by rule."
    case .platform: "Devices that would have been sent to, by type."
    }
  }

  static let requestSchema = Schema.object(
    [
      .required("id", .string("Its id.", max: 20)),
      .required("vendor", vendorName),
      .required("operation", .string("The operation.", max: 100)),
      .required("at", .time("When it came.")),
      .required(
        "outcome",
        .choice(
          ShadowOutcome.allCases.map(\.name),
          "accepted; nobody: accepted, with nobody to send it to; refused; skipped: not looked at; live: delivered from here."
        )),
      .required("targeted", .integer(0...Int.max, "Devices it would have been sent to.")),
      .optional("vendor_status", .integer(100...599, "What the vendor answered.")),
      .optional("reason", .string("Why it would have been refused.", max: 2_000)),
      .optional("note", .string("How it was divided or passed on.", max: 500)),
      .optional(
        "detail", Schema(.map, "The shape of the request and of the payloads, the findings, the vendor's answer.")),
    ], "What this server made of a request that it did not deliver, or not to everyone.")

  // MARK: - Work

  @Sendable private static func report(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(named: call.parameters[0])
    let totals = try service.ask { store throws(StoreError) in try store.shadowTotals(app: app.id) }
    let settings = AppSettings(app).shadow
    var vendors: [JSONValue] = []
    for vendor in CompatVendor.allCases {
      let own = totals.filter { $0.vendor == vendor.rawValue }
      let isEnabled = vendor.appID(of: app) != nil
      guard isEnabled || !own.isEmpty || settings[vendor.rawValue] != nil else { continue }
      var object: JSONObject = ["vendor": .string(vendor.rawValue), "enabled": .bool(isEnabled)]
      for (name, value) in (settings[vendor.rawValue] ?? ShadowSetting()).json { object[name] = value }
      for kind in ShadowTotal.Kind.allCases {
        object[kind.name] = .array(
          own.filter { $0.kind == kind }.map {
            [
              "name": .string($0.name), "count": .number(JSONNumber($0.count)),
              "latest": .string(TimeText.text($0.latest)),
            ]
          })
      }
      vendors.append(.object(object))
    }
    return Reply(
      200, ["vendors": .array(vendors), "dropped": .number(JSONNumber(service.shadow.recorder.dropped))])
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let before: ShadowRequestID? = try Paging.cursor(call)
    let rows = try service.ask { store throws(StoreError) in
      try store.shadowRequests(app: app, before: before, limit: limit + 1)
    }
    return Paging.page("requests", rows, limit: limit, id: \.id) { json($0, isWhole: false) }
  }

  private static func found(_ call: Call, _ service: Service) throws(Problem) -> ShadowRequest {
    let app = try service.app(call).app.id
    let row = try ShadowRequestID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.shadowRequest(id, app: app) }
    }
    guard let row = row ?? nil else { throw Problem(.notFound, "this app has no record of a request with that id") }
    return row
  }

  private static func json(_ row: ShadowRequest, isWhole: Bool) -> JSONValue {
    let request = row.request
    let detail = (try? JSON.parse(request.detail)) ?? .object([:])
    var object: JSONObject = [
      "id": .string(row.id.description), "vendor": .string(request.vendor), "operation": .string(request.operation),
      "at": .string(TimeText.text(request.at)), "outcome": .string(request.outcome.name),
      "targeted": .number(JSONNumber(request.targeted)),
    ]
    if let status = request.vendorStatus { object["vendor_status"] = .number(JSONNumber(status)) }
    for name in ["reason", "note"] { object[name] = detail[name] }
    if isWhole { object["detail"] = detail }
    return .object(object)
  }

  @Sendable private static func put(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(named: call.parameters[0])
    guard let vendor = CompatVendor(rawValue: call.parameters[1]) else {
      let names = CompatVendor.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.notFound, "there is no vendor with that name; there are \(names)")
    }
    let setting = try setting(AppSettings(app).shadow[vendor.rawValue] ?? ShadowSetting(), call, vendor, service)
    let id = app.id
    try await service.change { store throws(StoreError) in
      guard let app = try store.app(id) else { return }
      var settings = AppSettings(app)
      settings.shadow[vendor.rawValue] = setting
      _ = try store.updateApp(id, title: app.title, settings: settings.bytes, compat: [], now: call.now)
    }
    service.apps.forget(app.name)
    service.log(
      .info, "shadow set",
      [
        "app": .text(app.name), "vendor": .text(vendor.rawValue), "mode": .text(setting.mode.rawValue),
        "live_percent": .int(setting.livePercent),
      ])
    return Reply(200, setting.json, report: call.report)
  }

  /// The setting with what a request changes of it.
  private static func setting(
    _ known: ShadowSetting, _ call: Call, _ vendor: CompatVendor, _ service: Service
  ) throws(Problem) -> ShadowSetting {
    var setting = known
    if let mode = (call["mode"]?.string).flatMap(ShadowSetting.Mode.init) { setting.mode = mode }
    if let percent = call["live_percent"]?.int { setting.livePercent = percent }
    if call["url"]?.isNull == true { setting.url = nil }
    if let url = call["url"]?.string {
      let checked = try service.webhooks.egress.checked(url)
      guard !checked.contains("?") else {
        throw Problem.ofMember("url", "expected an address without a query")
      }
      setting.url = checked.hasSuffix("/") ? String(checked.dropLast()) : checked
    }
    var report = call.report
    setting.check(vendor, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return setting
  }
}
