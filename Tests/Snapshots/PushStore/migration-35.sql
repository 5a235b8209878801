CREATE TABLE inbox(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, user INTEGER NOT NULL, name TEXT NOT NULL,
  type INTEGER NOT NULL, title TEXT NOT NULL, summary TEXT, body TEXT NOT NULL, url TEXT, data BLOB, push INTEGER,
  created_at INTEGER NOT NULL, read_at INTEGER, expires_at INTEGER NOT NULL);
CREATE UNIQUE INDEX inbox_by_name ON inbox(app, name);
CREATE INDEX inbox_by_user ON inbox(user, id);
CREATE INDEX inbox_by_expiry ON inbox(expires_at);
