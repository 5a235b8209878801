/// How long rows are kept, and what is kept of those that are gone.
///
/// `purged` has a row for each push of which rows were deleted: deliveries below `until`, by the state they had, so that the
/// ledger still balances; and whether its events are gone. Counts and series stay where they are.
extension Schema {
  static let retention = """
    CREATE TABLE retention(app INTEGER PRIMARY KEY, deliveries_days INTEGER, events_days INTEGER);
    CREATE TABLE purged(
      push INTEGER PRIMARY KEY, until INTEGER NOT NULL, accepted INTEGER NOT NULL, rejected INTEGER NOT NULL,
      expired INTEGER NOT NULL, cancelled INTEGER NOT NULL, unknown INTEGER NOT NULL, events INTEGER NOT NULL);
    """
}
