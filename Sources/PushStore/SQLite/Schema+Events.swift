/// What devices report, and how both reports and outcomes spread over time.
///
/// `events` holds one row for each thing a delivery was reported to have done, which is what makes a second report of it
/// a duplicate. `push_events` holds the counts of a push: they stay when the rows are gone. `series` holds counts by
/// minute: of a campaign under its push's number, of an app under its own number made negative. Pushes that are no
/// campaigns have no series of their own: theirs is read from their few rows.
///
/// `deliveries_by_name` costs each answer of FCM a microsecond of the writer, a third of what recording it takes; that is the price
/// of finding a notification by the one name an Android device has for it. A shorter key (the first letters of the message's id,
/// or its number) was measured and saves room only.
extension Schema {
  static let events = """
    CREATE TABLE events(
      delivery INTEGER NOT NULL, kind INTEGER NOT NULL, action TEXT NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY(delivery, kind, action)) WITHOUT ROWID;
    CREATE TABLE push_events(
      push INTEGER NOT NULL, kind INTEGER NOT NULL, action TEXT NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY(push, kind, action)) WITHOUT ROWID;
    CREATE TABLE series(
      scope INTEGER NOT NULL, bucket INTEGER NOT NULL, metric INTEGER NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY(scope, bucket, metric)) WITHOUT ROWID;

    CREATE INDEX deliveries_by_name ON deliveries(provider_id) WHERE provider_id IS NOT NULL;
    CREATE INDEX pushes_by_name ON pushes(app, name, id) WHERE name IS NOT NULL;

    INSERT INTO series SELECT p.id, d.at - d.at % 60000, d.state, count(*)
      FROM pushes p JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
      WHERE p.class = 2 AND d.state >= 5 GROUP BY 1, 2, 3;
    INSERT INTO series SELECT -p.app, d.at - d.at % 60000, d.state, count(*)
      FROM pushes p JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
      WHERE d.state >= 5 GROUP BY 1, 2, 3;
    CREATE TEMP TABLE ended AS
      SELECT p.id, p.app, p.class, p.finished_at - p.finished_at % 60000 AS bucket,
        CASE p.state WHEN 7 THEN 7 ELSE 8 END AS metric, count(*) AS count
      FROM pushes p JOIN deliveries d ON d.id >= p.id + p.cursor AND d.id < p.id + p.targeted AND d.state = 2
      WHERE p.state IN (5, 7) AND p.finished_at IS NOT NULL GROUP BY p.id;
    INSERT INTO series SELECT id, bucket, metric, count FROM ended WHERE class = 2
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    INSERT INTO series SELECT -app, bucket, metric, sum(count) FROM ended WHERE true GROUP BY 1, 2, 3
      ON CONFLICT DO UPDATE SET count = count + excluded.count;
    DROP TABLE ended;
    """
}
