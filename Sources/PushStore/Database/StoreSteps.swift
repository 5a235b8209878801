package import StoreModel
internal import Synchronization

/// Drives a store without a thread: steps, injected failures, shutdown.
///
/// For simulations. Reads run synchronously; changes wait for ``SQLStore/step()``.
package final class StoreSteps: Sendable {
  private struct Failures {
    var write: StoreError?
    var read: StoreError?
  }

  let path: String
  private let failures = Mutex(Failures())
  private static let count = Atomic(0)

  /// A database of its own, in memory.
  package init() {
    path = "file:/stepped-\(Self.count.add(1, ordering: .relaxed).newValue)?vfs=memdb"
  }

  /// What every commit fails with; nil for none.
  package var writeFailure: StoreError? {
    get { failures.withLock { $0.write } }
    set { failures.withLock { $0.write = newValue } }
  }

  /// What every reading fails with; nil for none.
  package var readFailure: StoreError? {
    get { failures.withLock { $0.read } }
    set { failures.withLock { $0.read = newValue } }
  }
}

extension SQLStore {
  /// Whether changes are queued.
  package var hasQueuedChanges: Bool { writer.hasWork }

  /// Runs what is queued, as one turn of the writer's thread would, and answers it.
  package func step() { writer.step(urgentOnly: false) }

  /// Forgets what is queued, as the end of the process would: nothing of it is answered, and what was committed stays.
  package func abandonQueue() { writer.abandon() }

  /// Runs SQL beside all that the store does, to begin again with an empty database.
  package func execute(_ sql: String) throws(StoreError) { try writer.execute(sql) }

  /// The names of all tables.
  package func tableNames() throws(StoreError) -> [String] {
    try readers.read { (db) throws(StoreError) in
      var names: [String] = []
      let select = try db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      while try select.step() { names.append(select.text(0)) }
      return names
    }
  }

  /// Reads rows of integers; NULL is read as -1.
  package func integers(_ sql: StaticString, columns: Int32) throws(StoreError) -> [Int64] {
    try readers.read { (db) throws(StoreError) in
      var values: [Int64] = []
      let select = try db.prepare(sql)
      while try select.step() {
        for column in 0..<columns { values.append(select.isNull(column) ? -1 : select.int64(column)) }
      }
      return values
    }
  }
}
