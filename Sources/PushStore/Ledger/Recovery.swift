extension SQLiteStore {
  /// Ends leases whose holder is dead.
  public func recoverLeases(
    node: String?, now: Timestamp, completion: @escaping @Sendable (Result<RecoverySummary, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        var summary = RecoverySummary()
        for lease in try context.db.deadLeases(node: node, now) {
          try context.recover(lease.ranges, now, &summary)
          try context.db.deleteLease(lease.id)
          summary.leases += 1
        }
        return summary
      }, urgency: .bulk, completion: completion)
  }
}

extension WriterContext {
  /// Names every delivery of these ranges that is still on the wire `unknown`, and queues it again where policy says so.
  mutating func recover(_ ranges: [LeaseRange], _ now: Timestamp, _ summary: inout RecoverySummary) throws(StoreError) {
    var deltas: [PushID: LedgerDelta] = [:]
    var notices: [PushID: [Notice]] = [:]
    for range in ranges {
      // A range never spans two pushes: their numbers do not touch inside one lease's range (see `LeaseRange`), except
      // for single-device pushes, so the owner is looked up for each delivery there.
      for id in range.first..<range.first + Int64(range.count) {
        guard let push = try db.owner(of: id) else { continue }
        let again = try resends(push)
        guard try nameUnknown(id, attempt: Int(range.attempt), again: again, now) else { continue }
        if again {
          deltas[push, default: LedgerDelta()].waiting += 1
          deltas[push, default: LedgerDelta()].resent += 1
          summary.requeued += 1
        } else {
          deltas[push, default: LedgerDelta()].unknown += 1
          summary.left += 1
          notices[push, default: []].append(Notice(.unknown, delivery: DeliveryID(rawValue: id), at: now))
        }
        deltas[push, default: LedgerDelta()].at = now
      }
    }
    for (push, delta) in deltas { _ = try settle(push, delta, notices[push] ?? []) }
  }

  private func resends(_ push: PushID) throws(StoreError) -> Bool {
    let select = try db.prepare("SELECT unknown_policy = 1 AND state NOT IN (5, 7) FROM pushes WHERE id = ?1")
    select.bind(1, push)
    return try select.step() && select.bool(0)
  }

  private func nameUnknown(
    _ delivery: Int64, attempt: Int, again: Bool, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let update = try db.prepare(
      """
      UPDATE deliveries SET state = ?3, attempts = ?2, unknowns = unknowns + 1, at = ?4, not_before = ?5
      WHERE id = ?1 AND attempts = ?2 - 1 AND state IN (2, 4)
      """)
    update.bind(1, delivery)
    update.bind(2, attempt)
    update.bind(3, again ? RowState.waiting : Int(DeliveryState.unknown.rawValue))
    update.bind(4, now)
    update.bind(5, again ? now : nil)
    try update.run()
    return db.changes == 1
  }
}

extension Connection {
  fileprivate func deadLeases(
    node: String?, _ now: Timestamp
  ) throws(StoreError) -> [(id: LeaseID, ranges: [LeaseRange])] {
    let select = try prepare("SELECT id, ranges FROM leases WHERE expires_at <= ?1 OR node = ?2 ORDER BY id")
    select.bind(1, now)
    select.bind(2, node)
    var leases: [(id: LeaseID, ranges: [LeaseRange])] = []
    while try select.step() { leases.append((select.id(0), LeaseRange.decode(select.blob(1)))) }
    return leases
  }

  fileprivate func deleteLease(_ id: LeaseID) throws(StoreError) {
    let delete = try prepare("DELETE FROM leases WHERE id = ?1")
    delete.bind(1, id)
    try delete.run()
  }
}
