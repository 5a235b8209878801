internal import Ledger
internal import StoreModel

/// What leasing needs to know of a push.
struct LeasableRow {
  let id: PushID
  let app: AppID
  let state: PushState
  let deliveries: AudienceExtent
  let expiresAt: Timestamp?
  /// Shows whether the audience list was written before the device changed owners (see `Schema.clock`).
  let listedNumber: Int64
  /// Whether it was addressed to users, devices or tokens by name.
  let isListed: Bool
  let category: String?
  let isUrgent: Bool
  let throttlePerMinute: Int64?
  /// When it was resumed last; its lanes' time counts from there.
  let resumedAt: Timestamp?
  /// Whether the server that a backup was made of may have sent its deliveries.
  let isRestored: Bool
  let pushClass: PushClass

  init(_ row: borrowing Statement) {
    id = row.id(0)
    app = row.id(1)
    state = PushState(rawValue: UInt8(truncatingIfNeeded: row.int(2))) ?? .cancelled
    deliveries = AudienceExtent(id, cursor: row.int64(3), targeted: row.int64(4))
    isListed = row.int64(5) == 0
    expiresAt = row.optionalTimestamp(6)
    listedNumber = row.int64(7)
    category = row.optionalText(8)
    isUrgent = row.bool(9)
    throttlePerMinute = row.isNull(10) ? nil : row.int64(10)
    resumedAt = row.optionalTimestamp(11)
    isRestored = row.bool(12)
    pushClass = PushClass(rawValue: UInt8(truncatingIfNeeded: row.int(13))) ?? .campaign
  }
}

extension LeasableRow {
  /// Where a delivery to an address waits.
  func queue(_ address: DeviceAddress) -> Int64 { address.lane(of: app).queue(pushClass) }

  /// What suppression asks of it.
  var suppressed: SuppressedPush {
    SuppressedPush(
      listedNumber: isListed ? listedNumber : nil, category: category, isUrgent: isUrgent, expiresAt: expiresAt)
  }
}

extension WriterContext {
  /// When a first try that is put off until then is due: what a throttle spreads stays spread.
  mutating func throttled(_ until: Timestamp, _ row: LeasableRow) -> Timestamp {
    guard let perMinute = row.throttlePerMinute else { return until }
    let due = throttles.next(of: row.id, perMinute: perMinute, from: until)
    return row.expiresAt.map { min(due, $0) } ?? due
  }
}

extension Connection {
  func leasable(_ push: PushID) throws(StoreError) -> LeasableRow? {
    let select = try prepare(
      """
      SELECT id, app, state, cursor, targeted, audience_kinds, expires_at, coalesce(gathered_number, id), category,
        urgent, throttle, resumed_at, restored_at IS NOT NULL, class
      FROM pushes WHERE id = ?1
      """)
    select.bind(1, push)
    return try select.step() ? LeasableRow(select) : nil
  }

  /// The push whose range of numbers holds a delivery.
  func owner(of delivery: Int64) throws(StoreError) -> PushID? {
    let select = try prepare("SELECT id FROM pushes WHERE id <= ?1 ORDER BY id DESC LIMIT 1")
    select.bind(1, delivery)
    return try select.step() ? select.id(0) : nil
  }
}
