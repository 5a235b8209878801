extension Schema {
  /// Since when a push comes from a backup and when it was resumed last; schedules count the runs that exist.
  ///
  /// The deliveries of a push with `restored_at` may have been sent by the server that the backup was made of, so none of them
  /// ends as `expired`, `cancelled` or rejected by a rule (see `Transitions`). Earlier versions counted runs of schedules of
  /// which no push is stored.
  static let restored = """
    ALTER TABLE pushes ADD COLUMN restored_at INTEGER;
    ALTER TABLE pushes ADD COLUMN resumed_at INTEGER;
    UPDATE pushes SET restored_at = held_at WHERE held_at IS NOT NULL;
    UPDATE pushes SET restored_at = (SELECT l.held_at FROM push_plans l WHERE l.push = pushes.id)
      WHERE id IN (SELECT push FROM push_plans WHERE held_at IS NOT NULL);
    UPDATE schedules SET made = s.pushes FROM (
        SELECT l.schedule, count(*) AS pushes FROM push_plans l JOIN pushes p ON p.id = l.push
        WHERE l.schedule IS NOT NULL GROUP BY 1) s
      WHERE s.schedule = schedules.id AND schedules.made <> s.pushes;
    UPDATE schedules SET made = 0 WHERE made <> 0
      AND NOT EXISTS (SELECT 1 FROM push_plans l JOIN pushes p ON p.id = l.push WHERE l.schedule = schedules.id);
    """
}
