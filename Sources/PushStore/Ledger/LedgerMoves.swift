/// The small moves of the ledger that several operations share. Each keeps the law, or is one half of a pair that does.
extension WriterContext {
  /// Gives a never-sent delivery its final state; false when it is no longer in the state `from`.
  @discardableResult
  mutating func reject(
    _ delivery: Int64, of push: PushID, _ reason: String, from: Int, _ now: Timestamp, provider: UInt8 = 0
  ) throws(StoreError) -> Bool {
    let code = try outcomeCode(provider: provider, status: 0, reason: reason)
    let update = try db.prepare(
      "UPDATE deliveries SET state = 6, code = ?2, at = ?3, not_before = NULL WHERE id = ?1 AND state = ?4")
    update.bind(1, delivery)
    update.bind(2, code)
    update.bind(3, now)
    update.bind(4, from)
    try update.run()
    guard db.changes == 1 else { return false }
    refusals.add(push, code: code)
    if try outbox.isHeard(db), let owner = try db.extent(around: delivery) {
      let notice = Notice(.rejected, delivery: DeliveryID(rawValue: delivery), at: now, text: reason)
      try outbox.add([notice], app: owner.app, push: owner.id, db)
    }
    return true
  }

  /// Moves the counters of a push by one delivery.
  func move(_ push: PushID, waiting: Int = 0, inFlight: Int = 0, rejected: Int = 0) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET waiting = waiting + ?2, in_flight = in_flight + ?3, rejected = rejected + ?4 WHERE id = ?1
      """)
    update.bind(1, push)
    update.bind(2, waiting)
    update.bind(3, inFlight)
    update.bind(4, rejected)
    try update.run()
  }

  /// Makes a fresh delivery wait in its lane; its counters are the caller's.
  func hold(_ delivery: Int64, in lane: LaneKey, until: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      "UPDATE deliveries SET state = 3, not_before = ?2, lane = ?3 WHERE id = ?1 AND state = 2")
    update.bind(1, delivery)
    update.bind(2, until)
    update.bind(3, Optional(lane.number))
    try update.run()
  }

  /// Makes a waiting delivery wait longer, or in another lane (see ``HeldRows``).
  func delay(_ delivery: Int64, in lane: Int64, until: Timestamp) throws(StoreError) {
    let update = try db.prepare("UPDATE deliveries SET not_before = ?2, lane = ?3 WHERE id = ?1 AND state = 3")
    update.bind(1, delivery)
    update.bind(2, until)
    update.bind(3, Optional(lane))
    try update.run()
  }

  /// Marks a push finished when nothing of it waits or is on the wire.
  mutating func finishIfDone(_ push: PushID, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET state = CASE WHEN state IN (3, 4) THEN 6 ELSE state END, finished_at = ?2, open = 0
      WHERE id = ?1 AND waiting = 0 AND in_flight = 0 AND finished_at IS NULL
        AND (audience_complete OR state IN (5, 7))
      RETURNING app, state
      """)
    update.bind(1, push)
    update.bind(2, now)
    guard try update.step() else { return }
    try tellFinished(push, update.id(0), PushState(rawValue: UInt8(truncatingIfNeeded: update.int(1))), now)
  }

  /// Ends a push: what waits becomes cancelled or expired, at once, whatever its number; what is on the wire still ends.
  mutating func end(_ push: PushID, as state: PushState, _ now: Timestamp) throws(StoreError) {
    try countEnded(push, state == .expired ? .expired : .cancelled, now)
    let final = state == .expired ? DeliveryState.expired : .cancelled
    // Rows that have been tried before change one by one; fresh ones follow from the push's row (see `Schema`).
    let rows = try db.prepare(
      """
      UPDATE deliveries SET state = ?2, at = ?3, not_before = NULL
      WHERE state = 3 AND id >= ?1 AND id < ?1 + (SELECT targeted FROM pushes WHERE id = ?1)
      """)
    rows.bind(1, push)
    rows.bind(2, Int(final.rawValue))
    rows.bind(3, now)
    try rows.run()
    let update = try db.prepare(
      """
      UPDATE pushes SET state = ?2, open = 0, waiting = 0,
        expired = expired + CASE WHEN ?2 = 7 THEN waiting ELSE 0 END,
        cancelled = cancelled + CASE WHEN ?2 = 5 THEN waiting ELSE 0 END
      WHERE id = ?1
      """)
    update.bind(1, push)
    update.bind(2, Int(state.rawValue))
    try update.run()
    try finishIfDone(push, now)
  }

  /// Adds what still waits to the series of its final state.
  private mutating func countEnded(_ push: PushID, _ metric: SeriesMetric, _ now: Timestamp) throws(StoreError) {
    try count(push, metric, now) { $0 }
  }

  /// Adds deliveries that were never sent to the series of the rejected.
  mutating func countRejected(_ push: PushID, _ rejected: Int, _ now: Timestamp) throws(StoreError) {
    try count(push, .rejected, now) { _ in rejected }
  }

  private mutating func count(
    _ push: PushID, _ metric: SeriesMetric, _ now: Timestamp, _ number: (_ waiting: Int) -> Int
  ) throws(StoreError) {
    let select = try db.prepare("SELECT waiting, app, class = 2 FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return }
    let (waiting, app, isCampaign): (Int, AppID, Bool) = (select.int(0), select.id(1), select.bool(2))
    series.add(number(waiting), metric, app: app, push: push, isCampaign: isCampaign, at: now)
  }

  /// The number of a (provider, status, reason), made when it is new.
  mutating func outcomeCode(provider: UInt8, status: Int, reason: String) throws(StoreError) -> Int64 {
    let key = OutcomeKey(provider: provider, status: status, reason: reason)
    if let known = outcomeCodes[key] { return known }
    let select = try db.prepare("SELECT code FROM outcomes WHERE provider = ?1 AND status = ?2 AND reason = ?3")
    select.bind(1, Int(provider))
    select.bind(2, status)
    select.bind(3, reason)
    if try select.step() {
      outcomeCodes[key] = select.int64(0)
      return select.int64(0)
    }
    let code = try newOutcomeCode(key)
    outcomeCodes[key] = code
    return code
  }

  /// Reasons come from outside: each is cut to a length, and their number has an end.
  private func newOutcomeCode(_ key: OutcomeKey) throws(StoreError) -> Int64 {
    let count = try db.integer("SELECT count(*) FROM outcomes") ?? 0
    if count >= StoreLimits.reasonsMax { return key.provider == Provider.fcm.rawValue ? 6 : 5 }
    let insert = try db.prepare("INSERT INTO outcomes(provider, status, reason) VALUES (?1, ?2, ?3)")
    insert.bind(1, Int(key.provider))
    insert.bind(2, key.status)
    insert.bind(3, key.reason)
    try insert.run()
    return db.lastInsertedRowID
  }
}
