internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/users`.
enum UserRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/users", .scopes([.send, .read])), name: "listUsers", about: "Lists users.",
      query: Paging.query + [
        Route.Query(
          name: "alias",
          schema: .string("Only the user with this alias, as label:id.", max: aliasTextMax).documented([
            "pattern": "^[A-Za-z0-9_-]{1,64}:[^\\u0000]+$"
          ]))
      ],
      answers: [
        Route.Answer(status: 200, about: "A page of users.", schema: Paging.schema("users", of: .named("User")))
      ], action: .now(list)),
    Route(
      .get("/v1/apps/{app}/users/{user}", .scopes([.send, .read])), name: "getUser",
      about: "Shows a user with their devices.",
      answers: [Route.Answer(status: 200, about: "The user.", schema: .named("UserWithDevices"))],
      traits: .init(outsideETag: ["first_seen_at", "last_seen_at", "devices"]), action: .now(show)),
    Route(
      .patch("/v1/apps/{app}/users/{user}", .scopes([.send])), name: "updateUser",
      about: "Changes a user, and makes them when they are not there.", body: body,
      answers: [Route.Answer(status: 200, about: "The user.", schema: .named("User"))], action: .write(update)),
    Route(
      .delete("/v1/apps/{app}/users/{user}", .scopes([.send])), name: "deleteUser",
      about: "Forgets a user and everything about them, and says what was removed.",
      answers: [Route.Answer(status: 200, about: "What was removed, table by table.", schema: .named("Erasure"))],
      action: .long(erase)),
  ]

  /// Characters of a label, a colon and an id.
  private static let aliasTextMax = StoreLimits.aliasLabelBytesMax + 1 + DeviceRoutes.userCharactersMax
  /// Devices shown with a user; more are listed with `GET /v1/apps/{app}/devices?user=`.
  private static let devicesMax = 100

  private static let profile: [Schema.Property] = User.profileNames.map { name in
    .nullable(name, .string("The user's \(name); null takes it away.", min: 0, max: 250))
  }
  private static let body = Schema.object(
    profile + [
      .optional("aliases", AliasFields.changes),
      .optional("properties", PropertyFields.changes), .optional("entitlements", PropertyFields.changes),
      .optional("tags", PropertyFields.tags),
    ] + PropertyFields.optOut)

  private static let members: [Schema.Property] =
    [.required("user", .string("The user, in your words.", min: 1, max: 1_024))]
    + User.profileNames.map { .optional($0, .string("The user's \($0).", min: 0, max: 1_024)) } + [
      .optional("aliases", AliasFields.schema),
      .optional("properties", PropertyFields.properties), .optional("entitlements", PropertyFields.properties),
      .optional("tags", PropertyFields.tags),
    ] + PropertyFields.optOut + [
      .required("created_at", .time("When the record was made.")),
      .required("updated_at", .time("When it was last changed.")),
      .optional("first_seen_at", .time("When a device of theirs was first registered.")),
      .optional("last_seen_at", .time("When a device of theirs was last registered.")),
      .optional("report", .named("Report")),
    ]
  static let schema = Schema.object(members, "A person, as far as the app knows them.")
  static let schemaWithDevices = Schema.object(
    members + [
      .required("devices", .array(of: .named("Device"), max: devicesMax, "Their devices; the first \(devicesMax)."))
    ],
    "A person and their devices.")
  static let erasureSchema = Schema.object(
    [
      .required("user", .string("The user, in your words.", max: 1_024)),
      .required("pseudonym", .string("What the audit log has instead of the user: a keyed digest.", max: 60)),
      .required("erased_at", .time("When they were erased.")),
      .required(
        "counts",
        .array(
          of: .object([
            .required("table", .string("The table.")),
            .required("act", .choice(["removed", "emptied", "redacted"], "What was done to the rows.")),
            .required("rows", .integer(0...1_000_000_000, "How many.")),
          ]), max: 100, "What was done, table by table.")),
      .required("left", .integer(0...1_000_000_000, "Rows that a second look found after: 0.")),
      .required("log_emptied", .boolean("Whether no byte of the user is left in the store's files either.")),
    ], "The proof that nothing about a user is left.")

  // MARK: - Work

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let after: UserID? = try Paging.cursor(call)
    if let text = call.http.query["alias"] {
      let alias = try AliasFields.alias(text)
      let user = try service.ask { store throws(StoreError) in try store.user(app: app, alias: alias) }
      return Paging.page("users", user.map { [$0] } ?? [], limit: limit, id: \.id, json: { .object(json($0)) })
    }
    let users = try service.ask { store throws(StoreError) in
      try store.users(app: app, after: after, limit: limit + 1)
    }
    return Paging.page("users", users, limit: limit, id: \.id, json: { .object(json($0)) })
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let user = try found(call, service)
    var object = json(user)
    object["devices"] = .array(try devices(of: user, service).map(DeviceRoutes.json))
    return Reply(200, .object(object))
  }

  private static func devices(of user: User, _ service: Service) throws(Problem) -> [Device] {
    try service.ask { store throws(StoreError) in
      try store.devices(app: user.app, filter: DeviceFilter(user: user.name), after: nil, limit: devicesMax)
    }
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let name = try self.name(call)
    var report = Report()
    var change = UserChange()
    for name in User.profileNames {
      guard let value = call[name] else { continue }
      change.profile.append(PropertyChange(name, value.string.map { .text($0) }))
    }
    change.aliases = AliasFields.read(call["aliases"], into: &report)
    change.properties = PropertyFields.read(call["properties"], at: "properties", takesNull: true, into: &report)
    change.entitlements = PropertyFields.read(call["entitlements"], at: "entitlements", takesNull: true, into: &report)
    change.tags = PropertyFields.tags(call["tags"])
    change.optOut = PropertyFields.optOut(call.body)
    PropertyFields.checkTags(call.body, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    let user = try await service.change { [change] store throws(StoreError) in
      try store.updateUser(app: app, named: name, change, now: call.now)
    }
    return Reply(200, json(user), report: call.report)
  }

  @Sendable private static func erase(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let user = try found(call, service)
    let app = call.parameters[0]
    let traces = UserTraces(app: app, user: user.name, vault: service.vault)
    var entry = AuditEntry(
      at: call.now, key: call.caller?.key, act: "deleteUser", target: "/v1/apps/\(app)/users/\(traces.pseudonym)",
      app: app, peer: call.http.head.peer.text, request: call.http.id.description)
    entry.account = call.caller?.account
    let audit = entry
    let proof: UserErasure
    do throws(StoreError) {
      proof = try await service.store.eraseUser(
        app: user.app, named: user.name, redaction: traces, audit: audit, now: call.now)
    } catch { throw Problem(error) }
    service.log(
      .info, "user erased",
      [
        "request": .text(call.http.id.description), "app": .text(app), "pseudonym": .text(traces.pseudonym),
        "key": .text(call.caller?.key?.description ?? ""),
      ])
    let counts = proof.counts.map { count -> JSONValue in
      [
        "table": .string(count.table), "act": .string(count.act), "rows": .number(JSONNumber(count.rows)),
      ]
    }
    return Reply(
      200,
      [
        "user": .string(user.name), "pseudonym": .string(traces.pseudonym),
        "erased_at": .string(TimeText.text(call.now)), "counts": .array(counts),
        "left": .number(JSONNumber(proof.left)), "log_emptied": .bool(proof.logEmptied),
      ])
  }

  /// The user in the path.
  static func name(_ call: Call) throws(Problem) -> String {
    let name = call.parameters[1]
    guard name.unicodeScalars.count <= DeviceRoutes.userCharactersMax else {
      throw Problem(.badRequest, "the user in the path is longer than \(DeviceRoutes.userCharactersMax) characters")
    }
    return name
  }

  private static func found(_ call: Call, _ service: Service) throws(Problem) -> User {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    let found = try service.ask { store throws(StoreError) in try store.user(app: app, named: name) }
    guard let found else { throw Problem(.notFound, "this app has no user of that name") }
    return found
  }

  private static func json(_ user: User) -> JSONObject {
    var object: JSONObject = ["user": .string(user.name)]
    for name in User.profileNames { if let text = user.profile[name] { object[name] = .string(text) } }
    if !user.aliases.isEmpty { object["aliases"] = AliasFields.json(user.aliases) }
    if !user.entitlements.isEmpty { object["entitlements"] = PropertyFields.json(user.entitlements) }
    PropertyFields.add(properties: user.properties, tags: user.tags, optOut: user.optOut, to: &object)
    object["created_at"] = .string(TimeText.text(user.createdAt))
    object["updated_at"] = .string(TimeText.text(user.updatedAt))
    if let instant = user.firstSeenAt { object["first_seen_at"] = .string(TimeText.text(instant)) }
    if let instant = user.lastSeenAt { object["last_seen_at"] = .string(TimeText.text(instant)) }
    return object
  }
}

extension User {
  /// The members of a profile, in the order of the documentation.
  fileprivate static var profileNames: [String] { UserChange.profileNames }
}
