internal import CPQ
internal import Glibc
internal import System

/// One connection to a PostgreSQL server, confined to one thread at a time, closed when it goes away.
///
/// Every wait is bounded: the server ends a statement after ``PostgresOptions/statementSeconds``, and when even that does not
/// come back in time, the connection is given up.
final class PostgresConnection {
  /// The host and the database, for messages; no password.
  let name: String
  private let options: PostgresOptions
  private let writes: Bool
  private var link: OpaquePointer?
  private var statements: [UnsafeRawPointer: PostgresStatement] = [:]
  private var composed: [String: PostgresStatement] = [:]
  private var names = 0
  /// The statement that the server keeps without a name.
  private var unnamed: ObjectIdentifier?
  /// Whether it is known to be lost.
  private var isLost = false
  /// What ``totalChanges`` was when the open transaction began.
  private var changesBefore: Int64 = 0

  /// Rows that the last statement changed.
  private(set) var changes = 0
  /// Rows changed since the connection was opened.
  private(set) var totalChanges: Int64 = 0
  /// Commits that changed something.
  private(set) var commits = 0

  /// Statements kept by their text; further ones are prepared each time.
  private static let composedMax = 256
  /// How long a statement may stay unanswered after the server should have ended it.
  private static let graceMs: Int64 = 5_000

  /// Connects; `writes` for the one connection that changes the database.
  init(_ options: PostgresOptions, writes: Bool) throws(StoreError) {
    self.options = options
    self.writes = writes
    name = options.name
    try connect()
  }

  deinit { PQfinish(link) }

  /// Whether it can be used further.
  var isUsable: Bool { !isLost && PQstatus(link) == CONNECTION_OK }

  /// Whether a transaction is open in which nothing has failed.
  var isInTransaction: Bool { PQtransactionStatus(link) == PQTRANS_INTRANS }

  // MARK: - Transactions

  func beginWriting() throws(StoreError) {
    if !isUsable { try reconnect() }
    // One writer over all nodes: the lock ends with the transaction, also when this connection is lost.
    try execute("BEGIN; SELECT pg_advisory_xact_lock(\(PostgresSchema.writerLock))")
    changesBefore = totalChanges
  }

  func beginReading() throws(StoreError) { try execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }

  func commit() throws(StoreError) {
    let result: OpaquePointer?
    do throws(StoreError) { result = try answer(to: PQsendQuery(link, "COMMIT"), "commit") } catch {
      guard error.code == .unavailable, totalChanges != changesBefore else { throw error }
      throw StoreError(
        .inDoubt, "\(error.message); this was during the commit, so that nobody can say whether the change is kept",
        advice: "look before you repeat it, or repeat it with its Idempotency-Key; \(error.advice)")
    }
    defer { PQclear(result) }
    // A transaction in which a statement has failed is rolled back by COMMIT, which the server does not call an error.
    guard let status = PQcmdStatus(result), strcmp(status, "COMMIT") == 0 else {
      throw StoreError(.bug, "commit in \(name): the transaction had failed", advice: "report this as a bug")
    }
    if totalChanges != changesBefore { commits += 1 }
  }

  func rollBack() {
    guard isUsable, PQtransactionStatus(link) != PQTRANS_IDLE else { return }
    try? execute("ROLLBACK")
  }

  // MARK: - Statements

  /// The prepared statement of a literal, from the cache.
  func prepare(_ sql: StaticString) throws(StoreError) -> PostgresStatement {
    let key = UnsafeRawPointer(sql.utf8Start)
    if let ready = statements[key] {
      return ready.isInUse ? PostgresStatement(sharing: ready) : ready
    }
    let made = try make(sql.description, isNamed: true)
    statements[key] = made
    return made
  }

  /// The same for SQL that is put together of fixed parts.
  func prepare(composed sql: String) throws(StoreError) -> PostgresStatement {
    if let ready = composed[sql] { return ready.isInUse ? PostgresStatement(sharing: ready) : ready }
    guard composed.count < Self.composedMax else { return try make(sql, isNamed: false) }
    let made = try make(sql, isNamed: true)
    composed[sql] = made
    return made
  }

  /// A statement that is not kept.
  func prepare(once sql: String) throws(StoreError) -> PostgresStatement { try make(sql, isNamed: false) }

  /// Runs SQL that is the program's own and returns nothing, possibly several statements.
  func execute(_ sql: String) throws(StoreError) {
    PQclear(try answer(to: PQsendQuery(link, PostgresDialect.translated(sql)), "run SQL"))
  }

  /// The key that the last INSERT of this connection was given.
  func lastInsertedKey() throws(StoreError) -> Int64 {
    let read = try prepare("SELECT lastval()")
    defer { read.release() }
    read.isInUse = true
    guard try read.step() else { throw StoreError(.bug, "no key in \(name)", advice: "report this as a bug") }
    return read.int64(0)
  }

  func skipKeys(of table: String, _ count: Int64) throws(StoreError) {
    let sequence = "pg_get_serial_sequence('\(table)', 'id')"
    try execute("SELECT setval(\(sequence), nextval(\(sequence)) + \(count))")
  }

