/// Queries of the list of pushes that are kept under a name.
public protocol SavedViewStore: Sendable {
  /// Saves a new view, or replaces the one with its name; true when it is new. Throws `notFound` (app), `invalid`.
  func saveView(app: AppID, name: String, query: [UInt8], now: Timestamp) throws(StoreError) -> Bool
  /// An app's views, by name; at most `StoreLimits.viewsMax`.
  func views(app: AppID) throws(StoreError) -> [SavedView]
  /// Removes a view. Throws `notFound`.
  func deleteView(app: AppID, named name: String) throws(StoreError)
}

/// A query of the list of pushes that is kept under a name.
public struct SavedView: Sendable, Hashable {
  /// The name, unique in the app.
  public let name: String
  /// The query; opaque to the store.
  public let query: [UInt8]
  /// When it was last saved.
  public let updatedAt: Timestamp
}

extension StoreLimits {
  /// Views of one app.
  public static let viewsMax = 200
}

extension SQLiteStore {
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
