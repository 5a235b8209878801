public import StoreModel

extension SQLStore {
  /// The policy of an app, or the one for apps that have none of their own.
  public func retention(app: AppID?) throws(StoreError) -> RetentionPolicy {
    try readers.read { (db) throws(StoreError) in try db.retentions()[app?.rawValue ?? 0] ?? RetentionPolicy() }
  }

  /// Sets it.
  public func setRetention(app: AppID?, _ policy: RetentionPolicy) throws(StoreError) {
    _ = try changeRetention(app: app) { $0 = policy }
  }

  /// Changes it in one transaction.
  public func changeRetention(
    app: AppID?, _ change: @escaping @Sendable (inout RetentionPolicy) -> Void
  ) throws(StoreError) -> RetentionPolicy {
    try write { (context) throws(StoreError) in
      if let app, try context.db.app(app) == nil { throw Checks.missing("app", app) }
      context.note(.retention)
      var policy = try context.db.retentions()[app?.rawValue ?? 0] ?? RetentionPolicy()
      change(&policy)
      try policy.check()
      guard app != nil || policy.unseenDays == nil else {
        throw StoreError(.invalid, "unseen_days without an app", advice: "set it for each app")
      }
      let replace = try context.db.prepare(

        """
        INSERT INTO retention(app, deliveries_days, events_days, unseen_days) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT(app) DO UPDATE SET deliveries_days = excluded.deliveries_days, events_days = excluded.events_days,
          unseen_days = excluded.unseen_days
        """)
      replace.bindAll(
        app?.rawValue ?? 0, policy.deliveriesDays.map(Int64.init), policy.eventsDays.map(Int64.init),
        policy.unseenDays.map(Int64.init))
      try replace.run()
      return policy
    }
  }

  /// When `purge` was called last; nil before.
  public func latestPurge() throws(StoreError) -> Timestamp? {
    try readers.read { (db) throws(StoreError) in
      guard let latest = try db.integer("SELECT trusted FROM clock"), latest > 0 else { return nil }
      return Timestamp(milliseconds: latest)
    }
  }

  /// Deletes up to `limit` rows past their retention period.
  public func purge(
    now: Timestamp, limit: Int, completion: @escaping @Sendable (Result<PurgeSummary, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        var purge = Purge(now: now, limit: Int64(Checks.page(limit)), policies: try context.db.retentions())
        try purge.run(&context)
        try context.forgetUnseen(purge.policies, now: now, &purge.summary)
        try context.purgeActivities(now: now)
        try context.purgeInbox(now: now)
        try context.purgeShadow(now: now)
        // Nothing is deleted by a clock that is in doubt.
        let note = try context.db.prepare("UPDATE clock SET trusted = ?1")
        note.bind(1, now)
        try note.run()
        return purge.summary
      }, urgency: .bulk, completion: completion)
  }
}

/// A push, as far as deleting its rows needs to know it.
private struct PurgeCandidate {
  let id: PushID
  let app: Int64
  let isCampaign: Bool
  let targeted: Int64
  let finishedAt: Timestamp?
  /// Deliveries with numbers below this are deleted.
  let until: Int64
  let hasEvents: Bool
  /// What is said goes with the last delivery.
  let hasContent: Bool

  init(_ row: borrowing Statement) {
    id = row.id(0)
    app = row.int64(1)
    isCampaign = row.bool(2)
    targeted = row.int64(3)
    finishedAt = row.optionalTimestamp(4)
    until = row.int64(5)
    hasEvents = !row.bool(6)
    hasContent = row.bool(7)
  }
}

/// One step of deleting: pushes are looked at in their order, from where the last step ended, round and round.
private struct Purge {
  let now: Timestamp
  let policies: [Int64: RetentionPolicy]
  var summary = PurgeSummary()
  private var left: Int64

  /// Pushes whose rows are looked at in one step.
  private static let pushesMax = 1_000
  /// Pushes passed over in one step because they are too young.
  private static let passedMax = 4_000
  private static let dayMs: Int64 = 86_400_000

  init(now: Timestamp, limit: Int64, policies: [Int64: RetentionPolicy]) {
    self.now = now
    self.policies = policies
    left = limit
  }

  mutating func run(_ context: inout WriterContext) throws(StoreError) {
    let shortest = policies.values.flatMap { [$0.deliveriesDays, $0.eventsDays].compactMap { $0 } }.min()
    guard let shortest else { return summary.isDone = true }
    let newest = now.adding(milliseconds: -Int64(shortest) * Self.dayMs)
    // A clock that was ahead for a while made pushes that look young between old ones, so the walk never ends at one.
    let end = try context.db.pushKey(after: context.retentionSweep, count: Self.passedMax)
    let pushes = try context.db.candidates(
      after: context.retentionSweep, upTo: end ?? .max, madeBefore: newest, limit: Self.pushesMax)
    for push in pushes {
      guard try purge(push, context.db) else { return }
      context.retentionSweep = push.id.rawValue
    }
    guard pushes.count < Self.pushesMax else { return }
    if let end { context.retentionSweep = end } else { startAnew(&context) }
  }

