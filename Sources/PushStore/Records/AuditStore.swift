public import StoreModel

extension SQLStore {
  /// Keeps an entry.
  public func keepAudit(_ entry: AuditEntry, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    write({ (context) throws(StoreError) in try context.keep(entry) }, completion: completion)
  }

  /// A page of the log, the newest first.
  public func audit(_ filter: AuditFilter, before: AuditID?, limit: Int) throws(StoreError) -> [AuditEntry] {
    let isOfPerson = "(account = ?4 OR key IN (SELECT id FROM api_keys WHERE account = ?4))"
    let conditions =
      (filter.app == nil ? "" : " AND app = ?2") + (filter.account == nil ? "" : " AND \(isOfPerson)")
      + (filter.key == nil ? "" : " AND key = ?5") + (filter.act == nil ? "" : " AND act = ?6")
      + (filter.from == nil ? "" : " AND at >= ?7") + (filter.until == nil ? "" : " AND at < ?8")
    return try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT id, at, key, act, target, app, peer, request, account FROM audit
        WHERE id < ?1\(conditions) ORDER BY id DESC LIMIT ?3
        """)
      select.bind(1, before?.rawValue ?? .max)
      if let app = filter.app { select.bind(2, app) }
      select.bind(3, Checks.page(limit))
      if let account = filter.account { select.bind(4, account) }
      if let key = filter.key { select.bind(5, key) }
      if let act = filter.act { select.bind(6, act) }
      if let from = filter.from { select.bind(7, from) }
      if let until = filter.until { select.bind(8, until) }
      var entries: [AuditEntry] = []
      while try select.step() {
        var entry = AuditEntry(
          id: select.id(0), at: select.timestamp(1), key: select.optionalID(2), act: select.text(3),
          target: select.text(4), app: select.optionalText(5), peer: select.text(6), request: select.text(7))
        entry.account = select.optionalID(8)
        entries.append(entry)
      }
      return entries
    }
  }
}

extension WriterContext {
  /// Keeps an entry of the audit log.
  func keep(_ entry: AuditEntry) throws(StoreError) {
    let insert = try db.prepare(
      "INSERT INTO audit(at, key, act, target, app, peer, request, account) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    insert.bindAll(
      entry.at, entry.key, entry.act, entry.target, entry.app, entry.peer, entry.request, entry.account)
    try insert.run()
  }
}
