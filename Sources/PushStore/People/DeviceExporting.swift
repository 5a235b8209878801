internal import Synchronization

extension SQLiteStore {
  /// All devices of an app as of this moment, to be read piece by piece.
  public func exportDevices(app: AppID, now: Timestamp) throws(StoreError) -> any DeviceExport {
    guard exports.add(1, ordering: .relaxed).newValue <= StoreLimits.exportsMax else {
      exports.subtract(1, ordering: .relaxed)
      throw StoreError(
        .overloaded, "\(StoreLimits.exportsMax) exports are being read", advice: "try again when one has ended")
    }
    do throws(StoreError) {
      return try DeviceSnapshot(store: self, app: app, endsAt: now.adding(milliseconds: StoreLimits.exportMs))
    } catch {
      exports.subtract(1, ordering: .relaxed)
      throw error
    }
  }
}

/// An export on a connection of its own, whose one read transaction shows one moment.
///
/// `@unchecked Sendable` is sound: everything that changes, the connection included, is used under the lock only.
private final class DeviceSnapshot: DeviceExport, @unchecked Sendable {
  /// Devices read at a time.
  private static let pieceRows = 200

  private let lock = Mutex<Void>(())
  private let store: SQLiteStore
  private let db: Connection
  private let app: AppID
  private let endsAt: Timestamp
  private var after: Int64 = 0

  init(store: SQLiteStore, app: AppID, endsAt: Timestamp) throws(StoreError) {
    let db = try Connection(path: store.path, access: .readWrite)
    try db.execute("PRAGMA query_only = ON; PRAGMA cache_size = -1024; BEGIN")
    // The transaction sees the moment of its first read, which is this one.
    guard try db.app(app) != nil else { throw Checks.missing("app", app) }
    self.store = store
    self.db = db
    self.app = app
    self.endsAt = endsAt
  }

  deinit { store.exports.subtract(1, ordering: .relaxed) }

  func next(now: Timestamp) throws(StoreError) -> [Device] {
    let result = lock.withLock { _ in
      Result { () throws(StoreError) in try read(now) }
    }
    return try result.get()
  }

  private func read(_ now: Timestamp) throws(StoreError) -> [Device] {
    guard now < endsAt else {
      try? db.execute("ROLLBACK")
      throw StoreError(
        .overloaded, "the export took longer than \(StoreLimits.exportMs / 60_000) minutes", advice: "read it faster")
    }
    let select = try db.prepareOnce(Device.select + "WHERE +app = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
    select.bindAll(app, Optional(after), Self.pieceRows)
    var page: [Device] = []
    while try select.step() { page.append(try Device(row: select, db)) }
    if let last = page.last { after = last.id.rawValue }
    return page
  }
}
