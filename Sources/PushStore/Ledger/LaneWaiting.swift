public import StoreModel

/// What waits in a lane.
extension SQLStore {
  /// When the push of the first delivery that waits in a lane began; nil when nothing waits there.
  public func waitsSince(_ lane: LaneKey) throws(StoreError) -> Timestamp? {
    try readers.read { (db) throws(StoreError) in
      // A push's deliveries have the numbers behind its own.
      let select = try db.prepare(
        """
        SELECT p.start_at FROM pushes p WHERE p.id <= (
          SELECT id FROM deliveries INDEXED BY deliveries_due WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane = ?1 ORDER BY not_before LIMIT 1)
        ORDER BY p.id DESC LIMIT 1
        """)
      var first: Timestamp?
      for queue in lane.queues {
        select.bind(1, Optional(queue))
        if try select.step() { first = first.map { min($0, select.timestamp(0)) } ?? select.timestamp(0) }
        select.reset()
      }
      return first
    }
  }
}
