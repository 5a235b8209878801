internal import CSQLite
internal import Glibc
internal import Ledger
internal import StoreModel

/// One connection to one database, confined to one thread at a time, closed when it goes away.
///
/// Behind it is a SQLite file or, when there is a `postgres`, a PostgreSQL server: what differs is decided here and in
/// ``Statement``, by one branch that a processor predicts, and nobody else asks. Statements are prepared once per SQL text and
/// kept until the connection closes.
///
/// `@safe`: it cannot be copied, so `deinit` closes the handle once.
@safe struct Connection: ~Copyable {
  /// How a file is opened.
  ///
  /// `memory`: in memory, shared by all connections of this process that have the same name.
  enum Access { case readWriteCreate, readWrite, readOnly, memory }

  /// The file or the server, for messages.
  let path: String
  /// SQLite's connection; nil when there is a ``postgres``.
  private let handle: OpaquePointer?
  /// The driver of PostgreSQL; nil for a file.
  let postgres: PostgresConnection?
  private let cache = StatementCache()
  /// What the SQL function `accepted` reads, on the connection that writes.
  let accepted = AcceptedRows()
  private let log = LogLength()

  /// Settings of the library itself, made once, before the first connection of this process.
  private static let library: Void = csqlite_disable_memory_statistics()

  /// 600 KB for each connection.
  private static let lookasideSlots: Int32 = 500

