internal import Ledger
internal import StoreModel

/// First tries and their devices as a server gives them: two walks, one over the deliveries and one over the devices.
///
/// A server looks up each row of a join by itself, which costs it three times as much as a walk over neighbors. A campaign's
/// devices lie in the order of its deliveries.
struct FreshRows {
  /// A delivery that was not sent yet.
  struct Row {
    let id: Int64
    let device: Int64?
    let target: String?
  }

  private struct Device {
    let id: Int64
    let isActive: Bool
    let address: DeviceAddress
    let facts: DeviceFacts
  }

  private var rows: [Row] = []
  /// How many rows were taken.
  private var taken = 0
  private var devices: [Device] = []
  /// Where the device is that was asked for last; the next question is mostly of the one behind it.
  private var index = 0

  /// Deliveries with consecutive numbers.
  init(
    _ range: Range<Int64>, rules: SuppressionRules, _ context: inout WriterContext
  ) throws(StoreError) {
    if let devices = context.materialized.take(Int64(range.count), from: range.lowerBound) {
      rows = devices.enumerated().map { Row(id: range.lowerBound + Int64($0), device: $1, target: nil) }
    } else {
      let select = try context.db.prepare(
        "SELECT id, device, target FROM deliveries WHERE id >= ?1 AND id < ?2 ORDER BY id")
      select.bindAll(range.lowerBound, range.upperBound)
      rows.reserveCapacity(range.count)
      try read(select)
    }
    try readDevices(rules, context.db)
  }

  /// Deliveries of several pushes.
  init(_ ids: [Int64], rules: SuppressionRules, _ db: borrowing Connection) throws(StoreError) {
    let select = try db.prepare(
      "SELECT id, device, target FROM deliveries WHERE id = ANY(CAST(?1 AS bigint[])) ORDER BY id")
    select.bind(1, set: ids)
    rows.reserveCapacity(ids.count)
    try read(select)
    try readDevices(rules, db)
  }

  private mutating func read(_ select: borrowing Statement) throws(StoreError) {
    while try select.step() {
      rows.append(
        Row(id: select.int64(0), device: select.isNull(1) ? nil : select.int64(1), target: select.optionalText(2)))
    }
  }

  private mutating func readDevices(_ rules: SuppressionRules, _ db: borrowing Connection) throws(StoreError) {
    let ids = rows.compactMap(\.device)
    guard let first = ids.min(), let last = ids.max() else { return }
    devices.reserveCapacity(ids.count)
    if last - first < Int64(ids.count) * Self.passedMax {
      let walk = try db.prepare(parts: "\(Self.devices) id >= ?1 AND id <= ?2 ORDER BY id")
      walk.bindAll(first, last)
      try add(walk, rules)
    } else {
      let listed = try db.prepare(parts: "\(Self.devices) id = ANY(CAST(?1 AS bigint[])) ORDER BY id")
      listed.bind(1, set: ids)
      try add(listed, rules)
    }
  }

  /// A walk passes over so many devices for each that is meant, at most; a search costs as much as some four.
  private static let passedMax: Int64 = 4

  /// Each column is written and sent for each row, unless it is null: so three small numbers are one, and what nearly all devices
  /// have is null, as is the owner where no rule asks for it (see ``DeviceFacts/isPlain``).
  private static let devices = """
    SELECT id, token, nullif(kind + environment * 256 + state * 65536, \(usual)), nullif(flags, 0), nullif(moved_number, 0),
      CASE WHEN CAST(?4 AS BIGINT) = 1 OR flags <> 0 OR moved_number <> 0 THEN owner END,
      CASE WHEN CAST(?3 AS BIGINT) = 1 THEN timezone END
    FROM devices WHERE
    """

  /// The kind, environment and state of nearly all devices, in one number.
  private static let usual =
    Int(DeviceKind.ios.rawValue) + Int(DeviceEnvironment.production.rawValue) << 8
    + Int(DeviceState.active.rawValue) << 16

  private mutating func add(_ select: borrowing Statement, _ rules: SuppressionRules) throws(StoreError) {
    select.bind(3, rules.quietHours != nil)
    select.bind(4, rules != SuppressionRules())
    while try select.step() {
      let words = select.isNull(2) ? Self.usual : select.int(2)
      devices.append(
        Device(
          id: select.int64(0), isActive: words >> 16 == Int(DeviceState.active.rawValue),
          address: DeviceAddress(
            token: select.text(1), kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: words)) ?? .ios,
            environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: words >> 8)) ?? .production),
          facts: DeviceFacts(
            device: select.int64(0), owner: select.isNull(5) ? nil : select.int64(5),
            flags: DeviceFlags(rawValue: select.isNull(3) ? 0 : select.int64(3)),
            movedNumber: select.isNull(4) ? 0 : select.int64(4), timezone: select.optionalText(6))))
    }
  }

  /// The next row, when its number is below another one.
  mutating func next(below end: Int64) -> Row? {
    guard taken < rows.count, rows[taken].id < end else { return nil }
    taken += 1
    return rows[taken - 1]
  }

  /// Where a delivery goes, and what is known of its device; nothing of an address that is not registered.
  mutating func recipient(
    of row: Row
  ) -> (address: Result<DeviceAddress, Leasing.Refusal>, facts: DeviceFacts?) {
    guard let id = row.device, find(id) else { return (Leasing.address(target: row.target), nil) }
    let device = devices[index]
    return (device.isActive ? .success(device.address) : .failure(.retired), device.facts)
  }

  /// Moves to a device; false when there is none.
  private mutating func find(_ id: Int64) -> Bool {
    if index + 1 < devices.count, devices[index + 1].id == id {
      index += 1
      return true
    }
    index = devices.lowerBound(of: id) { $0.id }
    return index < devices.count && devices[index].id == id
  }
}

extension Array {
  /// Where an id is, or would be, among elements in the order of their ids.
  func lowerBound(of id: Int64, by key: (Element) -> Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if key(self[middle]) < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
