CREATE TABLE clock(latest INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
ALTER TABLE devices ADD COLUMN moved_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pushes ADD COLUMN gathered_number INTEGER;
UPDATE devices SET moved_number = coalesce((
    SELECT max(coalesce(p.gathered_number, p.id)) + 1 FROM pushes p
    WHERE p.state IN (1, 2, 3, 4, 8) AND p.audience_kinds = 0
      AND coalesce(p.gathered_at, p.created_at) < devices.moved_at), 0)
  WHERE moved_at > 0;
