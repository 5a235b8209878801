internal import Ledger
internal import StoreModel

/// Deliveries with a due time of their own: retries, and deliveries deferred while their lane was closed or their push
/// was paused.
extension Leasing {
  /// Leases what is due in one lane.
  mutating func takeDue(
    _ lane: LaneKey, _ max: Int, _ byTime: Bool, _ context: inout WriterContext
  ) throws(StoreError) {
    guard max > 0 else { return }
    var pushes = OpenPushes()
    for due in try readWaiting(lane, until: now, max, byTime, context.db) {
      guard let row = try pushes.owner(of: due.id, context.db) else { continue }
      settled += 1
      if let expiresAt = row.expiresAt, expiresAt <= now {
        try context.end(row.id, as: .expired, now)
        pushes.forget(row.id)
      } else if row.state == .paused {
        // It leaves the lane until the push is resumed, so that it is looked at no more.
        try context.shelve(due.id, in: HeldRows.lane(of: row.id))
      } else if row.state == .sending {
        try takeAgain(due, row, &context, from: lane)
      }
    }
    try putOnWire(&context)
  }

  /// Leases what left its lane while the push was paused; what is not due yet goes back there.
  mutating func takeHeld(_ row: LeasableRow, _ max: Int, _ context: inout WriterContext) throws(StoreError) {
    let held = try readWaiting(HeldRows.lane(of: row.id), until: Timestamp(milliseconds: .max), max, context.db)
    guard !held.isEmpty else { return }
    for one in held {
      settled += 1
      if case .success(let address) = one.address, one.notBefore > now {
        try context.shelve(one.id, in: row.queue(address))
      } else {
        try takeAgain(one, row, &context, from: nil)
      }
    }
    try putOnWire(&context)
    let update = try context.db.prepare(
      """
      UPDATE pushes SET open = CASE WHEN #leasable(audience_complete; cursor; targeted) THEN 1 ELSE 0 END
      WHERE id = ?1 AND open = 1
      """)
    update.bind(1, row.id)
    try update.run()
  }

  /// Rejects what has waited for a lane for longer than deliveries are tried.
  mutating func giveUp(
    _ lane: LaneKey, before instant: Timestamp, _ reason: String, _ max: Int, _ context: inout WriterContext
  ) throws(StoreError) {
    guard max > 0 else { return }
    var pushes = OpenPushes()
    for due in try readWaiting(lane, until: instant, max, false, context.db) {
      guard let row = try pushes.owner(of: due.id, context.db) else { continue }
      settled += 1
      switch row.state {
      case .sending:
        if let resumedAt = row.resumedAt, resumedAt > instant, resumedAt <= now {
          // The time that its push was paused is not time that the lane was away.
          try context.delay(due.id, in: lane.queue(row.pushClass), until: resumedAt, now)
        } else {
          try context.ruleOutWaiting(due.id, of: row.id, reason, now, provider: lane.provider.rawValue)
        }
      case .paused: try context.shelve(due.id, in: HeldRows.lane(of: row.id))
      default: break
      }
    }
  }

  /// The pushes of one pick, each read once.
  private struct OpenPushes {
    private var known: [PushID: LeasableRow] = [:]
    /// The one that was asked for last: what waits beside one delivery is mostly of the same push.
    private var latest: LeasableRow?

    mutating func owner(of delivery: Int64, _ db: borrowing Connection) throws(StoreError) -> LeasableRow? {
      if let latest, latest.deliveries.all.contains(delivery) { return latest }
      guard let push = try db.owner(of: delivery) else { return nil }
      if known[push] == nil { known[push] = try db.leasable(push) }
      latest = known[push]
      return latest
    }

    mutating func forget(_ push: PushID) {
      known[push] = nil
      latest = nil
    }
  }

  struct Waiting {
    let id: Int64
    let device: DeviceID?
    let attempts: Int
    let notBefore: Timestamp
    let address: Result<DeviceAddress, Refusal>
    /// Nil for an address that is not registered.
    let facts: DeviceFacts?
  }

  /// What is due in the queues of a lane, in their order, or the earliest of all.
  private func readWaiting(
    _ lane: LaneKey, until instant: Timestamp, _ max: Int, _ byTime: Bool, _ db: borrowing Connection
  ) throws(StoreError) -> [Waiting] {
    var rows: [Waiting] = []
    for queue in lane.queues where byTime || rows.count < max {
      rows += try readWaiting(queue, until: instant, byTime ? max : max - rows.count, db)
    }
    return byTime ? Array(rows.sorted { $0.notBefore < $1.notBefore }.prefix(max)) : rows
  }

  private func readWaiting(
    _ queue: Int64, until instant: Timestamp, _ max: Int, _ db: borrowing Connection
  ) throws(StoreError) -> [Waiting] {
    let select = try db.prepare(
      """
      SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state, d.attempts,
        v.owner, v.flags, v.moved_number, v.timezone, d.not_before
      FROM deliveries d INDEXED BY deliveries_due LEFT JOIN devices v ON v.id = d.device
      WHERE d.state = #delivery.waiting AND d.lane = ?1 AND d.not_before <= ?2 ORDER BY d.not_before, d.id LIMIT ?3
      """)
    select.bindAll(queue, instant, max)
    var rows: [Waiting] = []
    while try select.step() {
      rows.append(
        Waiting(
          id: select.int64(0), device: select.optionalID(1), attempts: select.int(7), notBefore: select.timestamp(12),
          address: Self.address(select),
          facts: select.isNull(3) ? nil : DeviceFacts(select, device: 1, first: 8, readsZone: true)))
    }
    return rows
  }

