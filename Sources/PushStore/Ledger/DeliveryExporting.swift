public import StoreModel
internal import Synchronization

extension SQLStore {
  /// A snapshot of all deliveries of a push that match the filter, read in chunks.
  public func exportDeliveries(
    of push: PushID, filter: DeliveryFilter, now: Timestamp
  ) throws(StoreError) -> any DeliveryExport {
    try DeliverySnapshot(ExportSnapshot(self, now: now), push: push, filter: filter)
  }
}

/// The deliveries of a snapshot.
///
/// `@unchecked Sendable` is sound: everything that changes, the connection included, is used under the lock only.
private final class DeliverySnapshot: DeliveryExport, @unchecked Sendable {
  /// Rows read at a time.
  private static let pieceRows = 500

  private let lock = Mutex<Void>(())
  private let snapshot: ExportSnapshot
  private let extent: PushExtent
  private let filter: DeliveryFilter
  private var after: DeliveryID?
  private var isOver = false

  init(_ snapshot: ExportSnapshot, push: PushID, filter: DeliveryFilter) throws(StoreError) {
    guard let extent = try snapshot.db.extent(of: push) else { throw Checks.missing("push", push) }
    self.snapshot = snapshot
    self.extent = extent
    self.filter = filter
  }

  func next(now: Timestamp) throws(StoreError) -> [DeliveryRecord] {
    let result = lock.withLock { _ in
      Result { () throws(StoreError) in try read(now) }
    }
    return try result.get()
  }

  private func read(_ now: Timestamp) throws(StoreError) -> [DeliveryRecord] {
    try snapshot.checkTime(now)
    while !isOver {
      let page = try snapshot.db.page(of: extent, filter: filter, after: after, limit: Self.pieceRows)
      after = page.next
      isOver = page.next == nil
      if !page.rows.isEmpty { return page.rows }
    }
    return []
  }
}
