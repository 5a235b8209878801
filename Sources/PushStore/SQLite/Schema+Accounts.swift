extension Schema {
  /// People who work with the server, their roles (an app of null is the whole server) and signed-in browsers.
  ///
  /// Somebody who is removed keeps a row with the name, because what they did names them; email and password are deleted.
  static let accounts = """
    CREATE TABLE accounts(
      id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT UNIQUE, name TEXT NOT NULL, password BLOB,
      created_at INTEGER NOT NULL, invitation BLOB UNIQUE, invited_until INTEGER, joined_at INTEGER,
      signed_in_at INTEGER, removed_at INTEGER);
    CREATE TABLE grants(
      id INTEGER PRIMARY KEY, account INTEGER NOT NULL, app INTEGER, role INTEGER NOT NULL);
    CREATE INDEX grants_by_account ON grants(account);
    CREATE TABLE sessions(
      id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, key BLOB, account INTEGER,
      started_at INTEGER NOT NULL, used_at INTEGER NOT NULL, peer TEXT NOT NULL, agent TEXT NOT NULL);
    CREATE INDEX sessions_by_account ON sessions(account) WHERE account IS NOT NULL;
    """

  /// Who made a push, a schedule and a segment (`Author.stored`), who acted, and whose a key is.
  static let authors = """
    ALTER TABLE pushes ADD COLUMN author INTEGER;
    ALTER TABLE schedules ADD COLUMN author INTEGER;
    ALTER TABLE segments ADD COLUMN author INTEGER;
    ALTER TABLE audit ADD COLUMN account INTEGER;
    ALTER TABLE api_keys ADD COLUMN account INTEGER;
    """
}
