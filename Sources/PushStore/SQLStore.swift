internal import Glibc
public import PostgresEngine
internal import SQLiteEngine
public import StoreModel
internal import Synchronization

/// A store in SQL: one SQLite file (with its write-ahead log beside it) for one process, or a PostgreSQL database for any number.
///
/// Settings of a file, and why:
/// - `journal_mode = WAL`: readers never wait for the writer, and a commit is one sequential append.
/// - `synchronous = FULL`: in WAL mode SQLite then flushes the log at every commit, so that acknowledged changes
///   survive a power loss (with `NORMAL` the last commits could be lost). All operations of a group share the cost.
/// - automatic checkpoints are off (the connection's own hook replaces them): the store copies the log into the file
///   between groups, so that no caller pays for it inside its own commit.
/// - `secure_delete = ON`: deleted or replaced content is overwritten, in freed pages too, so that erasing a user
///   leaves no earlier copy. Deleting then writes as many pages as inserting did; maintenance does it in small steps.
/// - `foreign_keys` stay off: every reference is checked where it is written, and ledger rows outlive their devices on
///   purpose.
/// - `cache_size`: 32 MiB for the writer, 4 MiB for each reader; memory does not grow with the database.
///
/// The two have all in common but how they are opened, copied and checked; see ``Connection`` for where the engines part.
public final class SQLStore: Store {
  /// How the store is opened.
  public struct Options: Sendable {
    /// Whether to refuse a file that another `SQLStore` has open; true for a server.
    public var exclusive: Bool
    /// Pages of the write-ahead log after which it is copied into the file (4 KiB each).
    public var checkpointPages: Int
    /// The largest size of the file in pages, or nil for SQLite's own; for tests and quotas.
    public var maxPages: Int?
    /// Whether a backup may be opened as it is, to look at it; a server must not.
    public var allowsBackup: Bool
    /// The identity provider that people sign in with, or nil; what they have at another one lets nobody in.
    public var signInIssuer: String?

    /// Creates a value from its parts.
    public init(
      exclusive: Bool = true, checkpointPages: Int = 16_384, maxPages: Int? = nil, allowsBackup: Bool = false,
      signInIssuer: String? = nil
    ) {
      self.exclusive = exclusive
      self.checkpointPages = checkpointPages
      self.maxPages = maxPages
      self.allowsBackup = allowsBackup
      self.signInIssuer = signInIssuer
    }
  }

  /// The database file, or the server's name.
  public let path: String
  let signInIssuer: String?
  let writer: Writer
  let readers: Readers
  /// The file as it was opened; nil for a server.
  let file: DatabaseFile?
  /// How the server is reached; nil for a file.
  let server: PostgresOptions?
  let writeProof: WriteProof
  /// Where reports of devices go on a server.
  let reportDesk: ReportDesk?
  /// What is known of the other nodes, the way to them, and who is notified of their changes.
  let fleet: Fleet
  let link = Mutex<NodeLink?>(nil)
  let changes = ChangeObservers()
  /// Those notified on the writer's thread.
  let orderedChanges = ChangeObservers()
  /// Leases that may be there although their commit failed.
  let doubtfulLeases = DoubtfulLeases()
  /// What reading the whole file found.
  let damage = Mutex<StoreError?>(nil)
  /// Exports that are being read.
  let exports = Atomic(0)
  private let lock: FileLock?
  private let checkpointer: Checkpointer?

  /// Opens the file, creating it when it is missing and moving its schema forward when it is older.
  ///
  /// Throws `cannotOpen`, `readOnly`, `notADatabase`, `corrupted`, `newerSchema`, `locked`, `diskFull`, and `conflict` for a
  /// backup.
  public init(path: String, options: Options = Options()) throws(StoreError) {
    lock = options.exclusive ? try FileLock(path: path + ".lock") : nil
    let db = try Connection(path: path, access: .readWriteCreate)
    try Self.configure(db, options)
    try Schema.migrate(db, allowsBackup: options.allowsBackup)
    self.path = path
    server = nil
    let fleet = Fleet(isShared: false)
    self.fleet = fleet
    signInIssuer = options.signInIssuer
    let file = DatabaseFile(path: path)
    self.file = file
    self.readers = Readers(path: path)
    let writeProof = WriteProof()
    self.writeProof = writeProof
    reportDesk = nil
    let checkpointer = try Checkpointer(path: path, softPages: options.checkpointPages)
    self.checkpointer = checkpointer
    self.writer = try Writer(context: WriterContext(db: db, file: file, proof: writeProof, fleet: fleet)) {
      db, isIdle in
      checkpointer.afterGroup(db, isIdle: isIdle)
    }
  }

