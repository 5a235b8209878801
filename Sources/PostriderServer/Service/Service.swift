internal import HTTPServer
internal import PushStore
internal import System
internal import WireJSON

/// What the routes work with.
final class Service: Sendable {
  let store: any Store
  let vault: Vault
  let keys: KeyRing
  let sessions = SessionRing()
  let signIns = SignInLimit()
  let apps: AppDirectory
  let rules = RuleChecks()
  let payloads = PayloadParsers()
  let clock: WallClock
  let log: Log
  let metrics: Metrics
  let connections: ConnectionGauges
  let version: String
  let sending: Sending
  let progress: ProgressStreams
  /// Runs requests that read for longer than a server thread may be held.
  let longWork = BoundedThreads("long-request", limit: Service.longRequestsMax)
  /// Concurrent long requests; more are refused with a request to retry.
  static let longRequestsMax = 8
  let exports = ExportSlots()
  let imports = ImportDirectory()
  var health: DeliveryHealth { sending.health }
  let rates = RateLimits()
  let identityCounters = IdentityCounters()
  let conditional = ConditionalWrites()
  /// Requests a minute of keys that have no rate of their own; nil for no bound.
  let ratePerMinute: Int?
  /// Host names at which a vendor's interface is served.
  let compatHosts: [String: CompatVendor]
  let waits: PushWaits
  let webhooks: WebhookSender
  let upkeep: Upkeep

  init(
    store: any Store, vault: Vault, workers: ServiceWorkers, configuration: PostriderServerConfiguration,
    compatHosts: [String: CompatVendor], log: Log
  ) {
    self.store = store
    self.vault = vault
    keys = KeyRing(store: store)
    apps = AppDirectory(store: store)
    clock = configuration.clock
    self.log = log
    metrics = Metrics(routeNames: RouteTable.withVendors.map(\.name))
    connections = ConnectionGauges(configuration.http)
    version = configuration.version
    ratePerMinute = configuration.ratePerMinute
    self.compatHosts = compatHosts
    waits = PushWaits(store: store)
    sending = workers.sending
    progress = workers.progress
    webhooks = workers.webhooks
    upkeep = workers.upkeep
  }

  var now: Timestamp { Timestamp(milliseconds: clock.nowMs()) }

  /// Runs an operation of the store, and says what failed in the words of the API.
  func ask<Value>(_ body: (any Store) throws(StoreError) -> Value) throws(Problem) -> Value {
    do throws(StoreError) { return try body(store) } catch { throw Problem(error) }
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
  func revokeKeys(named name: String) throws(Problem) {
    let moment = now
    try ask { store throws(StoreError) in
      for key in try store.keys() where key.name == name && key.revokedAt == nil {
        try store.revokeKey(key.id, unlessLastWith: nil, now: moment)
      }
    }
    keys.forgetAll()
  }

  /// Makes an API key and returns its text, which is not kept.
  func makeKey(
    name: String, scopes: Scope, app: String?, text: APIKeyText = .random()
  ) throws(Problem) -> String {
    let appID: AppID? = if let app { try self.app(named: app).id } else { nil }
    let new = NewAPIKey(
      app: appID, name: name, scopes: scopes.names.joined(separator: " "), prefix: text.shown, hash: text.hash)
    _ = try KeyRoutes.save(new, isRepeatable: false, service: self, now: now)
    return text.text
  }
}
