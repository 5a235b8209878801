internal import Delivery
internal import GatewayPool
internal import HTTP2
internal import StoreModel

/// The delivery side of the server: keeps a client for each app's credentials, and runs the pipeline.
final class Sending: Sendable {
  private let store: any Store
  private let senders: AppSenders
  private let threads: GatewayThreads
  private let proxy: HTTP2Proxy?
  private let engine: DeliveryEngine
  /// The current delivery troubles.
  let health = DeliveryHealth()

  /// Opens all credentials and starts to send what waits.
  init(
    store: any Store, vault: Vault, clock: WallClock, log: Log, limits: SendingLimits, proxy: HTTP2Proxy?,
    tracer: Tracer? = nil
  ) throws(PostriderServerError) {
    self.store = store
    self.proxy = proxy
    do throws(GatewayThreadsError) { threads = try GatewayThreads() } catch { throw PostriderServerError(error) }
    var options = DeliveryOptions()
    limits.apply(to: &options)
    options.clock = { Timestamp(milliseconds: clock.nowMs()) }
    options.monotonicMs = clock.monotonicMs
    options.tracing = tracer
    let nodeStatus = store.nodeStatus
    options.node = nodeStatus.node
    if nodeStatus.isShared {
      // Others send what a node leaves that dies: they wait as long as this.
      options.leaseMs = Node.termMs
      options.useServerBatches()
    }
    options.onEvent = { [health] event in
      if let tracer, case .pushFinished(let push) = event { tracer.finished(push) }
      health.note(event, now: Timestamp(milliseconds: clock.nowMs()))
      Sending.write(event, to: log)
    }
    senders = AppSenders(
      store: store, vault: vault, clock: clock, log: log, threads: threads, health: health, proxy: proxy)
    do throws(StoreError) {
      for app in try store.apps() { try senders.load(app) }
      engine = try DeliveryEngine(store: store, senders: senders.directory, options: options)
    } catch {
      threads.shutdown()
      throw PostriderServerError(error)
    }
    let news = SenderNews(store: store, senders: senders, log: log) { [engine] in engine.resumeLanes(of: $0) }
    store.observeChanges(behindWrites: false) { news.note($0) }
    // What was changed since the clients were made was announced to nobody.
    if nodeStatus.isShared { news.note(.apps) }
  }

  /// An app's settings changed.
  func note(_ app: App) {
    senders.directory.setTriesOtherEnvironment(AppSettings(app).triesOtherEnvironment, app: app.id)
  }

  /// The ways to the providers.
  var directory: SenderDirectory { senders.directory }

  /// There may be something to send.
  func wake() { engine.wake() }

  /// A push was paused or cancelled.
  func recheck(_ push: PushID) { engine.recheck(push) }

  /// Reloads an app's credentials after a change or for a retry: new sends use them immediately, sends already
  /// submitted finish with the old ones within ``AppSenders/drainLimit``, and the app's stopped lanes resume.
  func reload(_ id: AppID, now: Timestamp) async throws(Problem) {
    do throws(StoreError) {
      guard let app = try store.app(id) else { return senders.removeAll(of: id) }
      try senders.load(app)
      if !app.stops.isEmpty {
        try await store.change { store throws(StoreError) in try store.clearStops(app: id) }
      }
    } catch { throw Problem(error) }
    // The stops that the old credentials caused meanwhile end here.
    engine.resumeLanes(of: id)
  }

  /// The way to an app's channels; nil without a usable APNs credential.
  func channels(of app: AppID, _ environment: DeviceEnvironment) -> ChannelSender? {
    (senders.directory.sender(app: app, provider: .apns, environment: environment) as? APNsSender)?.channels
  }

  /// Asks a provider whether it takes a credential; `answer` is called once.
  func probe(_ setting: any ProviderSetting, answer: @escaping @Sendable (CredentialProbe.Verdict) -> Void) {
    setting.probe(through: proxy, threads: threads, answer: answer)
  }

  /// The numbers of the pipeline.
  var gauges: [Metrics.Gauge] { engine.statistics.gauges + [stopGauge] }

  private var stopGauge: Metrics.Gauge {
    let slots = ((try? store.stops()) ?? []).compactMap { CredentialSlot($0.lane) }
    return Metrics.Gauge(
      name: "postrider_providers_stopped", kind: .gauge,
      help: "Apps whose credential was refused and is tried again now and then, by credential.",
      values: CredentialSlot.allCases.map { slot in
        ("slot=\"\(slot.rawValue)\"", slots.count { $0 == slot })
      })
  }
  /// The same, to compute with.
  var statistics: DeliveryStatistics { engine.statistics }

  /// Lets sends under way end, writes their answers, and ends.
  func stop(within bound: Duration) {
    let (seconds, attoseconds) = bound.components
    engine.stop(withinMs: max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    threads.shutdown()
  }
}
