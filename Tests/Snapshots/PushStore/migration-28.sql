ALTER TABLE push_plans ADD COLUMN local_day INTEGER;
