internal import PostgresEngine
internal import SQLiteEngine
internal import StoreModel

/// The store that is copied, which no server may have open meanwhile.
struct CopySource: ~Copyable {
  let db: Connection
  private let lock: FileLock?

  /// Opens it for reading, and keeps servers away until it goes away.
  init(_ location: CopyLocation) throws(StoreError) {
    switch location {
    case .file(let path):
      let lock = try FileLock(path: path + ".lock")
      let db = try Self.open(path)
      self.lock = lock
      self.db = db
    case .server(let options):
      let db = try Self.open(options)
      lock = nil
      self.db = db
    }
  }

  private static func open(_ path: String) throws(StoreError) -> Connection {
    // Not read-only: a reader of a log that no writer has open must be able to make the log's index.
    let db = try Connection(path: path, access: .readWrite)
    try db.execute("PRAGMA query_only = ON; PRAGMA cache_size = -16384")
    try check(db)
    return db
  }

  private static func open(_ options: PostgresOptions) throws(StoreError) -> Connection {
    let db = try Connection(options, writes: false)
    // Rows are counted.
    try db.postgres?.allow(seconds: PostgresConnection.wholeTableSeconds)
    try PostgresSchema.checkServer(db)
    try PostgresSchema.keepServersAway(db)
    try PostgresSchema.requireCurrent(db)
    return db
  }

  private static func check(_ db: borrowing Connection) throws(StoreError) {
    switch try db.integer("PRAGMA application_id") ?? 0 {
    case Schema.applicationID: break
    case Schema.unfinishedCopyID: throw Schema.unfinished(db.path)
    case Schema.backupID:
      throw StoreError(
        .conflict, "\(db.path) is a backup, and a server on its copy would send again what was sent since",
        advice: "bring it back into a new folder with postrider restore, and copy that")
    default:
      throw StoreError(
        .notADatabase, "\(db.path) is not a Postrider database", advice: "name the data folder of a server")
    }
    let version = Int(try db.integer("PRAGMA user_version") ?? 0)
    guard version == Schema.migrations.count else {
      throw Schema.otherVersion(db.path, version, Schema.migrations.count)
    }
  }

  /// Refuses values that the other engine could not have.
  func checkKinds(of table: CopiedTable) throws(StoreError) {
    guard db.postgres == nil else { return }
    let count = try db.integer(table.misfits) ?? 0
    guard count == 0 else {
      throw StoreError(
        .corrupted,
        "\(db.path): the table \(table.name) has values of another kind than their columns, in \(count) rows",
        advice: "postrider ledger check says whether the file is damaged; restore the newest backup that is sound")
    }
  }

  /// How many rows there are.
  func count(_ table: CopiedTable) throws(StoreError) -> Int {
    Int(try db.integer("SELECT count(*) FROM \"\(table.name)\"") ?? 0)
  }

  /// The highest key that a table has given by itself.
  func lastGivenKey(_ table: String, _ column: String) throws(StoreError) -> Int64 {
    try db.lastGivenKey(table, column)
  }
}

extension Connection {
  /// The highest key that a table has given by itself, also when its row is gone.
  func lastGivenKey(_ table: String, _ column: String) throws(StoreError) -> Int64 {
    let highest = try integer("SELECT coalesce(max(\"\(column)\"), 0) FROM \"\(table)\"") ?? 0
    let remembered =
      postgres != nil
      ? "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('\(table)', '\(column)')::regclass), 0)"
      : "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '\(table)'"
    return max(highest, try integer(remembered) ?? 0)
  }

  /// The columns in which PostgreSQL gives keys by itself.
  func identityColumns() throws(StoreError) -> [(table: String, column: String)] {
    let select = try prepareOnce(
      """
      SELECT table_name::text, column_name::text FROM information_schema.columns
      WHERE table_schema = current_schema() AND is_identity = 'YES' ORDER BY 1
      """)
    var columns: [(String, String)] = []
    while try select.step() { columns.append((select.text(0), select.text(1))) }
    return columns
  }
}
