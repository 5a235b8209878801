ALTER TABLE retention ADD COLUMN unseen_days INTEGER;
