public import StoreModel

/// Devices of listed recipients, counted before a push to them is created.
extension SQLStore {
  /// Counts the active devices of some users, by kind and environment.
  public func countByKind(
    users: [String], app: AppID, withOptedOut: Bool
  ) throws(StoreError) -> [KindInEnvironment: Int] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT kind, environment FROM devices WHERE app = ?1 AND user = ?2 AND +state = #device.active AND (flags & 1 = 0 OR ?3 = 1)"
      )
      select.bind(1, app)
      select.bind(3, withOptedOut ? 1 : 0)
      var counts: [KindInEnvironment: Int] = [:]
      for user in Set(users) {
        select.bind(2, user)
        while try select.step() { Self.note(select, &counts) }
        select.reset()
      }
      return counts
    }
  }

  /// Counts those of some devices that are active and take messages, by kind and environment.
  public func countByKind(devices: [DeviceID], app: AppID) throws(StoreError) -> [KindInEnvironment: Int] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT kind, environment FROM devices WHERE id = ?2 AND app = ?1 AND state = #device.active AND flags & 1 = 0")
      select.bind(1, app)
      var counts: [KindInEnvironment: Int] = [:]
      for device in Set(devices) {
        select.bind(2, device)
        if try select.step() { Self.note(select, &counts) }
        select.reset()
      }
      return counts
    }
  }

  /// Looks each of them up, as the creation of a push to them does.
  public func requireDevices(_ devices: [DeviceID], app: AppID) throws(StoreError) {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare("SELECT 1 FROM devices WHERE id = ?2 AND app = ?1")
      select.bind(1, app)
      for device in devices {
        select.bind(2, device)
        guard try select.step() else { throw Checks.missing("device", device) }
        select.reset()
      }
    }
  }

  private static func note(_ row: borrowing Statement, _ counts: inout [KindInEnvironment: Int]) {
    if let place = KindInEnvironment(row, from: 0) { counts[place, default: 0] += 1 }
  }
}
