extension SQLiteStore {
  /// Records how tries ended.
  public func record(
    _ results: [DeliveryResult], completion: @escaping @Sendable (Result<RecordSummary, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        var recording = Recording()
        return try recording.run(results, &context)
      }, urgency: .bulk, completion: completion)
  }
}

/// How many deliveries of one push leave the wire, and to where.
struct LedgerDelta {
  var waiting = 0
  var accepted = 0
  var rejected = 0
  var expired = 0
  var cancelled = 0
  var unknown = 0
  var resent = 0
  var at = Timestamp(milliseconds: 0)

  /// All that left the wire.
  var total: Int { waiting + accepted + rejected + expired + cancelled + unknown }
}

/// One batch of results while it is written.
private struct Recording {
  private var summary = RecordSummary()
  private var deltas: [PushID: LedgerDelta] = [:]
  private var order: [PushID] = []
  /// Results recorded under each lease; below zero for a lease that is not held any more.
  private var leases: [LeaseID: Int] = [:]
  private var pushes: [PushID: (state: PushState, policy: UnknownPolicy)] = [:]

  mutating func run(
    _ results: [DeliveryResult], _ context: inout WriterContext
  ) throws(StoreError) -> RecordSummary {
    for result in results {
      if try isHeld(result.lease, context.db) {
        try write(result, &context)
      } else {
        summary.late += 1
      }
    }
    for push in order {
      if let delta = deltas[push], try context.settle(push, delta) { summary.finished.append(push) }
    }
    for (lease, count) in leases where count > 0 { try context.db.shorten(lease, by: count) }
    return summary
  }

  /// Whether a lease is still held; a lease that was taken away has no row any more.
  private mutating func isHeld(_ lease: LeaseID, _ db: borrowing Connection) throws(StoreError) -> Bool {
    if let known = leases[lease] { return known >= 0 }
    let held = try db.leaseExists(lease)
    leases[lease] = held ? 0 : -1
    return held
  }

  private mutating func write(_ result: DeliveryResult, _ context: inout WriterContext) throws(StoreError) {
    let target = try target(of: result, context.db)
    let code = try code(of: result, &context)
    guard try context.db.leaveWire(result, target, code) else {
      summary.late += 1
      return
    }
    summary.recorded += 1
    leases[result.lease, default: 0] += 1
    if deltas[result.push] == nil { order.append(result.push) }
    target.count(in: &deltas[result.push, default: LedgerDelta()], at: result.at)
    try follow(result, context.db)
  }

  /// Where a delivery goes; what would wait again ends instead when its push has ended.
  private mutating func target(
    of result: DeliveryResult, _ db: borrowing Connection
  ) throws(StoreError) -> Target {
    switch result.change {
    case .accepted(let name): return Target(state: .accepted, counts: true, providerID: name)
    case .rejected: return Target(state: .rejected, counts: true)
    case .expired: return Target(state: .expired, counts: false)
    case .retry(let moment): return try again(result.push, moment, counts: true, unknown: false, db)
    case .release(let moment): return try again(result.push, moment, counts: false, unknown: false, db)
    case .unknown(let moment):
      guard let moment, try push(result.push, db).policy == .resend else {
        return Target(state: .unknown, counts: true, unknown: true)
      }
      return try again(result.push, moment, counts: true, unknown: true, db)
    }
  }

  private mutating func again(
    _ id: PushID, _ moment: Timestamp, counts: Bool, unknown: Bool, _ db: borrowing Connection
  ) throws(StoreError) -> Target {
    let state = try push(id, db).state
    guard state.isOver else { return Target(state: .waiting, counts: counts, unknown: unknown, notBefore: moment) }
    // What may have been delivered is not called cancelled or expired.
    if unknown { return Target(state: .unknown, counts: true, unknown: true) }
    return Target(state: state == .expired ? .expired : .cancelled, counts: counts)
  }

  private mutating func push(
    _ id: PushID, _ db: borrowing Connection
  ) throws(StoreError) -> (state: PushState, policy: UnknownPolicy) {
    if let known = pushes[id] { return known }
    let read = try db.statePolicy(of: id)
    pushes[id] = read
    return read
  }

  private func code(of result: DeliveryResult, _ context: inout WriterContext) throws(StoreError) -> Int64 {
    if case .accepted = result.change, result.status == 200, result.reason.isEmpty {
      return result.provider == .apns ? OutcomeCode.apnsAccepted : OutcomeCode.fcmAccepted
    }
    return try context.outcomeCode(
      provider: result.provider.rawValue, status: result.status, reason: ReasonText.cut(result.reason))
  }

  private mutating func follow(_ result: DeliveryResult, _ db: borrowing Connection) throws(StoreError) {
    guard let device = result.device, let consequence = result.consequence else { return }
    switch consequence {
    case .retire(let since):
      if try db.hold(device, .retired, result.reason, since, result.at) { summary.retired += 1 }
    case .quarantine(let since):
      if try db.hold(device, .quarantined, result.reason, since, result.at) { summary.quarantined += 1 }
    }
  }
}

/// The row a delivery becomes when it leaves the wire.
struct Target {
  let state: DeliveryState
  /// Whether the try counts.
  let counts: Bool
  /// Whether it was on the wire when a process died, or nobody knows what became of it.
  var unknown = false
  var notBefore: Timestamp?
  var providerID: String?

