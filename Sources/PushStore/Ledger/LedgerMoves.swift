internal import Ledger
internal import StoreModel

/// The small moves of the ledger that several operations share. Each keeps the law, or is one half of a pair that does.
extension WriterContext {
  /// Gives a delivery that a rule of ours keeps from being sent its final state; nil when it is no longer in the state `from`.
  @discardableResult
  mutating func ruleOut(
    _ delivery: Int64, of push: PushID, _ reason: String, from: Int, _ now: Timestamp, provider: UInt8 = 0
  ) throws(StoreError) -> DeliveryState? {
    var isUncertain = try db.isRestored(push)
    // A fresh delivery has never been on the wire of this server.
    if !isUncertain && from == RowState.waiting { isUncertain = try db.isUncertain(DeliveryID(rawValue: delivery)) }
    guard let state = Transitions.state(after: .ruledOut, from: .waiting, isUncertain: isUncertain) else { return nil }
    let code = try outcomeCode(provider: provider, status: 0, reason: reason)
    let update = try db.prepare(
      "UPDATE deliveries SET state = ?5, code = ?2, at = ?3, not_before = NULL#refused(?5) WHERE id = ?1 AND state = ?4"
    )
    update.bindAll(delivery, code, now, from, Int(state.rawValue))
    try update.run()
    guard db.changes == 1 else { return nil }
    if state == .rejected { refusals.add(push, code: code) }
    try tell([delivery], of: push, as: state, reason, now)
    return state
  }

  /// The same for a waiting delivery, with the counters of its push.
  mutating func ruleOutWaiting(
    _ delivery: Int64, of push: PushID, _ reason: String, _ now: Timestamp, provider: UInt8 = 0
  ) throws(StoreError) {
    // The push may have expired while the list was walked; then the row is final already.
    guard
      let state = try ruleOut(delivery, of: push, reason, from: RowState.waiting, now, provider: provider)
    else { return }
    let isRejected = state == .rejected
    try move(push, waiting: -1, rejected: isRejected ? 1 : 0, unknown: isRejected ? 0 : 1)
    try count(push, isRejected ? .rejected : .unknown, 1, now)
    try finishIfDone(push, now)
  }

  /// Queues webhook notices about completed deliveries.
  private mutating func tell(
    _ deliveries: [Int64], of push: PushID, as state: DeliveryState, _ reason: String, _ now: Timestamp
  ) throws(StoreError) {
    guard let first = deliveries.first, let kind = NoticeKind(rawValue: state.rawValue), try outbox.hasSubscribers(db),
      let owner = try db.extent(around: first)
    else { return }
    let notices = deliveries.map { Notice(kind, delivery: DeliveryID(rawValue: $0), at: now, text: reason) }
    try outbox.add(notices, app: owner.app, push: push, db)
  }

