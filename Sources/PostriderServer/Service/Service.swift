internal import HTTPServer
internal import PushContracts
internal import PushCore
internal import StoreModel
internal import Synchronization
internal import System
internal import WireJSON

/// The result of a task that is waited for.
private final class ResultBox<Value: Sendable>: Sendable {
  let value = Mutex<Result<Value, Problem>?>(nil)
}

/// What the routes work with.
final class Service: Sendable {
  let store: any Store
  let vault: Vault
  let keys: KeyRing
  let accounts: AccountRing
  let sessions: SessionRing
  let passwords: PasswordDesk
  let signIns: SignInLimit
  let challenges: ChallengeDesk
  let apps: AppDirectory
  let rules = RuleChecks()
  let payloads = MemoryPool { PayloadParser() }
  /// Desks for messages that are rendered.
  let renderings = MemoryPool { RenderRequest.Desk() }
  let clock: WallClock
  let log: Log
  let metrics: Metrics
  let connections: ConnectionGauges
  let version: String
  /// What this server is called among those of its database.
  let node: String
  /// When it was started.
  let startedAt: Timestamp
  let sending: Sending
  let progress: ProgressStreams
  /// Runs requests that read for longer than a server thread may be held.
  let longWork = WorkerThreads("long-request", threads: longRequestsMax, requests: longRequestsMax)
  /// Concurrent long requests; more are refused with a request to retry.
  static let longRequestsMax = 8
  let exports = ExportSlots()
  let imports: ImportDirectory
  var health: DeliveryHealth { sending.health }
  let rates = RateLimits()
  let identityCounters = IdentityCounters()
  /// Conditional requests of one resource are worked on one after the other, so that of two callers who saw the same only one
  /// changes it; see ``exclusively(_:now:_:)``.
  let conditional = Turns()
  /// Requests a minute of keys that have no rate of their own; nil for no bound.
  let ratePerMinute: Int?
  /// Host names at which a vendor's interface is served.
  let compatHosts: [String: CompatVendor]
  let waits: PushWaits
  let approvals: ApprovalWindow
  let webhooks: WebhookSender
  let upkeep: Upkeep
  let shadow: ShadowDesk
  /// Traces requests and their pushes; nil unless the server is started with a collector.
  let tracer: Tracer?
  /// The identity provider that people may sign in with; nil unless the server is started with one.
  let oidc: OIDCDesk?

  init(
    store: any Store, vault: Vault, workers: ServiceWorkers, configuration: PostriderServerConfiguration,
    compatHosts: [String: CompatVendor], log: Log
  ) {
    self.store = store
    self.vault = vault
    keys = KeyRing(store: store)
    accounts = AccountRing(store: store)
    sessions = SessionRing(store: store)
    signIns = SignInLimit(store: store)
    challenges = ChallengeDesk(store: store, vault: vault)
    approvals = ApprovalWindow(store: store)
    imports = ImportDirectory(store: store, node: store.nodeStatus.node, clock: configuration.clock)
    passwords = PasswordDesk(cost: configuration.passwordCost)
    apps = AppDirectory(store: store)
    clock = configuration.clock
    self.log = log
    metrics = Metrics(routeNames: RouteTable.withVendors.map(\.name))
    connections = ConnectionGauges(configuration.http)
    version = configuration.version
    node = store.nodeStatus.node
    startedAt = Timestamp(milliseconds: configuration.clock.nowMs())
    ratePerMinute = configuration.ratePerMinute
    self.compatHosts = compatHosts
    waits = PushWaits(store: store)
    sending = workers.sending
    progress = workers.progress
    webhooks = workers.webhooks
    upkeep = workers.upkeep
    shadow = ShadowDesk(
      store: store, forward: ShadowForward(egress: workers.webhooks.egress, answerMs: configuration.vendorAnswerMs),
      log: log)
    tracer = workers.tracer
    oidc = workers.oidc
  }

  /// Whether other nodes may work on the same database.
  var isShared: Bool { store.nodeStatus.isShared }
  var now: Timestamp { Timestamp(milliseconds: clock.nowMs()) }

  /// Runs an operation of the store, and says what failed in the words of the API.
  func ask<Value>(_ body: (any Store) throws(StoreError) -> Value) throws(Problem) -> Value {
    do throws(StoreError) { return try body(store) } catch { throw Problem(error) }
  }

  /// Runs operations of the store as one change, and goes on when it is durable.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (any Store) throws(StoreError) -> Value
  ) async throws(Problem) -> Value {
    do throws(StoreError) { return try await store.change(body) } catch { throw Problem(error) }
  }

  /// Starts an operation of the store that has a completion, and goes on when it has finished.
  func result<Value: Sendable>(
    _ start: (any Store, @escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
  ) async throws(Problem) -> Value {
    do throws(StoreError) { return try await store.result { start(store, $0) } } catch { throw Problem(error) }
  }

  /// Creates pushes, and goes on when they are durable; their sends belong to the trace of the request.
  func create(_ pushes: [NewPush], _ call: Call) async throws(Problem) -> [CreatedPush] {
    let trace = call.trace
    var pushes = pushes
    if let maker = call.maker?.text {
      for index in pushes.indices where pushes[index].request != nil { pushes[index].maker = maker }
    }
    let new = pushes
    trace?.step("validation")
    let created: [CreatedPush] = try await result { store, done in
      store.createPushes(new, now: call.now) { result in
        if let trace, case .success(let created) = result { trace.made(created, of: new) }
        done(result)
      }
    }
    trace?.step("commit")
    return created
  }

  private static let acts = WorkerThreads("act", threads: 8, requests: .max)

  /// Does a route's work, and waits for it: for acts without the API, on threads that may wait.
  static func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(Problem) -> Value
  ) throws(Problem) -> Value {
    let ended = Semaphore()
    let result = ResultBox<Value>()
    // Not on the threads of the concurrency library, which callers may hold.
    Task.detached(executorPreference: acts) {
      let value: Result<Value, Problem>
      do throws(Problem) { value = .success(try await body()) } catch { value = .failure(error) }
      result.value.withLock { $0 = value }
      ended.signal()
    }
    ended.wait()
    guard let value = result.value.withLock({ $0 }) else {
      throw Problem(.internalError, "a task ended without a result")
    }
    return try value.get()
  }

  /// The app of the path's first parameter.
  func app(_ call: Call) throws(Problem) -> AppEntry {
    try apps.app(named: call.parameters[0], now: call.now)
  }

  /// The app with a name, as the store has it now.
  func app(named name: String) throws(Problem) -> App {
    guard let app = try ask({ store throws(StoreError) in try store.app(named: name) }) else {
      throw Problem(.notFound, "there is no app \"\(name.prefix(100))\"; GET /v1/apps lists the apps")
    }
    return app
  }

  /// Revokes all keys with a name.
  func revokeKeys(named name: String) async throws(Problem) {
    let instant = now
    try await change { store throws(StoreError) in
      for key in try store.keys() where key.name == name && key.revokedAt == nil {
        try store.revokeKey(key.id, unlessLastWith: nil, now: instant)
      }
    }
    keys.forgetAll()
  }

  /// Makes an API key and returns its text, which is not kept.
  func makeKey(
    name: String, scopes: Scope, app: String?, text: APIKeyText = .random()
  ) async throws(Problem) -> String {
    let appID: AppID? = if let app { try self.app(named: app).id } else { nil }
    let new = NewAPIKey(
      app: appID, name: name, scopes: scopes.names.joined(separator: " "), prefix: text.shown, hash: text.hash)
    _ = try await KeyRoutes.save(new, isRepeatable: false, service: self, now: now)
    return text.text
  }
}
