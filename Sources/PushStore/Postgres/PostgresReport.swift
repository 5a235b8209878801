public import PostgresEngine
public import StoreModel
internal import System

/// What can be said of a database server before a store is opened on it.
public struct PostgresReport: Sendable, Hashable {
  /// Host and database.
  public let name: String
  /// The server's version, such as `15.8`.
  public private(set) var serverVersion = ""
  /// The role of the connection.
  public private(set) var role = ""
  /// The encoding of texts.
  public private(set) var encoding = ""
  /// The order of texts.
  public private(set) var collation = ""
  /// What the role lacks, each as the statement that gives it.
  public private(set) var missingGrants: [String] = []
  /// The schema's version: 0 for an empty database.
  public private(set) var schemaVersion = 0
  /// The version that this program has.
  public let knownVersion = PostgresSchema.version
  /// The size of the database in bytes.
  public private(set) var bytes = 0
  /// Connections to the server.
  public private(set) var connections = 0
  /// How many connections it allows.
  public private(set) var connectionsMax = 0
  /// Standbys that are connected.
  public private(set) var standbys = 0
  /// Those of them that commits wait for.
  public private(set) var synchronousStandbys = 0
  /// How many synchronous standbys a commit waits for by the server's settings, whether or not they are there.
  public private(set) var standbysWaitedFor = 0
  /// Whether the role may see what kind of standby each is.
  public private(set) var seesStandbys = true
  /// How far the server's clock is ahead of this machine's, in milliseconds.
  public private(set) var clockAheadMs: Int64 = 0

  /// Connects, reads and disconnects; changes nothing.
  ///
  /// Throws what opening a store would: `unavailable`, `cannotOpen`, `readOnly` for a standby, `notADatabase`, `conflict` for an
  /// unfinished copy.
  public init(_ options: PostgresOptions, nowMs: () -> Int64) throws(StoreError) {
    name = options.name
    let db = try Connection(options, writes: false)
    try readServer(db)
    try PostgresSchema.checkServer(db)
    try readStandbys(db)
    let before = nowMs()
    let server = try db.integer("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint") ?? before
    clockAheadMs = server - (before + nowMs()) / 2
    try readRights(db)
    guard try !PostgresSchema.isUnfinishedCopy(db) else { throw Schema.unfinished(name) }
    schemaVersion = try PostgresSchema.version(db)
  }

  private mutating func readServer(_ db: borrowing Connection) throws(StoreError) {
    // Connections are counted where those of other roles are not hidden.
    let select = try db.prepareOnce(
      """
      SELECT current_setting('server_version'), current_user::text, pg_encoding_to_char(encoding)::text, datcollate::text,
        pg_database_size(oid), current_setting('max_connections')::bigint,
        (SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database)
      FROM pg_database WHERE datname = current_database()
      """)
    guard try select.step() else { return }
    serverVersion = String(select.text(0).prefix { $0 != " " })
    role = select.text(1)
    (encoding, collation) = (select.text(2), select.text(3))
    bytes = select.int(4)
    (connectionsMax, connections) = (select.int(5), select.int(6))
  }

  private mutating func readStandbys(_ db: borrowing Connection) throws(StoreError) {
    // What kind it is is hidden from ordinary roles, not that it is there.
    let select = try db.prepareOnce(
      """
      SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(sync_state),
        current_setting('synchronous_standby_names')
      FROM pg_stat_replication
      """)
    guard try select.step() else { return }
    (standbys, synchronousStandbys) = (select.int(0), select.int(1))
    seesStandbys = select.int(2) == standbys
    standbysWaitedFor = Self.standbysWaitedFor(select.text(3))
  }

  /// The number in `synchronous_standby_names`: `ANY 2 (a, b, c)`, `FIRST 2 (a, b)` and `2 (a, b)` wait for two, a bare list for
  /// one (PostgreSQL's manual, 20.6.1).
  static func standbysWaitedFor(_ names: String) -> Int {
    guard names.contains(where: { $0 != " " }) else { return 0 }
    guard let list = names.firstIndex(of: "(") else { return 1 }
    return names[..<list].split(separator: " ").last.flatMap { Int($0) } ?? 1
  }

  private mutating func readRights(_ db: borrowing Connection) throws(StoreError) {
    let select = try db.prepareOnce(
      """
      SELECT coalesce(current_schema()::text, ''), quote_ident(current_user), quote_ident(current_database()),
        coalesce(has_schema_privilege(current_schema()::text, 'CREATE'), false)::int,
        (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND NOT pg_has_role(tableowner, 'USAGE'))
      """)
    guard try select.step() else { return }
    let (schema, role) = (select.text(0), select.text(1))
    if !select.bool(3) {
      missingGrants.append("GRANT CREATE, USAGE ON SCHEMA \(schema.isEmpty ? "public" : schema) TO \(role)")
    }
    if select.int(4) > 0 { missingGrants.append("REASSIGN OWNED BY … TO \(role), for \(select.int(4)) tables") }
  }
}
