internal import Basics
public import StoreModel

/// Devices of listed recipients, counted before a push to them is created.
extension SQLStore {
  /// Counts the active devices of some users, by kind and environment.
  public func countByKind(
    users: [String], app: AppID, withOptedOut: Bool
  ) throws(StoreError) -> [KindInEnvironment: Int] {
    let users = Array(Set(users.map(ByteKey.init)))
    let (app, all) = (app.rawValue, withOptedOut ? Int64(1) : 0)
    return try readers.read { (db) throws(StoreError) in
      var counts: [KindInEnvironment: Int] = [:]
      try db.ask(
        Self.ofUser, .numbers(users.map { _ in app }), .texts(users.map(\.text)), .numbers(users.map { _ in all })
      ) { _, row in Self.note(row, &counts) }
      return counts
    }
  }

  private static let ofUser = KeyedQuestion(
    """
    SELECT kind, environment FROM devices
    WHERE app = ?1 AND user = ?2 AND +state = #device.active AND (flags & 1 = 0 OR ?3 = 1) ORDER BY id
    """, .number, .text, .number)

  /// Counts those of some devices that are active and take messages, by kind and environment.
  public func countByKind(devices: [DeviceID], app: AppID) throws(StoreError) -> [KindInEnvironment: Int] {
    let (devices, app) = (Array(Set(devices)), app.rawValue)
    return try readers.read { (db) throws(StoreError) in
      var counts: [KindInEnvironment: Int] = [:]
      try db.ask(Self.subscribed, .numbers(devices.map { _ in app }), .numbers(devices.map(\.rawValue))) { _, row in
        Self.note(row, &counts)
      }
      return counts
    }
  }

  private static let subscribed = KeyedQuestion(
    """
    SELECT kind, environment FROM devices WHERE app = ?1 AND id = ?2 AND state = #device.active AND flags & 1 = 0 LIMIT 1
    """, .number, .number)

  /// Looks each of them up, as the creation of a push to them does.
  public func requireDevices(_ devices: [DeviceID], app: AppID) throws(StoreError) {
    try readers.read { (db) throws(StoreError) in
      var missing = Set(devices)
      try db.ask(Self.existing, .numbers(devices.map { _ in app.rawValue }), .numbers(devices.map(\.rawValue))) {
        index, _ in missing.remove(devices[index])
      }
      if let first = devices.first(where: missing.contains) { throw Checks.missing("device", first) }
    }
  }

  private static let existing = KeyedQuestion(
    "SELECT 1 FROM devices WHERE app = ?1 AND id = ?2 LIMIT 1", .number, .number)

  private static func note(_ row: borrowing Statement, _ counts: inout [KindInEnvironment: Int]) {
    if let target = KindInEnvironment(row, from: 0) { counts[target, default: 0] += 1 }
  }
}
