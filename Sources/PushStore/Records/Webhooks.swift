public import StoreModel

extension SQLStore {
  /// Saves a webhook.
  public func createWebhook(_ webhook: NewWebhook, now: Timestamp) throws(StoreError) -> Webhook {
    try Checks.text(webhook.url, "url", max: StoreLimits.urlBytesMax)
    return try write { (context) throws(StoreError) in
      context.note(.webhooks)
      guard try context.db.app(webhook.app) != nil else { throw Checks.missing("app", webhook.app) }
      let others = try context.db.webhooks(app: webhook.app)
      guard !others.contains(where: { $0.url == webhook.url }) else { throw Self.sameURL }
      guard others.count < StoreLimits.webhooksPerAppMax else {
        throw StoreError(
          .conflict, "the app has \(StoreLimits.webhooksPerAppMax) webhooks already", advice: "delete one of them")
      }
      let insert = try context.db.prepare(
        """
        INSERT INTO webhooks(app, url, metrics, sealed, enabled, queued, dropped, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, 1, 0, 0, ?5, ?5)
        """)
      insert.bindAll(webhook.app, webhook.url, Webhook.mask(webhook.kinds), webhook.sealed, now)
      try insert.run()
      return try context.db.webhook(WebhookID(rawValue: context.db.lastInsertedRowID()))
    }
  }

  private static let sameURL = StoreError(
    .conflict, "the app has a webhook with this address already", advice: "change that one, or choose another address")

  /// The webhook with a key, or nil.
  public func webhook(_ id: WebhookID) throws(StoreError) -> Webhook? {
    try readers.read { (db) throws(StoreError) in try db.webhooks(id: id).first }
  }

  /// The webhooks of an app, or of all, by key.
  public func webhooks(app: AppID?) throws(StoreError) -> [Webhook] {
    try readers.read { (db) throws(StoreError) in try db.webhooks(app: app) }
  }

  /// Changes a webhook.
  public func updateWebhook(
    _ id: WebhookID, _ change: WebhookChange, now: Timestamp
  ) throws(StoreError) -> Webhook {
    if let url = change.url { try Checks.text(url, "url", max: StoreLimits.urlBytesMax) }
    return try write { (context) throws(StoreError) in
      context.note(.webhooks)
      let others = try context.db.webhooks(app: try context.db.webhook(id).app)
      guard !others.contains(where: { $0.url == change.url && $0.id != id }) else { throw Self.sameURL }
      let update = try context.db.prepare(
        """
        UPDATE webhooks SET url = coalesce(?2, url), metrics = coalesce(?3, metrics), enabled = coalesce(?4, enabled),
          held_at = CASE WHEN ?4 = 1 THEN NULL ELSE held_at END,
          sealed = coalesce(?5, sealed), previous = CASE WHEN ?5 IS NULL THEN previous ELSE sealed END,
          previous_until = CASE WHEN ?5 IS NULL THEN previous_until ELSE ?6 END,
          updated_at = ?7
        WHERE id = ?1
        """)
      update.bindAll(
        id, change.url, change.kinds.map(Webhook.mask), change.isEnabled.map { $0 ? 1 : 0 }, change.secret?.sealed,
        change.secret?.previousUntil, now)
      try update.run()
      return try context.db.webhook(id)
    }
  }

  /// Deletes a webhook with its queued notices.
  public func deleteWebhook(_ id: WebhookID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.webhooks)
      for sql in ["DELETE FROM outbox WHERE webhook = ?1", "DELETE FROM webhooks WHERE id = ?1"] {
        let delete = try context.db.prepareOnce(sql)
        delete.bind(1, id)
        try delete.run()
      }
      if context.db.changes == 0 { throw Checks.missing("webhook", id) }
    }
  }
}

extension Connection {
  fileprivate func webhook(_ id: WebhookID) throws(StoreError) -> Webhook {
    guard let webhook = try webhooks(id: id).first else { throw Checks.missing("webhook", id) }
    return webhook
  }

  fileprivate func webhooks(app: AppID? = nil, id: WebhookID? = nil) throws(StoreError) -> [Webhook] {
    let select = try prepare(
      """
      SELECT id, app, url, metrics, sealed, previous, previous_until, enabled, queued, dropped, created_at, updated_at,
        succeeded_at, failed_at, failure, held_at
      FROM webhooks WHERE (app = ?1 OR ?1 IS NULL) AND (id = ?2 OR ?2 IS NULL) ORDER BY id
      """)
    select.bindAll(app, id)
    var webhooks: [Webhook] = []
    while try select.step() { webhooks.append(Webhook(row: select)) }
    return webhooks
  }
}

extension Webhook {
  fileprivate static func mask(_ kinds: Set<NoticeKind>) -> Int64 {
    kinds.reduce(0) { $0 | 1 << Int64($1.rawValue) }
  }

  fileprivate init(row: borrowing Statement) {
    let mask = row.int64(3)
    self.init(
      id: row.id(0), app: row.id(1), url: row.text(2),
      kinds: Set(NoticeKind.allCases.filter { mask & 1 << Int64($0.rawValue) != 0 }), sealed: row.blob(4),
      previous: row.optionalBlob(5), previousUntil: row.optionalTimestamp(6), isEnabled: row.bool(7),
      queued: row.int(8), dropped: row.int(9), createdAt: row.timestamp(10), updatedAt: row.timestamp(11),
      succeededAt: row.optionalTimestamp(12), failedAt: row.optionalTimestamp(13), failure: row.optionalText(14),
      heldAt: row.optionalTimestamp(15))
  }
}
