internal import Ledger
internal import StoreModel

/// A push, as far as finding its deliveries needs to know it.
struct PushExtent {
  let id: PushID
  let app: AppID
  let isCampaign: Bool
  let deliveries: AudienceExtent
  let apnsIDs: APNsIDs
  /// Whether its audience was expanded from a filter, and is therefore sorted by device.
  let isMaterialized: Bool
  let startAt: Timestamp

  /// The number after its last delivery.
  var end: Int64 { deliveries.all.upperBound }

  /// What it is read from.
  static let columns = "id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids"

  /// From ``columns``.
  init(_ row: borrowing Statement) {
    id = row.id(0)
    app = row.id(1)
    isCampaign = row.int(2) == Int(PushClass.campaign.rawValue)
    deliveries = AudienceExtent(id, cursor: row.int64(4), targeted: row.int64(3))
    apnsIDs = APNsIDs(salt: UInt64(bitPattern: row.int64(5)), form: row.apnsIDForm(8))
    isMaterialized = row.int64(6) != 0
    startAt = row.timestamp(7)
  }
}

extension Connection {
  /// A push's extent, or nil.
  func extent(of push: PushID) throws(StoreError) -> PushExtent? {
    let select = try prepare(parts: "SELECT \(PushExtent.columns) FROM pushes WHERE id = ?1")
    select.bind(1, push)
    return try select.step() ? PushExtent(select) : nil
  }

  /// The push whose range of numbers holds a delivery, or nil.
  func extent(around delivery: Int64) throws(StoreError) -> PushExtent? { try extents(around: [delivery])[0] }

  /// The push for each of some deliveries whose range of numbers holds it, or nil.
  func extents(around deliveries: [Int64]) throws(StoreError) -> [PushExtent?] {
    var extents = [PushExtent?](repeating: nil, count: deliveries.count)
    try ask(Self.around, .numbers(deliveries)) { index, row in
      let extent = PushExtent(row)
      if extent.deliveries.all.contains(deliveries[index]) { extents[index] = extent }
    }
    return extents
  }

  private static let around = KeyedQuestion(
    "SELECT \(PushExtent.columns) FROM pushes WHERE id <= ?1 ORDER BY id DESC LIMIT 1", .number)
}
