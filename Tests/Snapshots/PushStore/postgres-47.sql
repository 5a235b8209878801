-- contract: 44
DROP INDEX deliveries_due;
-- contract: 44
DROP INDEX deliveries_refused;
-- contract: 44
DROP INDEX devices_by_state;
ALTER TABLE deliveries SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_analyze_scale_factor = 0.05);
-- contract: 44
ALTER TABLE deliveries ALTER COLUMN state TYPE smallint, ALTER COLUMN attempts TYPE smallint,
  ALTER COLUMN unknowns TYPE smallint, ALTER COLUMN code TYPE integer, ALTER COLUMN variant TYPE smallint;
ALTER TABLE deliveries
  ADD COLUMN refused bigint GENERATED ALWAYS AS (CASE WHEN state = 6 THEN id END) STORED;
CREATE INDEX deliveries_due ON deliveries(lane, not_before, id) WHERE not_before IS NOT NULL;
CREATE INDEX deliveries_refused ON deliveries(refused) WHERE refused IS NOT NULL;
CREATE INDEX devices_by_state ON devices(state, app, id);
