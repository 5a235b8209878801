import PushStore
import StoreModel

/// The database of a simulated server: in memory, kept over the deaths of its process, and made empty for the next seed.
///
/// One disk serves many seeds, because statements and schema cost more than a whole seed.
package final class SimulatedDisk {
  let store: SQLStore
  let steps = StoreSteps()
  private let clearing: String

  package init() throws {
    store = try SQLStore(steps: steps)
    var clearing = "BEGIN;"
    // Where the numbers of rows go on is a table too.
    for table in try store.tableNames() + ["sqlite_sequence"] {
      try store.execute("CREATE TEMP TABLE initial_\(table) AS SELECT * FROM \(table)")
      clearing += "DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM initial_\(table);"
    }
    self.clearing = clearing + "COMMIT"
  }

  /// Makes it as it was at first.
  func clear() throws {
    steps.writeFailure = nil
    steps.readFailure = nil
    store.abandonQueue()
    try store.execute(clearing)
  }
}
