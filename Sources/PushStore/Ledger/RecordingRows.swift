/// What decides about a delivery of a push whose try did not end it.
struct PushFate {
  let app: AppID
  let state: PushState
  let policy: UnknownPolicy
  let pushClass: PushClass
  /// Whether the server that a backup was made of may have sent it.
  let isRestored: Bool
}

/// The statements that recording is made of.
extension Connection {
  func leaseExists(_ lease: LeaseID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT 1 FROM leases WHERE id = ?1")
    select.bind(1, lease)
    return try select.step()
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
    return PushFate(
      app: select.id(2), state: PushState(rawValue: UInt8(truncatingIfNeeded: select.int(0))) ?? .cancelled,
      policy: UnknownPolicy(rawValue: UInt8(truncatingIfNeeded: select.int(1))) ?? .leave,
      pushClass: PushClass(rawValue: UInt8(truncatingIfNeeded: select.int(4))) ?? .campaign,
      isRestored: select.bool(3))
  }

  /// Changes the row of a delivery that is on the wire in this try; false when it is not (any more).
  func leaveWire(_ result: DeliveryResult, _ target: Target, _ code: Int64) throws(StoreError) -> Bool {
    if target.state == .accepted && target.providerID == nil {
      // The common case, with few things to bind: the row keeps its size.
      let update = try prepare(
        """
        UPDATE deliveries SET state = 5, code = ?2, at = ?3, attempts = ?4, variant = coalesce(?5, variant)
        WHERE id = ?1 AND attempts = ?4 - 1 AND state IN (2, 4)
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
        unknowns = unknowns + ?9, lane = coalesce(?10, lane), variant = coalesce(?11, variant)
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
    update.bind(10, target.queue)
    // The variant of a delivery that waits again is noted when it ends.
    update.bind(11, target.metric == nil ? nil : result.variant.map(Int64.init))
    try update.run()
    return changes == 1
  }

  /// Quarantines a device, unless it registered after the time that the provider reported (facts 1.6).
  ///
  /// A registration time in the future was written by a clock that was ahead.
  func hold(
    _ device: DeviceID, _ state: DeviceState, _ reason: String, _ since: Timestamp, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let update = try prepare(
      """
      UPDATE devices SET state = ?2, state_reason = ?3, state_at = ?4
      WHERE id = ?1 AND state = 2 AND (registered_at < ?5 OR registered_at - 60000 > ?4)
      """)
    update.bindAll(device, Int(state.rawValue), ReasonText.cut(reason), now, since)
    try update.run()
    return changes == 1
  }
}

extension WriterContext {
  /// Moves the counters of a push for deliveries that left the wire; true when that was the last of it.
  mutating func settle(_ push: PushID, _ delta: LedgerDelta, _ notices: [Notice] = []) throws(StoreError) -> Bool {
    let update = try db.prepare(
      """
      UPDATE pushes SET in_flight = in_flight - ?2, waiting = waiting + ?3, accepted = accepted + ?4,
        rejected = rejected + ?5, expired = expired + ?6, cancelled = cancelled + ?7, unknown = unknown + ?8,
        resent = resent + ?9,
        state = CASE WHEN state IN (3, 4) AND audience_complete = 1 AND waiting + ?3 = 0 AND in_flight = ?2 THEN 6
          ELSE state END,
        finished_at = CASE WHEN waiting + ?3 = 0 AND in_flight = ?2 AND (audience_complete = 1 OR state IN (5, 7))
          THEN coalesce(finished_at, ?10) ELSE finished_at END
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
    // RETURNING would do the same through a table of its own, made and dropped each time, at three times the cost.
    let select = try db.prepare("SELECT finished_at IS NOT NULL, app, class = 2, state FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return false }
    let (app, isCampaign): (AppID, Bool) = (select.id(1), select.bool(2))
    for (count, metric) in delta.final {
      series.add(count, metric, app: app, push: push, isCampaign: isCampaign, at: delta.at)
    }
    try outbox.add(notices, app: app, push: push, db)
    guard select.bool(0) else { return false }
    try tellFinished(push, app, PushState(rawValue: UInt8(truncatingIfNeeded: select.int(3))), delta.at)
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
