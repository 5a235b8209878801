internal import Synchronization

extension SQLiteStore {
  /// All deliveries of a push that the filter names, as of this moment, to be read piece by piece.
  public func exportDeliveries(
    of push: PushID, filter: DeliveryFilter, now: Timestamp
  ) throws(StoreError) -> any DeliveryExport {
    guard exports.add(1, ordering: .relaxed).newValue <= StoreLimits.exportsMax else {
      exports.subtract(1, ordering: .relaxed)
      throw StoreError(
        .overloaded, "\(StoreLimits.exportsMax) exports are being read", advice: "try again when one has ended")
    }
    do throws(StoreError) {
      return try SnapshotExport(
        store: self, push: push, filter: filter, endsAt: now.adding(milliseconds: StoreLimits.exportMs))
    } catch {
      exports.subtract(1, ordering: .relaxed)
      throw error
    }
  }
}

/// An export on a connection of its own, whose one read transaction shows one moment.
///
/// `@unchecked Sendable` is sound: everything that changes, the connection included, is used under the lock only.
private final class SnapshotExport: DeliveryExport, @unchecked Sendable {
  /// Rows read at a time.
  private static let pieceRows = 500

  private let lock = Mutex<Void>(())
  private let store: SQLiteStore
  private let db: Connection
  private let extent: PushExtent
  private let filter: DeliveryFilter
  private let endsAt: Timestamp
  private var after: DeliveryID?
  private var isOver = false

  init(store: SQLiteStore, push: PushID, filter: DeliveryFilter, endsAt: Timestamp) throws(StoreError) {
    let db = try Connection(path: store.path, access: .readWrite)
    try db.execute("PRAGMA query_only = ON; PRAGMA cache_size = -1024; BEGIN")
    // The transaction sees the moment of its first read, which is this one.
    guard let extent = try db.extent(of: push) else { throw Checks.missing("push", push) }
    self.store = store
    self.db = db
    self.extent = extent
    self.filter = filter
    self.endsAt = endsAt
  }

  deinit { store.exports.subtract(1, ordering: .relaxed) }

  func next(now: Timestamp) throws(StoreError) -> [DeliveryRecord] {
    let result = lock.withLock { _ in
      Result { () throws(StoreError) in try read(now) }
    }
    return try result.get()
  }

  private func read(_ now: Timestamp) throws(StoreError) -> [DeliveryRecord] {
    guard now < endsAt else {
      try? db.execute("ROLLBACK")
      isOver = true
      throw StoreError(
        .overloaded, "the export took longer than \(StoreLimits.exportMs / 60_000) minutes",
        advice: "read it faster, or export less")
    }
    while !isOver {
      let page = try db.page(of: extent, filter: filter, after: after, limit: Self.pieceRows)
      after = page.next
      isOver = page.next == nil
      if !page.rows.isEmpty { return page.rows }
    }
    return []
  }
}
