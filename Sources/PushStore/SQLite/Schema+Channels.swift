extension Schema {
  /// Broadcast channels, and which pushes belong to one.
  ///
  /// `live_pushes.kind` says whose key `owner` is (`LiveOwner`): 2 a channel. The rows of a push go with the owner, never
  /// with the push, whose own row stays for good.
  static let channels = """
    CREATE TABLE channels(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, environment INTEGER NOT NULL, bundle TEXT NOT NULL,
      channel TEXT NOT NULL, storage INTEGER NOT NULL, name TEXT, created_at INTEGER NOT NULL);
    CREATE UNIQUE INDEX channels_by_channel ON channels(app, environment, bundle, channel);
    CREATE UNIQUE INDEX channels_by_name ON channels(app, environment, name) WHERE name IS NOT NULL;

    CREATE TABLE live_pushes(
      kind INTEGER NOT NULL, owner INTEGER NOT NULL, push INTEGER NOT NULL, event INTEGER NOT NULL,
      PRIMARY KEY(kind, owner, push)) WITHOUT ROWID;
    """

  /// The `timestamp` of a channel's last broadcast, which devices compare.
  static let channelSeconds = "ALTER TABLE channels ADD COLUMN last_second INTEGER NOT NULL DEFAULT 0;"
}
