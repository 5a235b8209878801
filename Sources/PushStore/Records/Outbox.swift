internal import Ledger
public import StoreModel

/// The webhook notices of a transaction, written to the queue when it commits.
struct Outbox {
  /// The webhooks by app, read once in a transaction; nil before that.
  private var listeners: [AppID: [NoticeBatches.Listener]]?
  private var batches = NoticeBatches()

  /// Whether the store has any subscribed webhook: most have none, and then no notices are collected.
  mutating func hasSubscribers(_ db: borrowing Connection) throws(StoreError) -> Bool { try !read(db).isEmpty }

  /// The apps of which a webhook is subscribed to such.
  mutating func apps(notifiedOf kind: NoticeKind, _ db: borrowing Connection) throws(StoreError) -> Set<AppID> {
    Set(try read(db).filter { _, listeners in listeners.contains { $0.wants(kind) } }.keys)
  }

  mutating func add(
    _ notices: [Notice], app: AppID, push: PushID, _ db: borrowing Connection
  ) throws(StoreError) {
    guard !notices.isEmpty, let listeners = try read(db)[app] else { return }
    batches.add(notices, push: push, to: listeners)
  }

  mutating func removeAll() {
    listeners = nil
    batches.removeAll()
  }

  /// Whether there is nothing to write.
  var isEmpty: Bool { batches.isEmpty }

  /// Writes the batches; what does not fit into a full queue is counted as dropped.
  mutating func write(to db: borrowing Connection) throws(StoreError) {
    defer { removeAll() }
    for batch in batches.all { try Self.write(batch.notices, batch.key, db) }
  }

  private static func write(
    _ notices: [Notice], _ key: NoticeBatches.Key, _ db: borrowing Connection
  ) throws(StoreError) {
    let join = try db.prepare("UPDATE webhooks SET queued = queued + 1 WHERE id = ?1 AND queued < ?2")
    join.bindAll(key.webhook, StoreLimits.webhookQueueMax)
    try join.run()
    guard db.changes == 1 else {
      let drop = try db.prepare("UPDATE webhooks SET dropped = dropped + ?2 WHERE id = ?1")
      drop.bindAll(key.webhook, notices.count)
      return try drop.run()
    }
    var bytes: [UInt8] = []
    for notice in notices { NoticeCoding.append(notice, to: &bytes) }
    let at = notices.last?.at ?? Timestamp(milliseconds: 0)
    let insert = try db.prepare(
      """
      INSERT INTO outbox(webhook, push, notices, created_at, attempts, not_before, dead) VALUES (?1, ?2, ?3, ?4, 0, 0, 0)
      """)
    insert.bindAll(key.webhook, key.push, bytes, at)
    try insert.run()
  }

  private mutating func read(_ db: borrowing Connection) throws(StoreError) -> [AppID: [NoticeBatches.Listener]] {
    if let listeners { return listeners }
    let select = try db.prepare("SELECT app, id, metrics FROM webhooks WHERE enabled = 1 ORDER BY id")
    var found: [AppID: [NoticeBatches.Listener]] = [:]
    while try select.step() {
      found[select.id(0), default: []].append(
        NoticeBatches.Listener(id: select.id(1), mask: UInt32(truncatingIfNeeded: select.int64(2))))
    }
    listeners = found
    return found
  }
}

extension SQLStore {
  /// The next batches of a webhook that are due.
  public func dueBatches(
    of webhook: WebhookID, after: PushID?, busy: Set<PushID>, limit: Int, now: Timestamp
  ) throws(StoreError) -> WebhookTurn {
    try readers.read { (db) throws(StoreError) in
      // Later batches of a push wait for its first one, also when that waits for a retry.
      let select = try db.prepare(
        """
        SELECT id, webhook, push, notices, created_at, attempts, failure, not_before
        FROM outbox INDEXED BY outbox_by_push WHERE dead = 0 AND webhook = ?1 AND push > ?2 ORDER BY push, id LIMIT 1
        """)
      select.bind(1, webhook)
      let start = after?.rawValue ?? 0
      var turn = WebhookTurn(batches: [], last: after)
      var (position, isRound) = (start, start == 0)
      for _ in 0..<StoreLimits.webhookLookMax where turn.batches.count < limit {
        select.bind(2, Optional(position))
        defer { select.reset() }
        guard try select.step() else {
          // Round once, back to where it began.
          if isRound { break }
          (position, isRound) = (0, true)
          continue
        }
        position = select.int64(2)
        if isRound, start > 0, position > start { break }
        turn.last = PushID(rawValue: position)
        guard !busy.contains(select.id(2)), select.timestamp(7) <= now else { continue }
        turn.batches.append(WebhookBatch(row: select))
      }
      return turn
    }
  }