  private mutating func startAnew(_ context: inout WriterContext) {
    context.retentionSweep = 0
    summary.isDone = true
  }

  /// Deletes what is due of a push; false when there is more to delete than this step may.
  private mutating func purge(_ push: PurgeCandidate, _ db: borrowing Connection) throws(StoreError) -> Bool {
    let isOver = isOver(push, \.deliveriesDays)
    if push.hasEvents, isOver || self.isOver(push, \.eventsDays) {
      guard try deleteEvents(of: push, db) else { return false }
    }
    guard isOver, push.hasContent else { return true }
    return try deleteDeliveries(of: push, db)
  }

  private func isOver(_ push: PurgeCandidate, _ days: KeyPath<RetentionPolicy, Int?>) -> Bool {
    guard let finishedAt = push.finishedAt,
      let days = policies[push.app]?[keyPath: days] ?? policies[0]?[keyPath: days]
    else { return false }
    return finishedAt.adding(milliseconds: Int64(days) * Self.dayMs) <= now
  }

  // MARK: Events

  private mutating func deleteEvents(of push: PurgeCandidate, _ db: borrowing Connection) throws(StoreError) -> Bool {
    guard left > 0 else { return false }
    let end = try db.endOfEvents(push.id.rawValue, push.id.rawValue + push.targeted, count: left)
    if !push.isCampaign { try db.keepSeries(PurgeSQL.eventSeries, push.id, end) }
    let delete = try db.prepare("DELETE FROM events WHERE delivery >= ?1 AND delivery < ?2")
    delete.bindAll(push.id, end)
    try delete.run()
    summary.events += db.changes
    left -= Int64(db.changes)
    guard end == push.id.rawValue + push.targeted else { return false }
    let mark = try db.prepare(
      """
      INSERT INTO purged(push, until, accepted, rejected, expired, cancelled, unknown, events)
      VALUES (?1, 0, 0, 0, 0, 0, 0, 1) ON CONFLICT(push) DO UPDATE SET events = 1
      """)
    mark.bind(1, push.id)
    try mark.run()
    return true
  }

  // MARK: Deliveries

  private mutating func deleteDeliveries(
    of push: PurgeCandidate, _ db: borrowing Connection
  ) throws(StoreError) -> Bool {
    guard left > 0 else { return false }
    let until = min(push.until + left, push.targeted)
    let (first, end) = (push.id.rawValue + push.until, push.id.rawValue + until)
    try db.count(push.id, first, end, until: until)
    if !push.isCampaign { try db.keepSeries(PurgeSQL.deliverySeries, push.id, end) }
    let delete = try db.prepare("DELETE FROM deliveries WHERE id >= ?1 AND id < ?2")
    delete.bindAll(first, end)
    try delete.run()
    summary.deliveries += db.changes
    left -= until - push.until
    guard until == push.targeted else { return false }
    try db.forgetContent(of: push.id)
    return true
  }
}

private enum PurgeSQL {
  /// What the rows of a push that is no campaign say of time, up to a number; see `SeriesSQL.counted`.
  static let deliverySeries = """
    INSERT INTO series SELECT ?1, at - at % 60000, metric, count(*) FROM (
      SELECT CASE WHEN d.state = #delivery.fresh THEN coalesce(p.finished_at, d.at) ELSE d.at END AS at, \(LedgerSQL.state) AS metric
      FROM pushes p JOIN deliveries d ON d.id >= p.id AND d.id < ?2 WHERE p.id = ?1) AS counted
      WHERE metric >= #metric.accepted GROUP BY 2, 3
    ON CONFLICT(scope, bucket, metric) DO UPDATE SET count = series.count + excluded.count
    """
  static let eventSeries = """
    INSERT INTO series SELECT ?1, at - at % 60000, metric, count(*) FROM (
      SELECT at, kind + 10 AS metric FROM events WHERE delivery >= ?1 AND delivery < ?2 AND kind < #event.action
      UNION ALL
      SELECT min(at), #metric.action FROM events WHERE delivery >= ?1 AND delivery < ?2 AND kind = #event.action GROUP BY delivery) AS counted
      WHERE true GROUP BY 2, 3
    ON CONFLICT(scope, bucket, metric) DO UPDATE SET count = series.count + excluded.count
    """
}

extension Connection {
  fileprivate func retentions() throws(StoreError) -> [Int64: RetentionPolicy] {
    let select = try prepare("SELECT app, deliveries_days, events_days, unseen_days FROM retention")
    var policies: [Int64: RetentionPolicy] = [:]
    while try select.step() {
      policies[select.int64(0)] = RetentionPolicy(
        deliveriesDays: select.isNull(1) ? nil : select.int(1), eventsDays: select.isNull(2) ? nil : select.int(2),
        unseenDays: select.isNull(3) ? nil : select.int(3))
    }
    return policies
  }

