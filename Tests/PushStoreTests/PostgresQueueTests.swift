import Ledger
import PostgresEngine
import TestEngines
import Testing

@testable import PushStore
@testable import StoreModel

/// Statements that are sent to PostgreSQL without a wait between them, and the shape of its table of deliveries.
@Suite(.timeLimit(.minutes(2))) struct PostgresQueueTests {
  private let database: TestDatabase
  private let db: PostgresConnection

  init() throws {
    database = try TestDatabase(empty: true)
    db = try PostgresConnection(database.options, writes: true, words: EngineWords.server)
    try db.execute("CREATE TABLE t(n bigint PRIMARY KEY, m bigint NOT NULL)")
  }

  private func insert(_ number: Int64) throws {
    let insert = Statement(try db.prepare("INSERT INTO t VALUES (?1, 0)"))
    insert.bind(1, Optional(number))
    try insert.run()
  }

  private func count() throws -> Int64 {
    let select = Statement(try db.prepare("SELECT count(*) FROM t"))
    #expect(try select.step())
    return select.int64(0)
  }

  @Test func moreThanAreOnTheWayAtOnceAreAllKept() throws {
    try db.beginWriting()
    for number in 1...1_000 { try insert(Int64(number)) }
    #expect(try count() == 1_000)
    // Statements that are new, or have no name, go behind what is queued.
    try insert(1_001)
    try db.execute("UPDATE t SET m = n")
    try insert(1_002)
    let once = Statement(try db.prepare(once: "SELECT count(*) FROM t WHERE m > 0"))
    #expect(try once.step())
    #expect(once.int64(0) == 1_001)
    try insert(1_003)
    try db.commit()
    #expect(try database.run("SELECT count(*), count(*) FILTER (WHERE m > 0) FROM t") == "1003|1001\n")
    #expect(db.commits == 1)
  }

  /// A transaction that reads is begun with its first question and ended without a wait, and the connection can be used at once.
  @Test func whatIsReadTogetherIsOfOneInstant() throws {
    let reader = try PostgresConnection(database.options, writes: false, words: EngineWords.server)
    func count() throws -> Int64 {
      let select = Statement(try reader.prepare("SELECT count(*) FROM t"))
      #expect(try select.step())
      return select.int64(0)
    }
    for round in 0..<3 {
      try reader.beginReading()
      #expect(try count() == Int64(round))
      try db.beginWriting()
      try insert(Int64(round))
      try db.commit()
      #expect(try count() == Int64(round))
      // A refused statement, and a transaction in which nothing was asked, end like all others.
      if round == 1 { #expect(throws: StoreError.self) { try reader.execute("SELECT 1 / 0") } }
      reader.rollBack()
      #expect(reader.isStillOpen)
      #expect(try count() == Int64(round) + 1)
      try reader.beginReading()
      reader.rollBack()
      reader.rollBack()
      #expect(!reader.isInTransaction)
    }
    reader.rollBack()
    while try database.run(
      "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%' AND datname = current_database()") != "0\n"
    {}
  }

  /// The server gives up the transaction of a node that was stopped, and the next one begins on a new connection.
  @Test func aTransactionThatWasLeftAloneIsUnavailable() throws {
    try db.beginWriting()
    try insert(1)
    try db.execute("SET LOCAL idle_in_transaction_session_timeout = 50")
    while try database.run(
      "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' "
        + "AND datname = current_database()") != "0\n"
    {}
    let error = #expect(throws: StoreError.self) { try count() }
    #expect(error?.code == .unavailable, "\(String(describing: error))")
    db.rollBack()
    try? db.beginWriting()
    db.rollBack()
    try db.beginWriting()
    try insert(2)
    try db.commit()
    #expect(try database.run("SELECT n FROM t") == "2\n")
  }

  @Test func whatChangedIsCountedInOrder() throws {
    try db.beginWriting()
    #expect(!db.hasChangedSinceMark)
    for number in 1...3 { try insert(Int64(number)) }
    let update = Statement(try db.prepare("UPDATE t SET m = 1 WHERE n <= ?1"))
    update.bind(1, Int64?(2))
    try update.run()
    #expect(db.changes == 2 && db.totalChanges == 5)
    #expect(db.hasChangedSinceMark)
    try insert(4)
    // What was queued before a command began is not the command's.
    db.markCommand()
    update.bind(1, Int64?(0))
    try update.run()
    #expect(!db.hasChangedSinceMark)
    try insert(5)
    #expect(db.hasChangedSinceMark && db.changes == 1)
    db.rollBack()
    #expect(try count() == 0)
  }

  /// Rows go together, in every number, and nothing that is asked later sees that they waited.
  @Test func rowsThatWaitForOthersAreSeenByWhateverFollows() throws {
    func insertLater(_ number: Int64) throws {
      let insert = Statement(try db.prepare("INSERT INTO t VALUES (?1, CAST(?2 AS BIGINT) + (1 - 1))"))
      insert.bind(1, Optional(number))
      insert.bind(2, Optional(number * 2))
      try insert.runLater()
    }
    try db.beginWriting()
    for number in 1...1_111 { try insertLater(Int64(number)) }
    #expect(try count() == 1_111)
    try insertLater(1_112)
    db.markCommand()
    #expect(!db.hasChangedSinceMark)
    try insertLater(1_113)
    #expect(db.hasChangedSinceMark)
    try insertLater(1_114)
    try db.commit()
    #expect(try database.run("SELECT count(*), sum(m - 2 * n) FROM t") == "1114|0\n")
    // One of them fails: none is kept, and what is begun next knows nothing of them.
    try db.beginWriting()
    for number in [Int64(2_000), 1, 2_001] { try insertLater(number) }
    #expect(throws: StoreError.self) { try db.commit() }
    db.rollBack()
    try db.beginWriting()
    try insertLater(3_000)
    db.rollBack()
    #expect(try count() == 1_114)
  }

  @Test func aFailureIsReportedByWhateverNeedsAResult() throws {
    for ending in 0..<4 {
      try db.beginWriting()
      for number in [Int64(1), 2, 1, 3] { try insert(number) }
      let error: StoreError?
      switch ending {
      case 0: error = #expect(throws: StoreError.self) { try db.commit() }
      case 1: error = #expect(throws: StoreError.self) { _ = try count() }
      case 2: error = #expect(throws: StoreError.self) { try db.execute("SELECT 1") }
      default:
        #expect(db.changes == 1)
        error = db.queuedFailure
      }
      #expect(error?.code == .conflict, "\(error?.description ?? "no error")")
      #expect(!db.isInTransaction)
      db.rollBack()
      #expect(try count() == 0 && db.commits == 0)
    }
    try db.beginWriting()
    try insert(1)
    try db.commit()
    #expect(try count() == 1 && db.commits == 1)
  }

  /// The statement of one command fails after it has gone; the command before it and the one behind it are kept.
  @Test func aCommandWhoseStatementFailsFailsAlone() throws {
    let database = try TestDatabase()
    let store = try SQLStore(postgres: database.options)
    defer { store.close() }
    @Sendable func put(_ name: String, _ result: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
      store.write(
        { (context) throws(StoreError) in
          let insert = try context.db.prepare(
            "INSERT INTO saved_views(app, name, query, created_at, updated_at) VALUES (1, ?1, x'', 0, 0)")
          insert.bind(1, name)
          try insert.run()
        }, completion: result)
    }
    // Nobody writes while another node does, so that all four are one group behind it.
    let other = try Connection(database.options, writes: true)
    try other.beginWriting()
    let results = ["a", "b", "b", "c"].map { name in
      let answer = Answer<Void>()
      put(name) { answer.set($0) }
      return answer
    }
    other.rollBack()
    let codes = results.map { result -> StoreError.Code? in
      do { try result.wait() } catch { return (error as? StoreError)?.code }
      return nil
    }
    #expect(codes == [nil, nil, .conflict, nil])
    #expect(try database.run("SELECT string_agg(name, '' ORDER BY name) FROM saved_views") == "abc\n")
  }

  /// The server's own count of this transaction: neither an index nor another page is written when a delivery is accepted.
  @Test func anAnswerChangesADeliveryWhereItLies() throws {
    let database = try TestDatabase()
    let db = try Connection(database.options, writes: true)
    try db.beginWriting()
    try db.execute(
      """
      INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at)
      SELECT n, n, 2, 0, 0, 2, 1 FROM generate_series(1, 1000) AS n
      """)
    let results = (1...1_000).map { number in
      DeliveryResult(
        lease: LeaseID(rawValue: 1), delivery: DeliveryID(rawValue: Int64(number)), push: PushID(rawValue: 1),
        attempt: 1, change: .accepted(providerID: nil), provider: .apns, answer: (200, ""),
        at: Timestamp(milliseconds: Int64(number)))
    }
    // One of them is not on the wire any more, and one is not answered yet.
    try db.execute("UPDATE deliveries SET attempts = 1 WHERE id = 500")
    let answered = results.filter { $0.delivery.rawValue != 700 }
    let rows = try AcceptedRows().write(
      answered.map { AcceptedRows.Row($0, code: OutcomeCode.accepted(.apns)) }, to: db)
    #expect(rows.count { $0.isWritten } == 998)
    #expect(try db.integer("SELECT count(*) FROM deliveries WHERE state = 5 AND at = id AND attempts = 1") == 998)
    #expect(try db.integer("SELECT pg_stat_get_xact_tuples_hot_updated('deliveries'::regclass)::bigint") == 999)
    try db.commit()
  }
}
