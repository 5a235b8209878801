import PostgresEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// A store in a folder of its own, with one app, and short forms for what most tests do.
final class StoreFixture {
  let folder: TemporaryFolder
  /// The database of a test on PostgreSQL.
  let database: TestDatabase?
  /// What tests of behaviour see of it; those of the engine itself ask ``sql``.
  var store: any Store { sql }
  private(set) var sql: SQLStore
  let app: AppID
  var now = Timestamp(seconds: 1_800_000_000)

  var path: String { folder.path + "/store.db" }

  init(options: SQLStore.Options = .init()) throws {
    folder = try TemporaryFolder()
    database = Engine.current == .postgres ? try TestDatabase() : nil
    sql = try Self.open(folder.path + "/store.db", database, options)
    app = try sql.createApp(name: "demo", title: "Demo", settings: [], now: now).id
  }

  deinit { sql.close() }

  /// Closes and opens again, as a restart does.
  func reopen(options: SQLStore.Options = .init()) throws {
    sql.close()
    sql = try Self.open(path, database, options)
  }

  private static func open(
    _ path: String, _ database: TestDatabase?, _ options: SQLStore.Options
  ) throws -> SQLStore {
    guard let database else { return try SQLStore(path: path, options: options) }
    var server = database.options
    server.onPrepare = ReleasedStatements.recorder(version: PostgresSchema.version)
    return try SQLStore(postgres: server, signInIssuer: options.signInIssuer)
  }

  @discardableResult
  func devices(_ count: Int, kind: DeviceKind = .ios, prefix: String = "t") throws -> [DeviceID] {
    let new = (0..<count).map {
      DeviceRegistration(app: app, token: "\(prefix)\($0)", kind: kind, user: "\(prefix)-user\($0)")
    }
    return try store.registerDevices(new, now: now).map(\.id)
  }

  func newPush(
    _ audience: Audience, pushClass: PushClass = .transactional, expiresAt: Timestamp? = nil,
    policy: UnknownPolicy = .resend, startAt: Timestamp? = nil, draft: Bool = false, key: IdempotencyKey? = nil
  ) -> NewPush {
    var push = NewPush(
      app: app, pushClass: pushClass, audience: audience,
      payloads: [RenderedPayload(kinds: [.ios], headers: [.init("apns-topic", "com.example")], body: [123, 125])],
      salt: 7, startAt: startAt)
    (push.expiresAt, push.unknownPolicy, push.idempotency, push.draft) = (expiresAt, policy, key, draft)
    return push
  }

  /// A campaign whose audience is complete.
  func campaign(
    expiresAt: Timestamp? = nil, policy: UnknownPolicy = .resend
  ) throws -> PushID {
    let push = newPush(.all(kinds: []), pushClass: .campaign, expiresAt: expiresAt, policy: policy)
    let id = try store.createPush(push, now: now).id
    while !(try extend(id, 100).complete) {}
    return id
  }

  func extend(_ push: PushID, _ limit: Int) throws -> AudienceProgress {
    try wait { store.extendAudience(of: push, limit: limit, now: now, completion: $0) }
  }

  func lease(
    _ picks: [LeaseRequest.Pick], closed: Set<LaneKey> = [], node: String = "a", durationMs: Int64 = 60_000
  ) throws -> Lease {
    let request = LeaseRequest(node: node, durationMs: durationMs, picks: picks, closed: closed)
    return try wait { store.lease(request, now: now, completion: $0) }
  }

  func record(_ results: [DeliveryResult], _ lease: Lease) throws -> RecordSummary {
    let held = results.map { result in
      var result = result
      result.lease = lease.id
      return result
    }
    return try wait { store.record(held, completion: $0) }
  }

  func result(
    _ delivery: LeasedDelivery, _ change: DeliveryResult.Change, status: Int = 200, reason: String = "",
    consequence: DeviceConsequence? = nil
  ) -> DeliveryResult {
    var result = DeliveryResult(
      lease: LeaseID(rawValue: 0), delivery: delivery.id, push: delivery.push, attempt: delivery.attempt,
      change: change, provider: delivery.kind.provider, answer: (status, reason), at: now)
    (result.device, result.consequence) = (delivery.device, consequence)
    return result
  }

  func recover(_ node: String?) throws -> RecoverySummary {
    try wait { store.recoverLeases(node: node, now: now, completion: $0) }
  }

  func counts(_ push: PushID) throws -> LedgerCounts {
    try #require(try store.push(push)).counts
  }

  /// Waits for an operation that answers through a completion.
  func wait<Output: Sendable>(
    _ start: (@escaping @Sendable (Result<Output, StoreError>) -> Void) -> Void
  ) throws -> Output {
    try store.wait(start)
  }
}

extension LeaseRequest.Pick {
  /// What is due in the lane of the fixture's iPhones.
  static func due(max: Int) -> LeaseRequest.Pick { .due(.iPhones, max: max) }
}

extension LaneKey {
  /// The lanes of the first app.
  static let iPhones = LaneKey(app: AppID(rawValue: 1), provider: .apns, environment: .production)
  static let sandbox = LaneKey(app: AppID(rawValue: 1), provider: .apns, environment: .development)
  static let android = LaneKey(app: AppID(rawValue: 1), provider: .fcm, environment: .production)
}

extension Store {
  /// When anything that waits is due next.
  func nextDue() throws -> Timestamp? { try waitingWork().first }
}

extension LedgerCounts {
  /// Names every number, so that a test can compare the whole.
  init(
    targeted: Int, waiting: Int = 0, inFlight: Int = 0, accepted: Int = 0, rejected: Int = 0, expired: Int = 0,
    cancelled: Int = 0, unknown: Int = 0
  ) {
    self.init()
    self.targeted = targeted
    self.waiting = waiting
    self.inFlight = inFlight
    self.accepted = accepted
    self.rejected = rejected
    self.expired = expired
    self.cancelled = cancelled
    self.unknown = unknown
  }
}