  /// The number of the push `count` rows after another one, or nil when there are fewer.
  fileprivate func pushKey(after id: Int64, count: Int) throws(StoreError) -> Int64? {
    let select = try prepare("SELECT id FROM pushes WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2")
    select.bindAll(id, count - 1)
    return try select.step() ? select.int64(0) : nil
  }

  fileprivate func candidates(
    after id: Int64, upTo end: Int64, madeBefore newest: Timestamp, limit: Int
  ) throws(StoreError) -> [PurgeCandidate] {
    let select = try prepare(
      """
      SELECT p.id, p.app, p.class = #class.campaign, p.targeted, p.finished_at, coalesce(g.until, 0),
        coalesce(g.events, 0), EXISTS (SELECT 1 FROM push_contents c WHERE c.push = p.id)
          OR EXISTS (SELECT 1 FROM push_plans l WHERE l.push = p.id AND length(l.request) > 0)
      FROM pushes p LEFT JOIN purged g ON g.push = p.id
      WHERE p.id > ?1 AND p.id <= ?3 AND p.created_at < ?4 ORDER BY p.id LIMIT ?2
      """)
    select.bindAll(id, limit, end, newest)
    var pushes: [PurgeCandidate] = []
    while try select.step() { pushes.append(PurgeCandidate(select)) }
    return pushes
  }

  /// The delivery before which there are about `count` events, never in the middle of a delivery.
  fileprivate func endOfEvents(_ first: Int64, _ end: Int64, count: Int64) throws(StoreError) -> Int64 {
    let select = try prepare(
      "SELECT delivery FROM events WHERE delivery >= ?1 AND delivery < ?2 ORDER BY delivery LIMIT 1 OFFSET ?3")
    select.bindAll(first, end, count)
    return try select.step() ? select.int64(0) + 1 : end
  }

  fileprivate func keepSeries(_ sql: String, _ push: PushID, _ end: Int64) throws(StoreError) {
    let insert = try prepareOnce(sql)
    insert.bindAll(push, end)
    try insert.run()
  }

  /// Keeps how many rows of a range had which state; all of them have a final one.
  fileprivate func count(_ push: PushID, _ first: Int64, _ end: Int64, until: Int64) throws(StoreError) {
    let insert = try prepareOnce(
      """
      INSERT INTO purged(push, until, accepted, rejected, expired, cancelled, unknown, events)
      SELECT ?1, ?4, count(*) FILTER (WHERE s = 5), count(*) FILTER (WHERE s = 6),
        count(*) FILTER (WHERE s = 7), count(*) FILTER (WHERE s = 8), count(*) FILTER (WHERE s = 9), 0 FROM (
        SELECT \(LedgerSQL.state) AS s FROM pushes p JOIN deliveries d ON d.id >= ?2 AND d.id < ?3 WHERE p.id = ?1) AS ended
      WHERE true
      ON CONFLICT(push) DO UPDATE SET until = excluded.until, accepted = purged.accepted + excluded.accepted,
        rejected = purged.rejected + excluded.rejected, expired = purged.expired + excluded.expired,
        cancelled = purged.cancelled + excluded.cancelled, unknown = purged.unknown + excluded.unknown
      """)
    insert.bindAll(push, first, end, until)
    try insert.run()
  }

  /// Deletes the content of a push, the request it was created from, and the users named by its segment.
  fileprivate func forgetContent(of push: PushID) throws(StoreError) {
    try forgetRequest(of: push)
    for sql: StaticString in [
      "DELETE FROM push_contents WHERE push = ?1", "DELETE FROM push_segments WHERE push = ?1",
    ] {
      let delete = try prepare(sql)
      delete.bind(1, push)
      try delete.run()
    }
  }

  /// What is known of the deliveries of a push that were deleted.
  func purgedCounts(of push: PushID) throws(StoreError) -> LedgerCounts {
    let select = try prepare(
      "SELECT accepted, rejected, expired, cancelled, unknown FROM purged WHERE push = ?1")
    select.bind(1, push)
    var counts = LedgerCounts()
    guard try select.step() else { return counts }
    counts.accepted = select.int(0)
    counts.rejected = select.int(1)
    counts.expired = select.int(2)
    counts.cancelled = select.int(3)
    counts.unknown = select.int(4)
    counts.targeted = counts.sum
    return counts
  }
}

extension RetentionPolicy {
  fileprivate func check() throws(StoreError) {
    let rows = [
      ("deliveries_days", deliveriesDays, StoreLimits.deliveriesDays),
      ("events_days", eventsDays, StoreLimits.eventsDays),
      ("unseen_days", unseenDays, StoreLimits.unseenDays),
    ]
    for (name, days, range) in rows {
      guard let days, !range.contains(days) else { continue }
      throw StoreError(
        .invalid, "\(name): \(days), allowed are \(range.lowerBound) to \(range.upperBound)", advice: "change \(name)")
    }
  }
}