  func count(in delta: inout LedgerDelta, at moment: Timestamp) {
    switch state {
    case .waiting:
      delta.waiting += 1
      if unknown { delta.resent += 1 }
    case .accepted: delta.accepted += 1
    case .rejected: delta.rejected += 1
    case .expired: delta.expired += 1
    case .cancelled: delta.cancelled += 1
    case .unknown: delta.unknown += 1
    case .inFlight: assertionFailure("a delivery that leaves the wire is not on it")
    }
    delta.at = max(delta.at, moment)
  }
}

enum ReasonText {
  /// At most `StoreLimits.reasonBytesMax` bytes, cut between characters.
  static func cut(_ reason: String) -> String {
    guard reason.utf8.count > StoreLimits.reasonBytesMax else { return reason }
    var bytes = 0
    return String(
      reason.prefix { character in
        bytes += character.utf8.count
        return bytes <= StoreLimits.reasonBytesMax
      })
  }
}

extension Connection {
  fileprivate func leaseExists(_ lease: LeaseID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT 1 FROM leases WHERE id = ?1")
    select.bind(1, lease)
    return try select.step()
  }

  fileprivate func shorten(_ lease: LeaseID, by count: Int) throws(StoreError) {
    let update = try prepare("UPDATE leases SET remaining = remaining - ?2 WHERE id = ?1")
    update.bind(1, lease)
    update.bind(2, count)
    try update.run()
    let delete = try prepare("DELETE FROM leases WHERE id = ?1 AND remaining <= 0")
    delete.bind(1, lease)
    try delete.run()
  }

  fileprivate func statePolicy(of push: PushID) throws(StoreError) -> (state: PushState, policy: UnknownPolicy) {
    let select = try prepare("SELECT state, unknown_policy FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return (.cancelled, .leave) }
    return (
      PushState(rawValue: UInt8(truncatingIfNeeded: select.int(0))) ?? .cancelled,
      UnknownPolicy(rawValue: UInt8(truncatingIfNeeded: select.int(1))) ?? .leave
    )
  }

  /// Changes the row of a delivery that is on the wire in this try; false when it is not (any more).
  fileprivate func leaveWire(_ result: DeliveryResult, _ target: Target, _ code: Int64) throws(StoreError) -> Bool {
    if target.state == .accepted && target.providerID == nil {
      // The common case, with few things to bind: the row keeps its size.
      let update = try prepare(
        """
        UPDATE deliveries SET state = 5, code = ?2, at = ?3, attempts = ?4 WHERE id = ?1 AND attempts = ?4 - 1
          AND state IN (2, 4)
        """)
      update.bind(1, result.delivery)
      update.bind(2, code)
      update.bind(3, result.at)
      update.bind(4, result.attempt)
      try update.run()
      return changes == 1
    }
    let update = try prepare(
      """
      UPDATE deliveries SET state = ?5, code = ?2, at = ?3, attempts = ?6, not_before = ?7, provider_id = ?8,
        unknowns = unknowns + ?9
      WHERE id = ?1 AND attempts = ?4 - 1 AND state IN (2, 4)
      """)
    update.bind(1, result.delivery)
    update.bind(2, code)
    update.bind(3, result.at)
    update.bind(4, result.attempt)
    update.bind(5, Int(target.state.rawValue))
    update.bind(6, target.counts ? result.attempt : result.attempt - 1)
    update.bind(7, target.notBefore)
    update.bind(8, target.providerID)
    update.bind(9, target.unknown)
    try update.run()
    return changes == 1
  }

  /// Holds a device back, unless it registered after the moment the provider speaks of (facts 1.6).
  fileprivate func hold(
    _ device: DeviceID, _ state: DeviceState, _ reason: String, _ since: Timestamp, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let update = try prepare(
      """
      UPDATE devices SET state = ?2, state_reason = ?3, state_at = ?4
      WHERE id = ?1 AND state = 2 AND registered_at < ?5
      """)
    update.bind(1, device)
    update.bind(2, Int(state.rawValue))
    update.bind(3, ReasonText.cut(reason))
    update.bind(4, now)
    update.bind(5, since)
    try update.run()
    return changes == 1
  }
}

extension WriterContext {
  /// Moves the counters of a push for deliveries that left the wire; true when that was the last of it.
  func settle(_ push: PushID, _ delta: LedgerDelta) throws(StoreError) -> Bool {
    let update = try db.prepare(
      """
      UPDATE pushes SET in_flight = in_flight - ?2, waiting = waiting + ?3, accepted = accepted + ?4,
        rejected = rejected + ?5, expired = expired + ?6, cancelled = cancelled + ?7, unknown = unknown + ?8,
        resent = resent + ?9,
        state = CASE WHEN state IN (3, 4) AND audience_complete AND waiting + ?3 = 0 AND in_flight = ?2 THEN 6
          ELSE state END,
        finished_at = CASE WHEN waiting + ?3 = 0 AND in_flight = ?2 AND (audience_complete OR state IN (5, 7))
          THEN coalesce(finished_at, ?10) ELSE finished_at END
      WHERE id = ?1 RETURNING finished_at IS NOT NULL
      """)
    update.bind(1, push)
    update.bind(2, delta.total)
    update.bind(3, delta.waiting)
    update.bind(4, delta.accepted)
    update.bind(5, delta.rejected)
    update.bind(6, delta.expired)
    update.bind(7, delta.cancelled)
    update.bind(8, delta.unknown)
    update.bind(9, delta.resent)
    update.bind(10, delta.at)
    return try update.step() && update.bool(0)
  }
}
