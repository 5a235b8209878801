import SQLiteEngine
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Rows that earlier versions named otherwise become true when the file is opened.
@Suite(.timeLimit(.minutes(1))) struct TruthMigrationTests {
  /// A campaign of five: cancelled after it may have been processed, kept back by a rule after the same, expired after the same,
  /// cancelled without ever having been sent, and refused by the provider after it may have been processed.
  static let rows = """
    INSERT INTO outcomes VALUES (8, 0, 0, 'device-retired');
    INSERT INTO pushes(id, app, class, state, open, cursor, targeted, waiting, in_flight, accepted, rejected, expired,
      cancelled, unknown, resent, audience_complete, unknown_policy, created_at, start_at, finished_at, salt, reserved,
      audience_kinds, audience_position, audience_until, name) VALUES
      (100, 1, 2, 5, 0, 5, 5, 0, 0, 0, 2, 1, 2, 0, 4, 1, 1, 4000, 4000, 70000, 7, 5, 0, 0, 0, 'c-9');
    INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, variant) VALUES
      (100, 1, 8, 1, 1, 2, 70000, NULL), (101, 2, 6, 1, 1, 8, 70000, 0), (102, 3, 7, 2, 1, 2, 4000, NULL),
      (103, 1, 8, 0, 0, 2, 70000, NULL), (104, 2, 6, 2, 1, 7, 70000, 0);
    INSERT INTO refusals VALUES (100, 7, 1), (100, 8, 1);
    INSERT INTO variant_counts VALUES (100, 0, 6, 2);
    INSERT INTO series VALUES (100, 60000, 8, 2), (100, 60000, 6, 2), (100, 0, 7, 1);
    INSERT INTO series VALUES (-1, 60000, 8, 2), (-1, 60000, 6, 2), (-1, 0, 7, 1)
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    """

  private func series(_ store: SQLStore, _ scope: SeriesScope) throws -> [SeriesMetric: Int] {
    let points = try store.series(
      of: scope, from: Timestamp(milliseconds: 0), until: Timestamp(milliseconds: 120_000), stepMs: 60_000, limit: 10)
    return points.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
  }

  @Test func whatMayHaveBeenProcessedBecomesUnknown() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/old.db"
    _ = try SchemaHistoryTests.make(path, 17)
    do {
      let db = try Connection(path: path, access: .readWrite)
      try db.execute(Self.rows)
    }
    let store = try SQLStore(path: path)
    defer { store.close() }
    let push = PushID(rawValue: 100)
    #expect(try store.push(push)?.counts == LedgerCounts(targeted: 5, rejected: 1, cancelled: 1, unknown: 3))
    let states = try store.deliveries(of: push, state: nil, after: nil, limit: 10).map(\.state)
    #expect(states == [.unknown, .unknown, .unknown, .cancelled, .rejected])
    #expect(try store.refusals(of: push, limit: 10).map(\.reason) == ["BadTopic"])
    #expect(try series(store, .push(push)) == [.cancelled: 1, .rejected: 1, .unknown: 3])
    let app = try series(store, .app(AppID(rawValue: 1)))
    #expect(app[.unknown] == 3 && app[.expired] == nil, "\(app)")
    #expect(try store.verifyLedger(push: nil) == [])
    #expect(try store.push(PushID(rawValue: 1))?.counts.rejected == 1)
  }

  /// Earlier versions counted runs of schedules of which there is no push.
  @Test func schedulesCountThePushesThereAre() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/old.db"
    _ = try SchemaHistoryTests.make(path, 20)
    do {
      let db = try Connection(path: path, access: .readWrite)
      try db.execute(
        """
        UPDATE schedules SET made = 5;
        INSERT INTO schedules(id, app, request, next_at, next_number, made, missed, created_at)
          VALUES (2, 1, x'7b7d', 9000, 3, 2, 0, 4000);
        """)
    }
    let store = try SQLStore(path: path)
    defer { store.close() }
    #expect(try store.verifyLedger(push: nil) == [])
    #expect(try [1, 2].map { try store.schedule(ScheduleID(rawValue: $0))?.made } == [2, 0])
  }

  /// A schedule that an earlier version left behind is looked at by its latest time.
  @Test func schedulesKeepTheirPlace() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/old.db"
    _ = try SchemaHistoryTests.make(path, 17)
    let store = try SQLStore(path: path)
    defer { store.close() }
    let schedule = try #require(try store.schedule(ScheduleID(rawValue: 1)))
    #expect(schedule.fromAt == schedule.createdAt && schedule.nextAt == Timestamp(milliseconds: 9_000))
    #expect(try store.schedulesAhead(of: Timestamp(milliseconds: 4_000), limit: 10).isEmpty)
    #expect(try store.schedulesAhead(of: Timestamp(milliseconds: 3_999), limit: 10).map(\.id) == [schedule.id])
  }
}