  /// Leases a delivery that waited, rejects it, or puts it off.
  private mutating func takeAgain(
    _ due: Waiting, _ row: LeasableRow, _ context: inout WriterContext, from lane: LaneKey?
  ) throws(StoreError) {
    guard case .success(let address) = due.address else {
      if case .failure(let refusal) = due.address {
        try context.ruleOutWaiting(due.id, of: row.id, refusal.reason, now)
      }
      return
    }
    let home = row.queue(address)
    // A clock that was ahead may have brought it here before its local time.
    if let local = try localTime(of: row.id, due.facts?.timezone, context.db), local > now {
      return try context.delay(due.id, in: home, until: local, now)
    }
    // A device may have changed its environment meanwhile, and that lane may be closed.
    if address.lane(of: row.app) != lane, closed(of: row.app).contains(address) {
      // The time it was held with its push is not time that its lane was away.
      let until = lane == nil ? max(due.notBefore, now) : due.notBefore
      return try context.delay(due.id, in: home, until: until, now)
    }
    let isThrottled = due.attempts == 0 && row.throttlePerMinute != nil && !context.throttles.allows(row.id, now)
    if let facts = due.facts {
      // What a throttle puts off counts against a cap when it goes.
      switch try suppression.verdict(facts, row, isFirst: due.attempts == 0 && !isThrottled, context) {
      case .send: break
      case .refuse(let reason): return try context.ruleOutWaiting(due.id, of: row.id, reason, now)
      case .hold(let until):
        let again = due.attempts == 0 ? context.throttled(until, row) : until
        return try context.delay(due.id, in: home, until: again, now)
      }
    }
    if isThrottled {
      // More than the throttle allows comes due when the server was away, and after a clock that was behind.
      let until = context.throttled(now, row)
      return try context.delay(due.id, in: home, until: until, now)
    }
    if due.attempts == 0, let perMinute = row.throttlePerMinute {
      context.throttles.sent(1, of: row.id, perMinute: perMinute, now)
    }
    again.append(Again(delivery: due, push: row.id, address: address))
  }

  /// When the local time of a push comes for a device; nil for a push without one.
  private mutating func localTime(
    of push: PushID, _ zone: String?, _ db: borrowing Connection
  ) throws(StoreError) -> Timestamp? {
    var instants: ZoneInstants?
    if let known = locals[push] {
      instants = known
    } else {
      instants = try db.localStart(of: push).map { ZoneInstants($0) }
    }
    defer { locals.updateValue(instants, forKey: push) }
    // When its app was used may have changed since the push was put off, and is no reason to put it off anew.
    if instants?.local.day == .lastActive { return nil }
    return instants?.instant(in: zone, seenAt: nil)
  }

  /// A delivery that waited, and goes on the wire with the others of its pick.
  struct Again {
    let delivery: Waiting
    let push: PushID
    let address: DeviceAddress
  }

  private mutating func putOnWire(_ context: inout WriterContext) throws(StoreError) {
    defer { again.removeAll() }
    let gone = try context.db.leaveLanes(again.map(\.delivery.id))
    var counts: [(push: PushID, count: Int)] = []
    for one in again where gone.contains(one.delivery.id) {
      add(one.delivery.id, one.push, one.delivery.device, attempt: one.delivery.attempts + 1, one.address)
      if counts.last?.push == one.push { counts[counts.count - 1].count += 1 } else { counts.append((one.push, 1)) }
    }
    for (push, count) in counts { try context.move(push, waiting: -count, inFlight: count) }
  }
}

extension Connection {
  /// Puts deliveries on the wire that wait in a lane; returns those that did.
  fileprivate func leaveLanes(_ ids: [Int64]) throws(StoreError) -> Set<Int64> {
    guard !ids.isEmpty else { return [] }
    var gone: Set<Int64> = []
    gone.reserveCapacity(ids.count)
    if writesSets {
      let update = try prepare(
        """
        UPDATE deliveries SET state = #delivery.inFlight, not_before = NULL
        WHERE id = ANY(CAST(?1 AS bigint[])) AND state = #delivery.waiting RETURNING id
        """)
      update.bind(1, set: ids)
      while try update.step() { gone.insert(update.int64(0)) }
      return gone
    }
    let update = try prepare(
      "UPDATE deliveries SET state = #delivery.inFlight, not_before = NULL WHERE id = ?1 AND state = #delivery.waiting")
    for id in ids {
      update.bind(1, Optional(id))
      try update.run()
      if changes == 1 { gone.insert(id) }
    }
    return gone
  }
}

/// Deliveries of a paused push that were due: they leave their lane, and cost nothing until the push is resumed.
enum HeldRows {
  /// What their `lane` is: no lane has a number below zero.
  static func lane(of push: PushID) -> Int64 { -push.rawValue }
}
