CREATE TABLE passkeys(
  id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL, credential BLOB NOT NULL UNIQUE,
  host TEXT NOT NULL, handle BLOB NOT NULL, key BLOB NOT NULL, counter INTEGER NOT NULL,
  is_backup_eligible INTEGER NOT NULL, is_backed_up INTEGER NOT NULL, name TEXT NOT NULL,
  created_at INTEGER NOT NULL, used_at INTEGER);
CREATE INDEX passkeys_by_account ON passkeys(account);
