extension Schema {
  /// Live Activities that were started by a push, and the addresses of their own.
  ///
  /// `live_pushes.kind` 3 is an activity. `budget_hour` is the hour since 1970 whose urgent sends `budget_used` counts;
  /// `last_second` is the `timestamp` of the last send, which devices compare.
  static let activities = """
    CREATE TABLE activities(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, user TEXT, bundle TEXT NOT NULL,
      attributes_type TEXT NOT NULL, channel INTEGER, urgent_per_hour INTEGER NOT NULL, budget_hour INTEGER NOT NULL,
      budget_used INTEGER NOT NULL, last_second INTEGER NOT NULL, stale_at INTEGER, dismissal_at INTEGER,
      created_at INTEGER NOT NULL, ended_at INTEGER);
    CREATE UNIQUE INDEX activities_by_name ON activities(app, name);
    CREATE INDEX activities_by_user ON activities(app, user) WHERE user IS NOT NULL;
    CREATE INDEX activities_by_age ON activities(created_at);

    CREATE TABLE activity_devices(
      activity INTEGER NOT NULL, device INTEGER NOT NULL, PRIMARY KEY(activity, device)) WITHOUT ROWID;
    CREATE INDEX activity_devices_by_device ON activity_devices(device);
    """
}
