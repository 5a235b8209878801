internal import PushStore
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
  private let entries = Mutex<[String: Remembered]>([:])
  /// Names by id; a name never changes.
  private let names = Mutex<[AppID: String]>([:])

  init(store: any Store) { self.store = store }

  /// Forgets what was remembered, after an app or its credentials changed.
  func forget(_ name: String) { entries.withLock { _ = $0.removeValue(forKey: name) } }

  /// The id of the app with this name; nil when there is none.
  func id(named name: String, now: Timestamp) throws(Problem) -> AppID? {
    do throws(Problem) { return try app(named: name, now: now).app.id } catch {
      if error.kind == .notFound { return nil }
      throw error
    }
  }

  /// The app with this id; `notFound` when there is none.
  func app(id: AppID, now: Timestamp) throws(Problem) -> AppEntry {
    if let name = names.withLock({ $0[id] }) { return try app(named: name, now: now) }
    let found: App?
    do throws(StoreError) { found = try store.app(id) } catch { throw Problem(error) }
    guard let found else { throw Problem(.notFound, "the app of this key is gone") }
    names.withLock { names in
      if names.count >= AppDirectory.entriesMax { names.removeAll() }
      names[id] = found.name
    }
    return try app(named: found.name, now: now)
  }

  /// The app with this name; `notFound` when there is none.
  func app(named name: String, now: Timestamp) throws(Problem) -> AppEntry {
    let known = entries.withLock { $0[name] }
    if let known, known.readAt <= now, now < known.readAt.adding(milliseconds: AppDirectory.trustMs) {
      return known.entry
    }
    let entry: AppEntry?
    do throws(StoreError) { entry = try read(name) } catch { throw Problem(error) }
    guard let entry else {
      forget(name)
      throw Problem(.notFound, "there is no app \"\(name.prefix(100))\"; GET /v1/apps lists the apps")
    }
    entries.withLock { entries in
      if entries.count >= AppDirectory.entriesMax { entries.removeAll() }
      entries[name] = Remembered(entry: entry, readAt: now)
    }
    return entry
  }

  private func read(_ name: String) throws(StoreError) -> AppEntry? {
    guard let app = try store.app(named: name) else { return nil }
    return AppEntry(app: app, credentials: try store.credentials(app: app.id))
  }
}
