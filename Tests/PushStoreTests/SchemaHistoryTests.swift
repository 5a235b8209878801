import SQLiteEngine
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Every layout a database ever had moves forward to the present one, with what is in it.
///
/// `Tests/Snapshots/PushStore` holds each migration as it was released. What is there is never changed: a file in the
/// field was made by it. `RECORD_SNAPSHOTS=1 swift test --filter SchemaHistoryTests` writes those of new migrations.
@Suite(.timeLimit(.minutes(10))) struct SchemaHistoryTests {
  static let folder = Files.packageRoot + "/Tests/Snapshots/PushStore"

  static func path(_ version: Int) -> String { "\(folder)/migration-\(version < 10 ? "0" : "")\(version).sql" }

  static func released(_ version: Int) throws -> String {
    String(decoding: try Files.read(path(version)), as: UTF8.self)
  }

  @Test("No released migration is changed", arguments: 1...Schema.migrations.count) func isAsReleased(version: Int)
    throws
  {
    let text = Schema.migrations[version - 1] + "\n"
    if Files.environment("RECORD_SNAPSHOTS") != nil, (try? Self.released(version)) == nil {
      try Files.write(Array(text.utf8), to: Self.path(version))
    }
    #expect(try Self.released(version) == text)
  }

  /// Rows that are put in as soon as their table is there.
  static let rows: [(table: String, sql: String)] = [
    (
      "apps",
      """
      INSERT INTO apps VALUES (1, 'demo', 'Demo', x'', 1, 1, NULL);
      INSERT INTO api_keys VALUES (1, NULL, 'first', 'admin', 'prk_abcd', x'0102', 1, NULL, NULL, NULL);
      INSERT INTO credentials VALUES (1, 1, 1, 'token', 1, x'7b7d', x'0304', 1, 1);
      INSERT INTO devices(app, token, kind, environment, user, registered_at, state, state_at) VALUES
        (1, 'a', 1, 1, 'ann', 1000, 2, 1000), (1, 'b', 4, 1, 'ann', 2000, 2, 2000), (1, 'c', 1, 1, NULL, 3000, 3, 3000);
      INSERT INTO outcomes VALUES (7, 1, 400, 'BadTopic');
      INSERT INTO pushes(id, app, class, state, open, cursor, targeted, waiting, in_flight, accepted, rejected, expired,
        cancelled, unknown, resent, audience_complete, unknown_policy, created_at, start_at, finished_at, salt, reserved,
        audience_kinds, audience_position, audience_until, name) VALUES
        (1, 1, 2, 6, 0, 3, 3, 0, 0, 2, 1, 0, 0, 0, 0, 1, 1, 4000, 4000, 5000, 7, 3, 0, 0, 0, 'c-1'),
        (10, 1, 1, 3, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 4000, 4000, NULL, 7, 2, 0, 0, 0, NULL),
        (20, 1, 1, 5, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 1, 1, 4000, 4000, 5000, 7, 2, 0, 0, 0, NULL);
      INSERT INTO push_contents SELECT id, x'7b7d', x'00000000' FROM pushes;
      INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at) VALUES
        (1, 1, 5, 1, 0, 3, 5000), (2, 2, 5, 1, 0, 4, 5000), (3, 3, 6, 1, 0, 7, 5000),
        (10, 1, 2, 0, 0, 2, 4000), (11, 2, 2, 0, 0, 2, 4000), (20, 1, 2, 0, 0, 2, 4000), (21, 2, 2, 0, 0, 2, 4000);
      INSERT INTO leases VALUES (1, 'gone', 6000, 1, x'0a000000000000000100000001000000');
      UPDATE sequence SET next = 1000;
      INSERT INTO apps VALUES (2, 'away', 'Away', x'', 1, 7, 'fcm refused the credential: invalid_grant');
      INSERT INTO pushes SELECT 40, 1, 2, 3, 0, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 1, 1, 4000, 4000, NULL, NULL, NULL, 7, 3, 0,
        0, 0, NULL;
      INSERT INTO push_contents VALUES (40, x'7b7d', x'00000000');
      INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, not_before, target) VALUES
        (40, 1, 3, 1, 0, 7, 5000, 9000, NULL), (41, 2, 3, 1, 0, 7, 5000, 9000, NULL),
        (42, NULL, 3, 1, 0, 7, 5000, 9000, '4 1 x');
      """
    ),
    (
      "events",
      """
      INSERT INTO events VALUES (1, 2, '', 5500), (1, 3, '', 5500);
      INSERT INTO push_events VALUES (1, 2, '', 1), (1, 3, '', 1);
      """
    ),
    (
      "push_plans",
      """
      INSERT INTO pushes SELECT 30, 1, 2, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4000, 9000, NULL, NULL, NULL, 7, 1, 0,
        0, 0, 'c-2';
      INSERT INTO push_plans VALUES (30, 1, x'7b7d', 9000, NULL, NULL, NULL, NULL, NULL, NULL);
      """
    ),
    (
      "schedules",
      """
      INSERT INTO schedules(id, app, request, next_at, next_number, made, missed, created_at)
        VALUES (1, 1, x'7b7d', 9000, 3, 2, 0, 4000);
      INSERT INTO push_plans(push, app, request, schedule) VALUES (1, 1, x'7b7d', 1), (20, 1, x'7b7d', 1);
      """
    ),
    ("templates", "INSERT INTO templates VALUES (1, 'welcome', x'7b7d', 4000, 4000);"),
    (
      "webhooks",
      """
      INSERT INTO webhooks VALUES
        (1, 1, 'https://example.com/', 32, x'0506', NULL, NULL, 1, 0, 0, 4000, 4000, NULL, NULL, NULL);
      """
    ),
    ("retention", "INSERT INTO retention VALUES (1, 30, 60);"),
    ("audit", "INSERT INTO audit VALUES (1, 4000, 1, 'createApp', '/v1/apps', 'demo', '127.0.0.1', 'r1');"),
  ]

  /// A database as version `version` left it, made by the migrations as they were released; gives the tables with rows.
  static func make(_ path: String, _ version: Int) throws -> Set<String> {
    let db = try Connection(path: path, access: .readWriteCreate)
    var filled: Set<String> = []
    for step in 1...version {
      try Schema.migrate(db, migrations: try (1...step).map(released))
      for row in rows where !filled.contains(row.table) {
        let table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(row.table)'"
        guard try db.integer(table) == 1 else { continue }
        try db.execute(row.sql)
        filled.insert(row.table)
      }
    }
    return filled
  }

  /// The layout, as SQLite keeps it.
  static func layout(_ path: String) throws -> String? {
    let db = try Connection(path: path, access: .readOnly)
    return try db.text("SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema ORDER BY type, name)")
  }

  @Test("A file of each version opens with all it has, and works", arguments: 1...Schema.migrations.count)
  func movesForward(version: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/old.db"
    let filled = try Self.make(path, version)
    let store = try SQLStore(path: path)
    let app = AppID(rawValue: 1)
    let now = Timestamp(milliseconds: 10_000)
    try expectHistory(store, filled)
    // What was on the wire is named and sent again; nothing is lost.
    let recovered = try store.wait { store.recoverLeases(node: "gone", now: now, completion: $0) }
    #expect(recovered.requeued == 1 && recovered.left == 0)
    let push = PushID(rawValue: 10)
    let request = LeaseRequest(
      node: "new", durationMs: 60_000,
      picks: [
        .push(push, max: 10), .due(.iPhones, max: 10), .due(.android, max: 10), .transactional(app: app, max: 10),
      ])
    let lease = try store.wait { store.lease(request, now: now.adding(seconds: 3_600), completion: $0) }
    #expect(lease.deliveries.map(\.id.rawValue).sorted() == [10, 11, 40, 41, 42])
    let results = lease.deliveries.map {
      DeliveryResult(
        lease: lease.id, delivery: $0.id, push: $0.push, attempt: $0.attempt, change: .accepted(providerID: nil),
        provider: $0.kind.provider, answer: (200, ""), at: now)
    }
    #expect(try store.wait { store.record(results, completion: $0) }.finished.count == 2)
    let events = [NewEvent(.opened, .delivery(results[0].delivery))]
    #expect(
      try store.wait { store.recordEvents(events, app: app, principal: .trusted, now: now, completion: $0) } == [
        .recorded
      ])
    #expect(try store.verifyLedger(push: nil) == [])
    store.close()
    // However old a file was, it is laid out as a new one.
    let new = folder.path + "/new.db"
    try SQLStore(path: new).close()
    #expect(try Self.layout(path) == Self.layout(new))
  }

  /// What was in the file is there.
  private func expectHistory(_ store: SQLStore, _ filled: Set<String>) throws {
    let app = try #require(try store.app(named: "demo"))
    #expect(try store.verifyLedger(push: nil) == [])
    let stops = try store.stops()
    #expect(stops.map(\.lane.app.rawValue) == [2] && stops.map(\.lane.provider) == [.fcm])
    #expect(stops.map(\.reason) == ["invalid_grant"] && stops.map(\.retryAt) == [Timestamp(milliseconds: 7)])
    #expect(try store.keys().map(\.name) == ["first"])
    #expect(try store.credentials(app: app.id).map(\.sealed) == [[3, 4]])
    #expect(try store.device(app: app.id, token: "b")?.user == "ann")
    #expect(try store.user(app: app.id, named: "ann") != nil)
    let done = try #require(try store.push(PushID(rawValue: 1)))
    #expect(done.counts == LedgerCounts(targeted: 3, accepted: 2, rejected: 1))
    // Pushes that were there are numbered in the order of their keys.
    #expect(done.number == 1)
    #expect(try store.push(app: app.id, number: 2)?.id.rawValue == 10)
    #expect(try store.push(app: app.id, number: 3)?.id.rawValue == 20)
    let rows = try store.deliveries(of: done.id, state: nil, after: nil, limit: 10)
    #expect(rows.map(\.reason) == ["", "", "BadTopic"])
    let ids = APNsIDs(salt: done.salt, form: .salt)
    for row in rows where row.provider == .apns {
      #expect(row.providerID == ids.id(of: row.id), "the id that it was sent with")
    }
    let refusals = try store.refusals(of: done.id, limit: 10)
    #expect(refusals == [RefusalCount(provider: .apns, status: 400, reason: "BadTopic", count: 1)])
    #expect(try store.push(PushID(rawValue: 20))?.counts == LedgerCounts(targeted: 2, cancelled: 2))
    if filled.contains("events") { #expect(try store.events(of: done.id).counts.opened == 1) }
    if filled.contains("push_plans") {
      let due = try store.dueScheduledPushes(now: Timestamp(milliseconds: 9_000), limit: 10)
      #expect(due.map(\.push.rawValue) == [30])
    }
    if filled.contains("schedules") {
      let schedule = try #require(try store.schedule(ScheduleID(rawValue: 1)))
      #expect(schedule.nextNumber == 3 && schedule.made == 2 && schedule.pausedAt == nil)
    }
    if filled.contains("templates") { #expect(try store.template(app: app.id, named: "welcome")?.body == [123, 125]) }
    if filled.contains("webhooks") { #expect(try store.webhooks(app: app.id).map(\.url) == ["https://example.com/"]) }
    if filled.contains("retention") { #expect(try store.retention(app: app.id).deliveriesDays == 30) }
    if filled.contains("audit") {
      #expect(try store.audit(AuditFilter(), before: nil, limit: 10).map(\.act) == ["createApp"])
    }
  }
}
