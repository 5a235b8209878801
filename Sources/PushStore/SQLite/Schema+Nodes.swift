extension Schema {
  /// The servers that use the database, and what only one of them does at a time.
  ///
  /// `instance` tells a run of a server from those before it. A duty's `epoch` grows each time it changes hands.
  static let nodes = """
    CREATE TABLE nodes(
      name TEXT PRIMARY KEY, instance INTEGER NOT NULL, version TEXT NOT NULL, started_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL);
    CREATE TABLE duties(
      name TEXT PRIMARY KEY, node TEXT NOT NULL, instance INTEGER NOT NULL, epoch INTEGER NOT NULL,
      expires_at INTEGER NOT NULL);
    """

  /// How far a node's clock is ahead of the database's, in milliseconds, as the node measured it: only it can know.
  static let nodeClocks = "ALTER TABLE nodes ADD COLUMN clock_ahead_ms INTEGER;"
}
