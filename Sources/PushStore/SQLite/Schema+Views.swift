extension Schema {
  /// What people look for repeatedly in an app's list of pushes, by name.
  static let views = """
    CREATE TABLE saved_views(
      app INTEGER NOT NULL, name TEXT NOT NULL, query BLOB NOT NULL, created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL, PRIMARY KEY(app, name)) WITHOUT ROWID;
    """
}
