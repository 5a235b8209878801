extension Schema {
  /// Since when a restored database holds what could go out, and the row with which readiness proves that it can write.
  ///
  /// What is held is in none of the indexes of what is due, so that it costs nothing while it is held.
  static let holds = """
    ALTER TABLE pushes ADD COLUMN held_at INTEGER;
    ALTER TABLE push_plans ADD COLUMN held_at INTEGER;
    ALTER TABLE schedules ADD COLUMN held_at INTEGER;
    ALTER TABLE webhooks ADD COLUMN held_at INTEGER;
    CREATE INDEX pushes_held ON pushes(id) WHERE held_at IS NOT NULL;
    CREATE INDEX push_plans_held ON push_plans(push) WHERE held_at IS NOT NULL;
    DROP INDEX push_plans_due;
    CREATE INDEX push_plans_due ON push_plans(due_at) WHERE due_at IS NOT NULL AND held_at IS NULL;
    CREATE TABLE readiness(probes INTEGER NOT NULL);
    INSERT INTO readiness VALUES (1000000);
    """
}
