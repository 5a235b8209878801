internal import Ledger
internal import StoreModel

/// Finding the deliveries of pushes to devices.
///
/// There is no index by device: maintaining one would make each campaign write a page for every few devices, ten times
/// what the ledger writes itself. An expanded audience is sorted by device and searched with a binary search; a listed one is short.
///
/// The row of a person whose data was erased has no device any more, and one that was kept for as long as it is kept is gone: what
/// is looked at is the next row that has a device.
extension Connection {
  /// How many pushes are looked at with one question: a server's answer takes its way, a file's is there.
  var pushesSearchedTogether: Int { writesSets ? 64 : 1 }

  /// The deliveries of some pushes to some devices, by push, in the order of the devices.
  func deliveries(
    to devices: [DeviceID], in pushes: some Sequence<PushExtent>
  ) throws(StoreError) -> [PushID: [Int64]] {
    if writesSets { return try deliveriesTogether(to: devices, in: Array(pushes)) }
    var found: [PushID: [Int64]] = [:]
    for push in pushes {
      for device in devices {
        if let delivery = try delivery(to: device, in: push) { found[push.id, default: []].append(delivery) }
      }
    }
    return found
  }

  private func delivery(to device: DeviceID, in push: PushExtent) throws(StoreError) -> Int64? {
    guard push.isGathered else { return try listedDelivery(to: device, in: push) }
    let select = try prepare(
      "SELECT id, device FROM deliveries WHERE id >= ?1 AND id < ?2 AND device IS NOT NULL ORDER BY id LIMIT 1")
    var (low, high) = (push.id.rawValue, push.end)
    while low < high {
      let middle = low + (high - low) / 2
      select.bindAll(middle, high)
      let found: (id: Int64, device: DeviceID)? = try select.step() ? (select.int64(0), select.id(1)) : nil
      select.reset()
      if let found, found.device == device { return found.id }
      if let found, found.device < device { low = found.id + 1 } else { high = middle }
    }
    return nil
  }

  private func listedDelivery(to device: DeviceID, in push: PushExtent) throws(StoreError) -> Int64? {
    let select = try prepare("SELECT id FROM deliveries WHERE id >= ?1 AND id < ?2 AND device = ?3 LIMIT 1")
    select.bindAll(push.id, push.end, device)
    return try select.step() ? select.int64(0) : nil
  }

  /// The same on a server: one question for all that were expanded, and one for all that are lists.
  private func deliveriesTogether(
    to devices: [DeviceID], in pushes: [PushExtent]
  ) throws(StoreError) -> [PushID: [Int64]] {
    var places: [PushID: [DeviceID: Int64]] = [:]
    for (sql, some) in [
      (Self.search, pushes.filter(\.isGathered)), (Self.lists, pushes.filter { !$0.isGathered }),
    ] where !some.isEmpty {
      let select = try prepare(parts: sql)
      select.bind(1, set: some.map(\.id.rawValue))
      select.bind(2, set: some.map(\.end))
      select.bind(3, set: devices.map(\.rawValue))
      while try select.step() { places[select.id(0), default: [:]][select.id(1)] = select.int64(2) }
    }
    return places.mapValues { found in devices.compactMap { found[$0] } }
  }

  /// Each step of all searches at once; one that has found its device, or has nothing left to look at, takes none any more.
  private static let search = """
    WITH RECURSIVE search(push, device, low, high, delivery) AS (
      SELECT p.push, v.device, p.push, p.past, CAST(NULL AS bigint)
      FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bigint[])) AS p(push, past),
        unnest(CAST(?3 AS bigint[])) AS v(device)
      UNION ALL
      SELECT s.push, s.device, CASE WHEN d.device < s.device THEN d.id + 1 ELSE s.low END,
        CASE WHEN d.device < s.device THEN s.high ELSE s.low + (s.high - s.low) / 2 END,
        CASE WHEN d.device = s.device THEN d.id END
      FROM search s LEFT JOIN LATERAL (
        SELECT id, device FROM deliveries
        WHERE id >= s.low + (s.high - s.low) / 2 AND id < s.high AND device IS NOT NULL ORDER BY id LIMIT 1) d ON true
      WHERE s.low < s.high AND s.delivery IS NULL)
    SELECT push, device, delivery FROM search WHERE delivery IS NOT NULL
    """

  private static let lists = """
    SELECT p.push, d.device, d.delivery
    FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bigint[])) AS p(push, past), LATERAL (
      SELECT device, min(id) AS delivery FROM deliveries
      WHERE id >= p.push AND id < p.past AND device = ANY(CAST(?3 AS bigint[])) GROUP BY device) d
    """
}