  /// Opens a file; nothing is read from it yet.
  init(path: String, access: Access, busyMilliseconds: Int32 = 5_000) throws(StoreError) {
    _ = Self.library
    let mode =
      switch access {
      case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
      }
    if access != .readOnly && access != .memory { Self.closeToOthers(path, mayCreate: access == .readWriteCreate) }
    var opened: OpaquePointer?
    // NOMUTEX: a connection is never used by two threads at once, so SQLite's own lock would only cost.
    let code = unsafe sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      unsafe sqlite3_close_v2(opened)
      throw SQLiteFailure.error(code, "open \(path)")
    }
    // The statements that are kept fill SQLite's own 40 slots; without more of them each row written costs three
    // allocations. Failure changes nothing but that.
    _ = unsafe csqlite_set_lookaside(opened, 1200, Self.lookasideSlots)
    unsafe sqlite3_busy_timeout(opened, busyMilliseconds)
    // The hook outlives no call into this connection, which owns both it and the counter it writes to.
    unsafe sqlite3_wal_hook(
      opened,
      { counter, _, _, frames in
        guard let counter = unsafe counter else { return SQLITE_OK }
        let log = unsafe Unmanaged<LogLength>.fromOpaque(counter).takeUnretainedValue()
        log.frames = Int(frames)
        log.commits += 1
        return SQLITE_OK
      }, unsafe Unmanaged.passUnretained(log).toOpaque())
    self.path = path
    unsafe self.handle = unsafe opened
    postgres = nil
  }

  /// A connection to a server.
  init(_ postgres: PostgresConnection) {
    path = postgres.name
    unsafe handle = nil
    self.postgres = postgres
  }

  /// Makes the database and its log readable and writable for their owner only; the log has the mode of the database.
  ///
  /// An existing file is not opened for that: closing it would end the locks that this process holds on it. What cannot be
  /// done here is reported when SQLite opens the file.
  private static func closeToOthers(_ path: String, mayCreate: Bool) {
    if mayCreate {
      let created = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if created >= 0 { Glibc.close(created) }
    }
    var info = stat()
    for file in [path, path + "-wal", path + "-shm"] where unsafe stat(file, &info) == 0 && info.st_mode & 0o177 != 0 {
      unsafe chmod(file, 0o600)
    }
  }

  deinit {
    unsafe cache.statements.removeAll()
    cache.composed.removeAll()
    if let handle = unsafe handle { unsafe sqlite3_close_v2(handle) }
  }

  /// The prepared statement for `sql`, from the cache; it is reset when the returned value goes away.
  ///
  /// While one is in use, another one for the same SQL is prepared anew.
  func prepare(_ sql: StaticString) throws(StoreError) -> Statement {
    if let postgres { return Statement(try postgres.prepare(sql)) }
    let key = unsafe UnsafeRawPointer(sql.utf8Start)
    if let ready = unsafe cache.statements[key] {
      return unsafe Statement(ready.isInUse ? try make(sql.description, flags: 0) : ready, owner: handle)
    }
    let made = try make(sql.description, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    unsafe cache.statements[key] = made
    return unsafe Statement(made, owner: handle)
  }

  /// The same for SQL that is put together of fixed parts, so that there are few of them.
  func prepare(parts sql: String) throws(StoreError) -> Statement {
    if let postgres { return Statement(try postgres.prepare(composed: sql)) }
    if let ready = cache.composed[sql], !ready.isInUse { return unsafe Statement(ready, owner: handle) }
    let made = try make(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    cache.composed[sql] = made
    return unsafe Statement(made, owner: handle)
  }

  /// A statement for SQL that was put together at run time; it is prepared each time.
  func prepareOnce(_ sql: String) throws(StoreError) -> Statement {
    if let postgres { return Statement(try postgres.prepare(once: sql)) }
    return unsafe Statement(try make(sql, flags: 0), owner: handle)
  }

  /// Makes a function for SQL; `own` is what it finds as its user data, and lives as long as the connection.
  func define(
    _ name: String, arguments: Int32, _ own: AnyObject,
    _ function: @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) throws(StoreError) {
    let code = unsafe sqlite3_create_function_v2(
      handle, name, arguments, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passUnretained(own).toOpaque(), function, nil,
      nil, nil)
    guard code == SQLITE_OK else { throw failure(code, "define the function \(name)") }
  }

  /// Runs SQL that returns nothing, possibly several statements.
  func execute(_ sql: String) throws(StoreError) {
    if let postgres { return try postgres.execute(sql) }
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, "run SQL") }
  }

  /// The one integer that `sql` returns, or nil when it returns no row.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try prepareOnce(sql)
    return try statement.step() ? statement.int64(0) : nil
  }

  /// The one text that `sql` returns, or nil when it returns no row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try prepareOnce(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Frames in the write-ahead log after the last commit of this connection.
  var logFrames: Int {
    get { log.frames }
    nonmutating set { log.frames = newValue }
  }

  /// Commits of this connection that wrote to the log; one that changed nothing does not.
  var logCommits: Int { postgres?.commits ?? log.commits }

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  var changes: Int { unsafe postgres?.changes ?? Int(sqlite3_changes64(handle)) }

  /// Rows changed since the connection was opened.
  var totalChanges: Int64 { unsafe postgres?.totalChanges ?? sqlite3_total_changes64(handle) }

  /// Whether each statement is a message to a server, so that one for many rows is better than one for each.
  var writesSets: Bool { postgres != nil }

  /// The column by which the index of rejected deliveries finds them.
  var refused: StaticString { postgres == nil ? DeliverySQL.file : "refused" }

  /// Notes that a command begins; what it returns is for ``hasChanged(since:)``.
  func mark() -> Int64 {
    guard let postgres else { return totalChanges }
    postgres.markCommand()
    return 0
  }

  /// Whether something was changed since ``mark()`` was called last.
  func hasChanged(since mark: Int64) -> Bool { postgres?.hasChangedSinceMark ?? (totalChanges != mark) }

  /// Why a statement failed of which nobody has looked at the result.
  var queuedFailure: StoreError? { postgres?.queuedFailure }

  /// The key that the last INSERT was given.
  func lastInsertedRowID() throws(StoreError) -> Int64 {
    if let postgres { return try postgres.lastInsertedKey() }
    return unsafe sqlite3_last_insert_rowid(handle)
  }

  /// Leaves out keys of a table that gives them by itself.
  func skipKeys(of table: String, _ count: Int64) throws(StoreError) {
    if let postgres { return try postgres.skipKeys(of: table, count) }
    try execute(
      """
      INSERT INTO sqlite_sequence(name, seq) SELECT '\(table)', 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '\(table)');
      UPDATE sqlite_sequence SET seq = seq + \(count) WHERE name = '\(table)';
      """)
  }

  /// Whether a transaction is open that can still be committed: a server gives up one in which a statement has failed.
  var isInTransaction: Bool { unsafe postgres?.isInTransaction ?? (sqlite3_get_autocommit(handle) == 0) }

  /// Whether it can be used further; a connection to a server may have been lost.
  var isUsable: Bool { postgres?.isUsable ?? true }

  /// Whether an idle one can be used, as far as is known without asking the server.
  var isStillOpen: Bool { postgres?.isStillOpen ?? true }

  /// Begins a transaction that writes, as the only one of the database.
  func beginWriting() throws(StoreError) {
    if let postgres { return try postgres.beginWriting() }
    try prepare("BEGIN IMMEDIATE").run()
  }

  /// Begins a transaction that reads the database of one instant.
  func beginReading() throws(StoreError) {
    if let postgres { return try postgres.beginReading() }
    try prepare("BEGIN").run()
  }

  /// Ends a transaction; what it wrote is durable.
  func commit() throws(StoreError) {
    if let postgres { return try postgres.commit() }
    try prepare("COMMIT").run()
  }

  /// Gives up the transaction, if one is open.
  func rollBack() {
    if let postgres { return postgres.rollBack() }
    // SQLite has already rolled back by itself after some failures, such as a full disk.
    if isInTransaction { try? execute("ROLLBACK") }
  }

  /// Copies frames of the write-ahead log into the database without waiting for readers.
  /// - Returns: frames in the log, and how many of them are in the database now.
  @discardableResult
  func checkpoint(truncate: Bool = false) throws(StoreError) -> (frames: Int, done: Int) {
    var frames: Int32 = 0
    var done: Int32 = 0
    let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &done)
    guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw failure(code, "checkpoint") }
    return (Int(frames), Int(done))
  }

  /// Has long statements end early, as failed, once `watch` says so; it outlives the connection's use.
  func interrupts(when watch: CancelWatch) {
    log.watch = watch
    unsafe sqlite3_progress_handler(
      handle, 100_000,
      { watch in
        guard let watch = unsafe watch else { return 0 }
        return unsafe Unmanaged<CancelWatch>.fromOpaque(watch).takeUnretainedValue().isCancelled() ? 1 : 0
      }, unsafe Unmanaged.passUnretained(watch).toOpaque())
  }

  /// Copies the whole database, as of one instant, over the database of `target`.
  func copy(to target: borrowing Connection) throws(StoreError) {
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw unsafe target.failure(sqlite3_extended_errcode(target.handle), "start a backup")
    }
    let step = unsafe sqlite3_backup_step(backup, -1)
    let finish = unsafe sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE else { throw target.failure(step, "copy into the backup") }
    guard finish == SQLITE_OK else { throw target.failure(finish, "finish the backup") }
  }

  private func make(_ sql: String, flags: UInt32) throws(StoreError) -> PreparedStatement {
    let sql = try StateSymbols.resolved(sql)
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code, "prepare SQL") }
    return unsafe PreparedStatement(statement)
  }

  private func failure(_ code: Int32, _ action: String) -> StoreError {
    SQLiteFailure.error(code, "\(action) in \(path)", detail: unsafe String(cString: sqlite3_errmsg(handle)))
  }
}

/// The prepared statements of one connection, by the address of their SQL literal or by their text.
///
/// `@safe`: addresses of literals are only compared; a literal lives as long as the process.
@safe private final class StatementCache {
  var statements: [UnsafeRawPointer: PreparedStatement] = unsafe [:]
  var composed: [String: PreparedStatement] = [:]
}

/// How long the write-ahead log was after the last commit, and who may end a statement.
private final class LogLength {
  var frames = 0
  var commits = 0
  var watch: CancelWatch?
}
