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
