CREATE TABLE channels(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, environment INTEGER NOT NULL, bundle TEXT NOT NULL,
  channel TEXT NOT NULL, storage INTEGER NOT NULL, name TEXT, created_at INTEGER NOT NULL);
CREATE UNIQUE INDEX channels_by_channel ON channels(app, environment, bundle, channel);
CREATE UNIQUE INDEX channels_by_name ON channels(app, environment, name) WHERE name IS NOT NULL;

CREATE TABLE live_pushes(
  kind INTEGER NOT NULL, owner INTEGER NOT NULL, push INTEGER NOT NULL, event INTEGER NOT NULL,
  PRIMARY KEY(kind, owner, push)) WITHOUT ROWID;
