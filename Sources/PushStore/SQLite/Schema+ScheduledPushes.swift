extension Schema {
  /// Drafts, scheduled pushes and schedules.
  ///
  /// A plan outlives the start of its push: it stores the request, so that a campaign can be sent again. `due_at` is
  /// set only while the push is scheduled, so that the index of due pushes has no other rows.
  static let scheduledPushes = """
    CREATE TABLE push_plans(
      push INTEGER PRIMARY KEY, app INTEGER NOT NULL, request BLOB NOT NULL, due_at INTEGER, local_clock INTEGER,
      local_zone TEXT, user TEXT, key TEXT, schedule INTEGER, problem TEXT);
    CREATE INDEX push_plans_due ON push_plans(due_at) WHERE due_at IS NOT NULL;
    CREATE UNIQUE INDEX push_plans_by_key ON push_plans(app, user, key) WHERE key IS NOT NULL AND due_at IS NOT NULL;

    CREATE INDEX push_plans_by_user ON push_plans(app, user) WHERE user IS NOT NULL;

    CREATE TABLE schedules(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, request BLOB NOT NULL, next_at INTEGER,
      next_number INTEGER NOT NULL, made INTEGER NOT NULL, missed INTEGER NOT NULL, last_push INTEGER, problem TEXT,
      created_at INTEGER NOT NULL, ended_at INTEGER);
    CREATE INDEX schedules_due ON schedules(next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX schedules_by_app ON schedules(app, id);
    """

  /// Stored templates, by the app's own names.
  static let templates = """
    CREATE TABLE templates(
      app INTEGER NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL, created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL, PRIMARY KEY(app, name)) WITHOUT ROWID;
    """
}
