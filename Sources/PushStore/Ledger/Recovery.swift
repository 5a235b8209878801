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
        let queue = try resendQueue(id, of: push)
        guard try nameUnknown(id, attempt: Int(range.attempt), again: queue, now) else { continue }
        if queue != nil {
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

  /// The queue in which a delivery waits to be sent again; nil when its push's policy leaves it.
  private func resendQueue(_ delivery: Int64, of push: PushID) throws(StoreError) -> Int64? {
    let fate = try db.fate(of: push)
    guard fate.policy == .resend, fate.state != .cancelled, fate.state != .expired else { return nil }
    return try db.lane(of: delivery, app: fate.app).queue(fate.pushClass)
  }

  private func nameUnknown(
    _ delivery: Int64, attempt: Int, again queue: Int64?, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let update = try db.prepare(
      """
      UPDATE deliveries SET state = ?3, attempts = ?2, unknowns = unknowns + 1, at = ?4, not_before = ?5,
        lane = coalesce(?6, lane)
      WHERE id = ?1 AND attempts = ?2 - 1 AND state IN (2, 4)
      """)
    update.bindAll(
      delivery, attempt, queue != nil ? RowState.waiting : Int(DeliveryState.unknown.rawValue), now,
      queue != nil ? now : nil, queue)
    try update.run()
    return db.changes == 1
  }
}

extension Connection {
  fileprivate func deadLeases(
    node: String?, _ now: Timestamp
  ) throws(StoreError) -> [(id: LeaseID, ranges: [LeaseRange])] {
    let select = try prepare("SELECT id, ranges FROM leases WHERE expires_at <= ?1 OR node = ?2 ORDER BY id")
    select.bindAll(now, node)
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

extension Connection {
  /// The lane of a delivery as its device is now; that of production for one whose device is gone, where it is then refused.
  func lane(of delivery: Int64, app: AppID) throws(StoreError) -> LaneKey {
    let select = try prepare(
      """
      SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state
      FROM deliveries d LEFT JOIN devices v ON v.id = d.device WHERE d.id = ?1
      """)
    select.bind(1, delivery)
    guard try select.step() else { return LaneKey(app: app, provider: .apns, environment: .production) }
    return Self.lane(select, app: app)
  }

  /// Reads columns 2 to 5: target, then the device's token, kind and environment.
  static func lane(_ row: borrowing Statement, app: AppID) -> LaneKey {
    let address =
      row.isNull(3)
      ? row.optionalText(2).flatMap(AddressCoding.decode)
      : DeviceAddress(
        token: "", kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .ios,
        environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .production)
    return address?.lane(of: app) ?? LaneKey(app: app, provider: .apns, environment: .production)
  }
}
