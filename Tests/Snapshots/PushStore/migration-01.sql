CREATE TABLE sequence(next INTEGER NOT NULL);
INSERT INTO sequence VALUES (1);

CREATE TABLE apps(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, settings BLOB NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, stop_reason TEXT);

CREATE TABLE credentials(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, provider INTEGER NOT NULL, kind TEXT NOT NULL,
  environment INTEGER NOT NULL, settings BLOB NOT NULL, sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX credentials_by_app ON credentials(app);

CREATE TABLE api_keys(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER, name TEXT NOT NULL, scopes TEXT NOT NULL,
  prefix TEXT NOT NULL, hash BLOB NOT NULL UNIQUE, created_at INTEGER NOT NULL,
  expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER);

CREATE TABLE devices(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT, token TEXT NOT NULL,
  kind INTEGER NOT NULL, environment INTEGER NOT NULL, user TEXT, locale TEXT, timezone TEXT, app_version TEXT,
  properties BLOB, registered_at INTEGER NOT NULL, state INTEGER NOT NULL, state_reason TEXT,
  state_at INTEGER NOT NULL);
CREATE UNIQUE INDEX devices_by_token ON devices(app, token);
CREATE UNIQUE INDEX devices_by_name ON devices(app, name) WHERE name IS NOT NULL;
CREATE INDEX devices_by_user ON devices(app, user) WHERE user IS NOT NULL;
CREATE INDEX devices_by_state ON devices(app, state);

CREATE TABLE pushes(
  id INTEGER PRIMARY KEY, app INTEGER NOT NULL, class INTEGER NOT NULL, state INTEGER NOT NULL,
  open INTEGER NOT NULL, cursor INTEGER NOT NULL,
  targeted INTEGER NOT NULL, waiting INTEGER NOT NULL, in_flight INTEGER NOT NULL, accepted INTEGER NOT NULL,
  rejected INTEGER NOT NULL, expired INTEGER NOT NULL, cancelled INTEGER NOT NULL, unknown INTEGER NOT NULL,
  resent INTEGER NOT NULL, audience_complete INTEGER NOT NULL, unknown_policy INTEGER NOT NULL,
  created_at INTEGER NOT NULL, start_at INTEGER NOT NULL, finished_at INTEGER, expires_at INTEGER,
  throttle INTEGER, salt INTEGER NOT NULL, reserved INTEGER NOT NULL,
  audience_kinds INTEGER NOT NULL, audience_position INTEGER NOT NULL, audience_until INTEGER NOT NULL, name TEXT);
CREATE INDEX pushes_open ON pushes(class, app, id) WHERE open = 1;
CREATE INDEX pushes_scheduled ON pushes(start_at) WHERE state = 2;
CREATE INDEX pushes_campaigns ON pushes(app, id) WHERE class = 2;

CREATE TABLE push_contents(push INTEGER PRIMARY KEY, message BLOB NOT NULL, payloads BLOB NOT NULL);

CREATE TABLE deliveries(
  id INTEGER PRIMARY KEY, device INTEGER, state INTEGER NOT NULL, attempts INTEGER NOT NULL,
  unknowns INTEGER NOT NULL, code INTEGER NOT NULL, at INTEGER NOT NULL, not_before INTEGER,
  provider_id TEXT, target TEXT);
CREATE INDEX deliveries_due ON deliveries(not_before) WHERE state = 3;

CREATE TABLE outcomes(
  code INTEGER PRIMARY KEY, provider INTEGER NOT NULL, status INTEGER NOT NULL, reason TEXT NOT NULL,
  UNIQUE(provider, status, reason));
INSERT INTO outcomes VALUES (2, 0, 0, ''), (3, 1, 200, ''), (4, 2, 200, ''), (5, 1, 0, 'other'), (6, 2, 0, 'other');

CREATE TABLE leases(
  id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, expires_at INTEGER NOT NULL,
  remaining INTEGER NOT NULL, ranges BLOB NOT NULL);

CREATE TABLE idempotency(
  id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL,
  push INTEGER, response BLOB, created_at INTEGER NOT NULL);
