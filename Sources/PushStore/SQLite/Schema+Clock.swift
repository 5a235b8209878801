extension Schema {
  /// The latest time that the store was given: what is dated later than now was written by a clock that was ahead.
  ///
  /// Whether a device changed hands after a list was made follows from numbers of `sequence`, and not from dates, which a
  /// clock that was wrong would turn round: `moved_number` is greater than the number of every list that was made before.
  /// The columns `moved_at` and `gathered_at` are not used any more.
  static let clock = """
    CREATE TABLE clock(latest INTEGER NOT NULL);
    INSERT INTO clock VALUES (0);
    ALTER TABLE devices ADD COLUMN moved_number INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE pushes ADD COLUMN gathered_number INTEGER;
    CREATE TEMP TABLE open_lists AS
      SELECT coalesce(gathered_at, created_at) AS at, id FROM pushes
      WHERE state IN (1, 2, 3, 4, 8) AND audience_kinds = 0;
    UPDATE devices SET moved_number = coalesce((SELECT max(id) + 1 FROM open_lists WHERE at < moved_at), 0)
      WHERE moved_at > 0;
    DROP TABLE open_lists;
    """

  /// The latest time known to be right: after a start it shows whether the clock is far ahead.
  static let clockTrust = "ALTER TABLE clock ADD COLUMN trusted INTEGER NOT NULL DEFAULT 0"
}
