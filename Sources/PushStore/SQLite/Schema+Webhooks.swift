/// Webhook endpoints.
///
/// `outbox` is the queue: one row for a batch of notices about one push. A delivered row is deleted; an abandoned one
/// stays with `dead = 1`.
extension Schema {
  static let webhooks = """
    CREATE TABLE webhooks(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, url TEXT NOT NULL, metrics INTEGER NOT NULL,
      sealed BLOB NOT NULL, previous BLOB, previous_until INTEGER, enabled INTEGER NOT NULL,
      queued INTEGER NOT NULL, dropped INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      succeeded_at INTEGER, failed_at INTEGER, failure TEXT);
    CREATE INDEX webhooks_by_app ON webhooks(app);
    CREATE TABLE outbox(
      id INTEGER PRIMARY KEY AUTOINCREMENT, webhook INTEGER NOT NULL, push INTEGER NOT NULL, notices BLOB NOT NULL,
      created_at INTEGER NOT NULL, attempts INTEGER NOT NULL, not_before INTEGER NOT NULL, dead INTEGER NOT NULL,
      failure TEXT);
    CREATE INDEX outbox_queue ON outbox(webhook, id) WHERE dead = 0;
    CREATE INDEX outbox_dead ON outbox(webhook, id) WHERE dead = 1;
    """
}
