internal import Ledger
public import StoreModel

extension SQLStore {
  /// Takes note of the time, and lets what was written by a clock that was ahead follow it back.
  public func followClock(
    _ page: ClockPage, now: Timestamp, completion: @escaping @Sendable (Result<ClockStep, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        switch page {
        case .begin(let latest):
          guard try context.db.isClockBehind(latest: max(latest, now), now) else { return ClockStep() }
          // Slots that were assigned by the clock that was ahead must not delay what is scheduled again now.
          context.throttles = ThrottleSlots()
          return ClockStep(next: .deliveries(lane: .min, dueAt: now, id: 0))
        case .deliveries(let lane, let dueAt, let id):
          return try context.db.followDeliveries(lane, dueAt, id, now)
        case .batches(let id): return try context.db.followBatches(after: id, now)
        }
      }, urgency: .bulk, completion: completion)
  }
}

private let pageRows = 2_000

extension Connection {
  /// Clocks are set right in small steps; what is less is no step back.
  ///
  /// Those of two nodes may differ by two seconds (``NodeIdentity/skewMaxMs``), which is none either.
  private var slackMs: Int64 { writesSets ? 3_000 : 1_000 }

  /// Whether times later than now were written; remembers the latest.
  fileprivate func isClockBehind(latest: Timestamp, _ now: Timestamp) throws(StoreError) -> Bool {
    let update = try prepare("UPDATE clock SET latest = max(latest, ?1) RETURNING latest")
    update.bind(1, latest)
    guard try update.step() else { return false }
    return update.timestamp(0) > now.adding(milliseconds: slackMs)
  }

  /// A retry that a clock that was ahead put off waits as long as it was to wait, from now on.
  ///
  /// Such a wait is dated later than now.
  fileprivate func followDeliveries(
    _ lane: Int64, _ dueAt: Timestamp, _ id: Int64, _ now: Timestamp
  ) throws(StoreError) -> ClockStep {
    var step = ClockStep()
    var rows: [(id: Int64, at: Timestamp, dueAt: Timestamp)] = []
    do {
      let select = try prepare(
        """
        SELECT id, at, not_before FROM deliveries INDEXED BY deliveries_due
        WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane = ?1 AND (not_before, id) > (?2, ?3) ORDER BY not_before, id LIMIT ?4
        """)
      select.bindAll(lane, dueAt, id, pageRows)
      while try select.step() { rows.append((select.int64(0), select.timestamp(1), select.timestamp(2))) }
    }
    for row in rows where row.at > now.adding(milliseconds: slackMs) {
      if try bringForward(row.id, at: row.at, dueAt: row.dueAt, now) { step.changed += 1 }
    }
    if let last = rows.last, rows.count == pageRows {
      step.next = .deliveries(lane: lane, dueAt: last.dueAt, id: last.id)
    } else if let next = try waitingLane(after: lane) {
      step.next = .deliveries(lane: next, dueAt: now, id: 0)
    } else {
      step.next = .batches(after: 0)
    }
    return step
  }

  private func bringForward(
    _ delivery: Int64, at: Timestamp, dueAt: Timestamp, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let select = try prepare(
      """
      SELECT d.attempts, p.throttle, l.local_clock, l.local_zone, v.timezone, l.local_day, v.registered_at
      FROM deliveries d
      JOIN pushes p ON p.id = (SELECT max(id) FROM pushes WHERE id <= d.id)
      LEFT JOIN push_plans l ON l.push = p.id LEFT JOIN devices v ON v.id = d.device WHERE d.id = ?1 AND d.state = #delivery.waiting
      """)
    select.bind(1, Optional(delivery))
    guard try select.step() else { return false }
    var due = SetBackClock.due(
      at: dueAt, writtenAt: at, isFirst: select.int(0) == 0, isThrottled: !select.isNull(1), now)
    if !select.isNull(2) {
      var instants = ZoneInstants(LocalStart(select, clock: 2, zone: 3, day: 5))
      due = max(due, instants.instant(in: select.optionalText(4), seenAt: select.optionalTimestamp(6)))
    }
    let update = try prepare(
      "UPDATE deliveries SET at = ?3, not_before = ?2 WHERE id = ?1 AND state = #delivery.waiting")
    update.bindAll(delivery, due, now)
    try update.run()
    return changes == 1
  }

  /// The next lane in which something waits; those of paused pushes have numbers below zero.
  private func waitingLane(after lane: Int64) throws(StoreError) -> Int64? {
    let select = try prepare(
      "SELECT lane FROM deliveries INDEXED BY deliveries_due WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane > ?1 ORDER BY lane LIMIT 1"
    )
    select.bind(1, Optional(lane))
    return try select.step() ? select.int64(0) : nil
  }

  /// Makes all webhook batches due at once.
  fileprivate func followBatches(after id: Int64, _ now: Timestamp) throws(StoreError) -> ClockStep {
    guard let last = try lastOfPage("SELECT id FROM outbox WHERE id > ?1 ORDER BY id LIMIT ?2", after: id) else {
      let update = try prepare("UPDATE clock SET latest = ?1")
      update.bind(1, now)
      try update.run()
      return ClockStep()
    }
    let update = try prepare(
      "UPDATE outbox SET not_before = ?3 WHERE id > ?1 AND id <= ?2 AND dead = 0 AND not_before > ?3")
    update.bindAll(id, last, now)
    try update.run()
    return ClockStep(next: .batches(after: last), changed: changes)
  }

  private func lastOfPage(_ sql: StaticString, after id: Int64) throws(StoreError) -> Int64? {
    let select = try prepare(sql)
    select.bindAll(id, pageRows)
    var last: Int64?
    while try select.step() { last = select.int64(0) }
    return last
  }
}
