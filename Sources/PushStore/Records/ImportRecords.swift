public import StoreModel

extension SQLStore {
  /// Saves an import that begins, and forgets the oldest that have ended.
  public func beginImport(_ new: NewImport, keep: Int, now: Timestamp) throws(StoreError) -> ImportID {
    try write { (context) throws(StoreError) in
      guard try context.appExists(new.app) else { throw Checks.missing("app", new.app) }
      let old = try context.db.prepare(
        """
        DELETE FROM imports WHERE (running = 0 OR renewed_at < ?3) AND id IN
          (SELECT id FROM imports WHERE app = ?1 ORDER BY id DESC LIMIT 1000 OFFSET ?2)
        """)
      // What has not been seen for a day is not under way.
      old.bindAll(new.app, max(keep - 1, 0), now.adding(milliseconds: -86_400_000))
      try old.run()
      let insert = try context.db.prepare(
        """
        INSERT INTO imports(app, author, node, started_at, renewed_at, running, progress)
        VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5)
        """)
      insert.bindAll(new.app, new.author?.stored, new.node, now, new.progress)
      try insert.run()
      return ImportID(rawValue: try context.db.lastInsertedRowID())
    }
  }

  /// Notes how far an import has come.
  public func noteImport(
    _ id: ImportID, progress: [UInt8], isRunning: Bool, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        let update = try context.db.prepare(
          "UPDATE imports SET progress = ?2, running = ?3, renewed_at = ?4 WHERE id = ?1 AND running = 1")
        update.bindAll(id, progress, isRunning, now)
        try update.run()
      }, urgency: .bulk, completion: completion)
  }

  /// An app's imports, the newest first.
  public func imports(app: AppID, limit: Int) throws(StoreError) -> [ImportRecord] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT id, author, node, started_at, renewed_at, running, progress FROM imports WHERE app = ?1
        ORDER BY id DESC LIMIT ?2
        """)
      select.bindAll(app, Checks.page(limit))
      var imports: [ImportRecord] = []
      while try select.step() {
        imports.append(
          ImportRecord(
            id: select.id(0), author: select.author(1), node: select.text(2), startedAt: select.timestamp(3),
            renewedAt: select.timestamp(4), isRunning: select.bool(5), progress: select.blob(6)))
      }
      return imports
    }
  }
}
