internal import Basics
internal import HTTPClient
internal import HTTPServer
internal import Ledger
internal import Signing
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Delivers queued webhook notices: in order for each push, retried with a backoff until the receiver accepts them or
/// they are abandoned.
///
/// Batches in progress when the process ends are delivered again.
final class WebhookSender: Sendable {
  private struct State: Sendable {
    /// Pushes whose batch is under way, by webhook.
    var busy: [WebhookID: Set<PushID>] = [:]
    /// Where the last turn of a webhook ended.
    var turns: [WebhookID: PushID] = [:]
    /// Webhooks whose secret could not be opened, which has been said.
    var unusable: Set<WebhookID> = []
    /// Results that the store refused, to be written with the next tick.
    var unwritten: [Unwritten] = []
    /// What ends from now on was broken off, and counts neither way.
    var isStopping = false
    var taken = 0
    var failed = 0
    var givenUp = 0
  }

  /// A result that is not stored; so long its push counts as under way, so that its receiver is not notified again at once.
  private struct Unwritten: Sendable {
    let result: WebhookResult
    let right: DutyKeeper.Right
    let done: @Sendable () -> Void
  }

  /// How long the secret before a rotation signs too, in milliseconds: a day.
  static let overlapMs: Int64 = 86_400_000
  /// Batches under way to one webhook.
  private static let perWebhookMax = 4
  private static let periodMs: Int32 = 250

  private let store: any Store
  private let vault: Vault
  private let clock: WallClock
  private let log: Log
  private let client: HTTPClient
  let egress: WebhookEgress
  private let state = Mutex(State())
  private let thread = Mutex<PeriodicThread?>(nil)
  private let trouble = StoreTroubleOnce()
  /// One node tells at a time, so that the batches of a push stay in order.
  private let duty: DutyKeeper

  init(
    store: any Store, vault: Vault, clock: WallClock, log: Log, egress: WebhookEgress
  ) throws(PostriderServerError) {
    self.store = store
    self.vault = vault
    self.clock = clock
    self.log = log
    self.egress = egress
    duty = DutyKeeper(.webhooks, store)
    guard let client = HTTPClient() else {
      throw PostriderServerError("the HTTP client's thread cannot be started; raise the limit of threads")
    }
    self.client = client
    do throws(HTTPServerError) {
      let ticker = try PeriodicThread(periodMs: WebhookSender.periodMs) { [weak self] in self?.tick() }
      thread.withLock { $0 = ticker }
    } catch {
      client.stop()
      throw PostriderServerError(error)
    }
  }

  /// Stops; batches in progress are delivered again after the next start.
  func stop() {
    thread.withLock { $0.take() }?.stop()
    state.withLock { $0.isStopping = true }
    client.stop()
  }

  /// There may be something to tell.
  func wake() { thread.withLock { $0 }?.wake() }

  /// The context that a webhook's secret is sealed with.
  static func sealContext(_ app: AppID) -> String { "webhook/\(app)" }

  /// The numbers for `/metrics`.
  var gauges: [Metrics.Gauge] {
    let counts = state.withLock { ($0.taken, $0.failed, $0.givenUp) }
    // The one node that tells counts what waits for all: the sum over the nodes is that of the database.
    let isCounted = duty.isHeld(now: Timestamp(milliseconds: clock.nowMs()))
    let queued = isCounted ? ((try? store.webhooks(app: nil)) ?? []).reduce(0) { $0 + $1.queued } : 0
    return [
      Metrics.Gauge(
        name: "postrider_webhook_batches_total", kind: .counter, help: "Batches sent to webhooks, by how it ended.",
        values: [
          ("result=\"taken\"", counts.0), ("result=\"failed\"", counts.1), ("result=\"given_up\"", counts.2),
        ]),
      Metrics.Gauge(
        name: "postrider_webhook_batches_queued", kind: .gauge, help: "Batches queued for webhooks.",
        values: [("", queued)]),
    ]
  }

  // MARK: - The round

  private func tick() {
    let now = Timestamp(milliseconds: clock.nowMs())
    let unwritten = state.withLock { state in
      defer { state.unwritten = [] }
      return state.unwritten
    }
    for one in unwritten { settle(one.result, one.right, now, then: one.done) }
    do throws(StoreError) {
      guard let right = try duty.right(now: now) else { return }
      for webhook in try store.webhooks(app: nil) where webhook.isEnabled && webhook.heldAt == nil && webhook.queued > 0
      {
        try tell(webhook, right, now)
      }
      trouble.clear()
    } catch {
      if trouble.isNew(error) { log(.error, "webhooks unreadable", ["detail": .text(error.description)]) }
    }
  }

  private func tell(_ webhook: Webhook, _ right: DutyKeeper.Right, _ now: Timestamp) throws(StoreError) {
    let (busy, last) = state.withLock { ($0.busy[webhook.id] ?? [], $0.turns[webhook.id]) }
    guard busy.count < WebhookSender.perWebhookMax else { return }
    let turn = try store.dueBatches(
      of: webhook.id, after: last, busy: busy, limit: WebhookSender.perWebhookMax - busy.count, now: now)
    state.withLock { $0.turns[webhook.id] = turn.last }
    guard !turn.batches.isEmpty, let secrets = secrets(of: webhook, now) else { return }
    let app = try store.app(webhook.app)?.name ?? ""
    for batch in turn.batches {
      // Reading may have taken longer than the rest of the term, and then another node tells.
      guard duty.isHeld(now: Timestamp(milliseconds: clock.nowMs())) else { return }
      state.withLock { _ = $0.busy[webhook.id, default: []].insert(batch.push) }
      let post = WebhookSender.post(batch, to: webhook, app: app, secrets, now, allowsPrivate: egress.allowsPrivate)
      egress.send(post, through: client) { [weak self] result in self?.answered(batch, right, result) }
    }
  }

