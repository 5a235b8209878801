internal import PostgresEngine
internal import SQLiteEngine
internal import StoreModel

/// One connection to the database of a store, confined to one thread at a time, closed when it goes away.
///
/// Behind it is a SQLite file or a PostgreSQL server: what differs is decided here and in ``Statement``, by one branch that a
/// processor predicts; whoever writes to a server in another way asks ``postgres``.
struct Connection: ~Copyable {
  typealias Access = SQLiteConnection.Access

  private enum Engine {
    case sqlite(SQLiteConnection)
    case postgres(PostgresConnection)
  }

  private let engine: Engine
  /// What the SQL function `accepted` reads, on the connection that writes.
  let accepted = AcceptedRows()

  /// Opens a file; nothing is read from it yet.
  init(path: String, access: Access, busyMilliseconds: Int32 = 5_000) throws(StoreError) {
    engine = .sqlite(
      try SQLiteConnection(path: path, access: access, busyMilliseconds: busyMilliseconds, words: EngineWords.file))
  }

  /// Connects to a server; `writes` for a connection that changes the database.
  init(_ options: PostgresOptions, writes: Bool) throws(StoreError) {
    self.init(try PostgresConnection(options, writes: writes, words: EngineWords.server))
  }

  /// A connection to a server.
  init(_ postgres: PostgresConnection) { engine = .postgres(postgres) }

  /// The file or the server, for messages.
  var path: String {
    switch engine {
    case .sqlite(let file): file.path
    case .postgres(let server): server.name
    }
  }

  /// The driver of PostgreSQL; nil for a file.
  var postgres: PostgresConnection? { if case .postgres(let server) = engine { server } else { nil } }

  /// The driver of SQLite; nil for a server.
  private var sqlite: SQLiteConnection? { if case .sqlite(let file) = engine { file } else { nil } }

  // MARK: - Statements

  /// The prepared statement for `sql`, from the cache; it is reset when the returned value goes away.
  ///
  /// While one is in use, another one for the same SQL is prepared anew.
  func prepare(_ sql: StaticString) throws(StoreError) -> Statement {
    switch engine {
    case .sqlite(let file): Statement(try file.prepare(sql))
    case .postgres(let server): Statement(try server.prepare(sql))
    }
  }

  /// The same for SQL that is put together of fixed parts, so that there are few of them.
  func prepare(parts sql: String) throws(StoreError) -> Statement {
    switch engine {
    case .sqlite(let file): Statement(try file.prepare(composed: sql))
    case .postgres(let server): Statement(try server.prepare(composed: sql))
    }
  }

  /// A statement for SQL that was put together at run time; it is prepared each time.
  func prepareOnce(_ sql: String) throws(StoreError) -> Statement {
    switch engine {
    case .sqlite(let file): Statement(try file.prepare(once: sql))
    case .postgres(let server): Statement(try server.prepare(once: sql))
    }
  }

  /// Makes a function of two whole numbers for the SQL of a file.
  func define(_ name: String, _ function: @escaping (Int64, Int64) -> Int64?) throws(StoreError) {
    try sqlite?.define(name, function)
  }

