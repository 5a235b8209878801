/// Deliveries that may have been processed, recipients that were named twice, and schedules after a clock went back.
extension Schema {
  /// Makes rows true that earlier versions ended otherwise.
  ///
  /// Deliveries that may have been processed were ended as expired, cancelled or rejected by a rule of ours; they become
  /// `unknown`, in the counters and series too (see `Transitions`). Codes 5 and 6 are providers' reasons. Which occurrences of
  /// schedules were made before is not known; `computed_at` is the latest time that the schedule's rows name.
  static let truth = """
    ALTER TABLE pushes ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;

    CREATE TEMP TABLE uncertain AS
      SELECT d.id, p.id AS push, p.app, p.class, d.state, d.code, d.variant, d.at - d.at % 60000 AS bucket
      FROM pushes p CROSS JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
      WHERE p.resent > 0 AND d.unknowns > 0 AND (d.state IN (7, 8)
        OR d.state = 6 AND d.code IN (SELECT code FROM outcomes WHERE status = 0 AND code NOT IN (5, 6)));
    UPDATE deliveries SET state = 9 WHERE id IN (SELECT id FROM uncertain);
    UPDATE pushes SET unknown = unknown + (SELECT count(*) FROM uncertain u WHERE u.push = pushes.id),
      rejected = rejected - (SELECT count(*) FROM uncertain u WHERE u.push = pushes.id AND u.state = 6),
      expired = expired - (SELECT count(*) FROM uncertain u WHERE u.push = pushes.id AND u.state = 7),
      cancelled = cancelled - (SELECT count(*) FROM uncertain u WHERE u.push = pushes.id AND u.state = 8)
      WHERE id IN (SELECT push FROM uncertain);
    CREATE TEMP TABLE moved AS
      SELECT push AS scope, bucket, state, count(*) AS count FROM uncertain WHERE class = 2 GROUP BY 1, 2, 3
      UNION ALL SELECT -app, bucket, state, count(*) FROM uncertain GROUP BY 1, 2, 3;
    UPDATE series SET count = series.count - m.count FROM moved m
      WHERE series.scope = m.scope AND series.bucket = m.bucket AND series.metric = m.state;
    DELETE FROM series WHERE count <= 0 AND scope IN (SELECT scope FROM moved);
    INSERT INTO series SELECT scope, bucket, 9, sum(count) FROM moved WHERE true GROUP BY 1, 2
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    UPDATE refusals SET count = refusals.count - u.count
      FROM (SELECT push, code, count(*) AS count FROM uncertain WHERE state = 6 GROUP BY 1, 2) u
      WHERE refusals.push = u.push AND refusals.code = u.code;
    DELETE FROM refusals WHERE count <= 0;
    UPDATE variant_counts SET count = variant_counts.count - u.count
      FROM (SELECT push, variant, state, count(*) AS count FROM uncertain WHERE variant IS NOT NULL GROUP BY 1, 2, 3) u
      WHERE variant_counts.push = u.push AND variant_counts.variant = u.variant AND variant_counts.metric = u.state;
    DELETE FROM variant_counts WHERE count <= 0;
    INSERT INTO variant_counts SELECT push, variant, 9, count(*) FROM uncertain WHERE variant IS NOT NULL GROUP BY 1, 2
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    DROP TABLE moved;
    DROP TABLE uncertain;

    ALTER TABLE schedules ADD COLUMN computed_at INTEGER;
    ALTER TABLE schedules ADD COLUMN from_at INTEGER NOT NULL DEFAULT 0;
    UPDATE schedules SET from_at = created_at, computed_at = CASE WHEN paused_at IS NULL AND ended_at IS NULL
      THEN max(created_at, coalesce((SELECT p.created_at FROM pushes p WHERE p.id = schedules.last_push), 0)) END;
    ALTER TABLE push_plans ADD COLUMN occurrence_at INTEGER;
    CREATE INDEX schedules_computed ON schedules(computed_at) WHERE computed_at IS NOT NULL;
    CREATE UNIQUE INDEX push_plans_occurrences ON push_plans(schedule, occurrence_at) WHERE schedule IS NOT NULL;
    """
}
