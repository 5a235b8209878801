internal import PostgresEngine
internal import StoreModel

/// The database schema of PostgreSQL, and its migrations.
///
/// It begins with version 44 of the schema; the numbers are the same for both engines, and so is what they mean. The table
/// `postrider` holds the version and marks the database as this program's.
enum PostgresSchema {
  /// The version of ``first``.
  static let firstVersion = 44
  /// Each entry moves the schema one version forward, from ``firstVersion`` on.
  static let migrations: [String] = [nodes, shared, layout, nodeClocks, refusals]
  /// The version that this program knows.
  static var version: Int { firstVersion + migrations.count }

  /// The lock of whoever moves the schema forward ("PSTR", and a number; see ``PostgresConnection/writerLock``).
  static let schemaLock: Int64 = 0x5053_5452_0002

  /// What SQLite has and PostgreSQL lacks, under the names that the statements use.
  private static let functions = """
    CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
      AS 'SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN greatest($1, $2) END';
    CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
      AS 'SELECT CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN least($1, $2) END';
    CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
      AS 'SELECT strpos($1, $2)';
    CREATE FUNCTION instr(jsonb, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
      AS 'SELECT strpos($1 #>> ''{}'', $2)';
    """

  /// The rows that every database has; see the migrations of ``Schema`` for what they are.
  private static let rows = """
    INSERT INTO sequence VALUES (1);
    INSERT INTO clock VALUES (0, 0);
    INSERT INTO readiness VALUES (1000000);
    INSERT INTO outcomes VALUES (2, 0, 0, ''), (3, 1, 200, ''), (4, 2, 200, ''), (5, 1, 0, 'other'), (6, 2, 0, 'other'),
      (-2, 3, 201, ''), (-3, 3, 0, 'other'), (-4, 4, 200, ''), (-5, 4, 0, 'other');
    SELECT setval(pg_get_serial_sequence('outcomes', 'code'), 6);
    """

  /// Creates the schema in an empty database, or moves it forward; nodes that start together do it one after another.
  ///
  /// `migrations` is the list to apply; tests bring a longer one.
  static func migrate(
    _ db: borrowing Connection, migrations: [String] = PostgresSchema.migrations
  ) throws(StoreError) {
    let version = firstVersion + migrations.count
    do throws(StoreError) {
      try db.execute("BEGIN; SELECT pg_advisory_xact_lock(\(schemaLock))")
      guard try !isUnfinishedCopy(db) else { throw Schema.unfinished(db.path) }
      let found = try Self.version(db)
      guard found <= version else {
        throw StoreError(
          .newerSchema, "\(db.path) has schema version \(found), this program knows up to \(version)",
          advice: "start the newer program; an older one cannot use what it wrote")
      }
      // A migration may write a large table anew.
      try db.postgres?.allow(seconds: PostgresConnection.wholeTableSeconds)
      if found == 0 { try create(db) }
      for next in max(found, firstVersion)..<version { try advance(db, from: next, migrations) }
      try db.commit()
      try db.postgres?.allowUsual()
    } catch {
      db.rollBack()
      throw error.code == .readOnly ? rights(db, error) : error
    }
  }

  /// Makes everything that this program's version has, in an empty database.
  static func createCurrent(_ db: borrowing Connection) throws(StoreError) {
    try create(db)
    for next in firstVersion..<version { try advance(db, from: next, migrations) }
  }

  private static func advance(_ db: borrowing Connection, from old: Int, _ migrations: [String]) throws(StoreError) {
    try db.execute(migrations[old - firstVersion])
    try db.execute("UPDATE postrider SET version = \(old + 1)")
  }

  /// What an empty database gets for ``firstVersion``.
  static let first = [functions, tables, indexes, rows].joined(separator: "\n")

  private static func create(_ db: borrowing Connection) throws(StoreError) {
    try db.execute(first)
    try db.execute("CREATE TABLE postrider(version bigint NOT NULL); INSERT INTO postrider VALUES (\(firstVersion))")
  }

  /// The schema's version, 0 for an empty database; throws `notADatabase` when something else is in it.
  static func version(_ db: borrowing Connection) throws(StoreError) -> Int {
    if try db.integer("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'postrider'")
      == 1
    {
      do throws(StoreError) { return Int(try db.integer("SELECT version FROM postrider") ?? 0) } catch {
        guard error.code == .readOnly else { throw error }
        throw StoreError(
          .cannotOpen, "the tables of \(db.path) belong to another role: \(error.message)",
          advice: "name the role that made them in the URL, or give them to this one: REASSIGN OWNED BY … TO …")
      }
    }
    let others = try db.integer("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") ?? 0
    guard others == 0 else {
      throw StoreError(
        .notADatabase, "\(db.path) holds \(others) \(others == 1 ? "table" : "tables") of another program",
        advice: "create a database for Postrider alone, and name it in the URL")
    }
    return 0
  }

  static func rights(_ db: borrowing Connection, _ error: StoreError) -> StoreError {
    StoreError(
      .readOnly, "the tables cannot be made: \(error.message)",
      advice:
        "make the role the owner of the database: ALTER DATABASE … OWNER TO …; or GRANT CREATE, USAGE ON SCHEMA public"
        + " TO it, when it has made all tables")
  }

  /// Refuses a server on which the store would not work as it does elsewhere.
  static func checkServer(_ db: borrowing Connection) throws(StoreError) {
    let number = try db.integer("SELECT current_setting('server_version_num')::bigint") ?? 0
    guard number >= 130_000 else {
      throw StoreError(
        .cannotOpen, "\(db.path) is PostgreSQL \(number / 10_000)", advice: "use PostgreSQL 13 or newer")
    }
    let read = try db.prepareOnce(
      """
      SELECT pg_encoding_to_char(encoding)::text, datcollate::text FROM pg_database WHERE datname = current_database()
      """)
    guard try read.step() else { return }
    let (encoding, collation) = (read.text(0), read.text(1))
    guard encoding == "UTF8", ["C", "POSIX", "C.UTF-8", "C.utf8"].contains(collation) else {
      throw StoreError(
        .cannotOpen, "\(db.path) has the encoding \(encoding) and sorts texts as \(collation)",
        advice: "create another one, with TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C', and name it in the URL")
    }
  }
}
