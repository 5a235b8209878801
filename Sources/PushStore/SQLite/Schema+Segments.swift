extension Schema {
  /// Saved segments, and the segment a push is for.
  static let segments = """
    CREATE TABLE segments(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL,
      definition BLOB NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE(app, name));
    CREATE TABLE push_segments(push INTEGER PRIMARY KEY, filter BLOB NOT NULL);
    """
}
