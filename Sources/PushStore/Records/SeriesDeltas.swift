internal import StoreModel

/// Counts by minute that a transaction adds, written once when it commits, however many operations it holds.
struct SeriesDeltas {
  struct Key: Hashable {
    let scope: Int64
    let bucket: Int64
    let metric: UInt8
  }

  /// The width of the stretches that are kept.
  static let stepMs: Int64 = 60_000

  private var counts: [Key: Int] = [:]

  mutating func add(_ count: Int, _ metric: SeriesMetric, app: AppID, push: PushID, isCampaign: Bool, at: Timestamp) {
    guard count != 0 else { return }
    let bucket = Self.bucket(at)
    counts[Key(scope: -app.rawValue, bucket: bucket, metric: metric.rawValue), default: 0] += count
    guard isCampaign else { return }
    counts[Key(scope: push.rawValue, bucket: bucket, metric: metric.rawValue), default: 0] += count
  }

  static func bucket(_ moment: Timestamp) -> Int64 { moment.milliseconds - moment.milliseconds % stepMs }

  mutating func removeAll() { counts.removeAll(keepingCapacity: true) }

  mutating func write(to db: borrowing Connection) throws(StoreError) {
    guard !counts.isEmpty else { return }
    let upsert = try db.prepare(
      """
      INSERT INTO series(scope, bucket, metric, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(scope, bucket, metric) DO UPDATE SET count = series.count + excluded.count
      """)
    for (key, count) in counts {
      upsert.bindAll(key.scope, key.bucket, Int(key.metric), count)
      try upsert.run()
    }
    removeAll()
  }
}
