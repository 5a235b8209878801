extension Schema {
  /// How many deliveries of a push ended as rejected, by outcome: read in one step, however many there are.
  ///
  /// The counts stay when the rows are gone. Those of rows that were deleted before this version are not known.
  static let refusals = """
    CREATE TABLE refusals(
      push INTEGER NOT NULL, code INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(push, code)) WITHOUT ROWID;
    INSERT INTO refusals SELECT p.id, d.code, count(*)
      FROM pushes p CROSS JOIN deliveries d INDEXED BY deliveries_refused
        ON d.id >= p.id AND d.id < p.id + p.targeted
      WHERE p.rejected > 0 AND d.state = 6 GROUP BY 1, 2;
    """
}
