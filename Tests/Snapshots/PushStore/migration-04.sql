ALTER TABLE devices ADD COLUMN owner INTEGER;
ALTER TABLE devices ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN moved_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE users(
  id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, name TEXT NOT NULL, flags INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, first_seen_at INTEGER, last_seen_at INTEGER);
CREATE UNIQUE INDEX users_by_name ON users(app, name);
INSERT INTO users(app, name, created_at, updated_at, first_seen_at, last_seen_at)
  SELECT app, user, min(registered_at), max(registered_at), min(registered_at), max(registered_at)
  FROM devices WHERE user IS NOT NULL GROUP BY app, user ORDER BY min(id);
UPDATE devices SET created_at = registered_at,
  owner = (SELECT u.id FROM users u WHERE u.app = devices.app AND u.name = devices.user);

CREATE TABLE attribute_keys(
  id INTEGER PRIMARY KEY, app INTEGER NOT NULL, level INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
  UNIQUE(app, level, name, type));
CREATE TABLE device_attributes(
  device INTEGER NOT NULL, key INTEGER NOT NULL, value, PRIMARY KEY(device, key, value)) WITHOUT ROWID;
CREATE TABLE user_attributes(
  user INTEGER NOT NULL, key INTEGER NOT NULL, value, PRIMARY KEY(user, key, value)) WITHOUT ROWID;

CREATE TEMP TABLE old_properties AS
  SELECT d.app, d.id AS device, 'properties.' || p.key AS name,
    CASE WHEN p.type IN ('integer', 'real') THEN 2 WHEN p.type IN ('true', 'false') THEN 3
      WHEN p.type = 'text' AND p.value GLOB '????-??-??T??:??:??*' AND julianday(p.value) IS NOT NULL THEN 4
      ELSE 1 END AS type,
    p.value
  FROM devices d, json_each(CAST(d.properties AS TEXT)) p
  WHERE d.properties IS NOT NULL AND json_valid(CAST(d.properties AS TEXT)) AND p.type <> 'null';
INSERT INTO attribute_keys(app, level, name, type)
  SELECT DISTINCT app, 1, name, type FROM old_properties ORDER BY app, name, type;
INSERT OR IGNORE INTO device_attributes
  SELECT o.device, k.id,
    CASE WHEN o.type = 4 THEN CAST(round((julianday(o.value) - 2440587.5) * 86400000) AS INTEGER)
      WHEN o.type = 1 THEN CAST(o.value AS TEXT) ELSE o.value END
  FROM old_properties o JOIN attribute_keys k ON k.app = o.app AND k.level = 1 AND k.name = o.name AND k.type = o.type;
DROP TABLE old_properties;
ALTER TABLE devices DROP COLUMN properties;

CREATE TABLE earlier_tokens(
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL, token TEXT NOT NULL, replaced_at INTEGER NOT NULL);
CREATE INDEX earlier_tokens_by_device ON earlier_tokens(device);
