internal import Ledger
internal import StoreModel

extension SeriesDeltas {
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
