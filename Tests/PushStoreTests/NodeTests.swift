import Glibc
import Ledger
import PostgresEngine
import Synchronization
import System
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Several stores on one database.
@Suite(.timeLimit(.minutes(2))) struct NodeTests {
  /// Two nodes on one database.
  final class Pair {
    let database: TestDatabase
    let first: SQLStore
    let second: SQLStore
    let app: AppID
    /// What the second heard of the first.
    let heard = Heard()
    let now = Timestamp(seconds: 1_800_000_000)
    private var marks = 0

    init() throws {
      database = try TestDatabase()
      first = try Self.open(database, "first")
      second = try Self.open(database, "second")
      app = try first.createApp(name: "demo", title: "", settings: [], now: now).id
      second.observeChanges(behindWrites: true) { [heard] in heard.add($0) }
      // What was told before is not asked for.
      try forget()
    }

    deinit {
      first.close()
      second.close()
    }

    static func open(_ database: TestDatabase, _ name: String) throws -> SQLStore {
      let store = try SQLStore(postgres: database.options)
      try store.join(identity(name))
      return store
    }

    static func identity(_ name: String) -> NodeIdentity {
      NodeIdentity(name: name, version: "1") { Timestamp(milliseconds: wallMs()) }
    }

    /// Lets everything that was told come, and forgets it.
    func forget() throws {
      marks += 1
      let mark = try first.createApp(name: "mark\(marks)", title: "", settings: [], now: now).id
      _ = try first.saveCredential(
        NewCredential(app: mark, provider: .apns, kind: "k", environment: .production, settings: [], sealed: []),
        replacing: nil, now: now)
      #expect(heard.waits(for: .credentials(mark)))
      heard.clear()
    }
  }

  /// Changes as they come.
  final class Heard: Sendable {
    private let changes = Mutex<[SharedChange]>([])

    func add(_ change: SharedChange) { changes.withLock { $0.append(change) } }
    var all: [SharedChange] { changes.withLock { $0 } }
    func clear() { changes.withLock { $0 = [] } }

    /// Waits until a change has come.
    func waits(for change: SharedChange) -> Bool {
      for _ in 0..<20_000 {
        if all.contains(change) { return true }
        usleep(1_000)
      }
      return false
    }
  }

  static func wallMs() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  @Test func textsAreReadAsTheyAreWritten() {
    var recall = LeaseRecall()
    recall.devices = [DeviceID(rawValue: 1), DeviceID(rawValue: .max)]
    recall.deliveries = [DeliveryID(rawValue: 77)]
    let all: Set<SharedChange> = [
      .work, .push(PushID(rawValue: 5)), .leases, .apps, .credentials(AppID(rawValue: 9)), .keys, .people, .webhooks,
      .schedules, .retention, .everything,
    ]
    let texts = SharedChangeText.texts(all, recall, from: 3)
    #expect(texts.count == 1)
    let read = texts.compactMap { SharedChangeText.changes($0, to: 4) }.flatMap { $0 }
    #expect(Set(read) == all.union([.recall(recall)]) && read.count == all.count + 1)
    #expect(texts.allSatisfy { SharedChangeText.changes($0, to: 3) == nil })
    // A word of a newer version, and a text of somebody else.
    #expect(SharedChangeText.changes("3 y12", to: 4) == [.everything])
    #expect(SharedChangeText.changes("", to: 4) == [.everything])
  }

  @Test func longTextsAreSplitAndThoseBeyondTheBoundAreOneWord() {
    var recall = LeaseRecall()
    recall.devices = Set((1...3_000).map { DeviceID(rawValue: $0 * 1_000_003) })
    let texts = SharedChangeText.texts([.work], recall, from: .max)
    #expect(texts.count > 1 && texts.allSatisfy { $0.utf8.count <= SharedChangeText.bytesMax })
    var read = LeaseRecall()
    for case .recall(let part) in texts.compactMap({ SharedChangeText.changes($0, to: 1) }).flatMap({ $0 }) {
      read.formUnion(part)
    }
    #expect(read == recall)
    recall.devices = Set((1...60_000).map { DeviceID(rawValue: $0 * 1_000_003) })
    let one = SharedChangeText.texts([.work], recall, from: 2)
    #expect(one.count == 1 && SharedChangeText.changes(one[0], to: 1) == [.everything])
  }

  /// One change of each kind, and what others hear of it.
  static let changes: [(String, @Sendable (Pair) throws -> SharedChange)] = [
    (
      "a push",
      { pair in
        _ = try pair.first.createPush(pair.push(), now: pair.now)
        return .work
      }
    ),
    (
      "a pause",
      { pair in
        let id = try pair.first.createPush(pair.push(), now: pair.now).id
        try pair.first.pausePush(id)
        return .push(id)
      }
    ),
    (
      "a throttle",
      { pair in
        let id = try pair.first.createPush(pair.push(), now: pair.now).id
        try pair.first.setThrottle(id, perMinute: 5, now: pair.now)
        return .push(id)
      }
    ),
    (
      "a cancellation",
      { pair in
        let id = try pair.first.createPush(pair.push(), now: pair.now).id
        try pair.first.cancelPush(id, now: pair.now)
        return .push(id)
      }
    ),
    (
      "an app",
      { pair in
        _ = try pair.first.updateApp(pair.app, title: "x", settings: [], compat: [], now: pair.now)
        return .apps
      }
    ),
    (
      "a credential",
      { pair in
        let saved = try pair.first.saveCredential(pair.credential(pair.app), replacing: nil, now: pair.now)
        return .credentials(saved.app)
      }
    ),
    (
      "a credential that is gone",
      { pair in
        let saved = try pair.first.saveCredential(pair.credential(pair.app), replacing: nil, now: pair.now)
        try pair.forget()
        try pair.first.deleteCredential(saved.id)
        return .credentials(pair.app)
      }
    ),
    (
      "a stop",
      { pair in
        try pair.setStop(LaneStop(lane: pair.lane, reason: "x", since: pair.now, refusals: 1, retryAt: pair.now))
        return .work
      }
    ),
    (
      "the end of a stop",
      { pair in
        try pair.setStop(nil)
        return .work
      }
    ),
    (
      "all stops",
      { pair in
        try pair.first.clearStops(app: pair.app)
        return .credentials(pair.app)
      }
    ),
    (
      "a key",
      { pair in
        let key = try pair.first.createKey(pair.key(), now: pair.now)
        try pair.forget()
        try pair.first.revokeKey(key.id, unlessLastWith: nil, now: pair.now)
        return .keys
      }
    ),
    (
      "a device that opts out",
      { pair in
        let id = try pair.first.registerDevices(
          [DeviceRegistration(app: pair.app, token: "t", kind: .ios)], now: pair.now)[0].id
        try pair.forget()
        try pair.first.setDeviceState(id, .retired, reason: "gone", now: pair.now)
        var recall = LeaseRecall()
        recall.devices = [id]
        return .recall(recall)
      }
    ),
    (
      "how long something is stored",
      { pair in
        try pair.first.setRetention(app: pair.app, RetentionPolicy(deliveriesDays: 5))
        return .retention
      }
    ),
    (
      "a rule",
      { pair in
        try pair.first.setSuppressionRules(SuppressionRules(), app: pair.app)
        return .apps
      }
    ),
  ]

  @Test(arguments: changes.map(\.0)) func whatANodeChangesTheOthersHear(_ name: String) throws {
    let pair = try Pair()
    let change = try #require(Self.changes.first { $0.0 == name }).1
    let own = Heard()
    pair.first.observeChanges(behindWrites: true) { own.add($0) }
    let expected = try change(pair)
    #expect(pair.heard.waits(for: expected), "\(pair.heard.all)")
    // What is heard of the second shows that the first's own changes would have come by now.
    try pair.second.clearStops(app: pair.app)
    #expect(own.waits(for: .credentials(pair.app)))
    #expect(own.all == [.credentials(pair.app)], "a node is not told of what it did itself")
  }

  @Test func aChangeThatIsNotKeptIsNotTold() throws {
    let pair = try Pair()
    let now = pair.now
    #expect(throws: StoreError.self) {
      try pair.first.wait { completion in
        pair.first.change(
          { store throws(StoreError) in
            _ = try store.createKey(NewAPIKey(app: nil, name: "k", scopes: "send", prefix: "p", hash: [1]), now: now)
            throw StoreError(.invalid, "no", advice: "")
          }, completion: completion)
      }
    }
    try pair.first.clearStops(app: pair.app)
    #expect(pair.heard.waits(for: .credentials(pair.app)))
    #expect(!pair.heard.all.contains(.keys))
  }

  @Test func aNameIsHadByOneServerAtATime() throws {
    let pair = try Pair()
    let store = try SQLStore(postgres: pair.database.options)
    defer { store.close() }
    let refusal = #expect(throws: StoreError.self) { try store.join(Pair.identity("first")) }
    #expect(refusal?.code == .locked && refusal?.advice.contains("--node") == true, "\(String(describing: refusal))")
    #expect(try store.nodes().map(\.name) == ["first", "second"])
    try pair.first.leave(now: pair.now)
    try store.join(Pair.identity("first"))
    #expect(try store.nodes().map(\.name) == ["first", "second"])
  }

  @Test func aNodeShowsItsClockItsLeasesAndItsDuties() throws {
    let pair = try Pair()
    let now = Timestamp(milliseconds: Self.wallMs())
    _ = try pair.first.createPush(pair.push(), now: now)
    let request = LeaseRequest(
      node: "first", durationMs: 60_000, picks: [.transactional(app: pair.app, max: 10)], closed: [])
    _ = try pair.first.wait { pair.first.lease(request, now: now, completion: $0) }
    _ = try pair.second.claimDuty(.webhooks, until: now.adding(seconds: 10), now: now)
    _ = try pair.second.claimDuty(.schedules, until: now.adding(seconds: 10), now: now)
    let work = try pair.second.nodeWork(now: now)
    #expect(work["first"]?.leases == 1 && work["first"]?.inFlight == 1 && work["first"]?.duties == [], "\(work)")
    #expect(work["second"]?.leases ?? 0 == 0 && work["second"]?.duties == ["schedules", "webhooks"], "\(work)")
    // A duty whose time is over is nobody's.
    #expect(try pair.second.nodeWork(now: now.adding(seconds: 11))["second"] == nil)
    let nodes = try pair.first.nodes()
    #expect(nodes.allSatisfy { $0.isLive && $0.unseenMs < 15_000 && $0.clockAheadMs.map { abs($0) < 1_000 } == true })
    try pair.second.leave(now: now)
    let fast = try SQLStore(postgres: pair.database.options)
    defer { fast.close() }
    try fast.join(NodeIdentity(name: "fast") { Timestamp(milliseconds: Self.wallMs() + 60_000) })
    let ahead = try #require(try pair.first.nodes().first { $0.name == "fast" }?.clockAheadMs)
    #expect(ahead > 50_000 && ahead <= 60_000, "\(ahead)")
  }

  @Test func aDutyIsHadByOneNodeAtATimeAndAFormerOneWritesNothing() throws {
    let pair = try Pair()
    let now = pair.now
    let first = try #require(try pair.first.claimDuty(.upkeep, until: now.adding(seconds: 10), now: now))
    #expect(try pair.second.claimDuty(.upkeep, until: now.adding(seconds: 10), now: now) == nil)
    let kept = try #require(
      try pair.first.claimDuty(.upkeep, until: now.adding(seconds: 20), now: now.adding(seconds: 5)))
    #expect(kept.epoch == first.epoch)
    try Self.write(pair.first, under: kept, "kept", now)
    // The first is away for longer than its term.
    let later = now.adding(seconds: 20)
    let second = try #require(try pair.second.claimDuty(.upkeep, until: later.adding(seconds: 10), now: later))
    #expect(second.epoch == kept.epoch + 1)
    let refusal = #expect(throws: StoreError.self) { try Self.write(pair.first, under: kept, "late", later) }
    #expect(refusal?.code == .conflict)
    try Self.write(pair.second, under: second, "next", later)
    #expect(try pair.first.apps().map(\.name).filter { ["kept", "late", "next"].contains($0) } == ["kept", "next"])
    try pair.second.releaseDuty(second)
    #expect(try pair.first.claimDuty(.upkeep, until: later, now: later)?.epoch == second.epoch + 1)
  }

  /// Another node's transaction keeps this one from writing: it asks for duties without waiting for that, and drops what it
  /// remembers, while what concerns its leases comes behind its own writes.
  @Test func whoWaitsToWriteHearsTheNewsAndAsksForDuties() throws {
    let pair = try Pair()
    let now = pair.now
    let term = try #require(try pair.first.claimDuty(.upkeep, until: now.adding(seconds: 10), now: now))
    let beside = Heard()
    pair.second.observeChanges(behindWrites: false) { beside.add($0) }
    let server = try PostgresServer.shared()
    /// Waits until so many wait to write.
    func untilWaiting(_ count: Int) throws {
      try pair.database.run(
        """
        DO $$ BEGIN
          FOR i IN 1..3000 LOOP
            IF (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) = \(count) THEN RETURN; END IF;
            PERFORM pg_sleep(0.005);
          END LOOP;
          RAISE EXCEPTION 'not \(count) wait';
        END $$
        """)
    }
    /// Another session that writes until it is ended.
    func holding(_ seconds: Int) throws -> Subprocess {
      try server.begin(
        "BEGIN; SELECT pg_advisory_xact_lock(\(PostgresConnection.writerLock));\nSELECT 'has it';\nSELECT pg_sleep(\(seconds));",
        in: pair.database.name)
    }
    func end(_ seconds: Int) throws {
      try pair.database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
          + " AND query LIKE '%pg_sleep(\(seconds))%' AND pid <> pg_backend_pid()")
    }
    // All wait behind one: the first node, which has news, then one that is slow, then the second node.
    let hold = try holding(601)
    try hold.waitFor("has it")
    let news = Answer<Void>()
    let app = pair.app
    pair.first.change({ store throws(StoreError) in try store.clearStops(app: app) }, completion: { news.set($0) })
    try untilWaiting(1)
    let slow = try holding(602)
    try untilWaiting(2)
    let write = Answer<Void>()
    pair.second.change({ store throws(StoreError) in try store.clearStops(app: app) }, completion: { write.set($0) })
    try untilWaiting(3)
    try end(601)
    try news.wait()
    #expect(beside.waits(for: .credentials(pair.app)))
    #expect(!pair.heard.all.contains(.credentials(pair.app)))
    #expect(try pair.second.claimDuty(.upkeep, until: now.adding(seconds: 10), now: now) == nil)
    try end(602)
    try write.wait()
    #expect(pair.heard.waits(for: .credentials(pair.app)))
    withExtendedLifetime((hold, slow, term)) {}
  }

  /// A writer that stops within a statement, while the server waits for rows of it or for the rows of a result to be taken: the
  /// server's own bounds do not hold there, and nobody else could write for as long.
  @Test(arguments: [
    "\\copy apps FROM PROGRAM 'exec sleep 60 2>/dev/null'",
    "SELECT CASE WHEN i = 1 THEN pg_sleep(1)::text ELSE repeat('x', 100) END FROM generate_series(1, 3000000) AS i;",
  ])
  func aWriterThatStopsWithinAStatementIsEnded(_ statement: String) throws {
    let pair = try Pair()
    let writer = try pair.database.server.begin(
      "BEGIN; SELECT pg_advisory_xact_lock(\(PostgresConnection.writerLock));\nSELECT 'has it';\n\(statement)\n",
      in: pair.database.name)
    try writer.waitFor("has it")
    usleep(300_000)
    kill(writer.pid, SIGSTOP)
    defer { kill(writer.pid, SIGKILL) }
    // Given up after 27 seconds when nobody ends that one.
    try pair.second.clearStops(app: pair.app)
    #expect(pair.second.nodeStatus.trouble == nil)
  }

  /// The time by which leases end is the database's, whatever the time of day is set to.
  @Test func theSharedTimeIsTheDatabases() throws {
    let pair = try Pair()
    let before = try #require(Int64(try pair.database.run(Self.databaseTime).dropLast()))
    let time = try #require(pair.second.sharedTime(elapsedMs: SystemClock.elapsedMs())).milliseconds
    let after = try #require(Int64(try pair.database.run(Self.databaseTime).dropLast()))
    // A heartbeat says by how much at most: what it took.
    #expect(time >= before - 1_000 && time <= after + 5_000, "\(before) \(time) \(after)")
    let later = try #require(pair.second.sharedTime(elapsedMs: SystemClock.elapsedMs() + 60_000)).milliseconds
    #expect(later >= time + 60_000)
    let file = try StoreFixture()
    #expect(file.store.sharedTime(elapsedMs: 0) == nil)
  }

  private static let databaseTime = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  private static func write(_ store: SQLStore, under term: DutyTerm, _ name: String, _ now: Timestamp) throws {
    try store.wait { completion in
      store.change(
        { store throws(StoreError) in
          _ = try store.createApp(name: name, title: "", settings: [], now: now)
          try store.confirmDuty(term)
        }, completion: completion)
    }
  }

  @Test func afterALostConnectionEverythingIsTold() throws {
    let pair = try Pair()
    let ended = try pair.database.run(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) > 0 FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%nodes%clock_ahead_ms%'
      """)
    #expect(ended == "t\n")
    #expect(pair.heard.waits(for: .everything))
    // News come again.
    try pair.first.clearStops(app: pair.app)
    #expect(pair.heard.waits(for: .credentials(pair.app)))
    #expect(pair.second.nodeStatus.trouble == nil)
  }

  /// What the writer remembers between transactions is right when another node writes in between.
  @Test func whatIsRememberedIsRightBesideAnotherNode() throws {
    let pair = try Pair()
    var change = UserChange()
    change.properties = [
      PropertyChange("plan", .text("a")), PropertyChange("age", .integer(3)),
    ]
    for store in [pair.first, pair.second, pair.first] {
      // Names of attributes: the one who comes second finds the other's number.
      _ = try store.updateUser(
        app: pair.app, named: "ann", change, now: pair.now)
    }
    #expect(try pair.database.run("SELECT count(*), count(DISTINCT id) FROM attribute_keys") == "2|2\n")
    // What one node has named, another can change and take away.
    var named = UserChange()
    named.properties = [PropertyChange("shoe", .integer(44))]
    _ = try pair.first.updateUser(app: pair.app, named: "ann", named, now: pair.now)
    named.properties = [PropertyChange("shoe", nil)]
    let bare = try pair.second.updateUser(app: pair.app, named: "ann", named, now: pair.now)
    #expect(bare.properties.map(\.name) == ["age", "plan"])
    #expect(try pair.first.user(app: pair.app, named: "ann")?.properties.map(\.name) == ["age", "plan"])
    for (number, store) in [pair.first, pair.second, pair.first].enumerated() {
      // Reasons of providers: the same row.
      let push = try store.createPush(pair.push(), now: pair.now).id
      let request = LeaseRequest(
        node: "n\(number)", durationMs: 60_000, picks: [.transactional(app: pair.app, max: 10)], closed: [])
      let lease = try store.wait { store.lease(request, now: pair.now, completion: $0) }
      #expect(lease.deliveries.map(\.push) == [push])
      let results = lease.deliveries.map { delivery in
        DeliveryResult(
          lease: lease.id, delivery: delivery.id, push: push, attempt: 1, change: .rejected, provider: .apns,
          answer: (400, "Peculiar"), at: pair.now)
      }
      #expect(try store.wait { store.record(results, completion: $0) }.recorded == 1)
    }
    #expect(try pair.database.run("SELECT count(*) FROM outcomes WHERE reason = 'Peculiar'") == "1\n")
    #expect(try pair.first.verifyLedger(push: nil).isEmpty)
  }

  /// A throttle holds over all nodes: each spreads over its share, and forgets what it has spread when another one changes it.
  @Test func throttlesAreSharedByTheNodes() {
    var alone = ThrottleSlots()
    var shared = ThrottleSlots()
    let (push, now) = (PushID(rawValue: 1), Timestamp(seconds: 1_800_000_000))
    alone.begin(now, nodes: 1)
    shared.begin(now, nodes: 3)
    let spread = (0..<4).map { _ in
      (alone.next(of: push, perMinute: 60, from: now), shared.next(of: push, perMinute: 60, from: now))
    }
    #expect(spread.map { $0.0.milliseconds - now.milliseconds } == [0, 1_000, 2_000, 3_000])
    #expect(spread.map { $0.1.milliseconds - now.milliseconds } == [0, 3_000, 6_000, 9_000])
  }
}

extension NodeTests.Pair {
  func push() -> NewPush {
    NewPush(
      app: app, pushClass: .transactional, audience: .addresses([DeviceAddress(token: "t", kind: .ios)]),
      payloads: [RenderedPayload(kinds: [.ios], headers: [.init("apns-topic", "com.example")], body: [123, 125])],
      salt: 7)
  }

  func credential(_ app: AppID) -> NewCredential {
    NewCredential(app: app, provider: .apns, kind: "k", environment: .production, settings: [], sealed: [])
  }

  var lane: LaneKey { LaneKey(app: app, provider: .apns, environment: .production) }

  func setStop(_ stop: LaneStop?) throws { try first.wait { first.setStop(of: lane, stop, completion: $0) } }

  func key() -> NewAPIKey { NewAPIKey(app: nil, name: "k", scopes: "send", prefix: "p", hash: [1, 2]) }
}
