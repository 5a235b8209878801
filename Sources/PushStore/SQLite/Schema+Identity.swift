extension Schema {
  /// Signed identity: whether an app asks for it, and the keys that its backend signs tokens with.
  ///
  /// `material` is what a key verifies with: the sealed secret of HS256, or the public key of ES256 as PEM. An app without
  /// a row in `identity` does not ask.
  static let identity = """
    CREATE TABLE identity(app INTEGER PRIMARY KEY, mode INTEGER NOT NULL, updated_at INTEGER NOT NULL);
    CREATE TABLE identity_keys(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, algorithm INTEGER NOT NULL,
      material BLOB NOT NULL, created_at INTEGER NOT NULL);
    CREATE UNIQUE INDEX identity_keys_by_name ON identity_keys(app, name);
    """
}
