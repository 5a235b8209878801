import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PostgresEngine
@testable import PushStore
@testable import StoreModel

/// What is PostgreSQL's own: the driver, the schema beside SQLite's, and what is said of a server that cannot be used.
@Suite(.timeLimit(.minutes(2))) struct EngineTests {
  /// The same tables and columns with the same rules, so that a statement means the same on both; how long a number can be is
  /// the server's own.
  @Test func bothEnginesHaveTheSameTables() throws {
    let fixture = try StoreFixture()
    let database = try TestDatabase()
    let db = try Connection(path: fixture.path, access: .readOnly)
    let select = try db.prepareOnce(
      """
      SELECT t.name, c.name, CASE c.type WHEN 'INTEGER' THEN 'bigint' WHEN 'TEXT' THEN 'text' WHEN 'BLOB' THEN 'bytea'
          ELSE 'jsonb' END, c."notnull" OR c.pk > 0, c.pk, coalesce(c.dflt_value, '')
      FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
      ORDER BY t.name, c.name
      """)
    var own: [String] = []
    while try select.step() { own.append((0..<6).map { select.text($0) }.joined(separator: " ")) }
    let others = try database.run(
      """
      SELECT t.relname || ' ' || a.attname || ' '
        || regexp_replace(format_type(a.atttypid, NULL), '^(smallint|integer)$', 'bigint') || ' ' || a.attnotnull::int
        || ' ' || coalesce(array_position(i.indkey::int[], a.attnum::int) + 1, 0)
        || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
      FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
        JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
        LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
      WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace
      UNION ALL
      SELECT t.relname || ' ' || a.attname || ' '
        || regexp_replace(format_type(a.atttypid, NULL), '^(smallint|integer)$', 'bigint') || ' ' || a.attnotnull::int
        || ' 0 '
        || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
      FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
        LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
      WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace AND t.relname <> 'postrider'
        AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = t.oid AND i.indisprimary)
      """)
    let theirs = Set(others.split(separator: "\n").map(String.init))
    #expect(own.count > 200)
    #expect(Set(own).subtracting(theirs).sorted() == [], "only in SQLite")
    // An index of its own (see ``PostgresSchema/layout``).
    #expect(theirs.subtracting(own).sorted() == ["deliveries refused bigint 0 0 "], "only in PostgreSQL")
  }

  /// A server beyond this machine has to prove who it is, wherever its address comes from.
  @Test(arguments: [
    (["host": "localhost"], [:], true), (["host": "/run/postgresql"], [:], true), ([:], [:], true),
    (["host": "127.0.0.1,::1"], [:], true), (["host": "db1.example.com"], [:], false),
    (["host": "localhost,db1.example.com"], [:], false), (["hostaddr": "10.0.0.1"], [:], false),
    (["host": "localhost", "hostaddr": "10.0.0.1"], [:], false), (["host": "db1", "hostaddr": "127.0.0.1"], [:], true),
    (["host": "localhost,db1", "hostaddr": "127.0.0.1,"], [:], false), ([:], ["PGHOST": "db1.example.com"], false),
    ([:], ["PGHOST": "/tmp"], true), (["host": "localhost"], ["PGHOST": "db1"], true),
    (["host": "localhost"], ["PGHOSTADDR": "10.0.0.1"], false), (["service": "push"], [:], false),
    ([:], ["PGSERVICE": "push"], false), (["host": "localhost", "service": "push"], [:], true),
  ])
  func whatIsBeyondThisMachine(_ url: [String: String], _ environment: [String: String], isLocal: Bool) {
    #expect(PostgresOptions.isLocal(url) { environment[$0] } == isLocal)
  }

  /// What the library is told last holds.
  @Test(arguments: [
    ("postgresql://p@db.example.com/p", "verify-full"), ("postgresql://p@10.0.0.1,db.example.com/p", "verify-full"),
    ("postgresql://p@db.example.com/p?sslmode=require", "require"), ("postgresql://p@localhost/p", nil),
    ("postgresql://p@%2Ftmp/p", nil),
  ])
  func aServerBeyondThisMachineProvesWhoItIs(_ url: String, _ mode: String?) throws {
    let options = try PostgresOptions(url: url)
    let told = options.parameters.last { $0.0 == "sslmode" }?.1
    #expect(told == mode || told == nil && url.contains("sslmode=\(mode ?? "-")"))
    #expect((options.parameters.contains { $0.0 == "sslrootcert" }) == (mode != nil))
  }

  @Test func theRowsThatEveryDatabaseHasAreTheSame() throws {
    let fixture = try StoreFixture()
    let database = try TestDatabase()
    let db = try Connection(path: fixture.path, access: .readOnly)
    let select = try db.prepareOnce("SELECT code, provider, status, reason FROM outcomes ORDER BY code")
    var own = ""
    while try select.step() { own += (0..<4).map { select.text($0) }.joined(separator: "|") + "\n" }
    #expect(try database.run("SELECT code, provider, status, reason FROM outcomes ORDER BY code") == own)
    #expect(try database.run("SELECT * FROM sequence, readiness") == "1|1000000\n")
    #expect(PostgresSchema.version == Schema.migrations.count)
  }

  /// Every kind of value that goes in comes out.
  @Test func valuesAreSentAndRead() throws {
    let database = try TestDatabase(empty: true)
    defer { withExtendedLifetime(database) {} }
    let db = try Connection(database.options, writes: true)
    try db.execute("CREATE TABLE v(n bigint, t text, b bytea, j jsonb, f float8)")
    let insert = try db.prepare("INSERT INTO v VALUES (?1, ?2, ?3, ?4, ?5)")
    let texts = ["", "a\"b\\c\n\u{1}ä€😀", String(repeating: "x", count: 70_000)]
    for (index, number) in [Int64.min, -1, .max].enumerated() {
      insert.bind(1, Optional(number))
      insert.bind(2, texts[index])
      insert.bind(3, index == 0 ? [] : [0, 255, 39])
      insert.bind(4, index < 2 ? AttributeValue.text(texts[index]) : .integer(number))
      insert.bind(5, Double(index) / 3)
      try insert.run()
      #expect(db.changes == 1)
    }
    let select = try db.prepare("SELECT n, t, b, j, f, sum(n) OVER () + 1, n > 0 FROM v ORDER BY n")
    for (index, number) in [Int64.min, -1, .max].enumerated() {
      #expect(try select.step())
      #expect(select.int64(0) == number && select.text(1) == texts[index])
      #expect(select.blob(2) == (index == 0 ? [] : [0, 255, 39]) && !select.isNull(2))
      #expect(index < 2 ? select.text(3) == texts[index] : select.int64(3) == number && !select.isReal(3))
      #expect(select.double(4) == Double(index) / 3)
      #expect(select.int64(5) == -1 && select.bool(6) == (number > 0))
    }
    #expect(try !select.step())
    #expect(db.totalChanges == 3)
  }

  /// The kinds of numbers that an attribute can have stay apart.
  @Test(arguments: [
    AttributeValue.real(0.5), .real(1), .real(1e10), .real(-2.5e-7), .real(1e300), .real(9.007199254740993e15),
    .integer(1), .integer(.min), .text("1"), .text(""), .bool(true), .time(Timestamp(milliseconds: 5)),
  ])
  func attributesKeepTheirKind(_ value: AttributeValue) throws {
    let database = try TestDatabase(empty: true)
    defer { withExtendedLifetime(database) {} }
    let db = try Connection(database.options, writes: true)
    try db.execute("CREATE TABLE v(j jsonb)")
    let insert = try db.prepare("INSERT INTO v VALUES (?1)")
    insert.bind(1, value)
    try insert.run()
    let select = try db.prepare("SELECT j FROM v")
    #expect(try select.step())
    #expect(select.attribute(0, value.kind) == value)
  }

  @Test func statementsOfOneTextAreReadAlternately() throws {
    let database = try TestDatabase(empty: true)
    defer { withExtendedLifetime(database) {} }
    let db = try Connection(database.options, writes: true)
    let outer = try db.prepare("SELECT CAST(?1 AS BIGINT) + n FROM generate_series(1, 3) AS n")
    outer.bind(1, 10)
    var sums: [Int64] = []
    while try outer.step() {
      let inner = try db.prepare("SELECT CAST(?1 AS BIGINT) + n FROM generate_series(1, 3) AS n")
      inner.bind(1, outer.int64(0))
      while try inner.step() { sums.append(inner.int64(0)) }
    }
    #expect(sums == [12, 13, 14, 13, 14, 15, 14, 15, 16])
    #expect(throws: StoreError.self) { _ = try db.prepareOnce("SELECT nonsense") }
    #expect(try db.integer("SELECT 7") == 7)
  }

  @Test(arguments: [
    (
      "SELECT user, d.user FROM a INDEXED BY b WHERE x = ?12 AND y = 'user ?1'",
      "SELECT \"user\", d.\"user\" FROM a  WHERE x = $12 AND y = 'user ?1'"
    ),
    ("FROM p CROSS JOIN d NOT INDEXED ON NOT a", "FROM p  JOIN d  ON NOT a"),
    ("x IN (x'23', x'') AND \"user\" = users", "x IN ('\\x23', '\\x') AND \"user\" = users"),
  ])
  func whatBothEnginesSayOtherwiseIsTranslated(_ sql: String, _ expected: String) {
    #expect(PostgresDialect.translated(sql) == expected)
  }

  // MARK: - Servers that cannot be used

  @Test(arguments: [
    ("postgresql://u:secret@h/d", "holds a password"), ("mysql://h/d", "cannot be read"),
    ("postgresql://h:port/d", "cannot be read"), ("postgresql://h", "names no database"),
    ("postgresql://h/d?target_session_attrs=standby", "target_session_attrs is standby"),
  ])
  func aURLThatIsWrongIsExplained(_ url: String, _ words: String) {
    let error = #expect(throws: StoreError.self) { try PostgresOptions(url: url) }
    #expect(error?.code == .invalid && error?.message.contains(words) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("secret") == false)
  }

  /// A proxy in front of a primary that is lost accepts connections, and ends them.
  @Test func theNextHostIsTriedBehindOneThatClosesConnections() throws {
    let database = try TestDatabase()
    let closing = ClosingServer()
    defer { closing.stop() }
    let server = try PostgresServer.shared()
    let url = server.url(database.name).replacing("@", with: "@127.0.0.1:\(closing.port),")
    let store = try SQLStore(postgres: PostgresOptions(url: url))
    defer { store.close() }
    #expect(try store.apps().isEmpty)
    #expect(throws: StoreError.self) {
      let lost = "postgresql://postgres@127.0.0.1:\(closing.port),127.0.0.1:\(closing.port)/\(database.name)"
      _ = try SQLStore(postgres: PostgresOptions(url: lost))
    }
  }

  @Test func aDatabaseThatIsNotThereIsNamed() throws {
    let server = try PostgresServer.shared()
    expect(.cannotOpen, "does not exist", "CREATE DATABASE") {
      _ = try SQLStore(postgres: PostgresOptions(url: server.url("nowhere")))
    }
    expect(.cannotOpen, "role \"nobody\" does not exist", "create the role") {
      _ = try SQLStore(postgres: PostgresOptions(url: server.url("postgres", role: "nobody")))
    }
    expect(.unavailable, "cannot be reached", "work resumes") {
      _ = try SQLStore(postgres: PostgresOptions(url: "postgresql://postgres@%2Fnowhere/d"))
    }
  }

  @Test func aForeignOrNewerDatabaseIsLeftAlone() throws {
    let foreign = try TestDatabase(empty: true)
    try foreign.run("CREATE TABLE cats(name text)")
    expect(.notADatabase, "holds 1 table of another program", "for Postrider alone") {
      _ = try SQLStore(postgres: foreign.options)
    }
    let newer = try TestDatabase()
    try newer.run("UPDATE postrider SET version = 99")
    expect(.newerSchema, "has schema version 99, this program knows up to \(PostgresSchema.version)", "newer program") {
      _ = try SQLStore(postgres: newer.options)
    }
  }

  @Test func missingRightsAndReadOnlyServersAreExplained() throws {
    let database = try TestDatabase(empty: true)
    try database.run("CREATE ROLE \(database.name)_guest LOGIN")
    defer { _ = try? database.run("DROP ROLE \(database.name)_guest") }
    let server = try PostgresServer.shared()
    expect(.readOnly, "permission denied for schema public", "GRANT CREATE, USAGE ON SCHEMA public") {
      _ = try SQLStore(postgres: PostgresOptions(url: server.url(database.name, role: "\(database.name)_guest")))
    }
    let made = try TestDatabase()
    expect(.cannotOpen, "belong to another role", "REASSIGN OWNED BY … TO …") {
      _ = try SQLStore(postgres: PostgresOptions(url: server.url(made.name, role: "\(database.name)_guest")))
    }
    try database.run("REVOKE CONNECT ON DATABASE \(database.name) FROM public")
    expect(.cannotOpen, "permission denied for database", "GRANT CONNECT ON DATABASE") {
      _ = try SQLStore(postgres: PostgresOptions(url: server.url(database.name, role: "\(database.name)_guest")))
    }
    try database.run("ALTER ROLE \(database.name)_guest NOLOGIN")
    expect(.cannotOpen, "is not permitted to log in", "ALTER ROLE … LOGIN") {
      _ = try SQLStore(postgres: PostgresOptions(url: server.url(database.name, role: "\(database.name)_guest")))
    }
    try database.run("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
    expect(.readOnly, "read-only", "primary") { _ = try SQLStore(postgres: database.options) }
  }

  private func expect(
    _ code: StoreError.Code, _ words: String, _ advice: String, _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
    #expect(error?.message.contains(words) == true, "\(error?.description ?? "")", sourceLocation: sourceLocation)
    #expect(error?.advice.contains(advice) == true, "\(error?.description ?? "")", sourceLocation: sourceLocation)
  }

  // MARK: - Servers that go away

  /// A connection that holds the writer's lock keeps another node's changes out until it ends.
  @Test func oneNodeWritesAtATime() throws {
    let database = try TestDatabase()
    let options = try PostgresOptions(url: PostgresServer.shared().url(database.name), statementSeconds: 1)
    let (first, second) = (try SQLStore(postgres: options), try SQLStore(postgres: options))
    defer {
      first.close()
      second.close()
    }
    let now = Timestamp(seconds: 1_800_000_000)
    let other = try Connection(options, writes: true)
    try other.beginWriting()
    let error = #expect(throws: StoreError.self) {
      try second.createApp(name: "a", title: "A", settings: [], now: now)
    }
    #expect(error?.code == .unavailable)
    other.rollBack()
    _ = try second.createApp(name: "a", title: "A", settings: [], now: now)
    let conflict = #expect(throws: StoreError.self) {
      try first.createApp(name: "a", title: "A", settings: [], now: now)
    }
    #expect(conflict?.code == .conflict)
    #expect(try first.apps().map(\.name) == ["a"])
  }
}
