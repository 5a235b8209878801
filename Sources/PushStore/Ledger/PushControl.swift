internal import Ledger
public import StoreModel

extension SQLStore {
  /// Lets a draft go, now or at `startAt`.
  public func releasePush(_ id: PushID, startAt: Timestamp?, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.push(id))
      try context.require(id, for: .release)
      let start = max(startAt ?? now, now)
      if start > now {
        let update = try context.db.prepare("UPDATE pushes SET state = #push.scheduled, start_at = ?2 WHERE id = ?1")
        update.bindAll(id, start)
        try update.run()
      } else {
        try context.open(id, now)
      }
    }
  }

  /// Holds a push; what is on the wire still ends.
  public func pausePush(_ id: PushID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.push(id))
      try context.require(id, for: .hold)
      // Held pushes leave the index of open work, so that they cost nothing while they are held; what comes due of them
      // leaves its lane once (see `HeldRows`).
      // One that has begun is known by `resumed_at`: it is not started again, whatever the clock says then.
      let update = try context.db.prepare(
        """
        UPDATE pushes SET resumed_at = CASE WHEN state = #push.sending THEN coalesce(resumed_at, created_at) ELSE resumed_at END,
          state = #push.paused, open = 0
        WHERE id = ?1
        """)
      update.bind(1, id)
      try update.run()
    }
  }

  /// Resumes a paused push; one whose start time is in the future is scheduled again.
  public func resumePush(_ id: PushID, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.push(id))
      if try context.resumeScheduledPush(id) { return }
      try context.require(id, for: .resume)
      try context.open(id, now)
    }
  }

  /// Ends a push: what waits and was certainly not sent becomes `cancelled`.
  @discardableResult
  public func cancelPush(_ id: PushID, now: Timestamp) throws(StoreError) -> CancelSummary {
    try write { (context) throws(StoreError) in
      context.note(.push(id))
      try context.require(id, for: .cancel)
      let before = try context.db.unsettled(id)
      try context.forgetDue(id)
      try context.end(id, as: .cancelled, now)
      let after = try context.db.unsettled(id)
      return CancelSummary(
        stopped: after.cancelled - before.cancelled, inFlight: after.inFlight, unknown: after.unknown - before.unknown)
    }
  }

  /// Changes the throttle.
  public func setThrottle(_ id: PushID, perMinute: Int?, now: Timestamp) throws(StoreError) {
    if let perMinute, perMinute < 1 {
      throw StoreError(.invalid, "throttle: \(perMinute) a minute", advice: "give at least 1, or none")
    }
    let isFaster = try write { (context) throws(StoreError) in
      context.note(.push(id))
      let before = try context.db.leasable(id)
      let update = try context.db.prepare("UPDATE pushes SET throttle = ?2 WHERE id = ?1")
      update.bindAll(id, perMinute.map { Int64($0) })
      try update.run()
      guard context.db.changes == 1, let before else { throw Checks.missing("push", id) }
      context.throttles.forget(id)
      guard let old = before.throttlePerMinute else { return false }
      return perMinute.map { Int64($0) > old } ?? true
    }
    guard isFaster else { return }
    // Page by page: a lease checks each of them again, and spreads those above the new rate.
    var next: Int64? = id.rawValue
    while let first = next {
      next = try write { (context) throws(StoreError) in try context.db.bringForward(id, from: first, now) }
    }
  }

  /// Starts scheduled pushes that are due and returns them; ends waiting pushes that have expired.
  public func startScheduled(
    now: Timestamp, limit: Int, completion: @escaping @Sendable (Result<[PushID], StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        let due = try context.db.scheduled(until: now, limit: Checks.page(limit))
        for id in due { try context.open(id, now) }
        for id in try context.db.expired(at: now, limit: Checks.page(limit)) { try context.end(id, as: .expired, now) }
        return due
      }, completion: completion)
  }

  /// The lanes in which deliveries wait, and when the first of each is due; when a push starts or expires next.
  public func waitingWork() throws(StoreError) -> WaitingWork {
    try readers.view { (db) throws(StoreError) in
      var work = WaitingWork()
      var last: Int64 = 0
      // Jumps from lane to lane: what waits in a lane is not walked, and lanes below zero are not looked at.
      while let (number, due) = try db.nextLane(after: last) {
        if let lane = LaneKey(number: number) { work.add(WaitingWork.Due(lane: lane, at: due)) }
        last = number
      }
      let select = try db.prepare(
        """
        SELECT min(due) FROM (
          SELECT * FROM (SELECT start_at AS due FROM pushes WHERE state = #push.scheduled ORDER BY start_at LIMIT 1) AS starts
          UNION ALL
          SELECT * FROM (SELECT expires_at FROM pushes INDEXED BY pushes_expiring
            WHERE state IN #push.underWay AND waiting > 0 AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1) AS ends) AS changes
        """)
      if try select.step() { work.nextChange = select.optionalTimestamp(0) }
      return work
    }
  }

  /// Work that could be leased: apps with transactional pushes, and campaigns.
  public func openWork(limit: Int) throws(StoreError) -> OpenWork {
    try readers.view { (db) throws(StoreError) in
      var work = OpenWork()
      var app: Int64 = -1
      while work.transactionalApps.count < limit, let next = try db.nextOpenApp(after: app, .transactional) {
        work.transactionalApps.append(AppID(rawValue: next))
        app = next
      }
      app = -1
      // So many of each app: one whose campaigns cannot be sent does not hide those of the others.
      while work.campaigns.count < limit, let next = try db.nextOpenApp(after: app, .campaign) {
        work.campaigns += try db.openCampaigns(of: AppID(rawValue: next), limit: Self.campaignsPerApp)
        app = next
      }
      return work
    }
  }

  /// Campaigns of one app that are leased concurrently; its other campaigns are queued until one of them finishes.
  private static let campaignsPerApp = 100
}

