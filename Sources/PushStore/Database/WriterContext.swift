internal import Ledger
internal import SQLiteEngine
internal import StoreModel

/// What a command sees on the writer's thread: the connection, and what the writer remembers between commands.
struct WriterContext: ~Copyable {
  /// The connection, inside a transaction while a command runs.
  let db: Connection
  /// Where the file is expected; nil for a server.
  private let file: DatabaseFile?
  private let proof: WriteProof
  /// How often ``db`` was connected when what is remembered of it was read.
  private var connects: Int
  /// The numbers of (provider, status, reason) rows.
  var outcomeCodes: [OutcomeKey: Int64] = [:]
  /// The names of attributes, by app and level.
  var attributeKeys: [AttributeKeys.Scope: AttributeKeys] = [:]
  /// Apps seen in this transaction.
  var knownApps: Set<AppID> = []
  /// Where the last sweep of old idempotency keys ended.
  var idempotencySweep = Int64.min
  /// Where the last step of deleting old rows ended.
  var retentionSweep: Int64 = 0
  /// The device at which the next step of forgetting unseen ones begins.
  var unseenSweep: Int64 = 0
  /// Counts by time that this transaction adds.
  var series = SeriesDeltas()
  /// Rejected deliveries that this transaction adds.
  var refusals = RefusalDeltas()
  /// The webhook notices of this transaction.
  var outbox = Outbox()
  /// How far throttled pushes are ahead of their rates.
  var throttles = ThrottleSlots()
  /// The devices of deliveries that were materialized and not leased yet.
  var materialized = MaterializedDevices()
  /// For whom the command that runs works, or nil.
  var author: Author?
  /// What the command that runs takes back from those who have leased it.
  var recall = LeaseRecall()
  /// What other nodes are notified of in this transaction.
  var notes = ChangeNotes()
  /// What is known of the other nodes.
  let fleet: Fleet
  /// Whether there can be other nodes.
  let isShared: Bool
  private var nextNumber: Int64?
  /// The last number of each app's pushes, where this transaction has taken one.
  var pushNumbers: [AppID: Int64] = [:]

  struct OutcomeKey: Hashable {
    let provider: UInt8
    let status: Int
    let reason: String
  }

  init(db: consuming Connection, file: DatabaseFile?, proof: WriteProof, fleet: Fleet) {
    connects = db.connects
    self.db = db
    self.fleet = fleet
    isShared = file == nil
    self.file = file
    self.proof = proof
  }

  mutating func begin() throws(StoreError) {
    try file?.check()
    try db.beginWriting()
    guard connects != db.connects else { return }
    // Another server may lack what was committed at the one before: a standby that was not synchronous, or a backup.
    connects = db.connects
    forget()
  }

  mutating func commit() throws(StoreError) {
    if let nextNumber {
      let update = try db.prepare("UPDATE sequence SET next = ?1")
      update.bind(1, nextNumber)
      try update.run()
    }
    for (app, number) in pushNumbers {
      let update = try db.prepare("UPDATE apps SET push_number = ?2 WHERE id = ?1")
      update.bindAll(app, number)
      try update.run()
    }
    try series.write(to: db)
    try refusals.write(to: db)
    if !outbox.isEmpty { note(.webhooks) }
    try outbox.write(to: db)
    try notes.write(to: db, from: fleet.instance)
    let commits = db.logCommits
    try db.commit()
    // Another handle may take numbers between two transactions, so nothing is kept across them.
    nextNumber = nil
    pushNumbers.removeAll(keepingCapacity: true)
    knownApps.removeAll(keepingCapacity: true)
    try file?.checkCommitted()
    // A commit that changed nothing reaches no disk, and proves nothing of it.
    if db.logCommits != commits { proof.noteCommit() }
  }

  /// The file or the server refuses writes: what was committed before does not prove that the next write works.
  func noteFailure(_ error: StoreError) { proof.noteFailure(error) }

  mutating func rollBack() {
    db.rollBack()
    forget()
    series.removeAll()
    refusals.removeAll()
    outbox.removeAll()
    notes.removeAll()
    knownApps.removeAll()
    pushNumbers.removeAll()
    nextNumber = nil
    recall = LeaseRecall()
  }

  /// Forgets what it knows of the database from earlier transactions.
  private mutating func forget() {
    outcomeCodes.removeAll()
    attributeKeys.removeAll()
    throttles = ThrottleSlots()
    materialized = MaterializedDevices()
  }

  /// Takes `count` consecutive numbers for a push and its deliveries.
  mutating func takeNumbers(_ count: Int64) throws(StoreError) -> Int64 {
    let first: Int64
    if let nextNumber {
      first = nextNumber
    } else {
      let read = try db.prepare("SELECT next FROM sequence")
      guard try read.step() else {
        throw StoreError(.corrupted, "the table sequence is empty", advice: "restore the last backup")
      }
      first = read.int64(0)
    }
    nextNumber = first + max(count, 1)
    return first
  }
}
