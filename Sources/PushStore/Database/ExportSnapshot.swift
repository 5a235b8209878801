internal import PostgresEngine
internal import SQLiteEngine
internal import StoreModel
internal import Synchronization

/// A connection of its own for an export, whose one read transaction shows the database at one instant.
///
/// At most `StoreLimits.exportsMax` exist at a time, each for `StoreLimits.exportMs` at most.
final class ExportSnapshot {
  let db: Connection
  private let store: SQLStore
  private let endsAt: Timestamp

  /// Begins the transaction; what it sees is decided by its first read.
  init(_ store: SQLStore, now: Timestamp) throws(StoreError) {
    guard store.exports.add(1, ordering: .relaxed).newValue <= StoreLimits.exportsMax else {
      store.exports.subtract(1, ordering: .relaxed)
      throw StoreError(
        .overloaded, "\(StoreLimits.exportsMax) exports are being read", advice: "try again when one has ended")
    }
    do throws(StoreError) { db = try Self.begin(store) } catch {
      store.exports.subtract(1, ordering: .relaxed)
      throw error
    }
    self.store = store
    endsAt = now.adding(milliseconds: StoreLimits.exportMs)
  }

  deinit { store.exports.subtract(1, ordering: .relaxed) }

  private static func begin(_ store: SQLStore) throws(StoreError) -> Connection {
    if let server = store.server {
      let db = try Connection(server, writes: false)
      try db.beginReading()
      return db
    }
    let db = try Connection(path: store.path, access: .readWrite)
    try db.execute("PRAGMA query_only = ON; PRAGMA cache_size = -1024; BEGIN")
    return db
  }

  /// Ends the transaction and throws when the export has taken too long.
  func checkTime(_ now: Timestamp) throws(StoreError) {
    guard now >= endsAt else { return }
    db.rollBack()
    throw StoreError(
      .overloaded, "the export took longer than \(StoreLimits.exportMs / 60_000) minutes",
      advice: "read it faster, or export less")
  }
}