extension Connection {
  fileprivate func unsettled(_ id: PushID) throws(StoreError) -> (cancelled: Int, inFlight: Int, unknown: Int) {
    let select = try prepare("SELECT cancelled, in_flight, unknown FROM pushes WHERE id = ?1")
    select.bind(1, id)
    guard try select.step() else { throw Checks.missing("push", id) }
    return (select.int(0), select.int(1), select.int(2))
  }

  fileprivate func scheduled(until now: Timestamp, limit: Int) throws(StoreError) -> [PushID] {
    let select = try prepare(
      "SELECT id FROM pushes WHERE state = #push.scheduled AND start_at <= ?1 ORDER BY start_at LIMIT ?2")
    select.bindAll(now, limit)
    var due: [PushID] = []
    while try select.step() { due.append(select.id(0)) }
    return due
  }

  /// Unfinished pushes of which something waits although it has expired.
  fileprivate func expired(at now: Timestamp, limit: Int) throws(StoreError) -> [PushID] {
    let select = try prepare(
      """
      SELECT id FROM pushes INDEXED BY pushes_expiring
      WHERE state IN #push.underWay AND waiting > 0 AND expires_at IS NOT NULL AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2
      """)
    select.bindAll(now, limit)
    var expired: [PushID] = []
    while try select.step() { expired.append(select.id(0)) }
    return expired
  }

  /// The next lane in which something waits, and when the first of it is due.
  fileprivate func nextLane(after lane: Int64) throws(StoreError) -> (lane: Int64, due: Timestamp)? {
    let select = try prepare(
      """
      SELECT lane, not_before FROM deliveries INDEXED BY deliveries_due
      WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane > ?1 ORDER BY lane, not_before LIMIT 1
      """)
    select.bind(1, Optional(lane))
    return try select.step() ? (select.int64(0), select.timestamp(1)) : nil
  }

  /// Jumps from app to app in the index of open work.
  fileprivate func nextOpenApp(after app: Int64, _ pushClass: PushClass) throws(StoreError) -> Int64? {
    let select = try prepare(
      """
      SELECT app FROM pushes INDEXED BY pushes_open WHERE open = 1 AND class = ?2 AND app > ?1 ORDER BY app LIMIT 1
      """)
    select.bindAll(app, Int(pushClass.rawValue))
    return try select.step() ? select.int64(0) : nil
  }

