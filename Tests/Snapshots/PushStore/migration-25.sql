CREATE TABLE identity(app INTEGER PRIMARY KEY, mode INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE identity_keys(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, algorithm INTEGER NOT NULL,
  material BLOB NOT NULL, created_at INTEGER NOT NULL);
CREATE UNIQUE INDEX identity_keys_by_name ON identity_keys(app, name);
