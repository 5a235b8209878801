CREATE TABLE clock(latest INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
ALTER TABLE devices ADD COLUMN moved_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pushes ADD COLUMN gathered_number INTEGER;
CREATE TEMP TABLE open_lists AS
  SELECT coalesce(gathered_at, created_at) AS at, id FROM pushes
  WHERE state IN (1, 2, 3, 4, 8) AND audience_kinds = 0;
UPDATE devices SET moved_number = coalesce((SELECT max(id) + 1 FROM open_lists WHERE at < moved_at), 0)
  WHERE moved_at > 0;
DROP TABLE open_lists;
