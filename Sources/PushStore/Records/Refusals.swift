internal import Ledger
public import StoreModel

extension SQLStore {
  /// The outcomes with which deliveries of a push were rejected.
  public func refusals(of push: PushID, limit: Int) throws(StoreError) -> [RefusalCount] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT o.provider, o.status, o.reason, r.count FROM refusals r JOIN outcomes o ON o.code = r.code
        WHERE r.push = ?1 ORDER BY r.count DESC, o.reason, r.code LIMIT ?2
        """)
      select.bindAll(push, Checks.page(limit))
      var counts: [RefusalCount] = []
      while try select.step() {
        counts.append(
          RefusalCount(
            provider: Provider(rawValue: UInt8(truncatingIfNeeded: select.int(0))), status: select.int(1),
            reason: select.text(2), count: select.int(3)))
      }
      return counts
    }
  }
}

extension RefusalDeltas {
  mutating func write(to db: borrowing Connection) throws(StoreError) {
    guard !counts.isEmpty else { return }
    let upsert = try db.prepare(
      """
      INSERT INTO refusals(push, code, count) VALUES (?1, ?2, ?3) ON CONFLICT(push, code) DO UPDATE SET count = refusals.count + excluded.count
      """)
    for (key, count) in counts {
      upsert.bindAll(key.push, key.code, count)
      try upsert.run()
    }
    removeAll()
  }
}
