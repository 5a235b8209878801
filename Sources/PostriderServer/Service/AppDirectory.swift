internal import StoreModel
internal import Synchronization
internal import WireJSON

/// What a request needs to know of an app.
final class AppEntry: Sendable {
  let app: App
  let settings: AppSettings
  /// What is shown of each credential, by slot.
  let credentials: [CredentialSlot: Credential]
  /// The topics that APNs sends may have, the usual one first; none without APNs credentials.
  let topics: [String]
  /// The Firebase project; nil without FCM credentials.
  let fcmProject: String?

  /// The usual topic.
  var topic: String? { topics.first }

  /// What browsers are reached with; nil without a credential for them.
  let web: WebPushFacts?

  private let reached: Set<Provider>

  /// Whether pushes can be sent over a provider.
  func reaches(_ provider: Provider) -> Bool { reached.contains(provider) }

  init(app: App, credentials: [Credential]) {
    self.app = app
    settings = AppSettings(app)
    var bySlot: [CredentialSlot: Credential] = [:]
    for credential in credentials {
      if let slot = CredentialSlot(provider: credential.provider, environment: credential.environment) {
        bySlot[slot] = credential
      }
    }
    self.credentials = bySlot
    reached = Set(bySlot.keys.map(\.provider))
    web = bySlot[.web].flatMap(WebPushFacts.init)
    topics = (bySlot[.apns] ?? bySlot[.apnsSandbox]).map(APNsSetting.topics) ?? []
    fcmProject = bySlot[.fcm].flatMap { try? JSON.parse($0.settings) }?["project_id"]?.string
  }
}

/// Apps by name, remembered for a while so that a request does not ask the store.
final class AppDirectory: Sendable {
  private struct Remembered: Sendable {
    let entry: AppEntry
    let readAt: Timestamp
  }

  /// How long an app is believed without asking the store again, in milliseconds; another process may change it.
  private static let trustMs: Int64 = 10_000
  private static let entriesMax = 10_000

  private let store: any Store
  private let memory = Mutex(Memory())

  private struct Memory: Sendable {
    var entries: [String: Remembered] = [:]
    /// Names by id; a name never changes.
    var names: [AppID: String] = [:]
    /// How often something was forgotten: what was read before is not remembered after.
    var forgotten = 0
  }

  init(store: any Store) { self.store = store }

  /// Forgets what was remembered, after an app or its credentials changed.
  func forget(_ name: String) {
    memory.withLock { memory in
      memory.entries[name] = nil
      memory.forgotten += 1
    }
  }

  /// Forgets everything that was remembered.
  func forgetAll() {
    memory.withLock { memory in
      memory.entries.removeAll()
      memory.names.removeAll()
      memory.forgotten += 1
    }
  }

  /// The id of the app with this name; nil when there is none.
  func id(named name: String, now: Timestamp) throws(Problem) -> AppID? {
    do throws(Problem) { return try app(named: name, now: now).app.id } catch {
      if error.kind == .notFound { return nil }
      throw error
    }
  }

  /// The app with this id; `notFound` when there is none.
  func app(id: AppID, now: Timestamp) throws(Problem) -> AppEntry {
    if let name = memory.withLock({ $0.names[id] }) { return try app(named: name, now: now) }
    let found: App?
    do throws(StoreError) { found = try store.app(id) } catch { throw Problem(error) }
    guard let found else { throw Problem(.notFound, "the app of this key is gone") }
    memory.withLock { memory in
      if memory.names.count >= AppDirectory.entriesMax { memory.names.removeAll() }
      memory.names[id] = found.name
    }
    return try app(named: found.name, now: now)
  }

  /// The app with this name; `notFound` when there is none.
  func app(named name: String, now: Timestamp) throws(Problem) -> AppEntry {
    let (known, forgotten) = memory.withLock { ($0.entries[name], $0.forgotten) }
    if let known, known.readAt <= now, now < known.readAt.adding(milliseconds: AppDirectory.trustMs) {
      return known.entry
    }
    let entry: AppEntry?
    do throws(StoreError) { entry = try read(name) } catch { throw Problem(error) }
    guard let entry else {
      forget(name)
      throw Problem(.notFound, "there is no app \"\(name.prefix(100))\"; GET /v1/apps lists the apps")
    }
    memory.withLock { memory in
      guard memory.forgotten == forgotten else { return }
      if memory.entries.count >= AppDirectory.entriesMax { memory.entries.removeAll() }
      memory.entries[name] = Remembered(entry: entry, readAt: now)
    }
    return entry
  }

  private func read(_ name: String) throws(StoreError) -> AppEntry? {
    guard let app = try store.app(named: name) else { return nil }
    return AppEntry(app: app, credentials: try store.credentials(app: app.id))
  }
}