  /// Runs SQL that returns nothing, possibly several statements.
  func execute(_ sql: String) throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.execute(sql)
    case .postgres(let server): try server.execute(sql)
    }
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

  // MARK: - What differs

  /// How often it was connected to a server; 0 for a file.
  var connects: Int { postgres?.connects ?? 0 }

  /// Whether each statement is a message to a server, so that one for many rows is better than one for each.
  var writesSets: Bool { postgres != nil }

  /// The column by which the index of rejected deliveries finds them.
  var refused: StaticString { postgres == nil ? DeliverySQL.file : "refused" }

  /// Frames in the write-ahead log of a file after the last commit of this connection.
  var logFrames: Int {
    get { sqlite?.logFrames ?? 0 }
    nonmutating set { sqlite?.logFrames = newValue }
  }

  /// Copies frames of the write-ahead log into the file without waiting for readers.
  /// - Returns: frames in the log, and how many of them are in the file now.
  @discardableResult
  func checkpoint(truncate: Bool = false) throws(StoreError) -> (frames: Int, done: Int) {
    try sqlite?.checkpoint(truncate: truncate) ?? (0, 0)
  }

  /// Has long statements on a file end early, as failed, once `isCancelled` says so.
  func interrupts(when isCancelled: @escaping @Sendable () -> Bool) { sqlite?.interrupts(when: isCancelled) }

  /// Copies a whole file, as of one instant, over the file of `target`.
  func copy(to target: borrowing Connection) throws(StoreError) {
    guard let own = sqlite, let other = target.sqlite else {
      throw StoreError(.bug, "\(path) is no file to copy", advice: "report this as a bug")
    }
    try own.copy(to: other)
  }

  // MARK: - Changes

  /// Commits of this connection that changed something.
  var logCommits: Int {
    switch engine {
    case .sqlite(let file): file.logCommits
    case .postgres(let server): server.commits
    }
  }

  /// Rows changed by the last INSERT, UPDATE or DELETE.
  var changes: Int {
    switch engine {
    case .sqlite(let file): file.changes
    case .postgres(let server): server.changes
    }
  }

  /// Rows changed since the connection was opened.
  var totalChanges: Int64 {
    switch engine {
    case .sqlite(let file): file.totalChanges
    case .postgres(let server): server.totalChanges
    }
  }

  /// Notes that a command begins; what it returns is for ``hasChanged(since:)``.
  func mark() -> Int64 {
    switch engine {
    case .sqlite(let file): return file.totalChanges
    case .postgres(let server):
      server.markCommand()
      return 0
    }
  }

  /// Whether something was changed since ``mark()`` was called last.
  func hasChanged(since mark: Int64) -> Bool {
    switch engine {
    case .sqlite(let file): file.totalChanges != mark
    case .postgres(let server): server.hasChangedSinceMark
    }
  }

  /// Why a statement failed of which nobody has looked at the result.
  var queuedFailure: StoreError? { postgres?.queuedFailure }

  /// The key that the last INSERT was given.
  func lastInsertedRowID() throws(StoreError) -> Int64 {
    switch engine {
    case .sqlite(let file): file.lastInsertedKey
    case .postgres(let server): try server.lastInsertedKey()
    }
  }

  /// Keys that follow one another, for rows that will be inserted into a table; nil for a file, which gives each with its row.
  func takeKeys(of table: String, _ count: Int) throws(StoreError) -> Range<Int64>? {
    try postgres.map { (server) throws(StoreError) in try server.takeKeys(of: table, count) }
  }

  /// Leaves out keys of a table that gives them by itself.
  func skipKeys(of table: String, _ count: Int64) throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.skipKeys(of: table, count)
    case .postgres(let server): try server.skipKeys(of: table, count)
    }
  }

  // MARK: - Transactions

  /// Whether a transaction is open that can still be committed: a server gives up one in which a statement has failed.
  var isInTransaction: Bool {
    switch engine {
    case .sqlite(let file): file.isInTransaction
    case .postgres(let server): server.isInTransaction
    }
  }

  /// Whether it can be used further; a connection to a server may have been lost.
  var isUsable: Bool { postgres?.isUsable ?? true }

  /// Whether an idle one can be used, as far as is known without asking the server.
  var isStillOpen: Bool { postgres?.isStillOpen ?? true }

  /// Begins a transaction that writes, as the only one of the database.
  func beginWriting() throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.beginWriting()
    case .postgres(let server): try server.beginWriting()
    }
  }

  /// Begins a transaction that reads the database of one instant.
  func beginReading() throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.beginReading()
    case .postgres(let server): try server.beginReading()
    }
  }

  /// Ends a transaction; what it wrote is durable.
  func commit() throws(StoreError) {
    switch engine {
    case .sqlite(let file): try file.commit()
    case .postgres(let server): try server.commit()
    }
  }

  /// Gives up the transaction, if one is open.
  func rollBack() {
    switch engine {
    case .sqlite(let file): file.rollBack()
    case .postgres(let server): server.rollBack()
    }
  }
}