  /// Opens a database in memory that has no thread: ``StoreSteps`` says when something happens.
  ///
  /// What blocks until a change is durable runs it, and everything urgent before it, on the caller's thread.
  package init(steps: StoreSteps) throws(StoreError) {
    lock = nil
    checkpointer = nil
    path = steps.path
    server = nil
    let fleet = Fleet(isShared: false)
    self.fleet = fleet
    signInIssuer = nil
    let file = DatabaseFile(path: path)
    self.file = file
    readers = Readers(path: path, steps: steps)
    // Each question tries anew: how much real time has passed says nothing here.
    writeProof = WriteProof(validMs: 0)
    let db = try Connection(path: path, access: .memory)
    try db.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    try Schema.migrate(db)
    reportDesk = nil
    writer = Writer(context: WriterContext(db: db, file: file, proof: writeProof, fleet: fleet), steps: steps)
  }

  /// Opens a PostgreSQL database, making the tables in an empty one.
  ///
  /// `migrates` is false for who works beside servers: an empty database is refused then, and one of another version, which
  /// its servers may still need as it is.
  ///
  /// Throws `unavailable`, `cannotOpen`, `readOnly` (a standby, missing rights), `notADatabase` (another program's),
  /// `newerSchema`, `conflict` (an unfinished copy), and without migrating `notFound`.
  public init(
    postgres options: PostgresOptions, signInIssuer: String? = nil, migrates: Bool = true
  ) throws(StoreError) {
    let db = try Connection(options, writes: true)
    try PostgresSchema.checkServer(db)
    if migrates { try PostgresSchema.migrate(db) } else { try PostgresSchema.requireCurrent(db) }
    lock = nil
    checkpointer = nil
    path = options.name
    server = options
    let fleet = Fleet(isShared: true)
    self.fleet = fleet
    self.signInIssuer = signInIssuer
    file = nil
    readers = Readers(server: options)
    let writeProof = WriteProof(fullMs: 5_000)
    self.writeProof = writeProof
    writer = try Writer(context: WriterContext(db: db, file: nil, proof: writeProof, fleet: fleet)) { _, _ in }
    reportDesk = ReportDesk(readers, writer)
  }

  deinit { close() }

  /// Waits for queued operations, refuses new ones, and closes.
  public func close() {
    link.withLock { $0.take() }?.stop()
    reportDesk?.close()
    writer.close()
    checkpointer?.close()
    readers.close()
    lock?.release()
  }

  /// Runs operations in one transaction; `completion` is called on the writer's thread once they are durable or have failed.
  public func change<Output: Sendable>(
    _ body: @escaping @Sendable (any Store) throws(StoreError) -> Output,
    completion: @escaping @Sendable (Result<Output, StoreError>) -> Void
  ) {
    let keyed = KeyedChange.untaken
    submit(
      ConditionalChange.joined { [self] (context) throws(StoreError) in
        try OpenChange.run(self, &context) { (store) throws(StoreError) in
          guard let keyed else { return try body(store) }
          return try keyed.joined { () throws(StoreError) in try body(store) }
        }
      }, .urgent, completion)
  }

  /// Queues a change; `completion` is called on the writer's thread once it is durable or has failed.
  ///
  /// In an open ``change`` it is a part of that, and `completion` is called at once.
  func write<Output: Sendable>(
    _ change: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Output, urgency: WriteUrgency = .urgent,
    completion: @escaping @Sendable (Result<Output, StoreError>) -> Void
  ) {
    let change = ConditionalChange.joined(KeyedChange.joined(change))
    if let open = OpenChange.of(self) {
      return completion(Result { () throws(StoreError) in try open.write(change) })
    }
    submit(change, urgency, completion)
  }

  private func submit<Output: Sendable>(
    _ change: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Output, _ urgency: WriteUrgency,
    _ completion: @escaping @Sendable (Result<Output, StoreError>) -> Void
  ) {
    // The task that asks is not known on the writer's thread.
    let author = Author.current
    writer.submit(
      WriteCommand(
        run: { (context) throws(StoreError) in
          context.author = author
          let output = try change(&context)
          return { completion(.success(output)) }
        },
        fail: { completion(.failure($0)) }), urgency)
  }

  /// Makes a change and waits until it is durable; in an open ``change`` it is a part of that.
  func write<Output: Sendable>(
    _ change: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    try wait {
      write(change, completion: $0)
      writer.step(urgentOnly: true)
    }
  }

  /// Makes a change, and suspends the task until it is durable.
  func writing<Output: Sendable>(
    _ change: @escaping @Sendable (inout WriterContext) throws(StoreError) -> Output
  ) async throws(StoreError) -> Output {
    try await result { write(change, completion: $0) }
  }

  private static func configure(_ db: borrowing Connection, _ options: Options) throws(StoreError) {
    // The first read detects a damaged or foreign file before anything is written to it.
    _ = try db.integer("PRAGMA schema_version")
    guard try db.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw StoreError(
        .readOnly, "\(db.path) cannot keep a write-ahead log",
        advice: "use a local, writable file system; network file systems and read-only mounts do not work")
    }
    try db.execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -32768")
    if let pages = options.maxPages { try db.execute("PRAGMA max_page_count = \(pages)") }
  }
}
