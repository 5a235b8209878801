extension Schema {
  /// Schedules that are held, and how often each was changed.
  ///
  /// A push that was composed from a schedule is refused when the schedule has another `revision` by then.
  static let schedules = """
    ALTER TABLE schedules ADD COLUMN paused_at INTEGER;
    ALTER TABLE schedules ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    """
}
