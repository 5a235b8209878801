CREATE TABLE used_once(
  mark BLOB PRIMARY KEY, kind INTEGER NOT NULL, ends_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX used_once_by_kind ON used_once(kind, ends_at);

CREATE TABLE failed_tries(
  subject BLOB PRIMARY KEY, failures INTEGER NOT NULL, ends_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX failed_tries_by_end ON failed_tries(ends_at);

CREATE TABLE conditions(
  name BLOB PRIMARY KEY, version INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX conditions_by_time ON conditions(at);

CREATE TABLE unapproved(
  app INTEGER NOT NULL, minute INTEGER NOT NULL, devices INTEGER NOT NULL, PRIMARY KEY(app, minute)) WITHOUT ROWID;

CREATE TABLE imports(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, author INTEGER, node TEXT NOT NULL,
  started_at INTEGER NOT NULL, renewed_at INTEGER NOT NULL, running INTEGER NOT NULL, progress BLOB NOT NULL);
CREATE INDEX imports_by_app ON imports(app, id);

CREATE TABLE seal(id INTEGER PRIMARY KEY, mark BLOB NOT NULL);
