internal import Ledger
internal import StoreModel

/// A push behind a change of its counters.
struct SettledPush {
  let isFinished: Bool
  let app: AppID
  let isCampaign: Bool
  let state: PushState?
}

/// The statements that recording is made of.
extension Connection {
  func settled(_ push: PushID) throws(StoreError) -> SettledPush? {
    let select = try prepare(
      "SELECT finished_at IS NOT NULL, app, class = #class.campaign, state FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return nil }
    return SettledPush(
      isFinished: select.bool(0), app: select.id(1), isCampaign: select.bool(2),
      state: PushState(rawValue: UInt8(truncatingIfNeeded: select.int(3))))
  }

  /// The same of many at once, on a server.
  func settled(_ pushes: [PushID]) throws(StoreError) -> [PushID: SettledPush] {
    let select = try prepare(
      """
      SELECT finished_at IS NOT NULL, app, class = #class.campaign, state, id FROM pushes WHERE id = ANY(CAST(?1 AS bigint[]))
      """)
    select.bind(1, set: pushes.map(\.rawValue))
    var found: [PushID: SettledPush] = [:]
    found.reserveCapacity(pushes.count)
    while try select.step() {
      found[select.id(4)] = SettledPush(
        isFinished: select.bool(0), app: select.id(1), isCampaign: select.bool(2),
        state: PushState(rawValue: UInt8(truncatingIfNeeded: select.int(3))))
    }
    return found
  }

  func leaseExists(_ lease: LeaseID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT 1 FROM leases WHERE id = ?1")
    select.bind(1, lease)
    return try select.step()
  }

  /// Those of several leases that are still held, on a server.
  func held(_ leases: Set<LeaseID>) throws(StoreError) -> Set<LeaseID> {
    let select = try prepare("SELECT id FROM leases WHERE id = ANY(CAST(?1 AS bigint[]))")
    select.bind(1, set: leases.map(\.rawValue))
    var held: Set<LeaseID> = []
    while try select.step() { held.insert(select.id(0)) }
    return held
  }

  func shorten(_ lease: LeaseID, by count: Int) throws(StoreError) {
    let update = try prepare("UPDATE leases SET remaining = remaining - ?2 WHERE id = ?1")
    update.bindAll(lease, count)
    try update.run()
    let delete = try prepare("DELETE FROM leases WHERE id = ?1 AND remaining <= 0")
    delete.bind(1, lease)
    try delete.run()
  }

  func fate(of push: PushID) throws(StoreError) -> PushFate {
    let select = try prepare(
      "SELECT state, unknown_policy, app, restored_at IS NOT NULL, class FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else {
      return PushFate(
        app: AppID(rawValue: 0), state: .cancelled, policy: .leave, pushClass: .campaign, isRestored: false)
    }
    return PushFate(select)
  }

  /// The same of many at once, on a server: those that are there.
  func fates(of pushes: Set<PushID>) throws(StoreError) -> [PushID: PushFate] {
    let select = try prepare(
      """
      SELECT state, unknown_policy, app, restored_at IS NOT NULL, class, id FROM pushes WHERE id = ANY(CAST(?1 AS bigint[]))
      """)
    select.bind(1, set: pushes.map(\.rawValue))
    var found: [PushID: PushFate] = [:]
    while try select.step() { found[select.id(5)] = PushFate(select) }
    return found
  }

  /// Changes the row of a delivery that is on the wire in this try; false when it is not (any more).
  func leaveWire(_ answer: RecordedAnswer) throws(StoreError) -> Bool {
    let (result, end, code) = (answer.result, answer.end, answer.code)
    if end.state == .accepted && end.providerID == nil {
      // The common case, with few things to bind: the row keeps its size.
      let update = try prepare(
        """
        UPDATE deliveries SET state = #delivery.accepted, code = ?2, at = ?3, attempts = ?4, variant = coalesce(?5, variant)
        WHERE id = ?1 AND attempts = ?4 - 1 AND state IN #delivery.answerable
        """)
      update.bindAll(result.delivery, code, result.at, result.attempt)
      update.bind(5, result.variant.map(Int64.init))
      try update.run()
      return changes == 1
    }
    let update = try prepare(
      """
      UPDATE deliveries SET state = ?5, code = ?2, at = ?3, attempts = ?6, not_before = ?7,
        provider_id = CASE WHEN device IS NULL AND target IS NULL THEN NULL ELSE ?8 END,
        unknowns = unknowns + ?9, lane = coalesce(?10, lane), variant = coalesce(?11, variant)#refused(?5)
      WHERE id = ?1 AND attempts = ?4 - 1 AND state IN #delivery.answerable
      """)
    update.bind(1, result.delivery)
    update.bind(2, code)
    update.bind(3, result.at)
    update.bind(4, result.attempt)
    update.bind(5, Int(end.state.rawValue))
    update.bind(6, answer.attempts)
    update.bind(7, end.notBefore)
    update.bind(8, end.providerID)
    update.bind(9, end.isUnknown)
    update.bind(10, end.queue)
    update.bind(11, answer.variant)
    try update.run()
    return changes == 1
  }

  /// Retires or quarantines a device, unless it registered after the time that the provider reported (facts 1.6).
  ///
  /// A registration time in the future was written by a clock that was ahead.
  func hold(_ hold: DeviceHold) throws(StoreError) -> Bool {
    let update = try prepare(
      """
      UPDATE devices SET state = ?2, state_reason = ?3, state_at = ?4
      WHERE id = ?1 AND state = #device.active AND (registered_at < ?5 OR registered_at - 60000 > ?4)
      """)
    update.bindAll(hold.device, Int(hold.state.rawValue), hold.reason, hold.at, hold.since)
    try update.run()
    return changes == 1
  }
}

extension PushFate {
  /// From columns state, unknown_policy, app, restored_at IS NOT NULL, class.
  fileprivate init(_ row: borrowing Statement) {
    self.init(
      app: row.id(2), state: PushState(rawValue: UInt8(truncatingIfNeeded: row.int(0))) ?? .cancelled,
      policy: UnknownPolicy(rawValue: UInt8(truncatingIfNeeded: row.int(1))) ?? .leave,
      pushClass: PushClass(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .campaign, isRestored: row.bool(3))
  }
}

extension WriterContext {
  /// Moves the counters of pushes for deliveries that left the wire; returns those of which that was the last.
  mutating func settle(_ changes: [PushChange]) throws(StoreError) -> [PushID] {
    var finished: [PushID] = []
    if db.writesSets, changes.count > 1 {
      try moveTogether(changes)
      let states = try db.settled(changes.map(\.push))
      for change in changes {
        if let state = states[change.push], try conclude(change, state) { finished.append(change.push) }
      }
      return finished
    }
    for change in changes {
      try move(change.push, change.delta)
      // RETURNING would do the same through a table of its own, made and dropped each time, at three times the cost.
      if let state = try db.settled(change.push), try conclude(change, state) { finished.append(change.push) }
    }
    return finished
  }

