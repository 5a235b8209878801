ALTER TABLE nodes ADD COLUMN clock_ahead_ms bigint;
