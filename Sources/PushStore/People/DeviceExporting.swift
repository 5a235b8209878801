public import StoreModel
internal import Synchronization

extension SQLStore {
  /// A snapshot of all devices of an app, read in chunks.
  public func exportDevices(app: AppID, now: Timestamp) throws(StoreError) -> any DeviceExport {
    try DeviceSnapshot(ExportSnapshot(self, now: now), app: app)
  }
}

/// The devices of a snapshot.
///
/// `@unchecked Sendable` is sound: everything that changes, the connection included, is used under the lock only.
private final class DeviceSnapshot: DeviceExport, @unchecked Sendable {
  /// Devices read at a time.
  private static let pieceRows = 200

  private let lock = Mutex<Void>(())
  private let snapshot: ExportSnapshot
  private let app: AppID
  private var after: Int64 = 0

  init(_ snapshot: ExportSnapshot, app: AppID) throws(StoreError) {
    guard try snapshot.db.app(app) != nil else { throw Checks.missing("app", app) }
    self.snapshot = snapshot
    self.app = app
  }

  func next(now: Timestamp) throws(StoreError) -> [Device] {
    let result = lock.withLock { _ in
      Result { () throws(StoreError) in try read(now) }
    }
    return try result.get()
  }

  private func read(_ now: Timestamp) throws(StoreError) -> [Device] {
    try snapshot.checkTime(now)
    let select = try snapshot.db.prepareOnce(Device.select + "WHERE +app = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
    select.bindAll(app, after, Self.pieceRows)
    let page = try snapshot.db.devices(select)
    if let last = page.last { after = last.id.rawValue }
    return page
  }
}
