internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/v1/audit`: who did what, when, and from where.
enum AuditRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/audit", .scopes([])), name: "listAudit", about: "Lists administrative acts, the newest first.",
      query: query, answers: [answer],
      action: .long { call, service async throws(Problem) in try list(nil, call, service) }),
    Route(
      .get("/v1/apps/{app}/audit", .scopes([])), name: "listAppAudit",
      about: "Lists administrative acts on an app, the newest first.", query: query, answers: [answer],
      action: .long { call, service async throws(Problem) in
        try list(try service.app(call).app.name, call, service)
      }),
  ]

  // Who did little in a long log is found by reading much of it, so a page is long work.
  private static let query: [Route.Query] =
    Paging.query + [
      Route.Query(name: "person", schema: id("Only acts of the person with this id, and of keys that belong to them.")),
      Route.Query(name: "key", schema: id("Only acts of the API key with this id.")),
      Route.Query(
        name: "act",
        schema: .string("Only acts of the operation with this operationId.", max: 100, example: "revokeKey")
          .documented(["pattern": "^[A-Za-z]+$"])),
      Route.Query(name: "from", schema: .time("Only what happened then or later.")),
      Route.Query(name: "until", schema: .time("Only what happened before.")),
    ]

  private static func id(_ about: String) -> Schema {
    .string(about, max: 19).documented(["pattern": "^[1-9][0-9]{0,18}$"])
  }

  private static let answer = Route.Answer(
    status: 200, about: "A page of acts.", schema: Paging.schema("acts", of: .named("Act")))
  static let schema = Schema.object(
    [
      .required("id", .string("The entry's id.", max: 20)), .required("at", .time("When.")),
      .optional("key", .string("Who: the id of the API key.", max: 20)), .optional("author", .named("Author")),
      .required("act", .string("What: the operation, as operationId has it.", max: 100)),
      .required("target", .string("The target: the path, and behind an arrow the id of what was made.", max: 4_096)),
      .optional("app", .string("The app.", max: 100)),
      .required("from", .string("From which address.", min: 0, max: 50)),
      .required("request_id", .string("The request, as in the log.", max: 20)),
    ], "An administrative act.")

  private static func list(_ app: String?, _ call: Call, _ service: Service) throws(Problem) -> Reply {
    let limit = Paging.limit(call)
    let before: AuditID? = try Paging.cursor(call)
    var filter = AuditFilter(app: app)
    filter.account = try named("person", "GET /v1/people lists them", call)
    filter.key = try named("key", "GET /v1/keys lists them", call)
    if let act = call.http.query["act"] {
      guard acts.contains(act) else { throw unknown(act) }
      filter.act = act
    }
    filter.from = try RecordRoutes.instant("from", call)
    filter.until = try RecordRoutes.instant("until", call)
    let asked = filter
    let acts = try service.ask { store throws(StoreError) in
      try store.audit(asked, before: before, limit: limit + 1)
    }
    let names = try AuthorText.names(acts.map(author), service)
    return Paging.page(
      "acts", acts, limit: limit, id: { $0.id ?? AuditID(rawValue: 0) }, json: { json($0, names) })
  }

  private static func unknown(_ act: String) -> Problem {
    let known = acts.sorted().joined(separator: ", ")
    return Problem(.invalid, "?act: the log has no acts named \"\(act.prefix(100))\"; it has: \(known)")
  }

  /// An id of the query.
  ///
  /// One that nobody has now is looked for, too: who was removed has left acts.
  private static func named<Record>(
    _ name: String, _ remedy: String, _ call: Call
  ) throws(Problem) -> RowID<Record>? {
    guard let text = call.http.query[name] else { return nil }
    guard let id = RowID<Record>(text) else {
      throw Problem(.badRequest, "?\(name): expected an id, found \"\(text.prefix(40))\"; \(remedy)")
    }
    return id
  }

  private static func author(_ entry: AuditEntry) -> Author? {
    entry.account.map { .account($0) } ?? entry.key.map { .key($0) }
  }

  /// Keeps what a person did for themselves, whom no key and no role is needed for.
  static func keep(
    _ act: String, _ target: String, of account: AccountID, _ call: Call, _ service: Service
  ) async {
    var new = AuditEntry(
      at: call.now, key: nil, act: act, target: target, app: nil, peer: call.http.head.peer.text,
      request: call.http.id.description)
    new.account = account
    let entry = new
    // It has happened: when it cannot be kept, the log says so.
    do throws(Problem) { try await service.result { store, done in store.keepAudit(entry, completion: done) } } catch {
      service.log(.error, "audit lost", ["act": .text(act), "detail": .text(error.detail)])
    }
  }

  /// Acts on an app's settings that keys of scope send may do, too.
  static let settings: Set<String> = [
    "setSuppression", "createSegment", "updateSegment", "deleteSegment", "saveTemplate", "deleteTemplate",
    "createSchedule", "updateSchedule", "endSchedule",
  ]

  /// What people do for themselves (``keep(_:_:of:_:_:)``), and what the server keeps of itself.
  private static let ownActs: Set<String> = [
    "join", "changePassword", "unlinkOIDC", "addPasskey", "renamePasskey", "removePasskey", "signInWithPasskey",
    "deleteUser",
  ]

  /// The operations whose acts the log has.
  static let acts = Set(RouteTable.routes.filter(keeps).map(\.name)).union(ownActs)

  /// Whether the audit log has what a route does.
  static func keeps(_ route: Route) -> Bool {
    guard route.method != .get, route.traits.vendor == nil else { return false }
    if case .scopes([]) = route.access { return true }
    return settings.contains(route.name) || route.traits.isAudited || ownActs.contains(route.name)
  }

  private static func json(_ entry: AuditEntry, _ names: [Author: String]) -> JSONValue {
    var object: JSONObject = [
      "id": .string(entry.id?.description ?? ""), "at": .string(TimeText.text(entry.at)),
    ]
    if let key = entry.key { object["key"] = .string(key.description) }
    if let author = author(entry) { object["author"] = AuthorText.json(author, names) }
    object["act"] = .string(entry.act)
    object["target"] = .string(entry.target)
    if let app = entry.app { object["app"] = .string(app) }
    object["from"] = .string(entry.peer)
    object["request_id"] = .string(entry.request)
    return .object(object)
  }
}

extension Dispatcher {
  /// Keeps an administrative act in the log, then answers; other requests are answered at once.
  ///
  /// The act has happened: when it cannot be kept, the log on standard error says so, and the caller still learns of it.
  func audited(
    _ call: Call, _ route: Route, _ reply: Reply, _ answer: @escaping @Sendable (Reply) -> Void
  ) {
    guard route.isAdministrative || route.traits.isAudited, route.method != .get, reply.status < 300 else {
      return answer(reply)
    }
    let made = (try? JSON.parse(reply.json)).flatMap { $0["id"]?.string ?? $0["name"]?.string }
    // Paths contain names and ids; secrets are in bodies only.
    let target = call.http.path + (call.http.method == .post ? made.map { " → \($0)" } ?? "" : "")
    let app = route.parameterNames.first == "app" ? call.parameters[0] : nil
    var new = AuditEntry(
      at: call.now, key: call.caller?.key, act: route.name,
      target: String(target.prefix(1_000)), app: app, peer: call.http.head.peer.text, request: call.http.id.description)
    new.account = call.caller?.account
    let entry = new
    let log = service.log
    service.store.keepAudit(entry) { result in
      if case .failure(let error) = result {
        log(.error, "audit lost", ["act": .text(entry.act), "detail": .text(error.description)])
      }
      answer(reply)
    }
  }
}

extension Route {
  /// Whether who did it is kept in the audit log.
  fileprivate var isAdministrative: Bool {
    if case .scopes([]) = access { return true }
    return AuditRoutes.settings.contains(name)
  }
}

extension HTTPPeer {
  /// The address as people write it, without shortening IPv6.
  var text: String {
    switch address.count {
    case 4: address.map(String.init).joined(separator: ".")
    case 16:
      stride(from: 0, to: 16, by: 2).map { String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16) }
        .joined(separator: ":")
    default: ""
    }
  }
}
