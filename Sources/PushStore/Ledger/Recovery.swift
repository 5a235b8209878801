internal import Ledger
public import StoreModel

extension SQLStore {
  /// Ends leases whose holder is dead.
  public func recoverLeases(
    node: String?, now: Timestamp, completion: @escaping @Sendable (Result<RecoverySummary, StoreError>) -> Void
  ) {
    // A clock that is wrong says nothing of the leases of others.
    let judged = fleet.nodeStatus.trouble == nil ? now : Timestamp(milliseconds: 0)
    let doubtful = doubtfulLeases
    write(
      { (context) throws(StoreError) in
        var summary = RecoverySummary()
        try context.endLeases(of: node, until: judged, now, &summary)
        return summary
      }, urgency: .bulk,
      completion: { result in
        if case .success = result { doubtful.forget(until: judged) }
        completion(result)
      })
  }
}

extension WriterContext {
  /// Ends the leases that have run out by a time, and those of a node.
  mutating func endLeases(
    of node: String?, until instant: Timestamp, _ now: Timestamp, _ summary: inout RecoverySummary
  ) throws(StoreError) {
    let dead = try db.deadLeases(node: node, instant)
    guard let first = dead.first else { return }
    let owners = try db.writesSets ? db.leaseOwners(after: first.id) : LeaseOwners()
    for lease in dead {
      try recover(lease.ranges, of: lease.id, owners, now, &summary)
      try db.deleteLease(lease.id)
      summary.leases += 1
    }
    note(.work)
  }

  /// Names every delivery of a lease's ranges that is still on the wire `unknown`, and queues it again where policy says so.
  ///
  /// - Parameter owners: who has what was given back and leased again since.
  private mutating func recover(
    _ ranges: [LeaseRange], of lease: LeaseID, _ owners: LeaseOwners, _ now: Timestamp,
    _ summary: inout RecoverySummary
  ) throws(StoreError) {
    var deltas: [PushID: LedgerDelta] = [:]
    var notices: [PushID: [Notice]] = [:]
    var fates: [PushID: PushFate] = [:]
    for range in ranges {
      // Read first, change then: between the changes nothing is waited for. A node that dies may have tens of thousands on the wire,
      // and no other one writes meanwhile.
      for row in try db.onWire(range) {
        guard owners.isOwner(lease.rawValue, of: row.id) else { continue }
        let fate: PushFate
        if let known = fates[row.push] { fate = known } else { fate = try db.fate(of: row.push) }
        fates[row.push] = fate
        let queue = fate.resendQueue(row.address)
        try nameUnknown(row.id, attempt: Int(range.attempt), again: queue, now)
        if queue != nil {
          deltas[row.push, default: LedgerDelta()].waiting += 1
          deltas[row.push, default: LedgerDelta()].resent += 1
          summary.requeued += 1
        } else {
          deltas[row.push, default: LedgerDelta()].unknown += 1
          summary.left += 1
          notices[row.push, default: []].append(Notice(.unknown, delivery: DeliveryID(rawValue: row.id), at: now))
        }
        deltas[row.push, default: LedgerDelta()].at = now
      }
    }
    var changes: [PushChange] = []
    for (push, delta) in deltas { changes.append(PushChange(push: push, delta: delta, notices: notices[push] ?? [])) }
    _ = try settle(changes)
  }

  private func nameUnknown(
    _ delivery: Int64, attempt: Int, again queue: Int64?, _ now: Timestamp
  ) throws(StoreError) {
    let event = queue == nil ? LedgerEvent.lostLeave : .lostResend
    guard let state = Transitions.state(after: event, from: .inFlight, isUncertain: true) else {
      throw StoreError(.bug, "a delivery on the wire cannot be \(event.rawValue)", advice: "report this")
    }
    let update = try db.prepare(
      """
      UPDATE deliveries SET state = ?3, attempts = ?2, unknowns = unknowns + 1, at = ?4, not_before = ?5,
        lane = coalesce(?6, lane)
      WHERE id = ?1 AND attempts = ?2 - 1 AND state IN #delivery.answerable
      """)
    update.bindAll(delivery, attempt, Int(state.rawValue), now, queue != nil ? now : nil, queue)
    try update.run()
  }
}

/// A delivery on the wire.
private struct WireRow {
  let id: Int64
  let push: PushID
  /// As its device is now; nil when that is gone.
  let address: DeviceAddress?
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
  /// Who has what was leased after `lease`.
  fileprivate func leaseOwners(after lease: LeaseID) throws(StoreError) -> LeaseOwners {
    let select = try prepare("SELECT id, ranges FROM leases WHERE id > ?1 ORDER BY id")
    select.bind(1, lease)
    var owners = LeaseOwners()
    while try select.step() { owners.add(select.int64(0), LeaseRange.decode(select.blob(1))) }
    return owners
  }

  /// What of a range is on the wire in its try.
  fileprivate func onWire(_ range: LeaseRange) throws(StoreError) -> [WireRow] {
    // Not joined: a plan that is made for ranges of every length would read all pushes for one of them.
    let select = try prepare(
      """
      SELECT d.id, (SELECT max(id) FROM pushes WHERE id <= d.id), d.target, v.token, v.kind, v.environment
      FROM deliveries d LEFT JOIN devices v ON v.id = d.device
      WHERE d.id >= ?1 AND d.id < ?2 AND d.attempts = ?3 AND d.state IN #delivery.answerable ORDER BY d.id
      """)
    select.bindAll(range.first, range.first + Int64(range.count), Int64(range.attempt) - 1)
    var rows: [WireRow] = []
    while try select.step() {
      guard let push: PushID = select.optionalID(1) else { continue }
      rows.append(WireRow(id: select.int64(0), push: push, address: Self.address(select)))
    }
    return rows
  }

  /// Reads columns 2 to 5: target, then the device's token, kind and environment.
  private static func address(_ row: borrowing Statement) -> DeviceAddress? {
    row.isNull(3)
      ? row.optionalText(2).flatMap(AddressCoding.decode)
      : DeviceAddress(
        token: "", kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .ios,
        environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .production)
  }
}
