import Glibc
import PostgresEngine
import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// A store moves from the file to PostgreSQL and back with everything in it.
@Suite(.timeLimit(.minutes(5))) struct CopyTests {
  /// A file with rows in every table, and a name for the file that is made of its copy.
  struct Files {
    let folder: TemporaryFolder
    let rows: Int
    var original: CopyLocation { .file(path) }
    var path: String { folder.path + "/store.db" }
    var back: String { folder.path + "/back.db" }

    init(deliveries: Int = 0) throws {
      folder = try TemporaryFolder()
      let path = folder.path + "/store.db"
      try SQLStore(path: path).close()
      let db = try Connection(path: path, access: .readWrite)
      try EveryTable.fill(db)
      if deliveries > 0 {
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(deliveries))
          INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at)
          SELECT 1000 + i, i, 2, 0, 0, 2, 1800000000000 + i FROM n
          """)
      }
      rows = try CopiedTable.all().reduce(0) { $0 + Int(try db.integer("SELECT count(*) FROM \"\($1.name)\"") ?? 0) }
    }
  }

  @Test func everyTableGoesThereAndBack() throws {
    let files = try Files()
    let refusing = try Connection(path: files.path, access: .readWrite)
    try refusing.execute("UPDATE deliveries SET state = 6 WHERE id = (SELECT max(id) FROM deliveries)")
    let database = try TestDatabase(empty: true)
    var calls = 0
    let there = try StoreCopy.run(from: files.original, to: .server(database.options)) { progress in
      calls += 1
      #expect(progress.done <= progress.total && progress.total == files.rows)
    }
    #expect(there.rows == files.rows && there.written == files.rows && there.found == 0)
    #expect(calls >= there.tables.count * 2)
    // No table was left out of what is filled here.
    #expect(there.tables.filter { $0.rows < (EveryTable.single.contains($0.name) ? 1 : EveryTable.rows) } == [])
    let back = try StoreCopy.run(from: .server(database.options), to: .file(files.back)) { _ in }
    #expect(back.tables == there.tables && back.written == files.rows)
    // The list of what was refused is there, too, which no table of the file has.
    #expect(
      try database.run("SELECT bool_and((refused IS NOT NULL) = (state = 6)), count(refused) > 0 FROM deliveries")
        == "t|t\n")

    // Beside the digests: the rows as each engine shows them, and the keys that are given next.
    let first = try Connection(path: files.path, access: .readWrite)
    let second = try Connection(path: files.back, access: .readWrite)
    for table in try CopiedTable.all() {
      let rows = try EveryTable.quoted(table, first)
      #expect(try EveryTable.quoted(table, second) == rows, "\(table.name)")
    }
    let keys =
      "SELECT group_concat(name || seq) FROM (SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name)"
    #expect(try second.text(keys) == first.text(keys))
    #expect(try database.run("SELECT count(*) FROM devices WHERE name = 'devices.name ä\"\\€😀 1'") == "1\n")
    #expect(
      try database.run(
        "INSERT INTO outbox(webhook, push, notices, created_at, attempts, not_before, dead) "
          + "VALUES (1, 1, '', 1, 1, 1, 0) RETURNING id > 5000") == "t\n")
  }

  @Test func aChangedValueChangesTheDigest() throws {
    let files = try Files()
    let db = try Connection(path: files.path, access: .readWrite)
    func digests() throws -> [String: [UInt8]] {
      var all: [String: [UInt8]] = [:]
      for table in try CopiedTable.all() { all[table.name] = try TableDigest.of(table, in: db) { _ in }.bytes }
      return all
    }
    let before = try digests()
    for (table, column, row) in [
      ("devices", "locale", "id = 1"), ("device_attributes", "value", "value = -296"),
      ("push_contents", "payloads", "push = 1"),
    ] {
      try db.execute("UPDATE \(table) SET \(column) = '7' WHERE \(row)")
      let after = try digests()
      #expect(after[table] != before[table], "\(table)")
      #expect(after["users"] == before["users"])
    }
  }

  /// Somebody writes to the copy between writing and comparing.
  @Test(arguments: [true, false]) func aCopyThatDiffersIsRefusedAndStaysMarked(isFromFile: Bool) async throws {
    let files = try Files()
    let database = try TestDatabase(empty: true)
    let server = CopyLocation.server(database.options)
    if !isFromFile {
      _ = try StoreCopy.run(from: files.original, to: server) { _ in }
      try awaitLeaving(database)
    }
    let target = isFromFile ? server : .file(files.back)
    var isChanged = false
    let error = #expect(throws: StoreError.self) {
      try StoreCopy.run(from: isFromFile ? files.original : server, to: target) { progress in
        guard progress.isVerifying, !isChanged else { return }
        isChanged = true
        let sql = "UPDATE users SET updated_at = updated_at + 1 WHERE id = (SELECT max(id) FROM users)"
        do {
          if isFromFile {
            try database.run(sql)
          } else {
            try Connection(path: files.back, access: .readWrite).execute(sql)
          }
        } catch { Issue.record(error) }
      }
    }
    #expect(isChanged && error?.code == .corrupted, "\(error as Any)")
    #expect(
      error?.message.hasPrefix("the copy of the table users differs from the original") == true, "\(error as Any)")
    try await expectRefused(target)
  }

  // MARK: - Broken off

  /// Where a copy is killed: in a table that is written, or verified; the last is behind the first batch of a long one.
  @Test(
    arguments: [("apps", false), ("outbox", false), ("deliveries", false), ("apps", true), ("webhooks", true)],
    [true, false])
  func aCopyThatWasKilledIsFinishedByTheNext(_ location: (table: String, isVerifying: Bool), isFromFile: Bool)
    async throws
  {
    let files = try Files(deliveries: location.table == "deliveries" ? 2 * CopyTargets.rowsMax : 0)
    let database = try TestDatabase(empty: true)
    let server = CopyLocation.server(database.options)
    if !isFromFile {
      _ = try StoreCopy.run(from: files.original, to: server) { _ in }
      try awaitLeaving(database)
    }
    let url = database.options.url
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        table = location.table as String, isVerifying = location.isVerifying as Bool, path = files.path as String,
        back = files.back as String, url = url as String, isFromFile = isFromFile as Bool
      ] in
      let server = CopyLocation.server(try PostgresOptions(url: url))
      let most = table == "deliveries" ? CopyTargets.rowsMax * 3 / 2 : 0
      _ = try StoreCopy.run(from: isFromFile ? .file(path) : server, to: isFromFile ? server : .file(back)) {
        progress in
        if progress.table == table, progress.isVerifying == isVerifying, progress.done > most {
          kill(getpid(), SIGKILL)
        }
      }
    }
    try await expectRefused(isFromFile ? server : .file(files.back))
    let again = try await runAgain(isFromFile ? files.original : server, isFromFile ? server : .file(files.back))
    #expect(again.rows == files.rows && again.found + again.written == files.rows)
    #expect(again.found > 0 || location.table == "apps" && !location.isVerifying)
    if location.isVerifying { #expect(again.written == EveryTable.single.count) }
    if location.table == "deliveries" { #expect(again.found >= CopyTargets.rowsMax) }
    let expected = try Connection(path: files.path, access: .readWrite)
    for table in again.tables {
      let copied = try #require(try CopiedTable.all().first { $0.name == table.name })
      #expect(try TableDigest.of(copied, in: expected) { _ in }.bytes == table.digest, "\(table.name)")
    }
  }

  /// Whoever was connected may still be leaving, for longer than the copy waits when the machine is busy.
  private func runAgain(_ source: CopyLocation, _ target: CopyLocation) async throws -> StoreCopy.Summary {
    for _ in 0..<20 {
      do throws(StoreError) { return try StoreCopy.run(from: source, to: target) { _ in } } catch {
        guard error.code == .locked else { throw error }
      }
    }
    return try StoreCopy.run(from: source, to: target) { _ in }
  }

  /// Neither a server nor another copy takes an unfinished copy for a store.
  private func expectRefused(_ copy: CopyLocation) async throws {
    let error = #expect(throws: StoreError.self) {
      switch copy {
      case .file(let path): _ = try SQLStore(path: path)
      case .server(let options): _ = try SQLStore(postgres: options)
      }
    }
    // The killed process may still hold the schema's lock, for which a start waits.
    #expect(error?.code == .conflict, "\(error?.description ?? "")")
    #expect(error?.description.contains("a copy that was not finished") == true)
    #expect(error?.advice.contains("postrider store copy") == true)
  }

  @Test func whatWasChangedInBetweenIsCopiedAnew() throws {
    let files = try Files()
    let database = try TestDatabase(empty: true)
    try begin(files, .server(database.options), "devices")
    let db = try Connection(path: files.path, access: .readWrite)
    try db.execute("UPDATE devices SET token = 'new' WHERE id = 3; DELETE FROM devices WHERE id = 5")
    let summary = try StoreCopy.run(from: files.original, to: .server(database.options)) { _ in }
    #expect(summary.found == EveryTable.rows)
    #expect(try database.run("SELECT count(*) FROM devices WHERE token = 'new' OR id = 5") == "1\n")
  }

  /// A copy that has one table when it is broken off.
  private func begin(_ files: Files, _ location: CopyLocation, _ name: String) throws {
    let target = try CopyTargets.open(location, from: files.path)
    let table = try #require(try CopiedTable.all().first { $0.name == name })
    let db = try Connection(path: files.path, access: .readWrite)
    var reader = TableReader(table, in: db)
    var page = RowBuffer()
    while try reader.read(from: db, into: &page) { try target.write(page, to: table) }
    try target.flush()
  }

  // MARK: - Refused

  @Test func aStoreThatIsInUseIsNotCopied() throws {
    let files = try Files()
    let database = try TestDatabase()
    let target = try TestDatabase(empty: true)
    let file = try SQLStore(path: files.path)
    expect(.locked, "another Postrider process", "stop the other process") {
      try StoreCopy.run(from: files.original, to: .server(target.options)) { _ in }
    }
    file.close()
    let server = try SQLStore(postgres: database.options)
    expect(.locked, "a server uses PostgreSQL database", "stop every Postrider") {
      try StoreCopy.run(from: .server(database.options), to: .file(files.back)) { _ in }
    }
    #expect(access(files.back, F_OK) != 0)
    server.close()
    try awaitLeaving(database)
    expect(.conflict, "is not empty", "create a new database") {
      try StoreCopy.run(from: files.original, to: .server(database.options)) { _ in }
    }
    expect(.conflict, "is not empty", "without a database") {
      try StoreCopy.run(from: .server(database.options), to: files.original) { _ in }
    }
  }

  @Test func otherVersionsAndOtherProgramsAreRefused() throws {
    let files = try Files()
    let database = try TestDatabase(empty: true)
    let db = try Connection(path: files.path, access: .readWrite)
    let known = Schema.migrations.count
    func run() throws { _ = try StoreCopy.run(from: files.original, to: .server(database.options)) { _ in } }
    try db.execute("PRAGMA user_version = \(known - 1)")
    expect(.conflict, "version \(known - 1), this program has \(known)", "start and stop postrider serve", run)
    try db.execute("PRAGMA user_version = \(known + 1)")
    expect(.newerSchema, "version \(known + 1), this program knows up to \(known)", "newer program", run)
    try db.execute("PRAGMA user_version = \(known); PRAGMA application_id = \(Schema.backupID)")
    expect(.conflict, "is a backup", "postrider restore", run)
    try db.execute("PRAGMA application_id = 7")
    expect(.notADatabase, "not a Postrider database", "data folder", run)
    #expect(try database.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0\n")
    try db.execute("PRAGMA application_id = \(Schema.applicationID)")
    try database.run("CREATE TABLE cats(name text)")
    expect(.notADatabase, "holds 1 table of another program", "Postrider alone", run)
    expect(.notADatabase, "holds 1 table of another program", "Postrider alone") {
      _ = try StoreCopy.run(from: .server(database.options), to: .file(files.back)) { _ in }
    }
    try database.run("DROP TABLE cats")
    expect(.notFound, "has no tables yet", "start one on it") {
      _ = try StoreCopy.run(from: .server(database.options), to: .file(files.back)) { _ in }
    }
  }

  @Test func whatTheOtherEngineCannotKeepIsNamed() throws {
    let files = try Files()
    let database = try TestDatabase(empty: true)
    let db = try Connection(path: files.path, access: .readWrite)
    try db.execute("UPDATE users SET name = 'a' || char(0) || 'b' WHERE id = 7")
    expect(.invalid, "users (id 7): name holds the character U+0000", "change or delete it") {
      _ = try StoreCopy.run(from: files.original, to: .server(database.options)) { _ in }
    }
    try db.execute("UPDATE users SET name = 'ab' WHERE id = 7; UPDATE users SET created_at = x'00' WHERE id = 8")
    expect(.corrupted, "the table users has values of another kind than their columns, in 1 rows", "ledger check") {
      _ = try StoreCopy.run(from: files.original, to: .server(database.options)) { _ in }
    }
    try db.execute("UPDATE users SET created_at = 1 WHERE id = 8")
    let summary = try StoreCopy.run(from: files.original, to: .server(database.options)) { _ in }
    #expect(summary.found > 0 && summary.rows == files.rows)
  }

  /// A server sees the end of a connection a little later.
  private func awaitLeaving(_ database: TestDatabase) throws {
    let connections =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    for _ in 0..<600 {
      if try database.run(connections) == "0\n" { return }
      usleep(50_000)
    }
  }

  private func expect<Value>(
    _ code: StoreError.Code, _ words: String, _ advice: String, _ body: () throws -> Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
    #expect(error?.message.contains(words) == true, "\(error?.description ?? "")", sourceLocation: sourceLocation)
    #expect(error?.advice.contains(advice) == true, "\(error?.description ?? "")", sourceLocation: sourceLocation)
  }

  // MARK: - Work goes on

  /// What waits, what was on the wire, and the idempotency of what was acknowledged.
  @Test(arguments: [true, false]) func workGoesOnInTheCopy(isFromFile: Bool) throws {
    let f = try Engine.$current.withValue(isFromFile ? .sqlite : .postgres) { try StoreFixture() }
    _ = try f.devices(10)
    let key = IdempotencyKey(key: "once", fingerprint: [1, 2])
    let campaign = try f.campaign()
    let waiting = try f.store.createPush(f.newPush(.all(kinds: []), key: key), now: f.now).id
    let lease = try f.lease([.push(campaign, max: 4)])
    #expect(lease.deliveries.count == 4)
    #expect(try f.record([f.result(lease.deliveries[0], .accepted(providerID: nil))], lease).late == 0)
    f.store.close()
    if let database = f.database { try awaitLeaving(database) }

    let target = try TestDatabase(empty: true)
    let source: CopyLocation = isFromFile ? .file(f.path) : .server(try #require(f.database).options)
    let location: CopyLocation = isFromFile ? .server(target.options) : .file(f.folder.path + "/copy.db")
    _ = try StoreCopy.run(from: source, to: location) { _ in }
    let store =
      switch location {
      case .file(let path): try SQLStore(path: path)
      case .server(let options): try SQLStore(postgres: options)
      }
    defer { store.close() }
    #expect(try store.verifyLedger(push: nil) == [])
    let recovered = try store.wait { store.recoverLeases(node: "a", now: f.now, completion: $0) }
    #expect(recovered.requeued == 3)
    #expect(try store.createPush(f.newPush(.all(kinds: []), key: key), now: f.now).id == waiting)
    while try !store.wait({ store.extendAudience(of: waiting, limit: 100, now: f.now, completion: $0) }).complete {}
    let later = f.now.adding(seconds: 3_600)
    let request = LeaseRequest(
      node: "b", durationMs: 60_000,
      picks: [.push(campaign, max: 20), .push(waiting, max: 20), .due(.iPhones, max: 20)])
    let rest = try store.wait { store.lease(request, now: later, completion: $0) }
    #expect(rest.deliveries.count == 19)
    let results = rest.deliveries.map {
      DeliveryResult(
        lease: rest.id, delivery: $0.id, push: $0.push, attempt: $0.attempt, change: .accepted(providerID: nil),
        provider: .apns, answer: (200, ""), at: later)
    }
    _ = try store.wait { store.record(results, completion: $0) }
    #expect(try store.push(campaign)?.counts == LedgerCounts(targeted: 10, accepted: 10))
    #expect(try store.push(waiting)?.counts == LedgerCounts(targeted: 10, accepted: 10))
    #expect(try store.verifyLedger(push: nil) == [])
    // New rows take keys that no row had.
    let device = DeviceRegistration(app: f.app, token: "later", kind: .ios)
    #expect(try store.registerDevices([device], now: later)[0].id.rawValue == 11)
  }
}
