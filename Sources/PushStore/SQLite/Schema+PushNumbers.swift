extension Schema {
  /// The short number of a push within its app, for people: 1, 2, 3 … The key of a push is followed by the keys of its
  /// deliveries, so that it jumps by millions.
  ///
  /// Pushes that were there get their numbers in the order of their keys. A deleted draft leaves a gap.
  static let pushNumbers = """
    ALTER TABLE apps ADD COLUMN push_number INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE pushes ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
    UPDATE pushes SET number = counted.number FROM
      (SELECT id, row_number() OVER (PARTITION BY app ORDER BY id) AS number FROM pushes) AS counted
      WHERE counted.id = pushes.id;
    UPDATE apps SET push_number = coalesce((SELECT max(number) FROM pushes WHERE pushes.app = apps.id), 0);
    CREATE UNIQUE INDEX pushes_by_number ON pushes(app, number) WHERE number > 0;
    """
}
