extension Schema {
  /// The queue of a webhook by push: a push with many notices or failed attempts delays no other.
  static let outboxOrder = """
    CREATE INDEX outbox_by_push ON outbox(webhook, push, id) WHERE dead = 0;
    DROP INDEX outbox_queue;
    """
}