  /// The same for one push; true when that was the last of it.
  mutating func settle(_ push: PushID, _ delta: LedgerDelta, _ notices: [Notice] = []) throws(StoreError) -> Bool {
    try !settle([PushChange(push: push, delta: delta, notices: notices)]).isEmpty
  }

  private func move(_ push: PushID, _ delta: LedgerDelta) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET in_flight = in_flight - ?2, waiting = waiting + ?3, accepted = accepted + ?4,
        rejected = rejected + ?5, expired = expired + ?6, cancelled = cancelled + ?7, unknown = unknown + ?8,
        resent = resent + ?9,
        state = CASE WHEN state IN #push.underWay AND #finished(waiting + ?3; in_flight - ?2; audience_complete)
          THEN #push.sent ELSE state END,
        finished_at = CASE WHEN #finished(waiting + ?3; in_flight - ?2; audience_complete) THEN coalesce(finished_at, ?10)
          ELSE finished_at END
      WHERE id = ?1
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
    try update.run()
  }

  /// The same of many pushes, on a server: those of which as much was accepted, and nothing else became, change together.
  private func moveTogether(_ changes: [PushChange]) throws(StoreError) {
    var accepted: [Int: [PushChange]] = [:]
    for change in changes {
      if change.delta.isOnlyAccepted {
        accepted[change.delta.accepted, default: []].append(change)
      } else {
        try move(change.push, change.delta)
      }
    }
    for (count, same) in accepted.sorted(by: { $0.key < $1.key }) {
      var rest = same.sorted { $0.push < $1.push }[...]
      while let first = rest.first {
        let near = rest.prefix { $0.push.rawValue - first.push.rawValue < Self.spanMax }
        rest = rest.dropFirst(near.count)
        if near.count == 1 { try move(first.push, first.delta) } else { try move(near, accepted: count) }
      }
    }
  }

  /// Numbers that pushes of one statement are apart at most: each has an index in an array.
  private static let spanMax: Int64 = 4_096

  /// Counts as accepted what was on the wire of pushes, in the order of their numbers; when is an array in which a row's index is
  /// its distance from the first.
  private func move(_ changes: ArraySlice<PushChange>, accepted: Int) throws(StoreError) {
    guard let first = changes.first?.push.rawValue, let last = changes.last?.push.rawValue else { return }
    var times = [Int64](repeating: 0, count: Int(last - first) + 1)
    for change in changes { times[Int(change.push.rawValue - first)] = change.delta.at.milliseconds }
    let update = try db.prepare(
      """
      UPDATE pushes SET in_flight = in_flight - ?2, accepted = accepted + ?2,
        state = CASE WHEN state IN #push.underWay AND #finished(waiting; in_flight - ?2; audience_complete)
          THEN #push.sent ELSE state END,
        finished_at = CASE WHEN #finished(waiting; in_flight - ?2; audience_complete)
          THEN coalesce(finished_at, (CAST(?4 AS bigint[]))[id - ?3 + 1]) ELSE finished_at END
      WHERE id = ANY(CAST(?1 AS bigint[]))
      """)
    update.bind(1, set: changes.map(\.push.rawValue))
    update.bind(2, accepted)
    update.bind(3, Optional(first))
    update.bind(4, set: times)
    try update.run()
  }

  /// Counts and tells what was settled; true when the push is finished.
  private mutating func conclude(_ change: PushChange, _ settled: SettledPush) throws(StoreError) -> Bool {
    let (push, delta) = (change.push, change.delta)
    for (count, metric) in delta.final {
      series.add(count, metric, app: settled.app, push: push, isCampaign: settled.isCampaign, at: delta.at)
    }
    try outbox.add(change.notices, app: settled.app, push: push, db)
    guard settled.isFinished else { return false }
    try tellFinished(push, settled.app, settled.state, delta.at)
    return true
  }

  /// Queues the webhook notice that every delivery of a push has its final state.
  mutating func tellFinished(
    _ push: PushID, _ app: AppID, _ state: PushState?, _ now: Timestamp
  ) throws(StoreError) {
    let notice = Notice(.finished, delivery: DeliveryID(rawValue: push.rawValue), at: now, text: state?.name ?? "")
    try outbox.add([notice], app: app, push: push, db)
  }
}
