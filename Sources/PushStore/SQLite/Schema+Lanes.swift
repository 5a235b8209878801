extension Schema {
  /// Lanes: the app, provider and environment of a waiting delivery, and which lanes are stopped.
  ///
  /// `deliveries.lane` is set when a row starts to wait and is valid only then: `app * 64 + provider * 4 +
  /// environment`, or the push's negated number while the push is paused. So due deliveries are found lane by lane, and
  /// paused ones are skipped without being read.
  static let lanes = """
    ALTER TABLE deliveries ADD COLUMN lane INTEGER;
    UPDATE deliveries SET lane = 64 * (SELECT p.app FROM pushes p WHERE p.id <= deliveries.id ORDER BY p.id DESC LIMIT 1)
      + coalesce(
        (SELECT CASE WHEN v.kind IN (4, 5) THEN 8 ELSE 4 END + v.environment FROM devices v
          WHERE v.id = deliveries.device),
        CASE WHEN CAST(target AS INTEGER) IN (4, 5) THEN 8 ELSE 4 END
          + CAST(substr(target, instr(target, ' ') + 1) AS INTEGER),
        5)
      WHERE state = 3;
    DROP INDEX deliveries_due;
    CREATE INDEX deliveries_due ON deliveries(lane, not_before) WHERE state = 3;
    CREATE INDEX pushes_expiring ON pushes(expires_at) WHERE state IN (3, 4) AND waiting > 0 AND expires_at IS NOT NULL;

    CREATE TABLE stops(
      lane INTEGER PRIMARY KEY, app INTEGER NOT NULL, reason TEXT NOT NULL, since INTEGER NOT NULL,
      refusals INTEGER NOT NULL, retry_at INTEGER NOT NULL);
    INSERT INTO stops SELECT a.id * 64 + s.column1, a.id,
        CASE WHEN instr(a.stop_reason, ': ') > 0 THEN substr(a.stop_reason, instr(a.stop_reason, ': ') + 2)
          ELSE a.stop_reason END, a.updated_at, 1, a.updated_at
      FROM apps a JOIN (VALUES (5), (6), (9)) s ON (s.column1 = 9) = (a.stop_reason LIKE 'fcm %')
      WHERE a.stop_reason IS NOT NULL;
    ALTER TABLE apps DROP COLUMN stop_reason;
    """
}
