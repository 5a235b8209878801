public import StoreModel

extension SQLStore {
  /// Saves a new view, or replaces the one with its name.
  public func saveView(app: AppID, name: String, query: [UInt8], now: Timestamp) throws(StoreError) -> Bool {
    try Checks.text(name, "name")
    try Checks.blob(query, "query")
    return try write { (context) throws(StoreError) in
      guard try context.appExists(app) else { throw Checks.missing("app", app) }
      let count = try context.db.prepare("SELECT count(*) FROM saved_views WHERE app = ?1 AND name <> ?2")
      count.bindAll(app, name)
      guard try count.step(), count.int(0) < StoreLimits.viewsMax else {
        throw StoreError(
          .invalid, "the app has \(StoreLimits.viewsMax) views, the most it can have", advice: "delete one of them")
      }
      let upsert = try context.db.prepare(
        """
        INSERT INTO saved_views(app, name, query, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)
        ON CONFLICT(app, name) DO UPDATE SET query = excluded.query, updated_at = excluded.updated_at
        RETURNING created_at = updated_at
        """)
      upsert.bindAll(app, name, query, now)
      return try upsert.step() && upsert.bool(0)
    }
  }

  /// An app's views, by name.
  public func views(app: AppID) throws(StoreError) -> [SavedView] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        "SELECT name, query, updated_at FROM saved_views WHERE app = ?1 ORDER BY name LIMIT ?2")
      select.bindAll(app, StoreLimits.viewsMax)
      var views: [SavedView] = []
      while try select.step() {
        views.append(SavedView(name: select.text(0), query: select.blob(1), updatedAt: select.timestamp(2)))
      }
      return views
    }
  }

  /// Removes a view.
  public func deleteView(app: AppID, named name: String) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM saved_views WHERE app = ?1 AND name = ?2")
      delete.bindAll(app, name)
      try delete.run()
      if context.db.changes == 0 { throw Checks.missing("view", name) }
    }
  }
}

extension WriterContext {
  /// Removes the views whose query has an email as one of its texts, in any spelling: whose it is has been removed, and finds
  /// nothing any more.
  func dropViews(naming email: String) throws(StoreError) {
    let named = Array("\"\(email)\"".utf8).map(Self.lower)
    var found: [(app: AppID, name: String)] = []
    let select = try db.prepare("SELECT app, name, query FROM saved_views")
    while try select.step() {
      guard select.blob(2).map(Self.lower).contains(named) else { continue }
      found.append((select.id(0), select.text(1)))
    }
    for view in found {
      let delete = try db.prepare("DELETE FROM saved_views WHERE app = ?1 AND name = ?2")
      delete.bindAll(view.app, view.name)
      try delete.run()
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
