internal import APNs
internal import Delivery
internal import FCM
internal import GatewayPool
internal import PushPayload
internal import PushStore
internal import Signing
internal import Synchronization
internal import WireJSON

/// The delivery side of the server: opens each app's credentials, keeps a client for each, and runs the pipeline.
final class Sending: Sendable {
  private let store: any Store
  private let vault: Vault
  private let log: Log
  private let directory = SenderDirectory()
  private let threads: GatewayThreads
  private let engine: DeliveryEngine
  /// What is wrong at this moment.
  let health = DeliveryHealth()

  /// Opens all credentials and starts to send what waits.
  init(
    store: any Store, vault: Vault, clock: WallClock, log: Log, limits: SendingLimits
  ) throws(PostriderServerError) {
    self.store = store
    self.vault = vault
    self.log = log
    do throws(GatewayThreadsError) { threads = try GatewayThreads() } catch { throw PostriderServerError(error) }
    var options = DeliveryOptions()
    limits.apply(to: &options)
    options.clock = { Timestamp(milliseconds: clock.nowMs()) }
    options.onEvent = { [health] event in
      health.note(event, now: Timestamp(milliseconds: clock.nowMs()))
      Sending.write(event, to: log)
    }
    do throws(StoreError) {
      for app in try store.apps() {
        try Sending.load(app, store: store, vault: vault, log: log, threads: threads, into: directory)
      }
      engine = try DeliveryEngine(store: store, senders: directory, options: options)
    } catch {
      threads.shutdown()
      throw PostriderServerError(error)
    }
  }

  /// There may be something to send.
  func wake() { engine.wake() }

  /// A push was paused or cancelled.
  func recheck(_ push: PushID) { engine.recheck(push) }

  /// An app's credentials changed, or a person wants them tried again: new sends use them at once, and the app's providers
  /// that were stopped go on.
  func reload(_ id: AppID, now: Timestamp) throws(Problem) {
    do throws(StoreError) {
      guard let app = try store.app(id) else { return directory.removeAll(of: id) }
      try Sending.load(app, store: store, vault: vault, log: log, threads: threads, into: directory)
      if !app.stops.isEmpty { try store.clearStops(app: id) }
    } catch { throw Problem(error) }
    engine.wake()
  }

  /// Asks a provider whether it takes a credential; `answer` is called once.
  func probe(_ setting: ProviderSetting, answer: @escaping @Sendable (CredentialProbe.Verdict) -> Void) {
    switch setting {
    case .apns(let setting): CredentialProbe.ask(setting, threads: threads, answer: answer)
    case .fcm(let setting): CredentialProbe.ask(setting, threads: threads, answer: answer)
    }
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

  // MARK: - Credentials

  private static func load(
    _ app: App, store: any Store, vault: Vault, log: Log, threads: GatewayThreads, into directory: SenderDirectory
  ) throws(StoreError) {
    let credentials = try store.credentials(app: app.id)
    // Pushes are written with the topics of production, where there are any.
    let written = credentials.first { $0.provider == .apns && $0.environment == .production }
    for slot in CredentialSlot.allCases {
      let credential = credentials.first { $0.provider == slot.provider && $0.environment == slot.environment }
      var sender: (any Sender)?
      if let credential {
        let topics = TopicChange(written.map(APNsSetting.topics) ?? [], by: APNsSetting.topics(credential))
        do throws(Problem) {
          sender = try open(credential, slot, topics: topics, vault: vault, threads: threads)
        } catch {
          // One credential that cannot be used must not keep the other apps from being served.
          log(
            .error, "credential unusable",
            ["app": .text(app.name), "slot": .text(slot.rawValue), "detail": .text(error.detail)])
        }
      }
      directory.set(sender, app: app.id, provider: slot.provider, environment: slot.environment)
    }
  }

  private static func open(
    _ credential: Credential, _ slot: CredentialSlot, topics: TopicChange, vault: Vault, threads: GatewayThreads
  ) throws(Problem) -> any Sender {
    switch try ProviderSetting(opening: credential, slot, vault: vault) {
    case .apns(let setting): try sender(setting, topics, threads)
    case .fcm(let setting): try sender(setting, threads)
    }
  }

  private static func sender(
    _ setting: APNsSetting, _ topics: TopicChange, _ threads: GatewayThreads
  ) throws(Problem) -> any Sender {
    let configuration = APNsClientConfiguration(gateway: setting.gateway, credential: setting.credential)
    do throws(APNsCredentialError) {
      return APNsSender(try APNsClient(configuration, threads: threads), topics: topics)
    } catch {
      throw Problem(.invalid, error.description)
    }
  }

  private static func sender(_ setting: FCMSetting, _ threads: GatewayThreads) throws(Problem) -> any Sender {
    let configuration = FCMClientConfiguration(gateway: setting.gateway, account: setting.account)
    do throws(FCMCredentialError) { return FCMSender(try FCMClient(configuration, threads: threads)) } catch {
      throw Problem(.invalid, error.description)
    }
  }
}
