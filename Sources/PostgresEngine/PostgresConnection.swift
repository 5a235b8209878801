internal import CPQ
internal import Glibc
package import StoreModel
internal import System

/// One connection to a PostgreSQL server, confined to one thread at a time, closed when it goes away.
///
/// Every wait is bounded: the server ends a statement after ``PostgresOptions/statementSeconds``, and when even that does not
/// come back in time, the connection is given up.
///
/// `@safe`: the object owns the connection from `init` to `deinit`; addresses of literals are only compared.
@safe package final class PostgresConnection {
  /// The host and the database, for messages; no password.
  package let name: String
  package let options: PostgresOptions
  private let writes: Bool
  /// What the SQL of a statement is, before it is translated and prepared.
  private let words: Words
  /// How long the server may work on one statement.
  private var statementSeconds: Int
  var link: OpaquePointer?
  private var statements: [UnsafeRawPointer: PostgresStatement] = unsafe [:]
  private var composed: [String: PostgresStatement] = [:]
  private var names = 0
  /// The statement that the server keeps without a name.
  private var unnamed: ObjectIdentifier?
  /// Whether it is known to be lost.
  private var isLost = false
  /// Whether its server takes no writes any more.
  private var isStale = false
  /// Whether it was given up because the server did not answer in time.
  private var hasTimedOut = false
  /// Whether the server has said that a statement of the open transaction failed: whatever comes later, it is not kept.
  var isRefused = false
  /// What ``totalChanges`` was when the open transaction began.
  private var changesBefore: Int64 = 0
  /// Whether a transaction is open that writes.
  var isWriting = false
  /// Whether one is open that only reads.
  private(set) var isReading = false

  /// The SQL of statements that were sent and whose results nobody has looked at yet (``queue(_:_:_:_:)``); nil is where the
  /// server was informed that a part of them ends.
  var queued: [String?] = []
  /// How many of these are statements, and the bytes of those whose part has not ended.
  var queuedStatements = 0
  var queuedBytes = 0
  /// Why one of these failed; the transaction is lost then.
  var failure: StoreError?
  /// ``countedChanges`` when the command began that runs, once the results of what was sent before it are there.
  var changesAtMark: Int64 = 0
  /// How many results are still to come of what was sent before that command.
  var queuedBeforeMark = 0
  /// Rows that wait to be inserted with others, how many there are, and how many there were when that command began.
  var pending: [PendingRows] = []
  var pendingRows = 0
  var rowsBeforeMark = 0
  /// The bytes of the values that wait.
  var pendingBytes = 0
  private var lastChanges = 0
  var countedChanges: Int64 = 0
  /// Statements whose result was waited for: each is a way to the server and back.
  package private(set) var questions = 0

  /// Rows that the last statement changed.
  package var changes: Int {
    settle()
    return lastChanges
  }
  /// Rows changed since the connection was opened.
  package var totalChanges: Int64 {
    settle()
    return countedChanges
  }
  /// Commits that changed something.
  package private(set) var commits = 0
  /// How often it was connected: behind each time there may be another server.
  package private(set) var connects = 0

  /// Statements kept by their text; further ones are prepared each time.
  private static let composedMax = 256
  /// Statements on the way at once; their results wait at the server until they are asked for.
  static let queuedMax = 256
  /// Bytes of a part of them.
  ///
  /// The library sends by itself what is more than 8 KiB, and a server that has got statements without the end of their part does
  /// not give up a transaction that is left alone (``idleMs``).
  static let partBytesMax = 6 << 10
  /// What a statement is on the way besides its values.
  static let statementBytes = 64
  /// How long a statement may stay unanswered after the server should have ended it.
  private static let graceMs: Int64 = 5_000

  /// How long a transaction that writes may be left alone between two statements, or within one (``ListeningConnection/endStalledWriter()``).
  static let idleMs: Int64 = 5_000

  /// How SQL with names becomes that of the engine.
  package typealias Words = @Sendable (String) throws(StoreError) -> String

  /// Connects; `writes` for the one connection that changes the database.
  package init(
    _ options: PostgresOptions, writes: Bool, words: @escaping Words
  ) throws(StoreError) {
    self.options = options
    self.words = words
    self.writes = writes
    statementSeconds = options.statementSeconds
    name = options.name
    try connect()
  }

  deinit { unsafe PQfinish(link) }

  /// Whether it can be used further.
  package var isUsable: Bool { unsafe !isLost && !isStale && PQstatus(link) == CONNECTION_OK }

  /// Whether the server has not ended it while nothing was asked of it, as far as is known here; it costs one call of the system.
  package var isStillOpen: Bool {
    while isUsable {
      var descriptor = unsafe pollfd(fd: PQsocket(link), events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&descriptor, 1, 0) > 0 else { break }
      if unsafe PQconsumeInput(link) == 0 { return false }
    }
    return isUsable
  }

  /// Whether a transaction is open in which nothing has failed.
  package var isInTransaction: Bool {
    settle()
    return unsafe failure == nil && PQtransactionStatus(link) == PQTRANS_INTRANS
  }

  // MARK: - Transactions

  package func beginWriting() throws(StoreError) {
    let wasOpen = isUsable
    if !wasOpen { try reconnect() }
    do throws(StoreError) { try begin() } catch {
      // The server has ended the connection while nothing was asked of it, which only the next statement finds out. Nothing of the
      // transaction has been sent, so that it begins anew on another connection, once; a server that does not answer is not waited
      // for again.
      guard wasOpen, !isUsable, !hasTimedOut else { throw error }
      try reconnect()
      try begin()
    }
    changesBefore = countedChanges
    markCommand()
  }

  /// The lock of whoever writes ("PSTR", and a number).
  package static let writerLock: Int64 = 0x5053_5452_0001

  /// One writer over all nodes: the lock ends with the transaction, also when this connection is lost.
  ///
  /// Both are prepared, and one message: reading and planning them would be a tenth of a small transaction.
  private func begin() throws(StoreError) {
    isRefused = false
    let begin = try prepare("BEGIN")
    let lock = try prepare(composed: "SELECT pg_advisory_xact_lock(\(Self.writerLock))")
    defer { lock.release() }
    isWriting = true
    do throws(StoreError) {
      try begin.run()
      _ = try lock.step()
    } catch {
      isWriting = false
      throw error
    }
  }

  /// It goes to the server with the first question.
  package func beginReading() throws(StoreError) {
    let begin = try prepare("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    isReading = true
    do throws(StoreError) { try begin.run() } catch {
      isReading = false
      throw error
    }
  }

  package func commit() throws(StoreError) {
    let mayHaveChanged = !queued.isEmpty || pendingRows > 0 || countedChanges != changesBefore
    if failure == nil { try flushRows() }
    isWriting = false
    if let failure { throw failure }
    if queued.isEmpty { try finishQueued() }
    let result: OpaquePointer?
    do throws(StoreError) { unsafe result = try unsafe sendCommit() } catch {
      guard error.code == .unavailable, mayHaveChanged, !isRefused else { throw error }
      throw StoreError(
        .inDoubt, "\(error.message); this was during the commit, so that it is unknown whether the change was saved",
        advice: "look before you repeat it, or repeat it with its Idempotency-Key; \(error.advice)")
    }
    defer { unsafe PQclear(result) }
    // A transaction in which a statement has failed is rolled back by COMMIT, which the server does not call an error.
    guard let status = unsafe PQcmdStatus(result), unsafe strcmp(status, "COMMIT") == 0 else {
      throw StoreError(.bug, "commit in \(name): the transaction had failed", advice: "report this as a bug")
    }
    if countedChanges != changesBefore { commits += 1 }
  }

  /// Ends the transaction behind what is queued, without waiting for that first.
  private func sendCommit() throws(StoreError) -> OpaquePointer? {
    guard !queued.isEmpty else { return try unsafe answer(to: sendText(Self.commitText), Self.commitText) }
    // It takes the unnamed statement.
    unnamed = nil
    guard unsafe PQsendQueryParams(link, Self.commitText, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
    queued.append(Self.commitText)
    queuedStatements += 1
    queuedBytes += Self.statementBytes
    let result = try unsafe collect()
    if let failure {
      unsafe PQclear(result)
      throw failure
    }
    return unsafe result
  }

  private static let commitText = "COMMIT"

  /// The error that a result holds.
  ///
  /// What the server says of a statement that failed decides the transaction; a connection that
  /// ends is said by the library, which knows no more, or during the commit by a server that may have made it.
  func refusal(_ result: OpaquePointer?, _ action: String) -> StoreError {
    let (state, severity) = unsafe (PostgresFailure.state(result), PostgresFailure.severity(result))
    // What was left alone for too long was given up before the commit came.
    let isOver = severity == "ERROR" || state == PostgresFailure.idleTransaction
    if !state.isEmpty, action != Self.commitText || isOver { isRefused = true }
    // Some services make a primary a standby and keep its connections: the next one looks for the primary.
    if state == PostgresFailure.readOnlyTransaction { isStale = true }
    return unsafe PostgresFailure.error(result, action, in: name)
  }

  package func rollBack() {
    forgetRows()
    let wasReading = isReading
    (isWriting, isReading) = (false, false)
    settle()
    failure = nil
    guard isUsable, unsafe PQtransactionStatus(link) != PQTRANS_IDLE else { return }
    if wasReading { try? endReading() } else { try? execute("ROLLBACK") }
  }

  /// Ends a transaction that read, without waiting for that: what comes next goes behind it.
  private func endReading() throws(StoreError) {
    let end = try prepare("ROLLBACK")
    isReading = true
    defer { isReading = false }
    try end.run()
    try endPart()
  }

  // MARK: - Statements

  /// The prepared statement of a literal, from the cache.
  package func prepare(_ sql: StaticString) throws(StoreError) -> PostgresStatement {
    let key = unsafe UnsafeRawPointer(sql.utf8Start)
    if let ready = unsafe statements[key] {
      return ready.isInUse ? PostgresStatement(sharing: ready) : ready
    }
    let made = try make(sql.description, isNamed: true)
    unsafe statements[key] = made
    return made
  }

  /// The same for SQL that is put together of fixed parts.
  package func prepare(composed sql: String) throws(StoreError) -> PostgresStatement {
    if let ready = composed[sql] { return ready.isInUse ? PostgresStatement(sharing: ready) : ready }
    guard composed.count < Self.composedMax else { return try make(sql, isNamed: false) }
    let made = try make(sql, isNamed: true)
    composed[sql] = made
    return made
  }

  /// A statement that is not kept.
  package func prepare(once sql: String) throws(StoreError) -> PostgresStatement { try make(sql, isNamed: false) }

  /// Runs SQL that is the program's own and returns nothing, possibly several statements.
  package func execute(_ sql: String) throws(StoreError) {
    try finishQueued()
    unsafe PQclear(try answer(to: sendText(PostgresDialect.translated(sql)), "run SQL"))
  }

  /// Sends SQL as it is, for which the server gives up the statement without a name.
  func sendText(_ sql: String) -> Int32 {
    unnamed = nil
    return unsafe PQsendQuery(link, sql)
  }

  /// The key that the last INSERT of this connection was given.
  package func lastInsertedKey() throws(StoreError) -> Int64 {
    let read = try prepare("SELECT lastval()")
    defer { read.release() }
    read.isInUse = true
    guard try read.step() else { throw StoreError(.bug, "no key in \(name)", advice: "report this as a bug") }
    return read.int64(0)
  }

  /// Keys of a table that follow one another, for rows to insert; only the one who writes takes any.
  package func takeKeys(of table: String, _ count: Int) throws(StoreError) -> Range<Int64> {
    guard count > 0 else { return 0..<0 }
    let sequence = "pg_get_serial_sequence('\(table)', 'id')"
    let take = try prepare(composed: "SELECT setval(\(sequence), nextval(\(sequence)) + ?1 - 1)")
    take.isInUse = true
    defer { take.release() }
    take.bind(1, Int64(count))
    guard try take.step() else { throw StoreError(.bug, "no keys in \(name)", advice: "report this as a bug") }
    let last = take.int64(0)
    return last - Int64(count) + 1..<last + 1
  }

  package func skipKeys(of table: String, _ count: Int64) throws(StoreError) {
    let sequence = "pg_get_serial_sequence('\(table)', 'id')"
    try execute("SELECT setval(\(sequence), nextval(\(sequence)) + \(count))")
  }

  private func make(_ sql: String, isNamed: Bool) throws(StoreError) -> PostgresStatement {
    try finishQueued()
    if isNamed { names += 1 }
    let text = PostgresDialect.translated(try words(sql))
    let statement = PostgresStatement(self, name: isNamed ? "s\(names)" : "", sql: text)
    try prepareAtServer(statement)
    try describe(statement)
    if statement.types.contains(where: { $0 == PostgresType.int4 || $0 == PostgresType.int2 }) {
      // Beside a literal a parameter is taken for a short number, which a key or a time is not.
      if isNamed { unsafe PQclear(try answer(to: sendText("DEALLOCATE \(statement.name)"), text)) }
      statement.take(
        types: statement.types.map { $0 == PostgresType.int4 || $0 == PostgresType.int2 ? PostgresType.int8 : $0 })
      try prepareAtServer(statement)
    }
    // What is sent as null may have any type.
    options.onPrepare?(text, statement.types.map { $0 == PostgresType.unused ? PostgresType.int8 : $0 })
    return statement
  }

  /// A statement for several rows, of the one for a single row.
  func prepare(_ single: PostgresStatement, rows: Int) throws(StoreError) -> PostgresStatement {
    try finishQueued()
    names += 1
    let count = single.types.count
    let statement = PostgresStatement(
      self, name: "s\(names)", sql: PostgresDialect.rows(single.sql, rows, parameters: count))
    statement.take(types: (0..<rows * count).map { single.types[$0 % count] })
    try prepareAtServer(statement)
    return statement
  }

  private func describe(_ statement: PostgresStatement) throws(StoreError) {
    let described = try unsafe answer(to: PQsendDescribePrepared(link, statement.name), statement.sql)
    defer { unsafe PQclear(described) }
    let unused = statement.unused
    unsafe statement.take(
      types: (0..<PQnparams(described)).map { index in
        unsafe unused.contains(Int(index) + 1) ? PostgresType.unused : PQparamtype(described, index)
      })
  }

  private func prepareAtServer(_ statement: PostgresStatement) throws(StoreError) {
    // The server finds out the types of the parameters by itself, but not of those that it does not see.
    let count = max(statement.unused.max() ?? 0, statement.types.count)
    let types: [Oid] = (0..<count).map { index in
      if statement.unused.contains(index + 1) { return PostgresType.int8 }
      return index < statement.types.count ? statement.types[index] : 0
    }
    unsafe PQclear(
      try answer(to: PQsendPrepare(link, statement.name, statement.sql, Int32(count), types), statement.sql))
    if statement.name.isEmpty { unnamed = ObjectIdentifier(statement) }
  }

  /// Runs a prepared statement; the result is the caller's to clear.
  func run(
    _ statement: PostgresStatement, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
  ) throws(StoreError) -> OpaquePointer? {
    questions += 1
    try flushRows()
    if statement.name.isEmpty {
      try finishQueued()
      // Another one has taken the unnamed statement meanwhile.
      if unnamed != ObjectIdentifier(statement) { try prepareAtServer(statement) }
    }
    if !queued.isEmpty {
      try unsafe send(statement, values, lengths, formats)
      let result = try unsafe collect()
      if let failure {
        unsafe PQclear(result)
        throw failure
      }
      return unsafe result
    }
    try finishQueued()
    return try unsafe answer(
      to: PQsendQueryPrepared(link, statement.name, statement.parameterCount, values, lengths, formats, 1),
      statement.sql)
  }

  /// Counts what INSERT, UPDATE, DELETE and COPY changed.
  func note(_ result: OpaquePointer?) {
    guard let status = unsafe PQcmdStatus(result) else { return }
    // “DEALLOCATE” has the same first letter as “DELETE”.
    let kind = unsafe (UInt8(bitPattern: status[0]), UInt8(bitPattern: status[2]))
    guard
      kind == (UInt8(ascii: "I"), UInt8(ascii: "S")) || kind == (UInt8(ascii: "U"), UInt8(ascii: "D"))
        || kind == (UInt8(ascii: "D"), UInt8(ascii: "L")) || kind == (UInt8(ascii: "C"), UInt8(ascii: "P"))
    else { return }
    lastChanges = unsafe PQcmdTuples(result).map { unsafe Int(atoll($0)) } ?? 0
    countedChanges += Int64(lastChanges)
  }

  // MARK: - Answers

  /// When a statement that is sent now must have been answered.
  var deadline: Int64 {
    SystemClock.monotonicMs() + Int64(statementSeconds) * 1_000 + Self.graceMs
  }

  /// Waits for the answer to what was sent; the last result, when several statements were sent.
  func answer(to sent: Int32, _ action: String) throws(StoreError) -> OpaquePointer? {
    guard sent == 1 else { throw lost() }
    let deadline = self.deadline
    var last: OpaquePointer?
    var failure: StoreError?
    while true {
      do throws(StoreError) { try wait(until: deadline) } catch {
        unsafe PQclear(last)
        throw error
      }
      guard let result = unsafe PQgetResult(link) else { break }
      switch unsafe PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        unsafe note(result)
        unsafe PQclear(last)
        unsafe last = unsafe result
      default:
        let error = unsafe refusal(result, action)
        failure = failure ?? error
        unsafe PQclear(result)
      }
    }
    if let failure {
      unsafe PQclear(last)
      throw unsafe PQstatus(link) == CONNECTION_OK ? failure : lost()
    }
    guard unsafe last != nil else { throw lost() }
    return unsafe last
  }

  /// Waits until a result can be had without waiting.
  func wait(until deadline: Int64) throws(StoreError) {
    while unsafe PQisBusy(link) == 1 {
      // What could not be sent at once goes out with what is read.
      let flushed = unsafe PQflush(link)
      guard flushed >= 0 else { throw lost() }
      let events = Int16(flushed == 1 ? POLLIN | POLLOUT : POLLIN)
      var descriptor = unsafe pollfd(fd: PQsocket(link), events: events, revents: 0)
      let left = deadline - SystemClock.monotonicMs()
      guard left > 0 else {
        (isLost, hasTimedOut) = (true, true)
        throw PostgresFailure.unavailable(name, "it did not answer in \(statementSeconds) seconds")
      }
      let ready = unsafe poll(&descriptor, 1, Int32(min(left, 1_000_000)))
      if ready < 0, errno != EINTR { throw lost() }
      if ready > 0, unsafe PQconsumeInput(link) == 0 { throw lost() }
    }
  }

  func lost() -> StoreError {
    isLost = true
    let words = unsafe PQerrorMessage(link).map { unsafe String(cString: $0) } ?? ""
    return PostgresFailure.unavailable(name, PostgresFailure.oneLine(words))
  }

  /// Gives the statements from here on another time, in seconds: those that read or write whole tables.
  package func allow(seconds: Int) throws(StoreError) {
    try execute("SET statement_timeout = \(seconds * 1_000)")
    statementSeconds = seconds
  }

  /// Gives them their usual time again.
  package func allowUsual() throws(StoreError) { try allow(seconds: options.statementSeconds) }

  /// How long a statement of so many seconds waits for a lock: it ends before the statement would, so that the error tells that
  /// another node is what it waited for.
  package static func lockMs(_ statementSeconds: Int) -> Int { statementSeconds * 900 }

  /// How long a statement may take that reads or writes a whole table, in seconds.
  package static let wholeTableSeconds = 86_400

  // MARK: - Connecting

  /// The server notices within half a minute that this machine is gone; of itself it would take two hours.
  static let keepalives = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"

  private func connect() throws(StoreError) {
    unsafe link = unsafe try options.connect()
    (isLost, isStale, hasTimedOut) = (false, false, false)
    connects += 1
    // Every statement has its index; but a plan is kept from its first uses, when the tables may have been empty and reading
    // them whole was cheapest. Then, bounds on what the server does for this connection; the writer waits for that of another
    // node.
    statementSeconds = options.statementSeconds
    let milliseconds = statementSeconds * 1_000
    // A node that is stopped within a transaction keeps all others from writing until the server gives that up. An export is read
    // as fast as its caller takes it.
    let idle = writes ? Self.idleMs : StoreLimits.exportMs
    // The writer's lock is waited for within the transaction, which has to see what others wrote until then, whatever isolation
    // the database or the role is set to.
    try execute(
      """
      SET statement_timeout = \(milliseconds); SET lock_timeout = \(Self.lockMs(statementSeconds));
      SET idle_in_transaction_session_timeout = \(idle); SET synchronous_commit = on;
      SET enable_seqscan = off; SET jit = off; SET default_transaction_read_only = \(writes ? "off" : "on");
      SET default_transaction_isolation = 'read committed'; \(Self.keepalives)
      """)
  }

  /// Connects anew; statements that were prepared are gone.
  private func reconnect() throws(StoreError) {
    unsafe statements.removeAll()
    composed.removeAll()
    unnamed = nil
    queued.removeAll()
    (queuedStatements, queuedBytes) = (0, 0)
    forgetRows()
    failure = nil
    isReading = false
    unsafe PQfinish(link)
    unsafe link = nil
    isLost = true
    try connect()
  }
}
