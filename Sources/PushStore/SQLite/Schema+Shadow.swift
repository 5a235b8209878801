extension Schema {
  /// The outcomes of requests to vendors' interfaces that delivered nothing, and how often it did.
  ///
  /// Neither table has an id, a token or a text of a request: `detail` is JSON with its shape. `outcome` and `kind` are the
  /// numbers of `ShadowOutcome` and `ShadowTotal.Kind`.
  static let shadow = """
    CREATE TABLE shadow_requests(
      id INTEGER PRIMARY KEY AUTOINCREMENT, app INTEGER NOT NULL, vendor TEXT NOT NULL, operation TEXT NOT NULL,
      at INTEGER NOT NULL, outcome INTEGER NOT NULL, vendor_status INTEGER, targeted INTEGER NOT NULL,
      detail BLOB NOT NULL);
    CREATE INDEX shadow_by_app ON shadow_requests(app, id);
    CREATE INDEX shadow_by_time ON shadow_requests(at);

    CREATE TABLE shadow_totals(
      app INTEGER NOT NULL, vendor TEXT NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, count INTEGER NOT NULL,
      latest INTEGER NOT NULL, PRIMARY KEY(app, vendor, kind, name)) WITHOUT ROWID;
    """
}