  /// Records the results of delivery attempts.
  public func settleBatches(
    _ results: [WebhookResult], now: Timestamp, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        for result in results { try context.db.settle(result, now) }
      }, urgency: .bulk, completion: completion)
  }

  /// A page of the abandoned batches.
  public func deadBatches(
    of webhook: WebhookID, after: WebhookBatchID?, limit: Int
  ) throws(StoreError) -> [WebhookBatch] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT id, webhook, push, notices, created_at, attempts, failure FROM outbox INDEXED BY outbox_dead
        WHERE dead = 1 AND webhook = ?1 AND id > ?2 ORDER BY id LIMIT ?3
        """)
      select.bindAll(webhook, after?.rawValue ?? 0, Checks.page(limit))
      var batches: [WebhookBatch] = []
      while try select.step() { batches.append(WebhookBatch(row: select)) }
      return batches
    }
  }

  /// Puts abandoned batches back into the queue.
  public func replayBatches(
    of webhook: WebhookID, _ ids: [WebhookBatchID]?, now: Timestamp
  ) throws(StoreError) -> Int {
    try write { (context) throws(StoreError) in
      context.note(.webhooks)
      let update = try context.db.prepare(
        """
        UPDATE outbox SET dead = 0, attempts = 0, not_before = ?3
        WHERE dead = 1 AND webhook = ?1 AND (id = ?2 OR ?2 IS NULL)
        """)
      var count = 0
      for id in ids.map({ $0.map(Optional.some) }) ?? [nil] {
        update.bindAll(webhook, id, now)
        try update.run()
        count += context.db.changes
      }
      let queued = try context.db.prepare("UPDATE webhooks SET queued = queued + ?2 WHERE id = ?1")
      queued.bindAll(webhook, count)
      try queued.run()
      return count
    }
  }
}

extension Connection {
  fileprivate func settle(_ result: WebhookResult, _ now: Timestamp) throws(StoreError) {
    let select = try prepare("SELECT webhook FROM outbox WHERE id = ?1 AND dead = 0")
    select.bind(1, result.batch)
    guard try select.step() else { return }
    let webhook: WebhookID = select.id(0)
    switch result.change {
    case .taken:
      let delete = try prepare("DELETE FROM outbox WHERE id = ?1")
      delete.bind(1, result.batch)
      try delete.run()
      try note(webhook, leavesQueue: true, failure: nil, now)
    case .again(let instant, let failure):
      try keep(result.batch, isDead: false, instant, failure)
      try note(webhook, leavesQueue: false, failure: failure, now)
    case .dead(let failure):
      try keep(result.batch, isDead: true, now, failure)
      try note(webhook, leavesQueue: true, failure: failure, now)
      try trimDead(webhook)
    }
  }

  private func keep(
    _ batch: WebhookBatchID, isDead: Bool, _ instant: Timestamp, _ failure: String
  ) throws(StoreError) {
    let update = try prepare(
      "UPDATE outbox SET attempts = attempts + 1, dead = ?2, not_before = ?3, failure = ?4 WHERE id = ?1")
    update.bindAll(batch, isDead, instant, ReasonText.cut(failure))
    try update.run()
  }

  private func note(
    _ webhook: WebhookID, leavesQueue: Bool, failure: String?, _ now: Timestamp
  ) throws(StoreError) {
    let update = try prepare(
      """
      UPDATE webhooks SET queued = queued - ?2, succeeded_at = CASE WHEN CAST(?3 AS TEXT) IS NULL THEN ?4 ELSE succeeded_at END,
        failed_at = CASE WHEN CAST(?3 AS TEXT) IS NULL THEN failed_at ELSE ?4 END, failure = ?3
      WHERE id = ?1
      """)
    update.bindAll(webhook, leavesQueue, failure.map(ReasonText.cut), now)
    try update.run()
  }

  /// Bounds the number of abandoned batches: the oldest are deleted.
  private func trimDead(_ webhook: WebhookID) throws(StoreError) {
    let delete = try prepare(
      """
      DELETE FROM outbox WHERE id <= (SELECT id FROM outbox INDEXED BY outbox_dead WHERE dead = 1 AND webhook = ?1
        ORDER BY id DESC LIMIT 1 OFFSET ?2) AND webhook = ?1 AND dead = 1
      """)
    delete.bindAll(webhook, StoreLimits.webhookDeadMax)
    try delete.run()
  }
}

extension WebhookBatch {
  /// From columns id, webhook, push, notices, created_at, attempts, failure.
  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), webhook: row.id(1), push: row.id(2), notices: NoticeCoding.decode(row.blob(3)),
      createdAt: row.timestamp(4), attempts: row.int(5), failure: row.optionalText(6))
  }
}
