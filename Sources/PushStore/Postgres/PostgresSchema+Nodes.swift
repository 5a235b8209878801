extension PostgresSchema {
  /// See ``Schema/nodes``.
  static let nodes = """
    CREATE TABLE nodes(
      name text PRIMARY KEY, instance bigint NOT NULL, version text NOT NULL, started_at bigint NOT NULL,
      seen_at bigint NOT NULL);
    CREATE TABLE duties(
      name text PRIMARY KEY, node text NOT NULL, instance bigint NOT NULL, epoch bigint NOT NULL,
      expires_at bigint NOT NULL);
    """

  /// See ``Schema/nodeClocks``.
  static let nodeClocks = "ALTER TABLE nodes ADD COLUMN clock_ahead_ms bigint;"
}
