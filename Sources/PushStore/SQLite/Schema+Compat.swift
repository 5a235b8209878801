extension Schema {
  /// Which vendors' interfaces an app answers to, and the id it has there: it is kept while the interface is switched off, as
  /// callers have it in their settings.
  static let compat = """
    CREATE TABLE compat(
      app INTEGER NOT NULL, vendor TEXT NOT NULL, public_id TEXT NOT NULL UNIQUE, enabled INTEGER NOT NULL,
      created_at INTEGER NOT NULL, PRIMARY KEY(app, vendor)) WITHOUT ROWID;
    """
}
