internal import HTTPServer
internal import PushContracts
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps`.
enum AppRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps", .scopes([])), name: "createApp", about: "Creates an app.",
      body: .object([
        .required(
          "name",
          .string("The name in addresses: letters, digits, - _ and .; unique.", max: 100, example: "demo")
            .documented(["pattern": "^(?!\\.{1,2}$)[A-Za-z0-9._-]+$"])),
        .optional("title", .string("What people call it.", max: 200)),
        .optional("contract", SchemaTable.contract), .optional("options", MessageFields.options),
      ]), answers: [Route.Answer(status: 201, about: "The app.", schema: .named("App"))], action: .write(create)),
    Route(
      .get("/v1/apps", .scopes([.send, .read])), name: "listApps", about: "Lists the apps.",
      answers: [
        Route.Answer(
          status: 200, about: "The apps.",
          schema: .object([.required("apps", .array(of: .named("App"), max: 1_000_000))]))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}", .scopes([.send, .read])), name: "getApp", about: "Shows an app.",
      answers: [Route.Answer(status: 200, about: "The app.", schema: .named("App"))],
      traits: .init(outsideETag: ["stopped", "stops"]),
      action: .now { call, service throws(Problem) in
        // Read again: the delivery may have just stopped the app.
        Reply(200, json(try service.app(named: call.parameters[0])))
      }),
    Route(
      .post("/v1/apps/{app}/resume", .scopes([])), name: "resumeApp",
      about: "Lets the stopped providers of an app send again at once, with the credentials it has.",
      answers: [Route.Answer(status: 200, about: "The app.", schema: .named("App"))],
      action: .write { call, service async throws(Problem) in
        try await service.sending.reload(try service.app(named: call.parameters[0]).id, now: call.now)
        return Reply(200, json(try service.app(named: call.parameters[0])))
      }),
    Route(
      .patch("/v1/apps/{app}", .scopes([])), name: "updateApp",
      about:
        "Changes an app's title, default contract and its options, and whose interfaces it answers to; what is not named stays.",
      body: .object([
        .optional("title", .string("What people call it.", max: 200)),
        .nullable("contract", SchemaTable.contract), .optional("options", MessageFields.options), otherEnvironment,
        .nullable(AppSettings.tag, .boolean(tagText)), .nullable(AppSettings.undo, undo),
        .nullable(ApprovalRule.member, ApprovalRule.schema),
        .optional(
          "compat",
          .object(
            CompatVendor.allCases.map { .nullable($0.rawValue, $0.settings) },
            "Interfaces of other vendors that the app answers to; null switches one off, those not named stay.")),
      ]), answers: [Route.Answer(status: 200, about: "The app.", schema: .named("App"))], action: .write(update)),
  ]

  private static let tagText =
    "Whether a transactional notification of FCM that names no tag gets one of its push's own, so that a repeated send is shown"
    + " once; unless set, those of the contract native do."
  private static let undo = Schema.integer(
    0...AppSettings.undoSecondsMax,
    "How many seconds a campaign from the dashboard can be stopped before it starts; 30 unless set. Requests of your own say"
      + " so themselves.", example: 30)
  private static let otherEnvironment = Schema.Property.optional(
    AppSettings.otherEnvironment,
    .boolean(
      "Whether a device that APNs refuses with BadDeviceToken is sent to once more in the other environment, which becomes the"
        + " device's; false unless set."))

  static let schema = Schema.object(
    [
      .required("name", .string("The name in addresses.", max: 100, example: "demo")),
      .required("title", .string("What people call it.", min: 0, max: 200)),
      .optional("contract", SchemaTable.contract), .optional("options", MessageFields.options), otherEnvironment,
      .optional(AppSettings.tag, .boolean(tagText)), .required(AppSettings.undo, undo),
      .optional(ApprovalRule.member, ApprovalRule.schema),
      .optional(
        "compat",
        .object(
          CompatVendor.allCases.map {
            .optional(
              $0.rawValue,
              .object(
                [
                  .required(
                    CompatCall.appMember, .string("The app's id there.", max: CompatVendor.appIDCharactersMax))
                ], "The interface."))
          }, "Interfaces of other vendors that the app answers to.")),
      .required("created_at", .time("When it was created.")),
      .optional(
        "stopped", .string("Why sending to a provider is stopped, in one line for all; absent when none is.", max: 500)),
      .optional(
        "stops",
        .array(of: stop, max: CredentialSlot.allCases.count, "The providers that are stopped; absent when none is.")),
      .optional("report", .named("Report")),
    ], "An app whose devices are pushed to.")

  private static let stop = Schema.object(
    [
      .required("slot", .choice(CredentialSlot.allCases.map(\.rawValue), "Which credential was refused.")),
      .required("reason", .string("The provider's reason.", max: 200, example: "InvalidProviderToken")),
      .required("since", .time("When the provider refused it first.")),
      .required("refusals", .integer(1...1_000_000, "How often it has been refused since.")),
      .required("retry_at", .time("When a few sends try it again.")),
    ], "A provider that is sent nothing, because it refused the app's credential. The app's other providers continue.")

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let name = call["name"]?.string ?? ""
    let title = call["title"]?.string ?? name
    let app: App
    do throws(Problem) {
      app = try await createApp(
        name: name, title: title, contract: call["contract"]?.string, options: MessageFields.options(call.body) ?? [],
        service: service, now: call.now)
    } catch {
      // A retry of the same request: the app exists already.
      guard error.kind == .conflict, call.idempotency != nil, let existing = try? service.app(named: name),
        existing.title == title, AppSettings(existing).contract == call["contract"]?.string
      else { throw error }
      app = existing
    }
    return Reply(201, json(app).object ?? [:], report: call.report)
  }

  /// Whether a name can be used in URLs without escaping.
  static func isPlainName(_ name: String) -> Bool {
    guard !name.isEmpty, name != ".", name != ".." else { return false }
    return name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
  }

  /// Creates an app after checking its name and contract.
  static func createApp(
    name: String, title: String, contract: String?, options: [String] = [], service: Service, now: Timestamp
  ) async throws(Problem) -> App {
    var report = Report()
    if !isPlainName(name) {
      report.add(
        rule: "app-name", severity: .error, field: "name",
        message: "expected letters, digits, - _ and . only, because the name is used in URLs")
    }
    let settings = AppSettings(contract: contract, options: options)
    settings.check(into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    let app = try await service.change { store throws(StoreError) in
      try store.createApp(name: name, title: title, settings: settings.bytes, now: now)
    }
    service.log(.info, "app created", ["app": .text(name)])
    return app
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(named: call.parameters[0])
    var settings = AppSettings(app)
    if let contract = call["contract"] {
      // The options of one contract mean nothing to another.
      if contract.string != settings.contract { settings.options = [] }
      settings.contract = contract.string
    }
    if let options = MessageFields.options(call.body) { settings.options = options }
    if let tries = call[AppSettings.otherEnvironment]?.bool { settings.triesOtherEnvironment = tries }
    if let tag = call[AppSettings.tag] { settings.tagsNotifications = tag.bool }
    if let undo = call[AppSettings.undo] { settings.undoSeconds = undo.int }
    if let rule = call[ApprovalRule.member] { settings.approval = ApprovalRule(rule) }
    var report = call.report
    for vendor in CompatVendor.allCases {
      guard let id = call["compat"]?[vendor.rawValue]?[CompatCall.appMember]?.string else { continue }
      settings.compatIDs[vendor.rawValue] = vendor == .oneSignal ? id.lowercased() : id
      guard let objection = vendor.objection(to: id) else { continue }
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "compat.\(vendor.rawValue).\(CompatCall.appMember)",
        message: objection)
    }
    settings.check(into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    try warnOfSharedIDs(of: app, call, service, into: &report)
    let compat = (call["compat"]?.object ?? [:]).filter { CompatVendor(rawValue: $0.key) != nil }
      .map { CompatChange(vendor: $0.key, newID: $0.value.isNull ? nil : CompatID.random()) }
    let changed = try await service.change { [settings] store throws(StoreError) in
      try store.updateApp(
        app.id, title: call["title"]?.string ?? app.title, settings: settings.bytes, compat: compat, now: call.now)
    }
    service.apps.forget(app.name)
    service.sending.note(changed)
    service.log(.info, "app changed", ["app": .text(app.name)])
    return Reply(200, json(changed).object ?? [:], report: report)
  }

  /// Says when another app has the id by which a vendor's clients name this one: it may be mistyped.
  ///
  /// Whoever may see only this app learns nothing of others.
  private static func warnOfSharedIDs(
    of app: App, _ call: Call, _ service: Service, into report: inout Report
  ) throws(Problem) {
    guard call["compat"] != nil, call.caller?.app == nil else { return }
    let others = try service.ask { store throws(StoreError) in try store.apps() }.filter { $0.id != app.id }
    for vendor in CompatVendor.allCases {
      guard let given = call["compat"]?[vendor.rawValue]?[CompatCall.appMember]?.string else { continue }
      let id = vendor == .oneSignal ? given.lowercased() : given
      guard let other = others.first(where: { vendor.appID(of: $0) == id }) else { continue }
      report.add(
        rule: Schema.Rule.value, severity: .warning, field: "compat.\(vendor.rawValue).\(CompatCall.appMember)",
        message: "the app \"\(other.name)\" has this id, too; the key of a request decides which app it is for")
    }
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let apps = try service.ask { store throws(StoreError) in try store.apps() }
    return Reply(200, ["apps": .array(apps.map(json))])
  }

  static func json(_ app: App) -> JSONValue {
    var object: JSONObject = ["name": .string(app.name), "title": .string(app.title)]
    let settings = AppSettings(app)
    if let contract = settings.contract { object["contract"] = .string(contract) }
    if !settings.options.isEmpty { object["options"] = .array(settings.options.map { .string($0) }) }
    if let tags = settings.tagsNotifications { object[AppSettings.tag] = .bool(tags) }
    if settings.triesOtherEnvironment { object[AppSettings.otherEnvironment] = true }
    object[AppSettings.undo] = .number(JSONNumber(settings.undoSeconds ?? AppSettings.undoSecondsUsual))
    if let rule = settings.approval { object[ApprovalRule.member] = rule.json }
    var compat = JSONObject()
    for vendor in CompatVendor.allCases {
      if let id = vendor.appID(of: app) { compat[vendor.rawValue] = [CompatCall.appMember: .string(id)] }
    }
    if !compat.isEmpty { object["compat"] = .object(compat) }
    object["created_at"] = .string(TimeText.text(app.createdAt))
    if let reason = app.stopReason { object["stopped"] = .string(reason) }
    let stops = app.stops.compactMap(json)
    if !stops.isEmpty { object["stops"] = .array(stops) }
    return .object(object)
  }

  private static func json(_ stop: LaneStop) -> JSONValue? {
    guard let slot = CredentialSlot(stop.lane) else { return nil }
    return [
      "slot": .string(slot.rawValue), "reason": .string(stop.reason), "since": .string(TimeText.text(stop.since)),
      "refusals": .number(JSONNumber(stop.refusals)), "retry_at": .string(TimeText.text(stop.retryAt)),
    ]
  }
}
