import SQLiteEngine
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Statements that are used wrongly, or within each other.
@Suite struct StatementTests {
  private static let numbers: StaticString =
    "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) SELECT i FROM n"

  private static func connection(_ folder: TemporaryFolder) throws -> Connection {
    try Connection(path: folder.path + "/statements.sqlite", access: .readWriteCreate)
  }

  /// A cached statement that is being read is not reset and bound anew by a second use of the same SQL.
  @Test func aStatementInUseIsNotShared() throws {
    let folder = try TemporaryFolder()
    let db = try Self.connection(folder)
    var seen: [Int64] = []
    let outer = try db.prepare(Self.numbers)
    outer.bind(1, 1)
    outer.bind(2, 3)
    while try outer.step() {
      seen.append(outer.int64(0))
      let inner = try db.prepare(Self.numbers)
      inner.bind(1, 10 * outer.int(0))
      inner.bind(2, 10 * outer.int(0) + 1)
      while try inner.step() { seen.append(inner.int64(0)) }
    }
    #expect(seen == [1, 10, 11, 2, 20, 21, 3, 30, 31])
  }

  /// Bound, but not read yet: that is in use as well.
  @Test func aStatementThatIsBoundIsNotShared() throws {
    let folder = try TemporaryFolder()
    let db = try Self.connection(folder)
    let first = try db.prepare(Self.numbers)
    first.bind(1, 5)
    first.bind(2, 5)
    let second = try db.prepare(Self.numbers)
    second.bind(1, 7)
    second.bind(2, 7)
    #expect(try first.step() && first.int64(0) == 5)
    #expect(try second.step() && second.int64(0) == 7)
  }

  @Test func aParameterThatCannotBeBoundFailsTheStatement() throws {
    let folder = try TemporaryFolder()
    let db = try Self.connection(folder)
    try db.execute("CREATE TABLE t (a INTEGER, b TEXT)")
    let insert: StaticString = "INSERT INTO t VALUES (?1, ?2)"
    do {
      let statement = try db.prepare(insert)
      statement.bind(1, 1)
      statement.bind(3, "no such parameter")
      let error = #expect(throws: StoreError.self) { try statement.run() }
      #expect(error?.code == .bug && error?.description.contains("no such parameter") == false, "\(error as Any)")
      #expect(throws: StoreError.self) { try statement.step() }
    }
    #expect(try db.integer("SELECT count(*) FROM t") == 0)
    // The next user of the same statement does not inherit the failure.
    let statement = try db.prepare(insert)
    statement.bind(1, 1)
    statement.bind(2, "x")
    try statement.run()
    #expect(try db.integer("SELECT count(*) FROM t") == 1)
  }
}
