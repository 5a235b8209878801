ALTER TABLE pushes ADD COLUMN category TEXT;
ALTER TABLE pushes ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
CREATE TABLE suppression(
  app INTEGER PRIMARY KEY, quiet_from INTEGER, quiet_to INTEGER, quiet_zone TEXT,
  cap_pushes INTEGER, cap_window INTEGER);
CREATE TABLE frequency(subject INTEGER PRIMARY KEY, recent BLOB NOT NULL);
