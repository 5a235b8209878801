CREATE TABLE nodes(
  name text PRIMARY KEY, instance bigint NOT NULL, version text NOT NULL, started_at bigint NOT NULL,
  seen_at bigint NOT NULL);
CREATE TABLE duties(
  name text PRIMARY KEY, node text NOT NULL, instance bigint NOT NULL, epoch bigint NOT NULL,
  expires_at bigint NOT NULL);
