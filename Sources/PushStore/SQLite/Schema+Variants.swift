extension Schema {
  /// The A/B variants of a push, the variant of each delivery, and the counts of each.
  ///
  /// Deliveries of pushes without variants store nothing in the column. `variant` is the index in the push's list; the
  /// number of variants means the original message. `metric` is that of `series`.
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
