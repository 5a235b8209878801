public import StoreModel

extension SQLStore {
  /// The variants of a push with their counts.
  public func variants(of push: PushID) throws(StoreError) -> [VariantCounts] {
    try readers.read { (db) throws(StoreError) in
      let names = try db.prepare("SELECT name, share FROM push_variants WHERE push = ?1 ORDER BY variant")
      names.bind(1, push)
      var variants: [PushVariant?] = []
      while try names.step() { variants.append(PushVariant(name: names.text(0), share: names.int(1))) }
      guard !variants.isEmpty else { return [] }
      variants.append(nil)
      var counts = [[SeriesMetric: Int]](repeating: [:], count: variants.count)
      let select = try db.prepare("SELECT variant, metric, count FROM variant_counts WHERE push = ?1")
      select.bind(1, push)
      while try select.step() {
        guard let metric = SeriesMetric(rawValue: UInt8(truncatingIfNeeded: select.int(1))),
          counts.indices.contains(select.int(0))
        else { continue }
        counts[select.int(0)][metric] = select.int(2)
      }
      return zip(variants, counts).map { VariantCounts(variant: $0, counts: $1) }
    }
  }
}

extension WriterContext {
  func insertVariants(_ variants: [PushVariant], of push: PushID) throws(StoreError) {
    guard !variants.isEmpty else { return }
    let insert = try db.prepare("INSERT INTO push_variants(push, variant, name, share) VALUES (?1, ?2, ?3, ?4)")
    for (index, variant) in variants.enumerated() {
      insert.bindAll(push, index, variant.name, variant.share)
      try insert.run()
    }
  }
}

/// The counts that one batch adds.
struct VariantDeltas {
  private struct Key: Hashable {
    let push: PushID
    let variant: Int
    let metric: SeriesMetric
  }

  private struct Ended {
    let delivery: DeliveryID
    let push: PushID
    let variant: Int
  }

  private var deltas: [Key: Int] = [:]
  /// Deliveries that have ended, in the order in which they were written.
  private var ended: [Ended] = []

  /// Counts a delivery of a variant that has ended.
  mutating func end(_ delivery: DeliveryID, of push: PushID, _ metric: SeriesMetric, _ variant: Int) {
    deltas[Key(push: push, variant: variant, metric: metric), default: 0] += 1
    ended.append(Ended(delivery: delivery, push: push, variant: variant))
  }

  /// Counts the deliveries of one push that were accepted together.
  mutating func end(_ rows: [AcceptedRows.Row], of push: PushID) {
    var counts: [(variant: Int, count: Int)] = []
    for row in rows where row.isWritten {
      guard let variant = row.variant else { continue }
      ended.append(Ended(delivery: DeliveryID(rawValue: row.id), push: push, variant: variant))
      if let known = counts.firstIndex(where: { $0.variant == variant }) {
        counts[known].count += 1
      } else {
        counts.append((variant, 1))
      }
    }
    for (variant, count) in counts {
      deltas[Key(push: push, variant: variant, metric: .accepted), default: 0] += count
    }
  }

  /// Counts what the devices of those that have ended have reported already: a report can come before the provider's
  /// answer is written.
  mutating func countReports(_ db: borrowing Connection) throws(StoreError) {
    guard !ended.isEmpty else { return }
    ended.sort { $0.delivery < $1.delivery }
    let events = try db.prepare(
      "SELECT DISTINCT delivery, kind FROM events WHERE delivery >= ?1 AND delivery <= ?2 ORDER BY delivery")
    var start = 0
    while start < ended.count {
      var end = start + 1
      while end < ended.count, ended[end].delivery.rawValue - ended[end - 1].delivery.rawValue <= Self.gapMax {
        end += 1
      }
      events.bindAll(ended[start].delivery, ended[end - 1].delivery)
      var index = start
      while try events.step() {
        let delivery: DeliveryID = events.id(0)
        while index < end, ended[index].delivery < delivery { index += 1 }
        guard index < end, ended[index].delivery == delivery,
          let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: events.int(1)))
        else { continue }
        let key = Key(push: ended[index].push, variant: ended[index].variant, metric: SeriesMetric(kind))
        deltas[key, default: 0] += 1
      }
      events.reset()
      start = end
    }
    ended.removeAll()
  }

  /// Reports of deliveries that are further apart are searched for, nearer ones are passed over.
  private static let gapMax: Int64 = 32

  /// Counts a report of a delivery that has ended.
  mutating func report(_ kind: EventKind, of push: PushID, variant: Int) {
    deltas[Key(push: push, variant: variant, metric: SeriesMetric(kind)), default: 0] += 1
  }

  func write(to db: borrowing Connection) throws(StoreError) {
    guard !deltas.isEmpty else { return }
    let upsert = try db.prepare(
      """
      INSERT INTO variant_counts(push, variant, metric, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(push, variant, metric) DO UPDATE SET count = variant_counts.count + excluded.count
      """)
    for (key, count) in deltas {
      upsert.bindAll(key.push, key.variant, Int(key.metric.rawValue), count)
      try upsert.run()
    }
  }
}
