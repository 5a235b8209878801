extension SQLiteStore {
  /// Lets a draft go, now or at `startAt`.
  public func releasePush(_ id: PushID, startAt: Timestamp?, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      try context.require(id, in: [.draft], "is not a draft")
      let start = max(startAt ?? now, now)
      if start > now {
        let update = try context.db.prepare("UPDATE pushes SET state = 2, start_at = ?2 WHERE id = ?1")
        update.bind(1, id)
        update.bind(2, start)
        try update.run()
      } else {
        try context.open(id, now)
      }
    }
  }

  /// Holds a push; what is on the wire still ends.
  public func pausePush(_ id: PushID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      try context.require(id, in: [.sending, .scheduled, .paused], "cannot be held")
      // Held pushes leave the index of open work, so that they cost nothing while they are held.
      let update = try context.db.prepare("UPDATE pushes SET state = 4, open = 0 WHERE id = ?1")
      update.bind(1, id)
      try update.run()
    }
  }

  /// Lets a held push go on.
  public func resumePush(_ id: PushID, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      if try context.resumePlan(id) { return }
      try context.require(id, in: [.paused], "is not held")
      try context.open(id, now)
    }
  }

  /// Ends a push: what waits and was certainly not sent becomes `cancelled`.
  @discardableResult
  public func cancelPush(_ id: PushID, now: Timestamp) throws(StoreError) -> CancelSummary {
    try write { (context) throws(StoreError) in
      try context.require(id, in: [.draft, .scheduled, .planned, .sending, .paused], "is over")
      let before = try context.db.unsettled(id)
      try context.forgetDue(id)
      try context.end(id, as: .cancelled, now)
      let after = try context.db.unsettled(id)
      return CancelSummary(
        stopped: after.cancelled - before.cancelled, inFlight: after.inFlight, unknown: after.unknown - before.unknown)
    }
  }

  /// Changes the throttle.
  public func setThrottle(_ id: PushID, perMinute: Int?) throws(StoreError) {
    if let perMinute, perMinute < 1 {
      throw StoreError(.invalid, "throttle: \(perMinute) a minute", advice: "give at least 1, or none")
    }
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare("UPDATE pushes SET throttle = ?2 WHERE id = ?1")
      update.bind(1, id)
      update.bind(2, perMinute.map { Int64($0) })
      try update.run()
      if context.db.changes == 0 { throw Checks.missing("push", id) }
    }
  }

  /// Lets scheduled pushes whose moment has come go; returns them.
  public func startScheduled(
    now: Timestamp, limit: Int, completion: @escaping @Sendable (Result<[PushID], StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        let due = try context.db.scheduled(until: now, limit: Checks.page(limit))
        for id in due { try context.open(id, now) }
        return due
      }, completion: completion)
  }

  /// When the next waiting delivery or scheduled push is due, or nil.
  public func nextMoment() throws(StoreError) -> Timestamp? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT min(moment) FROM (
          SELECT * FROM (SELECT not_before AS moment FROM deliveries INDEXED BY deliveries_due
            WHERE state = 3 ORDER BY not_before LIMIT 1)
          UNION ALL
          SELECT * FROM (SELECT start_at FROM pushes WHERE state = 2 ORDER BY start_at LIMIT 1))
        """)
      return try select.step() ? select.optionalTimestamp(0) : nil
    }
  }

  /// Work that could be leased: apps with transactional pushes, and campaigns.
  public func openWork(limit: Int) throws(StoreError) -> OpenWork {
    try readers.view { (db) throws(StoreError) in
      var work = OpenWork()
      var app: Int64 = -1
      while work.transactionalApps.count < limit, let next = try db.nextTransactionalApp(after: app) {
        work.transactionalApps.append(AppID(rawValue: next))
        app = next
      }
      let select = try db.prepare(
        """
        SELECT id, app, audience_complete, targeted - cursor, throttle FROM pushes INDEXED BY pushes_open
        WHERE open = 1 AND class = 2 ORDER BY app, id LIMIT ?1
        """)
      select.bind(1, Checks.page(limit))
      while try select.step() {
        work.campaigns.append(
          OpenCampaign(
            push: select.id(0), app: select.id(1), audienceComplete: select.bool(2), fresh: select.int(3),
            throttlePerMinute: select.isNull(4) ? nil : select.int(4)))
      }
      return work
    }
  }
}

extension Connection {
  fileprivate func unsettled(_ id: PushID) throws(StoreError) -> (cancelled: Int, inFlight: Int, unknown: Int) {
    let select = try prepare("SELECT cancelled, in_flight, unknown FROM pushes WHERE id = ?1")
    select.bind(1, id)
    guard try select.step() else { throw Checks.missing("push", id) }
    return (select.int(0), select.int(1), select.int(2))
  }

  fileprivate func scheduled(until now: Timestamp, limit: Int) throws(StoreError) -> [PushID] {
    let select = try prepare("SELECT id FROM pushes WHERE state = 2 AND start_at <= ?1 ORDER BY start_at LIMIT ?2")
    select.bind(1, now)
    select.bind(2, limit)
    var due: [PushID] = []
    while try select.step() { due.append(select.id(0)) }
    return due
  }

  /// Jumps from app to app in the index of open work.
  fileprivate func nextTransactionalApp(after app: Int64) throws(StoreError) -> Int64? {
    let select = try prepare(
      """
      SELECT app FROM pushes INDEXED BY pushes_open WHERE open = 1 AND class = 1 AND app > ?1 ORDER BY app LIMIT 1
      """)
    select.bind(1, app)
    return try select.step() ? select.int64(0) : nil
  }
}

extension WriterContext {
  /// Lets a push that waits for its time start again when it was held; false when it was not.
  fileprivate func resumePlan(_ id: PushID) throws(StoreError) -> Bool {
    let update = try db.prepare("UPDATE push_plans SET held_at = NULL WHERE push = ?1 AND held_at IS NOT NULL")
    update.bind(1, id)
    try update.run()
    return db.changes == 1
  }

  func require(_ id: PushID, in states: [PushState], _ otherwise: String) throws(StoreError) {
    let select = try db.prepare("SELECT state FROM pushes WHERE id = ?1")
    select.bind(1, id)
    guard try select.step() else { throw Checks.missing("push", id) }
    guard let state = PushState(rawValue: UInt8(truncatingIfNeeded: select.int(0))), states.contains(state) else {
      let name = PushState(rawValue: UInt8(truncatingIfNeeded: select.int(0)))?.name ?? "unknown"
      throw StoreError(.conflict, "push \(id) \(otherwise) (\(name))", advice: "read the push again")
    }
  }

  /// Puts a push among those that are sent; a held one keeps its start.
  mutating func open(_ id: PushID, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET start_at = CASE WHEN state = 4 THEN start_at ELSE ?2 END, state = 3,
        held_at = NULL, open = NOT (audience_complete AND cursor = targeted)
      WHERE id = ?1
      """)
    update.bind(1, id)
    update.bind(2, now)
    try update.run()
    try finishIfDone(id, now)
  }
}
