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
    let searches = pushes.flatMap { push in devices.map { SoughtDelivery(push: push, device: $0) } }
    var found: [PushID: [Int64]] = [:]
    for (search, delivery) in zip(searches, try deliveries(searches)) {
      if let delivery { found[search.push.id, default: []].append(delivery) }
    }
    return found
  }

  /// The delivery that each of these is about, or nil.
  func deliveries(_ searches: [SoughtDelivery]) throws(StoreError) -> [Int64?] {
    var found = [Int64?](repeating: nil, count: searches.count)
    let listed = searches.indices.filter { !searches[$0].push.isMaterialized }
    let (firsts, ends, devices) = SoughtDelivery.parts(listed.map { searches[$0] })
    try ask(SoughtDelivery.listed, .numbers(firsts), .numbers(ends), .numbers(devices)) { index, row in
      found[listed[index]] = row.int64(0)
    }
    let materialized = searches.indices.filter { searches[$0].push.isMaterialized }
    guard writesSets, !materialized.isEmpty else {
      for index in materialized { found[index] = try materializedDelivery(searches[index]) }
      return found
    }
    let select = try prepare(parts: SoughtDelivery.materialized)
    let parts = SoughtDelivery.parts(materialized.map { searches[$0] })
    select.bind(1, set: parts.firsts)
    select.bind(2, set: parts.ends)
    select.bind(3, set: parts.devices)
    while try select.step() { found[materialized[select.int(0) - 1]] = select.int64(1) }
    return found
  }

  private func materializedDelivery(_ search: SoughtDelivery) throws(StoreError) -> Int64? {
    let select = try prepare(
      "SELECT id, device FROM deliveries WHERE id >= ?1 AND id < ?2 AND device IS NOT NULL ORDER BY id LIMIT 1")
    var (low, high) = (search.push.id.rawValue, search.push.end)
    while low < high {
      let middle = low + (high - low) / 2
      select.bindAll(middle, high)
      let found: (id: Int64, device: DeviceID)? = try select.step() ? (select.int64(0), select.id(1)) : nil
      select.reset()
      if let found, found.device == search.device { return found.id }
      if let found, found.device < search.device { low = found.id + 1 } else { high = middle }
    }
    return nil
  }
}

/// A search for what a push sent to a device.
struct SoughtDelivery {
  let push: PushExtent
  let device: DeviceID

  fileprivate static func parts(_ searches: [SoughtDelivery]) -> (firsts: [Int64], ends: [Int64], devices: [Int64]) {
    (searches.map(\.push.id.rawValue), searches.map(\.push.end), searches.map(\.device.rawValue))
  }

  fileprivate static let listed = KeyedQuestion(
    "SELECT id FROM deliveries WHERE id >= ?1 AND id < ?2 AND device = ?3 ORDER BY id LIMIT 1", .number, .number,
    .number)

  /// Each step of all searches at once; one that has found its device, or has nothing left to look at, takes none any more.
  fileprivate static let materialized = """
    WITH RECURSIVE search(ordinal, device, low, high, delivery) AS (
      SELECT a.ordinal, a.device, a.push, a.past, CAST(NULL AS bigint)
      FROM unnest(CAST(?1 AS bigint[]), CAST(?2 AS bigint[]), CAST(?3 AS bigint[])) WITH ORDINALITY
        AS a(push, past, device, ordinal)
      UNION ALL
      SELECT s.ordinal, s.device, CASE WHEN d.device < s.device THEN d.id + 1 ELSE s.low END,
        CASE WHEN d.device < s.device THEN s.high ELSE s.low + (s.high - s.low) / 2 END,
        CASE WHEN d.device = s.device THEN d.id END
      FROM search s LEFT JOIN LATERAL (
        SELECT id, device FROM deliveries
        WHERE id >= s.low + (s.high - s.low) / 2 AND id < s.high AND device IS NOT NULL ORDER BY id LIMIT 1) d ON true
      WHERE s.low < s.high AND s.delivery IS NULL)
    SELECT ordinal, delivery FROM search WHERE delivery IS NOT NULL
    """
}