  private func make(_ sql: String, isNamed: Bool) throws(StoreError) -> PostgresStatement {
    if isNamed { names += 1 }
    let text = PostgresDialect.translated(sql)
    let statement = PostgresStatement(self, name: isNamed ? "s\(names)" : "", sql: text)
    try prepareAtServer(statement)
    try describe(statement)
    if statement.types.contains(where: { $0 == PostgresType.int4 || $0 == PostgresType.int2 }) {
      // Beside a literal a parameter is taken for a short number, which a key or a time is not.
      if isNamed { PQclear(try answer(to: PQsendQuery(link, "DEALLOCATE \(statement.name)"), text)) }
      statement.take(
        types: statement.types.map { $0 == PostgresType.int4 || $0 == PostgresType.int2 ? PostgresType.int8 : $0 })
      try prepareAtServer(statement)
    }
    return statement
  }

  private func describe(_ statement: PostgresStatement) throws(StoreError) {
    let described = try answer(to: PQsendDescribePrepared(link, statement.name), statement.sql)
    defer { PQclear(described) }
    let unused = statement.unused
    statement.take(
      types: (0..<PQnparams(described)).map { place in
        unused.contains(Int(place) + 1) ? PostgresType.unused : PQparamtype(described, place)
      })
  }

  private func prepareAtServer(_ statement: PostgresStatement) throws(StoreError) {
    // The server finds out the types of the parameters by itself, but not of those that it does not see.
    let count = max(statement.unused.max() ?? 0, statement.types.count)
    let types: [Oid] = (0..<count).map { place in
      if statement.unused.contains(place + 1) { return PostgresType.int8 }
      return place < statement.types.count ? statement.types[place] : 0
    }
    PQclear(try answer(to: PQsendPrepare(link, statement.name, statement.sql, Int32(count), types), statement.sql))
    if statement.name.isEmpty { unnamed = ObjectIdentifier(statement) }
  }

  /// Runs a prepared statement; the result is the caller's to clear.
  func run(
    _ statement: PostgresStatement, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
  ) throws(StoreError) -> OpaquePointer? {
    // Another one has taken the place without a name meanwhile.
    if statement.name.isEmpty, unnamed != ObjectIdentifier(statement) { try prepareAtServer(statement) }
    return try answer(
      to: PQsendQueryPrepared(link, statement.name, statement.parameterCount, values, lengths, formats, 1),
      statement.sql)
  }

  /// Counts what INSERT, UPDATE and DELETE changed.
  private func note(_ result: OpaquePointer?) {
    guard let status = PQcmdStatus(result) else { return }
    switch UInt8(bitPattern: status[0]) {
    case UInt8(ascii: "I"), UInt8(ascii: "U"), UInt8(ascii: "D"):
      changes = PQcmdTuples(result).map { Int(atoll($0)) } ?? 0
      totalChanges += Int64(changes)
    default: break
    }
  }

  // MARK: - Answers

  /// Waits for the answer to what was sent; the last result, when several statements were sent.
  private func answer(to sent: Int32, _ action: String) throws(StoreError) -> OpaquePointer? {
    guard sent == 1 else { throw lost() }
    let deadline = SystemClock.monotonicMs() + Int64(options.statementSeconds) * 1_000 + Self.graceMs
    var last: OpaquePointer?
    var failure: StoreError?
    while true {
      do throws(StoreError) { try wait(until: deadline) } catch {
        PQclear(last)
        throw error
      }
      guard let result = PQgetResult(link) else { break }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        note(result)
        PQclear(last)
        last = result
      default:
        if failure == nil { failure = PostgresFailure.error(result, action, in: name) }
        PQclear(result)
      }
    }
    if let failure {
      PQclear(last)
      throw PQstatus(link) == CONNECTION_OK ? failure : lost()
    }
    guard last != nil else { throw lost() }
    return last
  }

  /// Waits until a result can be had without waiting.
  private func wait(until deadline: Int64) throws(StoreError) {
    while PQisBusy(link) == 1 {
      // What could not be sent at once goes out with what is read.
      let flushed = PQflush(link)
      guard flushed >= 0 else { throw lost() }
      let events = Int16(flushed == 1 ? POLLIN | POLLOUT : POLLIN)
      var descriptor = pollfd(fd: PQsocket(link), events: events, revents: 0)
      let left = deadline - SystemClock.monotonicMs()
      guard left > 0 else {
        isLost = true
        throw PostgresFailure.unavailable(name, "it did not answer in \(options.statementSeconds) seconds")
      }
      let ready = poll(&descriptor, 1, Int32(min(left, 1_000_000)))
      if ready < 0, errno != EINTR { throw lost() }
      if ready > 0, PQconsumeInput(link) == 0 { throw lost() }
    }
  }

  private func lost() -> StoreError {
    isLost = true
    let words = PQerrorMessage(link).map { String(cString: $0) } ?? ""
    return PostgresFailure.unavailable(name, PostgresFailure.oneLine(words))
  }

  // MARK: - Connecting

  private func connect() throws(StoreError) {
    link = try options.connect()
    isLost = false
    // Bounds on what the server does for this connection. The writer waits for that of another node.
    let milliseconds = options.statementSeconds * 1_000
    // An export is read as fast as its caller takes it.
    let idle = writes ? Int64(milliseconds) * 2 : StoreLimits.exportMs
    try execute(
      """
      SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds);
      SET idle_in_transaction_session_timeout = \(idle); SET synchronous_commit = on;
      SET default_transaction_read_only = \(writes ? "off" : "on")
      """)
  }

  /// Connects anew; statements that were prepared are gone.
  private func reconnect() throws(StoreError) {
    statements.removeAll()
    composed.removeAll()
    unnamed = nil
    PQfinish(link)
    link = nil
    isLost = true
    try connect()
  }
}
