internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/webhooks`: webhook endpoints for outcomes and reports.
enum WebhookRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/webhooks", .scopes([])), name: "createWebhook",
      about: "Makes a webhook; the answer is the only time its secret is shown.",
      body: .object([.required("url", url), .required("types", types)]),
      answers: [Route.Answer(status: 201, about: "The webhook with its secret.", schema: .named("Webhook"))],
      traits: .init(secrets: [secret]), action: .write(create)),
    Route(
      .get("/v1/apps/{app}/webhooks", .scopes([])), name: "listWebhooks", about: "Lists the webhooks.",
      answers: [
        Route.Answer(
          status: 200, about: "The webhooks.",
          schema: .object([
            .required("webhooks", .array(of: .named("Webhook"), max: StoreLimits.webhooksPerAppMax))
          ]))
      ],
      action: .now { call, service throws(Problem) in
        let app = try service.app(call).app.id
        let webhooks = try service.ask { store throws(StoreError) in try store.webhooks(app: app) }
        return Reply(200, ["webhooks": .array(webhooks.map { json($0) })])
      }),
    Route(
      .get("/v1/apps/{app}/webhooks/{webhook}", .scopes([])), name: "getWebhook", about: "Shows a webhook.",
      answers: [answer], traits: .init(outsideETag: ["queued", "dropped", "succeeded_at", "failed_at", "failure"]),
      action: .now { call, service throws(Problem) in Reply(200, json(try webhook(call, service))) }),
    Route(
      .patch("/v1/apps/{app}/webhooks/{webhook}", .scopes([])), name: "updateWebhook", about: "Changes a webhook.",
      body: .object([
        .optional("url", url), .optional("types", types),
        .optional("enabled", .boolean("Whether it is notified; what was queued stays queued.")),
      ]), answers: [answer], action: .write(update)),
    Route(
      .delete("/v1/apps/{app}/webhooks/{webhook}", .scopes([])), name: "deleteWebhook",
      about: "Removes a webhook, and what is queued for it.",
      answers: [Route.Answer(status: 204, about: "It is gone.")], action: .write(delete)),
    Route(
      .post("/v1/apps/{app}/webhooks/{webhook}/rotate", .scopes([])), name: "rotateWebhook",
      about: "Gives a webhook a new secret, shown this once; the old one signs too for a day.",
      answers: [Route.Answer(status: 200, about: "The webhook with its secret.", schema: .named("Webhook"))],
      traits: .init(secrets: [secret]), action: .write(rotate)),
    Route(
      .get("/v1/apps/{app}/webhooks/{webhook}/dead", .scopes([])), name: "listDeadBatches",
      about: "Lists the batches that a webhook never took.", query: Paging.query,
      answers: [Route.Answer(status: 200, about: "A page.", schema: Paging.schema("batches", of: batch))],
      action: .now(dead)),
    Route(
      .post("/v1/apps/{app}/webhooks/{webhook}/replay", .scopes([])), name: "replayWebhook",
      about: "Sends a webhook again what it never accepted.",
      body: .object([
        .optional(
          "batches",
          .array(of: .string("A batch's id.", max: 20), min: 1, max: Paging.limitMax, "Which; all by default."))
      ]),
      answers: [
        Route.Answer(
          status: 200, about: "How many batches were queued again.",
          schema: .object([
            .required("replayed", .integer(0...StoreLimits.webhookDeadMax, "Batches queued again.")),
            .optional("report", .named("Report")),
          ]))
      ], action: .write(replay)),
  ]

  private static let secret = DerivedSecret(member: "secret") { call, service, _ in WebhookSecret(call, service).text }
  private static let url = Schema.string(
    "Where notices are posted; https.", max: StoreLimits.urlBytesMax, example: "https://example.com/hooks/push")
  private static let types = Schema.array(
    of: .choice(NoticeKind.allCases.map(\.name), "The events it is sent."), min: 1, max: NoticeKind.allCases.count,
    "The events it is sent.")
  private static let answer = Route.Answer(status: 200, about: "The webhook.", schema: .named("Webhook"))
  private static let count = 0...1_000_000_000

  static let schema = Schema.object(
    [
      .required("id", .string("The webhook's id.", max: 20)), .required("url", url), .required("types", types),
      .required("enabled", .boolean("Whether it is notified.")),
      .required("queued", .integer(count, "Queued batches.")),
      .required("dropped", .integer(count, "Notices lost because too many waited.")),
      .required("created_at", .time("When it was made.")), .required("updated_at", .time("When it was last changed.")),
      .optional("succeeded_at", .time("When it last took a batch.")),
      .optional("failed_at", .time("When it last did not.")),
      .optional("failure", .string("Why; absent after a success.", max: 250)),
      .optional("secret", .string("What signs notices; only in the answer that made it.", max: 60)),
      .optional("report", .named("Report")),
    ], "A webhook endpoint, which is sent outcomes and reports.")
  private static let notice = Schema.object(
    [
      .required("type", .choice(NoticeKind.allCases.map(\.name), "The event.")),
      .required("at", .time("When it happened.")),
      .optional("delivery", .string("The delivery's id; absent for push.finished.", max: 20)),
      .optional("state", .string("Of push.finished: the push's state.", max: 20)),
      .optional("reason", .string("Why the delivery ended so.", max: StoreLimits.reasonBytesMax)),
      .optional("action", .string("The button's id.", max: StoreLimits.actionBytesMax)),
    ], "A notice, as it was sent.")
  private static let batch = Schema.object(
    [
      .required("id", .string("The batch's id, under which it was sent.", max: 20)),
      .required("push", .string("The push's id.", max: 20)), PushNumbers.property(),
      .required("attempts", .integer(count, "Failed attempts.")),
      .optional("failure", .string("Why the last one was.", max: 250)),
      .required("created_at", .time("When it was put together.")),
      .required("notices", .array(of: notice, max: 500)),
    ], "Abandoned notices.")

  // MARK: - Work

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let url = try service.webhooks.egress.checked(call["url"]?.string ?? "")
    let secret = WebhookSecret(call, service)
    let new = NewWebhook(app: app, url: url, kinds: kinds(call) ?? [], sealed: try secret.sealed(app, service))
    let made: Webhook
    do throws(StoreError) {
      made = try await service.store.change { store throws(StoreError) in try store.createWebhook(new, now: call.now) }
    } catch {
      // A retry of the same request: the webhook exists already, with the secret that is derived from its key.
      guard error.code == .conflict, call.idempotency != nil,
        let existing = try repeated(new, secret, app, service)
      else { throw Problem(error) }
      made = existing
    }
    service.log(.info, "webhook created", ["app": .text(call.parameters[0]), "webhook": .text(made.id.description)])
    return Reply(201, json(made, secret: secret.text).object ?? [:], report: call.report)
  }

  private static func repeated(
    _ new: NewWebhook, _ secret: WebhookSecret, _ app: AppID, _ service: Service
  ) throws(Problem) -> Webhook? {
    let all = try service.ask { store throws(StoreError) in try store.webhooks(app: app) }
    return all.first {
      $0.url == new.url && $0.kinds == new.kinds
        && (try? service.vault.open($0.sealed, context: WebhookSender.sealContext(app))) == Array(secret.text.utf8)
    }
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let webhook = try webhook(call, service)
    let url = try call["url"]?.string.map { text throws(Problem) in try service.webhooks.egress.checked(text) }
    let change = WebhookChange(url: url, kinds: kinds(call), isEnabled: call["enabled"]?.bool)
    let changed = try await service.change { store throws(StoreError) in
      try store.updateWebhook(webhook.id, change, now: call.now)
    }
    return Reply(200, json(changed).object ?? [:], report: call.report)
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let webhook = try webhook(call, service)
    try await service.change { store throws(StoreError) in try store.deleteWebhook(webhook.id) }
    service.log(.info, "webhook deleted", ["app": .text(call.parameters[0]), "webhook": .text(webhook.id.description)])
    return .noContent
  }

  @Sendable private static func rotate(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let webhook = try webhook(call, service)
    let secret = WebhookSecret(call, service)
    let current = try? service.vault.open(webhook.sealed, context: WebhookSender.sealContext(webhook.app))
    // The same request again: the secret is that one already.
    if current == Array(secret.text.utf8) { return Reply(200, json(webhook, secret: secret.text)) }
    let change = WebhookChange(
      secret: WebhookChange.Secret(
        sealed: try secret.sealed(webhook.app, service),
        previousUntil: call.now.adding(milliseconds: WebhookSender.overlapMs)))
    let changed = try await service.change { store throws(StoreError) in
      try store.updateWebhook(webhook.id, change, now: call.now)
    }
    service.log(.info, "webhook rotated", ["app": .text(call.parameters[0]), "webhook": .text(webhook.id.description)])
    return Reply(200, json(changed, secret: secret.text))
  }

  @Sendable private static func dead(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let webhook = try webhook(call, service)
    let limit = Paging.limit(call)
    let after: WebhookBatchID? = try Paging.cursor(call)
    let batches = try service.ask { store throws(StoreError) in
      try store.deadBatches(of: webhook.id, after: after, limit: limit + 1)
    }
    let numbers = try PushNumbers(batches.lazy.map(\.push), service)
    return Paging.page("batches", batches, limit: limit, id: \.id) { batch in
      var object: JSONObject = ["id": .string(batch.id.description), "push": .string(batch.push.description)]
      if let number = numbers[batch.push] { object["push_number"] = number }
      object["attempts"] = .number(JSONNumber(batch.attempts))
      if let failure = batch.failure { object["failure"] = .string(failure) }
      object["created_at"] = .string(TimeText.text(batch.createdAt))
      object["notices"] = .array(batch.notices.map(WebhookSender.json))
      return .object(object)
    }
  }

  @Sendable private static func replay(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let webhook = try webhook(call, service)
    var ids: [WebhookBatchID]?
    if let values = call["batches"]?.array {
      var report = Report()
      ids = []
      for (index, value) in values.enumerated() {
        if let id = WebhookBatchID(value.string ?? "") {
          ids?.append(id)
        } else {
          report.add(
            rule: Schema.Rule.value, severity: .error, field: "batches[\(index)]",
            message: "expected a batch's id, as the list of the dead shows it")
        }
      }
      if report.hasErrors { throw Problem(.invalid, report: report) }
    }
    let count = try await service.change { [ids] store throws(StoreError) in
      try store.replayBatches(of: webhook.id, ids, now: call.now)
    }
    return Reply(200, ["replayed": .number(JSONNumber(count))], report: call.report)
  }

  // MARK: - Parts

  private static func webhook(_ call: Call, _ service: Service) throws(Problem) -> Webhook {
    let app = try service.app(call).app.id
    let found = try WebhookID(call.parameters[1]).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.webhook(id) }
    }
    guard let webhook = found ?? nil, webhook.app == app else {
      throw Problem(.notFound, "this app has no webhook with that id")
    }
    return webhook
  }

  private static func kinds(_ call: Call) -> Set<NoticeKind>? {
    call["types"]?.array.map { Set($0.compactMap { NoticeKind(name: $0.string ?? "") }) }
  }

  private static func json(_ webhook: Webhook, secret: String? = nil) -> JSONValue {
    var object: JSONObject = [
      "id": .string(webhook.id.description), "url": .string(webhook.url),
      "types": .array(NoticeKind.allCases.filter(webhook.kinds.contains).map { .string($0.name) }),
      "enabled": .bool(webhook.isEnabled), "queued": .number(JSONNumber(webhook.queued)),
      "dropped": .number(JSONNumber(webhook.dropped)), "created_at": .string(TimeText.text(webhook.createdAt)),
      "updated_at": .string(TimeText.text(webhook.updatedAt)),
    ]
    if let instant = webhook.succeededAt { object["succeeded_at"] = .string(TimeText.text(instant)) }
    if let instant = webhook.failedAt { object["failed_at"] = .string(TimeText.text(instant)) }
    if let failure = webhook.failure { object["failure"] = .string(failure) }
    if let secret { object["secret"] = .string(secret) }
    return .object(object)
  }
}

/// The secret that signs a webhook's notices: `whs_` and 32 bytes in base64url.
private struct WebhookSecret {
  let text: String

  /// From fresh randomness; with an idempotency key the same for the same request, so that it need not be kept in plain.
  init(_ call: Call, _ service: Service) {
    let bytes =
      call.idempotency.map {
        HMACSHA256.authenticate(
          Array("webhook secret:".utf8) + $0.digest(call, purpose: call.http.path), key: service.vault.derivation)
      } ?? SecureRandom.bytes(32)
    text = "whs_" + Base64URL.encode(bytes)
  }

  func sealed(_ app: AppID, _ service: Service) throws(Problem) -> [UInt8] {
    do throws(SigningError) {
      return try service.vault.seal(Array(text.utf8), context: WebhookSender.sealContext(app))
    } catch { throw Problem(.internalError, "the secret could not be sealed: \(error.message)") }
  }
}