  fileprivate func openCampaigns(of app: AppID, limit: Int) throws(StoreError) -> [OpenCampaign] {
    let select = try prepare(
      """
      SELECT id, app, audience_complete, targeted - cursor, throttle,
        targeted = cursor AND EXISTS (
          SELECT 1 FROM deliveries INDEXED BY deliveries_due WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane = -pushes.id)
      FROM pushes INDEXED BY pushes_open WHERE open = 1 AND class = #class.campaign AND app = ?1 ORDER BY id LIMIT ?2
      """)
    select.bindAll(app, limit)
    var campaigns: [OpenCampaign] = []
    while try select.step() {
      campaigns.append(
        OpenCampaign(
          push: select.id(0), app: select.id(1), audienceComplete: select.bool(2), fresh: select.int(3),
          throttlePerMinute: select.isNull(4) ? nil : select.int(4), hasHeld: select.bool(5)))
    }
    return campaigns
  }
}

extension WriterContext {
  /// Resumes a paused scheduled push; false when it was not paused.
  fileprivate func resumeScheduledPush(_ id: PushID) throws(StoreError) -> Bool {
    let update = try db.prepare("UPDATE push_plans SET held_at = NULL WHERE push = ?1 AND held_at IS NOT NULL")
    update.bind(1, id)
    try update.run()
    return db.changes == 1
  }

  /// Throws `conflict` when a push is in a state in which something cannot be done to it.
  func require(_ id: PushID, for act: PushAct) throws(StoreError) {
    let select = try db.prepare("SELECT state FROM pushes WHERE id = ?1")
    select.bind(1, id)
    guard try select.step() else { throw Checks.missing("push", id) }
    let state = PushState(rawValue: UInt8(truncatingIfNeeded: select.int(0)))
    guard let state, act.states.contains(state) else {
      throw StoreError(
        .conflict, "push \(id) \(act.objection) (\(state?.name ?? "unknown"))", advice: "read the push again")
    }
  }

  /// Starts sending a push; a paused one keeps its start time and is scheduled again when that is in the future.
  mutating func open(_ id: PushID, _ now: Timestamp) throws(StoreError) {
    if try waitAgain(id, now) { return }
    let update = try db.prepare(
      """
      UPDATE pushes SET start_at = CASE WHEN state = #push.paused THEN start_at ELSE ?2 END,
        resumed_at = CASE WHEN state = #push.paused THEN ?2 ELSE resumed_at END, state = #push.sending, held_at = NULL,
        open = CASE WHEN #leasable(audience_complete; cursor; targeted) THEN 1 ELSE 0 END
      WHERE id = ?1
      """)
    update.bindAll(id, now)
    try update.run()
    try finishIfDone(id, now)
  }

  /// Schedules a paused push again that has not begun; false when its start time has passed.
  ///
  /// A push with a local start time is not affected: its rows have due times of their own.
  private func waitAgain(_ id: PushID, _ now: Timestamp) throws(StoreError) -> Bool {
    let update = try db.prepare(
      """
      UPDATE pushes SET state = #push.scheduled, held_at = NULL, open = 0
      WHERE id = ?1 AND state = #push.paused AND start_at > ?2 AND cursor = 0 AND resumed_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM push_plans WHERE push = ?1 AND local_clock IS NOT NULL)
      """)
    update.bindAll(id, now)
    try update.run()
    return db.changes == 1
  }
}

/// Deliveries looked at in one step.
private let pageRows: Int64 = 5_000

extension Connection {
  /// Makes first tries of a push due that its throttle has spread; returns where the next page begins, nil at the end.
  fileprivate func bringForward(_ push: PushID, from first: Int64, _ now: Timestamp) throws(StoreError) -> Int64? {
    let select = try prepare("SELECT id + targeted FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return nil }
    let end = select.int64(0)
    let update = try prepare(
      """
      UPDATE deliveries SET at = ?3, not_before = ?3
      WHERE id >= ?1 AND id < ?2 AND state = #delivery.waiting AND attempts = 0 AND not_before > ?3
      """)
    update.bindAll(first, min(first + pageRows, end), now)
    try update.run()
    return first + pageRows < end ? first + pageRows : nil
  }
}
