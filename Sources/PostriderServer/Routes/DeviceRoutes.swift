internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/devices`.
enum DeviceRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/devices", .scopes([.client, .send])), name: "registerDevice",
      about: "Registers a device, or refreshes it: the same token or name again is the same device.", body: body,
      answers: [
        Route.Answer(status: 201, about: "A new device.", schema: .named("Registration")),
        Route.Answer(status: 200, about: "A device that was known.", schema: .named("Registration")),
      ], traits: .init(repetition: .harmless, readsIdentity: true), action: .write(register)),
    Route(
      .get("/v1/apps/{app}/devices", .scopes([.send, .read])), name: "listDevices", about: "Lists devices.",
      query: [
        Route.Query(
          name: "user",
          // No request target holds a NUL.
          schema: .string("Only this user's.", max: 250).documented(["pattern": "^[^\\u0000]+$"])),
        Route.Query(name: "type", schema: kind), Route.Query(name: "state", schema: state),
        Route.Query(
          name: "name",
          schema: .string(
            "Only the device that has this as its name, or among its further ids.", max: nameCharactersMax
          ).documented(["pattern": "^[^\\u0000]+$"])),
      ] + Paging.query,
      answers: [
        Route.Answer(status: 200, about: "A page of devices.", schema: Paging.schema("devices", of: .named("Device")))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/devices/{device}", .scopes([.send, .read])), name: "getDevice", about: "Shows a device.",
      answers: [Route.Answer(status: 200, about: "The device.", schema: .named("Device"))],
      traits: .init(outsideETag: ["token", "state", "state_reason", "state_at", "registered_at", "earlier_tokens"]),
      action: .now { call, service throws(Problem) in Reply(200, .object(try shown(device(call, service), service))) }),
    Route(
      .patch("/v1/apps/{app}/devices/{device}", .scopes([.send])), name: "updateDevice",
      about: "Changes what is known of a device; what is not named stays.", body: changeBody,
      answers: [Route.Answer(status: 200, about: "The device.", schema: .named("Device"))], action: .write(update)),
    Route(
      .delete("/v1/apps/{app}/devices/{device}", .scopes([.send])), name: "deleteDevice",
      about: "Forgets a device; its deliveries stay, without it.",
      answers: [Route.Answer(status: 204, about: "The device is forgotten.")], action: .write(delete)),
  ]

  private static let kind = Schema.choice(DeviceKind.allCases.map(\.name), "What kind of address the token is.")
  private static let environment = Schema.choice(
    DeviceEnvironment.allCases.map(\.name), "Which world the token is from; production by default.")
  private static let state = Schema.choice(DeviceState.allCases.map(\.name), "Whether it is pushed to.")
  private static let token = Schema.string(
    "The token the provider gave the app; of a browser its endpoint, p256dh and auth, and maybe the application server key,"
      + " with a space between them.", max: DeviceToken.bytesMax)

  private static let described: [Schema.Property] = [
    .optional(
      "name",
      .string("Your own id of it, unique in the app; a new token under it replaces the old.", max: nameCharactersMax)),
    .optional("user", .string("Whose it is, in your words.", max: 250)),
    .optional("locale", .string("BCP 47 language tag.", max: 100, example: "de-AT")),
    .optional("timezone", .string("IANA time zone.", max: 100, example: "Europe/Vienna")),
    .optional("app_version", .string("The version of the app on it.", max: 100)),
    .optional("properties", PropertyFields.properties), .optional("tags", PropertyFields.tags),
  ]
  /// The members of a change: null takes one away.
  private static let changeBody = Schema.object(
    [
      .nullable("user", .string("Whose it is; null when it is nobody's any more.", max: userCharactersMax)),
      .nullable("locale", .string("BCP 47 language tag.", max: 100, example: "de-AT")),
      .nullable("timezone", .string("IANA time zone.", max: 100, example: "Europe/Vienna")),
      .nullable("app_version", .string("The version of the app on it.", max: 100)),
      .optional("properties", PropertyFields.changes), .optional("tags", PropertyFields.tags),
    ] + PropertyFields.optOut)
  /// Characters of a device's name.
  private static let nameCharactersMax = 200
  /// Characters of a user's name.
  static let userCharactersMax = 250
  static let body = Schema.object(
    [.required("type", kind), .optional("token", token)] + WebSubscriptionField.properties
      + [.optional("environment", environment)] + described + PropertyFields.optOut)
  /// A line of a file, also of one that an export wrote.
  static let importBody = Schema.object(
    [
      .required("type", kind), .optional("token", token), .optional("environment", environment),
      .optional("id", .string("The id it had; it gets another.", max: 20)), .optional("state", state),
      .optional("state_reason", .string("Why it is not pushed to.", max: 250)),
    ] + WebSubscriptionField.properties + instants.map { .optional($0, .time("When, as an export has it.")) } + [
      .optional("aliases", AliasFields.schema)
    ] + described
      + PropertyFields.optOut)
  private static let instants = ["state_at", "created_at", "registered_at"]
  static let registered = Schema.object(
    [
      .required("id", .string("The device's id.", max: 20)),
      .required("created", .boolean("Whether it was new.")),
      .optional("report", .named("Report")),
    ], "A device that was registered.")
  static let schema = Schema.object(
    [
      .required("id", .string("The device's id.", max: 20)), .required("type", kind), .required("token", token),
      .required("environment", environment), .required("state", state),
      .optional("state_reason", .string("Why it is not pushed to, in the provider's words.", max: 250)),
      .required("state_at", .time("When the state last changed.")),
      .required("created_at", .time("When it was first registered.")),
      .required("registered_at", .time("When it was last registered.")),
      .optional(
        "earlier_tokens",
        .array(
          of: .object([
            .required("token", .string("The token.", max: DeviceToken.bytesMax)),
            .required("replaced_at", .time("When another replaced it.")),
          ]), max: StoreLimits.earlierTokensMax, "The tokens it had before, the newest first.")),
      .optional("report", .named("Report")),
    ] + described + PropertyFields.optOut, "One address of an app on a device.")

  // MARK: - Work

  @Sendable private static func register(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let app = entry.app
    var registration = try self.registration(call.body, entry)
    let identity = try IdentityCheck(call, app, service)
    try identity.check(user: registration.user)
    registration.principal = identity.principal
    // An app on a phone says nothing of how a backend finds the device.
    if registration.principal != .trusted { registration.otherNames = nil }
    let devices: [RegisteredDevice]
    do throws(StoreError) {
      devices = try await service.store.result { done in
        service.store.registerDevices([registration], now: call.now, completion: done)
      }
    } catch { throw identity.problem(error) }
    guard let device = devices.first else { throw Problem(.internalError, "the store returned no device") }
    service.log(
      .debug, "device registered",
      [
        "request": .text(call.http.id.description), "app": .text(call.parameters[0]),
        "device": .text(device.id.description), "token": .token(registration.token),
      ])
    let object: JSONObject = ["id": .string(device.id.description), "created": .bool(device.created)]
    var report = localeReport(call)
    AddressDoubts.add(registration, entry, to: &report)
    return Reply(device.created ? 201 : 200, object, report: report)
  }

  /// The report of a request, with warnings of a language that no message has, and of a time zone without a clock.
  private static func localeReport(_ call: Call) -> Report {
    var report = call.report
    if let zone = call["timezone"]?.string { ZoneField.check(zone, "timezone", &report) }
    if let locale = call["locale"]?.string { LocaleField.check(locale, "locale", .warning, &report) }
    return report
  }

  /// Reads a registration, whose shape was checked before.
  static func registration(_ body: JSONValue, _ entry: AppEntry) throws(Problem) -> DeviceRegistration {
    var report = Report()
    let kind = DeviceKind(name: body["type"]?.string ?? "") ?? .ios
    let token = TokenField.read(body, kind: kind, at: FieldPath(), entry, &report)
    let properties = body["properties"].map { value in
      PropertyFields.read(value, at: "properties", takesNull: true, into: &report).compactMap { change in
        change.value.map { Property(change.name, $0) }
      }
    }
    PropertyFields.checkTags(body, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    var registration = DeviceRegistration(
      app: entry.app.id, token: token, kind: kind,
      environment: kind.form == .subscription
        ? .production : DeviceEnvironment(name: body["environment"]?.string ?? "") ?? .production,
      name: body["name"]?.string, user: body["user"]?.string, locale: body["locale"]?.string,
      timezone: body["timezone"]?.string)
    registration.appVersion = body["app_version"]?.string
    registration.properties = properties
    registration.otherNames = properties.map(PowerAuthActivations.otherNames)
    registration.tags = PropertyFields.tags(body["tags"])
    registration.optOut = PropertyFields.optOut(body)
    registration.usualServerKey = entry.web?.publicKey
    return registration
  }

  /// What an export says of a device beside its registration.
  static func history(_ body: JSONValue) throws(Problem) -> DeviceHistory? {
    guard body["state"] != nil || instants.contains(where: { body[$0] != nil }) else { return nil }
    var report = Report()
    func instant(_ name: String) -> Timestamp? {
      guard let text = body[name]?.string else { return nil }
      if let instant = TimeText.instant(text) { return instant }
      report.add(
        rule: Schema.Rule.value, severity: .error, field: name,
        message: "expected a date and time as in RFC 3339, found \"\(text.prefix(40))\"")
      return nil
    }
    let history = DeviceHistory(
      state: body["state"]?.string.flatMap { DeviceState(name: $0) } ?? .active,
      stateReason: body["state_reason"]?.string, stateAt: instant("state_at"), createdAt: instant("created_at"),
      registeredAt: instant("registered_at"))
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return history
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let query = call.http.query
    let filter = DeviceFilter(
      kinds: query["type"].flatMap { DeviceKind(name: $0) }.map { [$0] } ?? [], user: query["user"],
      state: query["state"].flatMap { DeviceState(name: $0) })
    let limit = Paging.limit(call)
    let after: DeviceID? = try Paging.cursor(call)
    if let name = query["name"] {
      let found = try service.ask { store throws(StoreError) -> Device? in
        if let device = try store.device(app: app, named: name) { return device }
        return try store.device(app: app, otherName: name)
      }
      return Paging.page("devices", [found].compactMap { $0 }.filter(filter.holds), limit: limit, id: \.id, json: json)
    }
    let devices = try service.ask { store throws(StoreError) in
      try store.devices(app: app, filter: filter, after: after, limit: limit + 1)
    }
    return Paging.page("devices", devices, limit: limit, id: \.id, json: json)
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let device = try device(call, service)
    var report = Report()
    var change = DeviceChange()
    func field(_ name: String) -> FieldChange { call[name].map { .set($0.string) } ?? .keep }
    change.user = field("user")
    change.locale = field("locale")
    change.timezone = field("timezone")
    change.appVersion = field("app_version")
    change.properties = PropertyFields.read(call["properties"], at: "properties", takesNull: true, into: &report)
    change.tags = PropertyFields.tags(call["tags"])
    change.optOut = PropertyFields.optOut(call.body)
    PropertyFields.checkTags(call.body, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    try await service.change { [change] store throws(StoreError) in
      try store.updateDevice(device.id, change, now: call.now)
    }
    var object = try shown(self.device(call, service), service)
    let said = localeReport(call)
    if !said.isEmpty { object["report"] = said.json }
    return Reply(200, .object(object))
  }

  /// The device with the tokens it had before.
  private static func shown(_ device: Device, _ service: Service) throws(Problem) -> JSONObject {
    var object = json(device).object ?? [:]
    let earlier = try service.ask { store throws(StoreError) in try store.earlierTokens(of: device.id) }
    if !earlier.isEmpty {
      object["earlier_tokens"] = .array(
        earlier.map { ["token": .string($0.token), "replaced_at": .string(TimeText.text($0.replacedAt))] })
    }
    return object
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let device = try device(call, service)
    _ = try await service.change { store throws(StoreError) in try store.removeDevices([device.id]) }
    return .noContent
  }

  static func device(_ call: Call, _ service: Service) throws(Problem) -> Device {
    let app = try service.app(call).app.id
    let found = try DeviceID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.device(id) }
    }
    // A device of another app does not exist here.
    guard let device = found ?? nil, device.app == app else {
      throw Problem(.notFound, "this app has no device with that id")
    }
    return device
  }

  static func json(_ device: Device) -> JSONValue {
    var object: JSONObject = [
      "id": .string(device.id.description), "type": .string(device.kind.name), "token": .string(device.token),
      "environment": .string(device.environment.name), "state": .string(device.state.name),
    ]
    if let reason = device.stateReason { object["state_reason"] = .string(reason) }
    object["state_at"] = .string(TimeText.text(device.stateAt))
    object["created_at"] = .string(TimeText.text(device.createdAt))
    object["registered_at"] = .string(TimeText.text(device.registeredAt))
    let texts = [
      ("name", device.name), ("user", device.user), ("locale", device.locale), ("timezone", device.timezone),
      ("app_version", device.appVersion),
    ]
    for (name, text) in texts { if let text { object[name] = .string(text) } }
    PropertyFields.add(properties: device.properties, tags: device.tags, optOut: device.optOut, to: &object)
    return .object(object)
  }
}

/// Device tokens in requests.
enum TokenField {
  /// The token of an object with the members of a registration: `token`, or those of a browser's subscription.
  ///
  /// - Parameter field: where the object is; not worked out when there is nothing to say of it.
  static func read(
    _ object: JSONValue, kind: DeviceKind, at field: @autoclosure () -> FieldPath, _ entry: AppEntry,
    _ report: inout Report
  ) -> String {
    if kind.form == .subscription { return WebSubscriptionField.read(object, at: field(), entry, &report) }
    // A page that gives the wrong type would lose its browser.
    for name in ["endpoint", "p256dh", "auth"] where object[name].map({ !$0.isNull }) ?? false {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: field().member(name).text,
        message: "is a member of a browser's subscription; register it with the type web, or leave it out")
    }
    guard let token = object["token"]?.string else {
      report.add(
        rule: Schema.Rule.missing, severity: .error, field: field().member("token").text, message: "is required")
      return ""
    }
    return read(token, kind: kind, field: field().member("token").text, report: &report)
  }

  /// The token as the provider is given it; what is wrong with it goes into the report, the token itself does not.
  static func read(
    _ text: String, kind: DeviceKind, field: @autoclosure () -> String, report: inout Report
  ) -> String {
    do throws(DeviceTokenError) { return try DeviceToken(text, kind: kind.tokenKind).text } catch {
      report.add(rule: "device-token", severity: .error, field: field(), message: error.description)
      return ""
    }
  }
}

extension DeviceFilter {
  /// Whether it names a device that was found in another way.
  fileprivate func holds(_ device: Device) -> Bool {
    (kinds.isEmpty || kinds.contains(device.kind)) && (user == nil || user == device.user)
      && (state == nil || state == device.state)
  }
}
