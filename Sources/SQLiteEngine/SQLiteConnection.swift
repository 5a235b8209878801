internal import CSQLite
internal import Glibc
package import StoreModel

/// One connection to a SQLite file, confined to one thread at a time, closed when it goes away.
///
/// Statements are prepared once per SQL text and kept until the connection closes.
///
/// `@safe`: the object owns the handle from `init` to `deinit`, and its statements go first; addresses of literals are only
/// compared, and a literal lives as long as the process.
@safe package final class SQLiteConnection {
  /// How a file is opened.
  ///
  /// `memory`: in memory, shared by all connections of this process that have the same name.
  package enum Access { case readWriteCreate, readWrite, readOnly, memory }

  /// How SQL with names becomes that of the engine.
  package typealias Words = @Sendable (String) throws(StoreError) -> String

  /// The file, for messages.
  package let path: String
  /// Frames in the write-ahead log after the last commit of this connection.
  package var logFrames = 0
  /// Commits of this connection that wrote to the log; one that changed nothing does not.
  package private(set) var logCommits = 0

  /// What the SQL of a statement is, before it is prepared.
  private let words: Words
  private let handle: OpaquePointer
  private var statements: [UnsafeRawPointer: SQLiteStatement] = unsafe [:]
  private var composed: [String: SQLiteStatement] = [:]
  private var functions: [NumberFunction] = []
  private var isCancelled: (@Sendable () -> Bool)?

  /// Settings of the library itself, made once, before the first connection of this process.
  private static let library: Void = csqlite_disable_memory_statistics()

  /// 600 KB for each connection.
  private static let lookasideSlots: Int32 = 500

  /// Opens a file; nothing is read from it yet.
  package init(path: String, access: Access, busyMilliseconds: Int32, words: @escaping Words) throws(StoreError) {
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
    self.path = path
    self.words = words
    unsafe handle = unsafe opened
    // The hook outlives no call into this connection, which closes the handle before it goes away.
    unsafe sqlite3_wal_hook(
      opened,
      { own, _, _, frames in
        guard let own = unsafe own else { return SQLITE_OK }
        let connection = unsafe Unmanaged<SQLiteConnection>.fromOpaque(own).takeUnretainedValue()
        connection.logFrames = Int(frames)
        connection.logCommits += 1
        return SQLITE_OK
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    unsafe statements.removeAll()
    composed.removeAll()
    unsafe sqlite3_close_v2(handle)
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

  // MARK: - Statements

  /// The prepared statement of a literal, from the cache; while one is in use, another one is prepared.
  package func prepare(_ sql: StaticString) throws(StoreError) -> SQLiteStatement {
    let key = unsafe UnsafeRawPointer(sql.utf8Start)
    if let ready = unsafe statements[key] { return ready.isInUse ? try make(sql.description, flags: 0) : ready }
    let made = try make(sql.description, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    unsafe statements[key] = made
    return made
  }

  /// The same for SQL that is put together of fixed parts.
  package func prepare(composed sql: String) throws(StoreError) -> SQLiteStatement {
    if let ready = composed[sql], !ready.isInUse { return ready }
    let made = try make(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    composed[sql] = made
    return made
  }

  /// A statement that is not kept.
  package func prepare(once sql: String) throws(StoreError) -> SQLiteStatement { try make(sql, flags: 0) }

  private func make(_ sql: String, flags: UInt32) throws(StoreError) -> SQLiteStatement {
    let sql = try words(sql)
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code, "prepare SQL") }
    return unsafe SQLiteStatement(statement, of: handle)
  }

  /// Runs SQL that returns nothing, possibly several statements.
  package func execute(_ sql: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, "run SQL") }
  }

  /// Makes a function of two whole numbers for SQL, which lives as long as the connection; nil is NULL.
  package func define(_ name: String, _ function: @escaping (Int64, Int64) -> Int64?) throws(StoreError) {
    let own = NumberFunction(function)
    functions.append(own)
    let code = unsafe sqlite3_create_function_v2(
      handle, name, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passUnretained(own).toOpaque(),
      { context, _, arguments in
        guard let own = unsafe sqlite3_user_data(context), let arguments = unsafe arguments else { return }
        let (first, second) = unsafe (sqlite3_value_int64(arguments[0]), sqlite3_value_int64(arguments[1]))
        let answer = unsafe Unmanaged<NumberFunction>.fromOpaque(own)._withUnsafeGuaranteedRef {
          $0.call(first, second)
        }
        if let answer { unsafe sqlite3_result_int64(context, answer) } else { unsafe sqlite3_result_null(context) }
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, "define the function \(name)") }
  }

  // MARK: - Changes

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  package var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

  /// Rows changed since the connection was opened.
  package var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

  /// The key that the last INSERT was given.
  package var lastInsertedKey: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Leaves out keys of a table that gives them by itself.
  package func skipKeys(of table: String, _ count: Int64) throws(StoreError) {
    try execute(
      """
      INSERT INTO sqlite_sequence(name, seq) SELECT '\(table)', 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '\(table)');
      UPDATE sqlite_sequence SET seq = seq + \(count) WHERE name = '\(table)';
      """)
  }

  // MARK: - Transactions

  /// Whether a transaction is open.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Begins a transaction that writes, as the only one of the file.
  package func beginWriting() throws(StoreError) { try run("BEGIN IMMEDIATE") }

  /// Begins a transaction that reads the file as of one instant.
  package func beginReading() throws(StoreError) { try run("BEGIN") }

  /// Ends a transaction; what it wrote is durable.
  package func commit() throws(StoreError) { try run("COMMIT") }

  /// Gives up the transaction, if one is open: SQLite has already done so by itself after some failures, such as a full disk.
  package func rollBack() {
    if isInTransaction { try? execute("ROLLBACK") }
  }

  private func run(_ sql: StaticString) throws(StoreError) {
    let statement = try prepare(sql)
    statement.isInUse = true
    defer { statement.release() }
    try statement.run()
  }

  // MARK: - The file

  /// Copies frames of the write-ahead log into the database without waiting for readers.
  /// - Returns: frames in the log, and how many of them are in the database now.
  package func checkpoint(truncate: Bool) throws(StoreError) -> (frames: Int, done: Int) {
    var frames: Int32 = 0
    var done: Int32 = 0
    let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &done)
    guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw failure(code, "checkpoint") }
    return (Int(frames), Int(done))
  }

  /// Has long statements end early, as failed, once `isCancelled` says so.
  package func interrupts(when isCancelled: @escaping @Sendable () -> Bool) {
    self.isCancelled = isCancelled
    unsafe sqlite3_progress_handler(
      handle, 100_000,
      { own in
        guard let own = unsafe own else { return 0 }
        let connection = unsafe Unmanaged<SQLiteConnection>.fromOpaque(own).takeUnretainedValue()
        return connection.isCancelled?() == true ? 1 : 0
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }

  /// Copies the whole database, as of one instant, over the database of `target`.
  package func copy(to target: SQLiteConnection) throws(StoreError) {
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw unsafe target.failure(sqlite3_extended_errcode(target.handle), "start a backup")
    }
    let step = unsafe sqlite3_backup_step(backup, -1)
    let finish = unsafe sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE else { throw target.failure(step, "copy into the backup") }
    guard finish == SQLITE_OK else { throw target.failure(finish, "finish the backup") }
  }

  private func failure(_ code: Int32, _ action: String) -> StoreError {
    SQLiteFailure.error(code, "\(action) in \(path)", detail: unsafe String(cString: sqlite3_errmsg(handle)))
  }
}

/// What SQL calls by a name.
private final class NumberFunction {
  let call: (Int64, Int64) -> Int64?

  init(_ call: @escaping (Int64, Int64) -> Int64?) { self.call = call }
}