  /// Moves the counters of a push by one delivery.
  func move(
    _ push: PushID, waiting: Int = 0, inFlight: Int = 0, rejected: Int = 0, unknown: Int = 0
  ) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET waiting = waiting + ?2, in_flight = in_flight + ?3, rejected = rejected + ?4,
        unknown = unknown + ?5
      WHERE id = ?1
      """)
    update.bindAll(push, waiting, inFlight, rejected, unknown)
    try update.run()
  }

  /// Makes a fresh delivery wait in its lane; its counters are the caller's.
  ///
  /// A wait is dated (`at`), so that one of a clock that was ahead is known (see `ClockFollowing`).
  func hold(_ delivery: Int64, in queue: Int64, until: Timestamp, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      "UPDATE deliveries SET state = #delivery.waiting, at = ?4, not_before = ?2, lane = ?3 WHERE id = ?1 AND state = #delivery.fresh"
    )
    update.bindAll(delivery, until, queue, now)
    try update.run()
  }

  /// Makes a waiting delivery wait longer.
  func delay(_ delivery: Int64, in queue: Int64, until: Timestamp, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      "UPDATE deliveries SET at = ?4, not_before = ?2, lane = ?3 WHERE id = ?1 AND state = #delivery.waiting")
    update.bindAll(delivery, until, queue, now)
    try update.run()
  }

  /// Makes a waiting delivery wait in another queue, as long as before (see ``HeldRows``).
  func shelve(_ delivery: Int64, in queue: Int64) throws(StoreError) {
    let update = try db.prepare("UPDATE deliveries SET lane = ?2 WHERE id = ?1 AND state = #delivery.waiting")
    update.bindAll(delivery, queue)
    try update.run()
  }

  /// Marks a push finished when nothing of it waits or is on the wire.
  mutating func finishIfDone(_ push: PushID, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET state = CASE WHEN state IN #push.underWay THEN #push.sent ELSE state END, finished_at = ?2, open = 0
      WHERE id = ?1 AND finished_at IS NULL AND #finished(waiting; in_flight; audience_complete)
      RETURNING app, state
      """)
    update.bindAll(push, now)
    guard try update.step() else { return }
    try tellFinished(push, update.id(0), PushState(rawValue: UInt8(truncatingIfNeeded: update.int(1))), now)
  }

  /// Ends a push: what waits and was certainly not sent becomes cancelled or expired, at once, whatever its number.
  ///
  /// What may have been processed in an earlier attempt becomes unknown; what is on the wire still ends.
  mutating func end(_ push: PushID, as state: PushState, _ now: Timestamp) throws(StoreError) {
    let event = state == .expired ? LedgerEvent.expired : .cancelled
    let isRestored = try db.isRestored(push)
    let unknown = isRestored ? try endRestored(push, event, now) : try endUncertain(push, event, now)
    let stopped = try waiting(push) - unknown
    let final = try Self.state(after: event, isUncertain: isRestored)
    // Rows that have been tried before change one by one; fresh ones follow from the push's row (see `Schema`).
    let rows = try db.prepare(
      """
      UPDATE deliveries SET state = ?2, at = ?3, not_before = NULL
      WHERE state = #delivery.waiting AND id >= ?1 AND id < ?1 + (SELECT targeted FROM pushes WHERE id = ?1)
      """)
    rows.bindAll(push, Int(final.rawValue), now)
    try rows.run()
    let update = try db.prepare(
      """
      UPDATE pushes SET state = ?2, open = 0, waiting = 0, expired = expired + ?3, cancelled = cancelled + ?4,
        unknown = unknown + ?5
      WHERE id = ?1
      """)
    update.bindAll(push, Int(state.rawValue), event == .expired ? stopped : 0, event == .expired ? 0 : stopped, unknown)
    try update.run()
    try count(push, event == .expired ? .expired : .cancelled, stopped, now)
    try count(push, .unknown, unknown, now)
    try finishIfDone(push, now)
  }

  private static func state(
    after event: LedgerEvent, isUncertain: Bool
  ) throws(StoreError) -> DeliveryState {
    if let state = Transitions.state(after: event, from: .waiting, isUncertain: isUncertain) { return state }
    throw StoreError(.bug, "a waiting delivery cannot be \(event.rawValue)", advice: "report this")
  }

  /// Ends the waiting deliveries of a push that may have been processed; returns how many there were.
  private mutating func endUncertain(
    _ push: PushID, _ event: LedgerEvent, _ now: Timestamp
  ) throws(StoreError) -> Int {
    var ended: [Int64] = []
    do {
      // `resent` counts those that were queued again, so a push without any costs one look at its row.
      let select = try db.prepare(
        """
        SELECT d.id FROM pushes p CROSS JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
        WHERE p.id = ?1 AND p.resent > 0 AND d.state = #delivery.waiting AND d.unknowns > 0
        """)
      select.bind(1, push)
      while try select.step() { ended.append(select.int64(0)) }
    }
    guard !ended.isEmpty else { return 0 }
    let final = try Self.state(after: event, isUncertain: true)
    let update = try db.prepare("UPDATE deliveries SET state = ?2, at = ?3, not_before = NULL WHERE id = ?1")
    for id in ended {
      update.bindAll(id, Int(final.rawValue), now)
      try update.run()
    }
    try tell(ended, of: push, as: final, event.rawValue, now)
    return ended.count
  }

  /// Reports the waiting deliveries of a push that a backup brought back as unknown, each of them; returns how many there are.
  ///
  /// Their rows change with those of every push that ends.
  private mutating func endRestored(
    _ push: PushID, _ event: LedgerEvent, _ now: Timestamp
  ) throws(StoreError) -> Int {
    if try outbox.hasSubscribers(db) {
      var ended: [Int64] = []
      do {
        let select = try db.prepare(
          """
          SELECT d.id FROM pushes p CROSS JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
          WHERE p.id = ?1 AND (d.state = #delivery.waiting OR d.state = #delivery.fresh AND NOT #leased(d.id; p.id; p.cursor))
          """)
        select.bind(1, push)
        while try select.step() { ended.append(select.int64(0)) }
      }
      try tell(ended, of: push, as: try Self.state(after: event, isUncertain: true), event.rawValue, now)
    }
    return try waiting(push)
  }

  private func waiting(_ push: PushID) throws(StoreError) -> Int {
    let select = try db.prepare("SELECT waiting FROM pushes WHERE id = ?1")
    select.bind(1, push)
    return try select.step() ? select.int(0) : 0
  }

  /// Adds deliveries that ended without an answer to the series of their final state.
  mutating func count(
    _ push: PushID, _ metric: SeriesMetric, _ number: Int, _ now: Timestamp
  ) throws(StoreError) {
    guard number > 0 else { return }
    let select = try db.prepare("SELECT app, class = #class.campaign FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return }
    series.add(number, metric, app: select.id(0), push: push, isCampaign: select.bool(1), at: now)
  }

  /// The number of a (provider, status, reason), made when it is new.
  mutating func outcomeCode(provider: UInt8, status: Int, reason: String) throws(StoreError) -> Int64 {
    let key = OutcomeKey(provider: provider, status: status, reason: reason)
    if let known = outcomeCodes[key] { return known }
    let select = try db.prepare("SELECT code FROM outcomes WHERE provider = ?1 AND status = ?2 AND reason = ?3")
    select.bindAll(Int(provider), status, reason)
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
    if count >= StoreLimits.reasonsMax { return OutcomeCode.other(Provider(rawValue: key.provider)) }
    let insert = try db.prepare("INSERT INTO outcomes(provider, status, reason) VALUES (?1, ?2, ?3)")
    insert.bindAll(Int(key.provider), key.status, key.reason)
    try insert.run()
    return try db.lastInsertedRowID()
  }
}
