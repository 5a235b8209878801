extension PostgresSchema {
  /// An answer of a provider changes a row of `deliveries` where it lies.
  ///
  /// An update stays on its page and touches no index (it is a “heap-only tuple”) when there is room, so half of each page is
  /// left free, and when no column of an index changes, those in an index's condition included. So the indexes' conditions
  /// are not about `state`, which every answer changes: what waits has a time (`not_before`), and nothing else has one;
  /// what was refused is marked by a column that is null in all other rows. Short numbers make a row a quarter smaller. Servers of version 44 knew of no
  /// others beside them, so that none of them is there still.
  static let layout = """
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
    """

  /// A generated column is computed anew for every row that is written, which costs more than the rest of its index; so the statements
  /// that may reject a delivery set it (`#refused`, see ``EngineWords``).
  ///
  /// What nodes of version 48 write meanwhile does not: what they saw rejected is counted, and not in the list of what was rejected. A
  /// trigger would see it, and any trigger costs each update more than the column did.
  static let refusals = """
    -- contract: 48
    ALTER TABLE deliveries ALTER COLUMN refused DROP EXPRESSION;
    """
}
