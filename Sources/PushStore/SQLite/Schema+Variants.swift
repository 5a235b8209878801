extension Schema {
  /// The A/B variants of a push, which of them a delivery was sent, and the counts of each.
  ///
  /// Deliveries of pushes without variants hold nothing in the column. `variant` is the place in the push's list; the
  /// number of variants stands for the message itself. `metric` is that of `series`.
  static let variants = """
    ALTER TABLE deliveries ADD COLUMN variant INTEGER;
    CREATE TABLE push_variants(
      push INTEGER NOT NULL, variant INTEGER NOT NULL, name TEXT NOT NULL, share INTEGER NOT NULL,
      PRIMARY KEY(push, variant)) WITHOUT ROWID;
    CREATE TABLE variant_counts(
      push INTEGER NOT NULL, variant INTEGER NOT NULL, metric INTEGER NOT NULL, count INTEGER NOT NULL,
      PRIMARY KEY(push, variant, metric)) WITHOUT ROWID;
    """
}
