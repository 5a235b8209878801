extension Schema {
  /// The queue of a webhook by push: one push with much to tell, or one that is told in vain, holds up no other.
  static let outboxOrder = """
    CREATE INDEX outbox_by_push ON outbox(webhook, push, id) WHERE dead = 0;
    DROP INDEX outbox_queue;
    """
}
