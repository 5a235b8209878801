internal import Delivery
internal import GatewayPool
internal import HTTP2
internal import StoreModel
internal import Synchronization

/// A client for each credential of each app.
///
/// A client whose credential was replaced or removed takes nothing new, ends what it has, and closes its connections.
final class AppSenders: Sendable {
  /// How long a replaced client may take to finish the sends submitted to it.
  ///
  /// It covers the times of ``SendTiming`` of a send with one retry.
  static let drainLimit: Duration = .seconds(100)

  /// What a client was made from; one that is made from the same is kept.
  private struct Origin: Hashable {
    let credential: Credential
    let topics: TopicChange
  }

  private struct Key: Hashable {
    let app: AppID
    let slot: CredentialSlot
  }

  /// The way to the clients.
  let directory = SenderDirectory()
  private let store: any Store
  private let vault: Vault
  private let clock: WallClock
  private let log: Log
  private let threads: GatewayThreads
  /// The proxy that the server is started with.
  private let proxy: HTTP2Proxy?
  private let health: DeliveryHealth
  private let state = Mutex(State())

  private struct State: Sendable {
    var origins: [Key: Origin] = [:]
    /// How often each app's clients were exchanged, which says whether what was read before is still the newest.
    var exchanges: [AppID: Int] = [:]
  }

  init(
    store: any Store, vault: Vault, clock: WallClock, log: Log, threads: GatewayThreads, health: DeliveryHealth,
    proxy: HTTP2Proxy?
  ) {
    self.store = store
    self.vault = vault
    self.clock = clock
    self.log = log
    self.threads = threads
    self.proxy = proxy
    self.health = health
  }

  /// Opens the credentials of an app that are new or have changed, and closes what they replace.
  func load(_ app: App) throws(StoreError) {
    var isLoaded = false
    while !isLoaded {
      let seen = state.withLock { $0.exchanges[app.id] ?? 0 }
      // Not under the lock, which all others wait for, and a database may take its time.
      let credentials = try store.credentials(app: app.id)
      isLoaded = state.withLock { state in
        // Somebody was faster, who may have read what is newer: read again, so that the older never replaces it.
        guard state.exchanges[app.id] ?? 0 == seen else { return false }
        state.exchanges[app.id] = seen + 1
        for slot in CredentialSlot.allCases { load(slot, of: app, from: credentials, &state.origins) }
        directory.setTriesOtherEnvironment(AppSettings(app).triesOtherEnvironment, app: app.id)
        return true
      }
    }
  }

  /// The apps that have clients.
  var apps: Set<AppID> { state.withLock { Set($0.origins.keys.map(\.app)) } }

  /// Closes all clients of an app that is gone.
  func removeAll(of app: AppID) {
    directory.setTriesOtherEnvironment(false, app: app)
    state.withLock { state in
      state.exchanges[app, default: 0] += 1
      for slot in CredentialSlot.allCases {
        state.origins[Key(app: app, slot: slot)] = nil
        replace(app, slot, by: nil)
      }
    }
  }

  private func load(
    _ slot: CredentialSlot, of app: App, from credentials: [Credential], _ origins: inout [Key: Origin]
  ) {
    // Pushes are written with the topics of production, where there are any.
    let written = credentials.first { $0.provider == slot.provider && $0.environment == .production }
    let origin = credentials.first { $0.provider == slot.provider && $0.environment == slot.environment }.map {
      Origin(
        credential: $0, topics: TopicChange(written.map(APNsSetting.topics) ?? [], by: APNsSetting.topics($0)))
    }
    let key = Key(app: app.id, slot: slot)
    guard origins[key] != origin || origin == nil else { return }
    origins[key] = origin
    var fault: String?
    var sender: (any Sender)?
    if let origin {
      do throws(Problem) {
        sender = try open(origin, slot, of: app)
      } catch {
        // One credential that cannot be used must not keep the other apps from being served.
        log(
          .error, "credential unusable",
          ["app": .text(app.name), "slot": .text(slot.rawValue), "detail": .text(error.detail)])
        fault = error.detail
      }
    }
    health.noteCredential(app.id, slot, fault: fault, now: Timestamp(milliseconds: clock.nowMs()))
    replace(app.id, slot, by: sender, isUnusable: fault != nil)
  }

  private func replace(
    _ app: AppID, _ slot: CredentialSlot, by sender: (any Sender)?, isUnusable: Bool = false
  ) {
    let old = directory.set(
      sender, app: app, provider: slot.provider, environment: slot.environment, isUnusable: isUnusable)
    old?.close(within: Self.drainLimit)
  }

  private func open(_ origin: Origin, _ slot: CredentialSlot, of app: App) throws(Problem) -> any Sender {
    let losses = ConnectionLossLog(log, clock, app: app.name, slot: slot.rawValue)
    return try SealedSetting.read(opening: origin.credential, slot, vault: vault).sender(
      SenderParts(proxy: proxy, threads: threads, topics: origin.topics, losses: losses))
  }
}