  private func secrets(of webhook: Webhook, _ now: Timestamp) -> [[UInt8]]? {
    var sealed = [webhook.sealed]
    if let previous = webhook.previous, let until = webhook.previousUntil, now < until { sealed.append(previous) }
    let opened = sealed.compactMap { try? vault.open($0, context: WebhookSender.sealContext(webhook.app)) }
    let isNews = state.withLock { state in
      guard opened.isEmpty else {
        state.unusable.remove(webhook.id)
        return false
      }
      return state.unusable.insert(webhook.id).inserted
    }
    if isNews {
      log(
        .error, "webhook unusable",
        ["webhook": .text(webhook.id.description), "detail": .text("its secret was sealed with another key")])
    }
    return opened.isEmpty ? nil : opened
  }

  private func answered(_ batch: WebhookBatch, _ right: DutyKeeper.Right, _ result: HTTPPostResult) {
    guard !state.withLock({ $0.isStopping }) else { return }
    let now = Timestamp(milliseconds: clock.nowMs())
    let failure: String? =
      switch result {
      case .status(200...299): nil
      case .status(let status): "the receiver answered \(status)"
      case .failed(let reason): reason
      }
    var random = SystemRandomNumberGenerator()
    let change =
      failure.map { WebhookBackoff.change(afterFailure: $0, attempts: batch.attempts, now: now, using: &random) }
      ?? .taken
    count(batch, change, failure)
    settle(WebhookResult(batch.id, change), right, now) { [weak self] in
      self?.state.withLock { _ = $0.busy[batch.webhook]?.remove(batch.push) }
      // The next batch is sent immediately, not at the next tick.
      self?.thread.withLock { $0 }?.wake()
    }
  }

  private func count(_ batch: WebhookBatch, _ change: WebhookResult.Change, _ failure: String?) {
    state.withLock { state in
      switch change {
      case .taken: state.taken += 1
      case .again: state.failed += 1
      case .dead: state.givenUp += 1
      }
    }
    if let failure {
      log(
        .info, "webhook failed",
        ["webhook": .text(batch.webhook.description), "batch": .text(batch.id.description), "detail": .text(failure)])
    }
  }

  /// Writes a result, unless another node has taken over meanwhile: it has its own.
  private func settle(
    _ result: WebhookResult, _ right: DutyKeeper.Right, _ now: Timestamp, then done: @escaping @Sendable () -> Void
  ) {
    let settled: @Sendable (Result<Void, StoreError>) -> Void = { [weak self] outcome in
      guard case .failure(let error) = outcome, let self else { return done() }
      guard case .term = right, error.code == .conflict else {
        // What cannot be recorded is recorded later; a batch whose result is lost with the process is delivered again.
        return state.withLock { $0.unwritten.append(Unwritten(result: result, right: right, done: done)) }
      }
      duty.lost()
      done()
    }
    guard case .term = right else { return store.settleBatches([result], now: now, completion: settled) }
    store.change(
      { store throws(StoreError) in
        try right.confirm(store)
        try store.wait { store.settleBatches([result], now: now, completion: $0) }
      }, completion: settled)
  }

  // MARK: - The request

  static func post(
    _ batch: WebhookBatch, to webhook: Webhook, app: String, _ secrets: [[UInt8]], _ now: Timestamp, allowsPrivate: Bool
  ) -> HTTPPost {
    let body = JSON.minified(json(batch, app: app))
    return HTTPPost(
      url: webhook.url,
      headers: [
        ("Content-Type", "application/json"), ("User-Agent", "Postrider"),
        ("Postrider-Batch", batch.id.description), ("Postrider-Attempt", String(batch.attempts + 1)),
        ("Postrider-Signature", signature(body, secrets, seconds: now.seconds)),
      ], body: body, allowsPrivate: allowsPrivate)
  }

  /// `t=SECONDS,v1=HEX`, once more `v1` for the secret before: HMAC-SHA256 over the seconds, a full stop and the body.
  static func signature(_ body: [UInt8], _ secrets: [[UInt8]], seconds: Int64) -> String {
    let signed = Array("\(seconds).".utf8) + body
    return secrets.reduce("t=\(seconds)") { text, secret in
      text + ",v1=" + Hex.encode(HMACSHA256.authenticate(signed, key: secret))
    }
  }

  private static func json(_ batch: WebhookBatch, app: String) -> JSONValue {
    [
      "id": .string(batch.id.description), "app": .string(app), "push": .string(batch.push.description),
      "created_at": .string(TimeText.text(batch.createdAt)), "notices": .array(batch.notices.map(json)),
    ]
  }

  static func json(_ notice: Notice) -> JSONValue {
    var object: JSONObject = ["type": .string(notice.kind.name)]
    switch notice.kind {
    case .finished: object["state"] = .string(notice.text)
    default: object["delivery"] = .string(notice.delivery.description)
    }
    object["at"] = .string(TimeText.text(notice.at))
    if !notice.text.isEmpty {
      switch notice.kind {
      case .action: object["action"] = .string(notice.text)
      case .finished: break
      default: object["reason"] = .string(notice.text)
      }
    }
    return .object(object)
  }
}
