internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/keys`.
enum KeyRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/keys", .scopes([])), name: "createKey",
      about: "Makes an API key; the answer is the only time it is shown.",
      body: .object([
        .required("name", .string("What people call it.", max: 200, example: "billing")),
        .required(
          "scopes",
          .array(of: .choice(Scope.named.map(\.name), "A scope."), min: 1, max: 5, "What it may do; at least one.")),
        .optional("app", .string("The only app it is good for; all by default.", max: 100)),
        .optional("expires_in_seconds", .integer(60...3_153_600_000, "When it stops working; never by default.")),
        .optional("rate_per_minute", rate),
        .optional("person", .string("The id of the person it belongs to, with whom it ends.", max: 20)),
      ]), answers: [Route.Answer(status: 201, about: "The key with its text.", schema: .named("Key"))],
      traits: .init(
        secrets: [DerivedSecret(member: "key") { call, service, _ in text(call, service, purpose: "key").text }]),
      action: .write(create)),
    Route(
      .get("/v1/keys", .scopes([])), name: "listKeys", about: "Lists the API keys, without their texts.",
      answers: [
        Route.Answer(
          status: 200, about: "The keys.",
          schema: .object([.required("keys", .array(of: .named("Key"), max: 1_000_000))]))
      ], action: .now(list)),
    Route(
      .post("/v1/keys/{key}/rotate", .scopes([])), name: "rotateKey",
      about: "Makes a key like this one, shown this once, and lets this one end.",
      body: .object([
        .optional(
          "overlap_seconds",
          .integer(0...2_592_000, "How long the old key works beside the new one; a day by default."))
      ]), answers: [Route.Answer(status: 201, about: "The new key with its text.", schema: .named("Key"))],
      traits: .init(
        secrets: [
          DerivedSecret(member: "key") { call, service, _ in text(call, service, purpose: call.http.path).text }
        ]),
      action: .write(rotate)),
    Route(
      .delete("/v1/keys/{key}", .scopes([])), name: "revokeKey",
      about: "Revokes an API key; the last one with the scope admin cannot be revoked.",
      answers: [Route.Answer(status: 204, about: "The key is revoked.")], action: .write(revoke)),
  ]

  /// The scope of which a key always remains, because keys are created with it.
  static let lastScope = Scope.admin.names.joined(separator: " ")

  private static let rate = Schema.integer(
    1...1_000_000_000,
    "Requests a minute; of a key with the scope client alone, for each network. The server's by default.")

  static let schema = Schema.object(
    [
      .required("id", .string("The key's id.", max: 20)), .required("name", .string("What people call it.")),
      .required("prefix", .string("The first characters of its text.", max: 20, example: "prk_AbCdEf")),
      .required("scopes", .array(of: .choice(Scope.named.map(\.name), "A scope."), max: 5)),
      .optional("app", .string("The only app it is good for.", max: 100)),
      .optional("rate_per_minute", rate),
      .optional("person", .string("The id of the person it belongs to; a program's has none.", max: 20)),
      .required("created_at", .time("When it was made.")),
      .optional("expires_at", .time("When it stops working.")),
      .optional("last_used_at", .time("When it was last used, to the minute.")),
      .optional("revoked_at", .time("When it was revoked.")),
      .optional("key", .string("The text; only in the answer that made it.", max: 60)),
      .optional("report", .named("Report")),
    ], "An API key.")

  /// A new key's text: random, or with an idempotency key the same for the same request, so that it need not be stored.
  private static func text(_ call: Call, _ service: Service, purpose: String) -> APIKeyText {
    guard let key = call.idempotency else { return APIKeyText.random() }
    return APIKeyText.derived(from: key.digest(call, purpose: purpose), secret: service.vault.derivation)
  }

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let scopes = Scope(words: (call["scopes"]?.array ?? []).compactMap(\.string).joined(separator: " "))
    let app: App? = if let name = call["app"]?.string { try service.app(named: name) } else { nil }
    if scopes.contains(.compat), app == nil {
      throw Problem(
        .invalid, "app: is required with the scope compat; other vendors' clients name no app in their paths")
    }
    let person = call["person"]?.string
    let account = person.flatMap { AccountID($0) }
    if person != nil, account == nil { throw Problem(.invalid, "person: is no id; GET /v1/people lists them") }
    let text = text(call, service, purpose: "key")
    let new = NewAPIKey(
      app: app?.id, name: call["name"]?.string ?? "", scopes: scopes.names.joined(separator: " "), prefix: text.shown,
      hash: text.hash, expiresAt: call["expires_in_seconds"]?.int.map { call.now.adding(seconds: Int64($0)) },
      ratePerMinute: call["rate_per_minute"]?.int, account: account)
    let key = try await save(new, isRepeatable: call.idempotency != nil, service: service, now: call.now)
    var object = json(key, appName: app?.name).object ?? [:]
    object["key"] = .string(text.text)
    return Reply(201, object, report: call.report)
  }

  /// Saves a key; a repeated request meets the key it made before.
  static func save(
    _ new: NewAPIKey, isRepeatable: Bool, service: Service, now: Timestamp
  ) async throws(Problem) -> APIKey {
    if isRepeatable, let existing = try service.ask({ store throws(StoreError) in try store.key(hash: new.hash) }) {
      guard existing.name == new.name, existing.scopes == new.scopes, existing.app == new.app else {
        throw Problem(
          .idempotencyMismatch, "this Idempotency-Key was used for another API key; use a new one for a new request")
      }
      return existing
    }
    let key = try await service.change { store throws(StoreError) in try store.createKey(new, now: now) }
    service.log(.info, "key created", ["id": .text(key.id.description), "scopes": .text(key.scopes)])
    return key
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let (keys, apps) = try service.ask { store throws(StoreError) in (try store.keys(), try store.apps()) }
    let names = Dictionary(apps.map { ($0.id, $0.name) }) { first, _ in first }
    return Reply(200, ["keys": .array(keys.map { key in json(key, appName: key.app.flatMap { names[$0] }) })])
  }

  @Sendable private static func rotate(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let (keys, apps) = try service.ask { store throws(StoreError) in (try store.keys(), try store.apps()) }
    guard let old = keys.first(where: { $0.id.description == call.parameters[0] }) else {
      throw Problem(.notFound, "there is no such key")
    }
    let text = text(call, service, purpose: call.http.path)
    // The same request again meets the key that it made, also when the old one works no more.
    let end = call.now.adding(seconds: Int64(call["overlap_seconds"]?.int ?? 86_400))
    let key = try await service.change { store throws(StoreError) in
      try store.rotateKey(old.id, prefix: text.shown, hash: text.hash, until: end, now: call.now)
    }
    service.keys.forgetAll()
    service.log(.info, "key rotated", ["id": .text(old.id.description), "new": .text(key.id.description)])
    var object = json(key, appName: apps.first { $0.id == key.app }?.name).object ?? [:]
    object["key"] = .string(text.text)
    return Reply(201, object, report: call.report)
  }

  @Sendable private static func revoke(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    guard let id = APIKeyID(call.parameters[0]) else { throw Problem(.notFound, "there is no such key") }
    try await service.change { store throws(StoreError) in
      try store.revokeKey(id, unlessLastWith: KeyRoutes.lastScope, now: call.now)
    }
    service.keys.forgetAll()
    service.log(.info, "key revoked", ["id": .text(id.description)])
    return .noContent
  }

  private static func json(_ key: APIKey, appName: String?) -> JSONValue {
    var object: JSONObject = [
      "id": .string(key.id.description), "name": .string(key.name), "prefix": .string(key.prefix),
      "scopes": .array(Scope(words: key.scopes).names.map { .string($0) }),
    ]
    if let appName { object["app"] = .string(appName) }
    if let rate = key.ratePerMinute { object["rate_per_minute"] = .number(JSONNumber(rate)) }
    if let account = key.account { object["person"] = .string(account.description) }
    object["created_at"] = .string(TimeText.text(key.createdAt))
    for (name, instant) in [
      ("expires_at", key.expiresAt), ("last_used_at", key.lastUsedAt), ("revoked_at", key.revokedAt),
    ] { if let instant { object[name] = .string(TimeText.text(instant)) } }
    return .object(object)
  }
}
