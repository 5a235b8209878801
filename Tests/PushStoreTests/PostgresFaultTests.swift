import Glibc
import Synchronization
import TestEngines
import TestSupport
import Testing

@testable import PostgresEngine
@testable import PushStore
@testable import StoreModel

/// Faults of a PostgreSQL server, each provoked at a real one: what is known to be lost is said to be, and what is not known is in
/// doubt.
@Suite(.timeLimit(.minutes(3))) struct PostgresFaultTests {
  private let now = Timestamp(seconds: 1_800_000_000)
  private let database: TestDatabase

  init() throws { database = try TestDatabase() }

  private var server: PostgresServer { get throws { try PostgresServer.shared() } }

  // MARK: - Connections that end

  @Test("Connections that were ended while nothing was asked of them fail nobody") func idleConnections() throws {
    let store = try SQLStore(postgres: database.options)
    defer { store.close() }
    for round in 0..<5 {
      let app = try store.createApp(name: "app\(round)", title: "", settings: [], now: now).id
      #expect(try store.app(app) != nil)
      try database.disconnect()
      // The one that writes first, then the one that reads first.
      if round % 2 == 0 { _ = try store.updateApp(app, title: "new", settings: [], compat: [], now: now) }
      #expect(try store.app(app)?.title == (round % 2 == 0 ? "new" : ""))
    }
    #expect(try store.apps().count == 5)
  }

  @Test("A server that takes no writes any more is left for one that does") func readOnly() throws {
    let store = try SQLStore(postgres: database.options)
    defer { store.close() }
    try database.fail("apps", with: "25006")
    let before = try process(store)
    let error = #expect(throws: StoreError.self) {
      try store.createApp(name: "a", title: "", settings: [], now: now)
    }
    #expect(error?.code == .readOnly && error?.message.contains("25006") == true, "\(String(describing: error))")
    try database.fail("apps", with: nil)
    _ = try store.createApp(name: "a", title: "", settings: [], now: now)
    #expect(try process(store) != before)
    #expect(try store.apps().map(\.name) == ["a"])
  }

  @Test("What a writer remembers is forgotten with its server: another one may lack what was committed there")
  func aServerThatLacksCommits() throws {
    let database = try TestDatabase()
    let store = try SQLStore(postgres: database.options)
    defer { store.close() }
    let app = try store.createApp(name: "a", title: "", settings: [], now: now).id
    func register(_ names: [String]) throws -> [DeviceID] {
      let devices = names.map { DeviceRegistration(app: app, token: $0, kind: .ios, user: $0) }
      return try store.registerDevices(devices, now: now).map(\.id)
    }
    func push(_ devices: [DeviceID]) throws -> PushID {
      let payload = RenderedPayload(kinds: [.ios], headers: [], body: [123, 125])
      let push = NewPush(app: app, pushClass: .campaign, audience: .all(kinds: []), payloads: [payload], salt: 1)
      let id = try store.createPush(push, now: now).id
      while !(try store.wait { store.extendAudience(of: id, limit: 100, now: now, completion: $0) }.complete) {}
      return id
    }
    let first = try register(["one", "two"])
    var change = UserChange()
    change.properties = [PropertyChange("plan", .text("a"))]
    _ = try store.updateUser(app: app, named: "one", change, now: now)
    let lost = try push(first)
    // A standby that had not heard of all this takes over.
    try database.run(
      """
      DELETE FROM deliveries; DELETE FROM push_contents; DELETE FROM pushes; DELETE FROM devices; DELETE FROM user_attributes; DELETE FROM device_attributes; DELETE FROM attribute_keys;
      UPDATE sequence SET next = \(lost.rawValue);
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'postrider'
      """)
    let second = try register(["three", "four"])
    #expect(Set(first).isDisjoint(with: second))
    change.properties = [PropertyChange("age", .integer(3)), PropertyChange("plan", .text("b"))]
    #expect(try store.updateUser(app: app, named: "one", change, now: now).properties.count == 2)
    let kept = try push(second)
    #expect(kept == lost)
    let request = LeaseRequest(node: "a", durationMs: 60_000, picks: [.push(kept, max: 10)])
    let lease = try store.wait { store.lease(request, now: now, completion: $0) }
    #expect(lease.deliveries.map(\.token) == ["three", "four"])
  }

  /// The process of the server that writes for a store.
  private func process(_ store: SQLStore) throws -> Int64? {
    try store.write { (context) throws(StoreError) in try context.db.integer("SELECT pg_backend_pid()::bigint") }
  }

  @Test("A server that has no connection left is unavailable, whichever bound was reached") func noConnections() throws
  {
    let server = try PostgresServer(.connections(9))
    let name = try server.createDatabase()
    try server.run("CREATE ROLE owner LOGIN CONNECTION LIMIT 3")
    try server.run("ALTER DATABASE \(name) OWNER TO owner")
    let store = try SQLStore(postgres: PostgresOptions(url: server.url(name, role: "owner")))
    defer { store.close() }
    let app = try store.createApp(name: "a", title: "", settings: [], now: now).id
    func expectFull(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
      try server.run(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'postrider'")
      for _ in 0..<2 {
        let read = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try store.app(app) }
        let write = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
          try store.updateApp(app, title: "b", settings: [], compat: [], now: now)
        }
        for error in [read, write] {
          #expect(error?.code == .unavailable, "\(String(describing: error))", sourceLocation: sourceLocation)
          #expect(error?.message.contains(words) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
          #expect(error?.advice.contains("CONNECTION LIMIT") == true, sourceLocation: sourceLocation)
        }
      }
    }
    try server.run("ALTER ROLE owner CONNECTION LIMIT 0")
    try expectFull("too many connections for role")
    try server.run("ALTER ROLE owner CONNECTION LIMIT -1")
    try server.run("ALTER DATABASE \(name) CONNECTION LIMIT 0")
    try expectFull("too many connections for database")
    try server.run("ALTER DATABASE \(name) CONNECTION LIMIT -1")
    // The server's own bound: others have all that are not the owner's of everything.
    try server.run("CREATE ROLE other LOGIN")
    let options = try PostgresOptions(url: server.url("postgres", role: "other"))
    var others: [PostgresConnection] = []
    try server.run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'postrider'")
    while others.count < 9, let one = try? PostgresConnection(options, writes: false, words: EngineWords.server) {
      others.append(one)
    }
    #expect(others.count == 6)
    let full = #expect(throws: StoreError.self) { try store.app(app) }
    #expect(full?.code == .unavailable && full?.advice.contains("max_connections") == true, "\(full?.message ?? "")")
    others.removeAll()
    // The server sees in a moment that they are gone.
    var title: String?
    for _ in 0..<500 where title != "c" {
      title = (try? store.updateApp(app, title: "c", settings: [], compat: [], now: now))?.title
      if title != "c" { usleep(10_000) }
    }
    #expect(try store.app(app)?.title == "c")
  }

  // MARK: - Doubt

  /// How a transaction of two statements ends.
  enum Ending: CaseIterable, Sendable {
    /// The first fails with a SQLSTATE, while COMMIT is on its way behind it.
    case deadlock, serialization, timeout, disk
    /// The connection is ended in the first.
    case terminated
    /// COMMIT fails.
    case refusedCommit
    /// The connection is ended in COMMIT.
    case lostCommit

    var state: String? {
      switch self {
      case .deadlock: "40P01"
      case .serialization, .refusedCommit: "40001"
      case .timeout: "57014"
      case .disk: "53100"
      case .terminated, .lostCommit: nil
      }
    }
    var isInCommit: Bool { self == .refusedCommit || self == .lostCommit }
    var code: StoreError.Code {
      switch self {
      case .disk: .diskFull
      case .lostCommit: .inDoubt
      default: .unavailable
      }
    }
  }

  @Test(
    "Only what is lost in the commit itself is in doubt; what the server has refused is known",
    arguments: Ending.allCases, [false, true])
  func doubt(_ ending: Ending, isQueued: Bool) throws {
    let action =
      ending.state.map { "RAISE EXCEPTION 'provoked' USING ERRCODE = '\($0)'" }
      ?? "PERFORM pg_terminate_backend(pg_backend_pid())"
    let timing =
      ending.isInCommit
      ? "CONSTRAINT TRIGGER t AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED" : "TRIGGER t BEFORE INSERT ON t"
    try database.run(
      """
      CREATE TABLE t(n bigint PRIMARY KEY);
      CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.n = 2 THEN \(action); END IF; RETURN NEW; END $$;
      CREATE \(timing) FOR EACH ROW EXECUTE FUNCTION t();
      """)
    let db = try PostgresConnection(database.options, writes: true, words: EngineWords.server)
    func insert(_ number: Int64) throws {
      let insert = Statement(try db.prepare("INSERT INTO t VALUES (?1)"))
      insert.bind(1, Optional(number))
      try insert.run()
    }
    try db.beginWriting()
    try insert(1)
    let error = #expect(throws: StoreError.self) {
      try insert(2)
      if !isQueued { try db.finishQueued() }
      try db.commit()
    }
    #expect(error?.code == ending.code, "\(String(describing: error))")
    db.rollBack()
    #expect(try database.run("SELECT count(*) FROM t") == "0\n")
    try db.beginWriting()
    try insert(3)
    try db.commit()
    #expect(try database.run("SELECT n FROM t") == "3\n")
  }

  @Test(
    "Of rows that cannot be copied none is there, and each once when it is repeated",
    arguments: ["RAISE EXCEPTION 'provoked' USING ERRCODE = '53100'", "PERFORM pg_terminate_backend(pg_backend_pid())"])
  func copiedRows(_ action: String) throws {
    let store = try SQLStore(postgres: database.options)
    defer { store.close() }
    let app = try store.createApp(name: "demo", title: "", settings: [], now: now).id
    let devices = (0..<300).map { DeviceRegistration(app: app, token: "t\($0)", kind: .ios) }
    _ = try store.registerDevices(devices, now: now)
    let push = NewPush(
      app: app, pushClass: .campaign, audience: .all(kinds: []),
      payloads: [RenderedPayload(kinds: [.ios], headers: [.init("apns-topic", "com.example")], body: [123, 125])],
      salt: 7)
    let id = try store.createPush(push, now: now).id
    try database.run(
      """
      CREATE FUNCTION third() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.id = \(id.rawValue + 200) THEN \(action); END IF; RETURN NEW; END $$;
      CREATE TRIGGER third BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION third();
      """)
    func extend() throws -> AudienceProgress {
      try store.wait { store.extendAudience(of: id, limit: 1_000, now: now, completion: $0) }
    }
    let error = #expect(throws: StoreError.self) { try extend() }
    #expect(error.map { [.diskFull, .unavailable].contains($0.code) } == true, "\(String(describing: error))")
    #expect(try database.run("SELECT count(*) FROM deliveries") == "0\n")
    try database.run("DROP TRIGGER third ON deliveries")
    let progress = try extend()
    #expect(progress.added == 300 && progress.complete)
    #expect(try database.run("SELECT count(*), count(DISTINCT device), min(id) FROM deliveries") == "300|300|\(id)\n")
    #expect(try store.verifyLedger(push: nil) == [])
  }

  @Test(
    "What a server cannot read is called damage only when it says so", arguments: [("58030", false), ("XX001", true)])
  func unreadable(_ state: String, isDamage: Bool) throws {
    let store = try SQLStore(postgres: database.options)
    defer { store.close() }
    try database.run(
      """
      CREATE FUNCTION refuse() RETURNS boolean LANGUAGE plpgsql STABLE AS
        $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(state)'; END $$;
      ALTER TABLE leases RENAME TO leases_kept;
      CREATE VIEW leases AS SELECT * FROM leases_kept WHERE refuse()
      """)
    let examined = Result { try store.examine() }
    try database.run("DROP VIEW leases; ALTER TABLE leases_kept RENAME TO leases")
    if isDamage {
      #expect(try examined.get().pageFaults.count == 1)
      let error = #expect(throws: StoreError.self) { try store.checkReadiness() }
      #expect(error?.code == .corrupted && error?.advice.contains("the database's last backup") == true)
    } else {
      let error = #expect(throws: StoreError.self) { try examined.get() }
      #expect(error?.code == .ioFailure)
      try store.checkReadiness()
      #expect(try store.examine().isSound)
    }
  }

  @Test("A commit whose answer is lost is in doubt, and was made") func lostAnswer() throws {
    let relay = DatabaseRelay(to: try server)
    defer { relay.stop() }
    try database.run("CREATE TABLE t(n bigint)")
    let db = try PostgresConnection(
      PostgresOptions(url: relay.url(database.name)), writes: true, words: EngineWords.server)
    try db.beginWriting()
    let insert = Statement(try db.prepare("INSERT INTO t VALUES (?1)"))
    insert.bind(1, Int64?(1))
    try insert.run()
    relay.mode.withLock { $0 = .commitsLost }
    let error = #expect(throws: StoreError.self) { try db.commit() }
    #expect(error?.code == .inDoubt, "\(String(describing: error))")
    #expect(try database.run("SELECT n FROM t") == "1\n")
    relay.mode.withLock { $0 = .passing }
    db.rollBack()
    try db.beginWriting()
    db.rollBack()
  }

  @Test("A real deadlock and a statement that takes too long fail what waits, which is done when it is repeated")
  func deadlockAndTimeout() throws {
    let url = try server.url(database.name)
    try database.run("ALTER DATABASE \(database.name) SET deadlock_timeout = '2s'")
    let store = try SQLStore(postgres: PostgresOptions(url: url))
    defer { store.close() }
    // The other session has the table, and wants what the writer has: the writer finds the circle out first.
    let other = try server.begin(
      """
      SET deadlock_timeout = '60s';
      BEGIN;
      LOCK TABLE apps IN SHARE ROW EXCLUSIVE MODE;
      SELECT 'locked';
      DO $$ BEGIN
        WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'apps'::regclass AND NOT granted) LOOP
          PERFORM pg_sleep(0.005);
        END LOOP;
      END $$;
      SELECT pg_advisory_xact_lock(\(PostgresConnection.writerLock));
      COMMIT;
      """, in: database.name)
    try other.waitFor("locked")
    let deadlock = #expect(throws: StoreError.self) {
      try store.createApp(name: "a", title: "", settings: [], now: now)
    }
    #expect(deadlock?.code == .unavailable)
    #expect(deadlock?.message.contains("40P01") == true, "\(deadlock?.message ?? "")")
    #expect(try other.finish().status == 0)
    _ = try store.createApp(name: "a", title: "", settings: [], now: now)

    let hasty = try SQLStore(postgres: PostgresOptions(url: url, statementSeconds: 1))
    defer { hasty.close() }
    try database.run(
      """
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON apps FOR EACH STATEMENT EXECUTE FUNCTION slow();
      """)
    let timeout = #expect(throws: StoreError.self) {
      try hasty.createApp(name: "b", title: "", settings: [], now: now)
    }
    #expect(timeout?.code == .unavailable)
    #expect(timeout?.message.contains("57014") == true, "\(timeout?.message ?? "")")
    try database.run("DROP TRIGGER slow ON apps")
    _ = try hasty.createApp(name: "b", title: "", settings: [], now: now)
    #expect(try store.apps().map(\.name) == ["a", "b"])
  }

  @Test("Who waits too long for what another session has locked is told so") func lockWait() throws {
    try SQLStore(postgres: database.options).close()
    let store = try SQLStore(postgres: PostgresOptions(url: server.url(database.name), statementSeconds: 1))
    defer { store.close() }
    let holder = try server.begin(
      """
      BEGIN;
      SELECT pg_advisory_xact_lock(\(PostgresConnection.writerLock));
      SELECT 'locked';
      SELECT pg_sleep(3);
      COMMIT;
      """, in: database.name)
    try holder.waitFor("locked")
    let error = #expect(throws: StoreError.self) {
      try store.createApp(name: "a", title: "", settings: [], now: now)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("another node writes (55P03)") == true, "\(error?.message ?? "")")
    #expect(try holder.finish().status == 0)
    _ = try store.createApp(name: "a", title: "", settings: [], now: now)
  }

  @Test(
    "How many standbys a commit waits for is read from the server's setting",
    arguments: [("", 0), ("b", 1), ("a, b", 1), ("*", 1), ("ANY 2 (a, b, c)", 2), ("FIRST 3 (*)", 3), ("2(a,b)", 2)])
  func standbysWaitedFor(_ names: String, _ count: Int) {
    #expect(PostgresReport.standbysWaitedFor(names) == count)
  }

  @Test("A database that is set to another isolation changes nothing: who waits sees what the one before has written")
  func isolation() throws {
    try database.run("ALTER DATABASE \(database.name) SET default_transaction_isolation = 'serializable'")
    let (first, second) = (
      try SQLStore(postgres: database.options), try SQLStore(postgres: database.options)
    )
    defer {
      first.close()
      second.close()
    }
    let before = try database.run("SELECT probes + 40 FROM readiness")
    let answers = (0..<40).map { number in
      let answer = Answer<Void>()
      let store = number % 2 == 0 ? first : second
      store.write(
        { (context) throws(StoreError) in
          let select = try context.db.prepare("SELECT probes FROM readiness")
          guard try select.step() else { return }
          let update = try context.db.prepare("UPDATE readiness SET probes = ?1")
          update.bind(1, select.int64(0) + 1)
          try update.run()
        }, completion: { answer.set($0) })
      return answer
    }
    for answer in answers { try answer.wait() }
    #expect(try database.run("SELECT probes FROM readiness") == before)
  }
}
