public import StoreModel

extension SQLStore {
  /// Saves a new template, or replaces the one with its name.
  public func saveTemplate(app: AppID, name: String, body: [UInt8], now: Timestamp) throws(StoreError) -> Bool {
    try Checks.text(name, "name")
    try Checks.blob(body, "template")
    return try write { (context) throws(StoreError) in
      guard try context.appExists(app) else { throw Checks.missing("app", app) }
      let upsert = try context.db.prepare(
        """
        INSERT INTO templates(app, name, body, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)
        ON CONFLICT(app, name) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at
        RETURNING created_at = updated_at
        """)
      upsert.bindAll(app, name, body, now)
      return try upsert.step() && upsert.bool(0)
    }
  }

  /// The template with a name, or nil.
  public func template(app: AppID, named name: String) throws(StoreError) -> StoredTemplate? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(StoredTemplate.select + "WHERE app = ?1 AND name = ?2")
      select.bindAll(app, name)
      return try select.step() ? StoredTemplate(row: select) : nil
    }
  }

  /// A page of an app's templates, by name.
  public func templates(app: AppID, after: String?, limit: Int) throws(StoreError) -> [StoredTemplate] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(StoredTemplate.select + "WHERE app = ?1 AND name > ?2 ORDER BY name LIMIT ?3")
      select.bindAll(app, after ?? "", Checks.page(limit))
      var page: [StoredTemplate] = []
      while try select.step() { page.append(StoredTemplate(row: select)) }
      return page
    }
  }

  /// Removes a template.
  public func deleteTemplate(app: AppID, named name: String) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM templates WHERE app = ?1 AND name = ?2")
      delete.bindAll(app, name)
      try delete.run()
      if context.db.changes == 0 { throw Checks.missing("template", name) }
    }
  }
}

extension StoredTemplate {
  fileprivate static let select = "SELECT name, body, created_at, updated_at FROM templates "

  fileprivate init(row: borrowing Statement) {
    self.init(name: row.text(0), body: row.blob(1), createdAt: row.timestamp(2), updatedAt: row.timestamp(3))
  }
}
