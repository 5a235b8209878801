internal import StoreModel

/// Where a store is copied to: an empty target, or a copy of the same that was broken off.
///
/// It is marked until the copy was verified, and so long no server starts on it.
protocol CopyTarget: AnyObject {
  /// Reads what was written.
  func read<Output>(_ body: (borrowing Connection) throws(StoreError) -> Output) throws(StoreError) -> Output
  /// Writes rows; they may wait until ``flush()``.
  func write(_ page: borrowing RowBuffer, to table: CopiedTable) throws(StoreError)
  /// Makes durable what was written.
  func flush() throws(StoreError)
  /// Removes the rows of a table.
  func empty(_ table: CopiedTable) throws(StoreError)
  /// Lets keys go on behind the last one.
  func setLastKey(_ key: Int64, of table: String, _ column: String) throws(StoreError)
  /// Takes the mark away: servers may start on it from now on.
  func finish() throws(StoreError)
}

enum CopyTargets {
  /// Rows and bytes that share a commit.
  static let rowsMax = 20_000
  static let bytesMax = 8 << 20

  static func open(_ location: CopyLocation, from origin: String) throws(StoreError) -> any CopyTarget {
    switch location {
    case .file(let path): try FileTarget(path)
    case .server(let options): try ServerTarget(options, from: origin)
    }
  }

  /// Why a store that has something in it takes no copy.
  static func notEmpty(_ name: String, advice: String) -> StoreError {
    StoreError(.conflict, "\(name) is not empty, and a copy would mix two ledgers", advice: advice)
  }
}
