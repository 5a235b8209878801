/// Outcome counts of the A/B variants of a push.
public protocol VariantStore: Sendable {
  /// The variants of a push with their counts, in order, the message itself behind them; empty for a push without variants.
  func variants(of push: PushID) throws(StoreError) -> [VariantCounts]
}

/// An A/B variant of a push.
public struct PushVariant: Sendable, Hashable {
  /// Its name.
  public let name: String
  /// The percentage of users that get it.
  public let share: Int

  /// Creates a value from its parts.
  public init(name: String, share: Int) {
    self.name = name
    self.share = share
  }
}

/// The outcomes of one variant: its completed deliveries, and the events that devices reported of them.
///
/// A delivery that ended before its message was chosen (its device is retired, its push was canceled) is in no variant.
public struct VariantCounts: Sendable, Hashable {
  /// The variant; nil for the message itself.
  public let variant: PushVariant?
  /// The counts; those that are zero are left out.
  public let counts: [SeriesMetric: Int]

  /// Creates a value from its parts.
  public init(variant: PushVariant?, counts: [SeriesMetric: Int]) {
    self.variant = variant
    self.counts = counts
  }
}

extension SQLiteStore {
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
    for (place, variant) in variants.enumerated() {
      insert.bindAll(push, place, variant.name, variant.share)
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

  private var deltas: [Key: Int] = [:]

  /// Notes the variant of a delivery that has ended, and counts it.
  ///
  /// What its device has reported already is counted with it: a report can come before the provider's answer is written.
  mutating func end(
    _ delivery: DeliveryID, of push: PushID, _ state: DeliveryState, _ variant: Int, _ db: borrowing Connection
  ) throws(StoreError) {
    guard let metric = SeriesMetric(rawValue: state.rawValue) else { return }
    let update = try db.prepare("UPDATE deliveries SET variant = ?2 WHERE id = ?1")
    update.bindAll(delivery, variant)
    try update.run()
    deltas[Key(push: push, variant: variant, metric: metric), default: 0] += 1
    let events = try db.prepare("SELECT DISTINCT kind FROM events WHERE delivery = ?1")
    events.bind(1, delivery)
    while try events.step() {
      guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: events.int(0))) else { continue }
      deltas[Key(push: push, variant: variant, metric: SeriesMetric(kind)), default: 0] += 1
    }
  }

  /// Counts a report of a delivery whose variant is noted.
  mutating func report(
    _ kind: EventKind, _ delivery: Int64, of push: PushID, _ db: borrowing Connection
  ) throws(StoreError) {
    let select = try db.prepare("SELECT variant FROM deliveries WHERE id = ?1 AND variant IS NOT NULL")
    select.bind(1, delivery)
    guard try select.step() else { return }
    deltas[Key(push: push, variant: select.int(0), metric: SeriesMetric(kind)), default: 0] += 1
  }

  func write(to db: borrowing Connection) throws(StoreError) {
    guard !deltas.isEmpty else { return }
    let upsert = try db.prepare(
      """
      INSERT INTO variant_counts(push, variant, metric, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT DO UPDATE SET count = count + excluded.count
      """)
    for (key, count) in deltas {
      upsert.bindAll(key.push, key.variant, Int(key.metric.rawValue), count)
      try upsert.run()
    }
  }
}
