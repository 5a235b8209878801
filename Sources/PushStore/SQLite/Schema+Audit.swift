extension Schema {
  /// Who did what, and how fast each key may be used (requests a minute; null for the server's own rate).
  static let audit = """
    CREATE TABLE audit(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, key INTEGER, act TEXT NOT NULL, target TEXT NOT NULL,
      app TEXT, peer TEXT NOT NULL, request TEXT NOT NULL);
    CREATE INDEX audit_by_app ON audit(app, id) WHERE app IS NOT NULL;
    ALTER TABLE api_keys ADD COLUMN rate INTEGER;
    """
}
