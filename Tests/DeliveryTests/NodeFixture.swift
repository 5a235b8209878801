import Delivery
import Glibc
import PostgresEngine
import PushStore
import StoreModel
import Synchronization
import TestEngines
import TestSupport
import Testing

/// A database that the engines of several nodes share, and short forms for what their tests do.
final class NodeFixture {
  let database: TestDatabase
  let first: FixtureNode
  let app: AppID
  private(set) var nodes: [FixtureNode] = []

  /// - Parameter losesNotifications: whether no node hears of what another one has changed.
  init(losesNotifications: Bool = false, change: (inout NodeIdentity) -> Void = { _ in }) throws {
    database = try TestDatabase()
    if losesNotifications { try database.server.loseNotifications(in: database.name) }
    first = try FixtureNode(database.options, "one", change)
    app = try first.store.createApp(name: "demo", title: "", settings: [], now: FixtureNode.now).id
    nodes = [first]
  }

  deinit {
    for node in nodes { node.end() }
  }

  /// - Parameter through: another way to the database.
  func add(
    _ name: String, through: PostgresOptions? = nil, change: (inout NodeIdentity) -> Void = { _ in }
  ) throws -> FixtureNode {
    let node = try FixtureNode(through ?? database.options, name, change)
    nodes.append(node)
    return node
  }

  @discardableResult
  func devices(_ count: Int, _ kind: DeviceKind = .ios) throws -> [DeviceID] {
    let new = (0..<count).map { DeviceRegistration(app: app, token: "t\($0)", kind: kind) }
    return try first.store.registerDevices(new, now: FixtureNode.now.adding(seconds: -60)).map(\.id)
  }

  func push(campaign: Bool = true, policy: UnknownPolicy = .resend, throttle: Int? = nil) throws -> PushID {
    var push = NewPush(
      app: app, pushClass: campaign ? .campaign : .transactional, audience: .all(kinds: []),
      payloads: [
        RenderedPayload(kinds: DeviceKind.allCases, headers: [.init("apns-topic", "com.example")], body: [123, 125])
      ], salt: 99)
    (push.unknownPolicy, push.throttlePerMinute) = (policy, throttle)
    return try first.store.createPush(push, now: FixtureNode.now).id
  }

  func counts(_ push: PushID) throws -> LedgerCounts { try #require(try first.store.push(push)).counts }

  /// Deliveries that were sent again, because nobody knows of the first time.
  func resent(_ push: PushID) throws -> Int { try #require(try first.store.push(push)).resent }

  /// Waits until something holds; the bound is for a machine that is busy with everything else.
  func until(
    _ words: String, location: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
  ) throws {
    for _ in 0..<60_000 {
      if try holds() { return }
      usleep(1_000)
    }
    Issue.record("\(words) did not happen in a minute", sourceLocation: location)
  }

  func untilFinished(_ push: PushID, location: SourceLocation = #_sourceLocation) throws {
    try until("the end of push \(push)", location: location) { try first.store.push(push)?.finishedAt != nil }
  }

  func checkLedger(location: SourceLocation = #_sourceLocation) throws {
    let faults = try first.store.verifyLedger(push: nil)
    #expect(faults.isEmpty, "\(faults.map(\.description))", sourceLocation: location)
  }
}

/// One node: a store that has joined, and an engine.
final class FixtureNode {
  let name: String
  let store: SQLStore
  let senders = SenderDirectory()
  let events = Shared(Mutex<[DeliveryEvent]>([]))
  /// What the clock by which leases have their term is ahead of the real one.
  let elapsed = Shared(Atomic<Int64>(0))
  private(set) var engine: DeliveryEngine?

  init(_ options: PostgresOptions, _ name: String, _ change: (inout NodeIdentity) -> Void) throws {
    self.name = name
    store = try SQLStore(postgres: options)
    var identity = NodeIdentity(name: name) { FixtureNode.now }
    identity.heartbeatMs = 200
    change(&identity)
    try store.join(identity)
  }

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  func start(_ app: AppID, _ sender: any Sender, change: (inout DeliveryOptions) -> Void = { _ in }) throws {
    for provider in Provider.allCases {
      senders.set(sender, app: app, provider: provider, environment: .production)
    }
    var options = DeliveryOptions()
    options.node = name
    options.rates = [:]
    options.pollMs = 50
    options.leaseMs = 15_000
    let events = events
    options.onEvent = { event in events.value.withLock { $0.append(event) } }
    change(&options)
    engine = try DeliveryEngine(store: store, senders: senders, options: options)
  }

  /// Ends as a server does that is asked to.
  func end() {
    engine?.stop(withinMs: 5_000)
    engine = nil
    try? store.leave(now: FixtureNode.now)
    store.close()
  }
}
