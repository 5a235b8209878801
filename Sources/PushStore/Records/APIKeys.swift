public import StoreModel

extension SQLStore {
  /// Saves an API key's record.
  public func createKey(_ key: NewAPIKey, now: Timestamp) throws(StoreError) -> APIKey {
    try Checks.text(key.name, "name", min: 0)
    try Checks.text(key.scopes, "scopes")
    try Checks.text(key.prefix, "prefix", min: 0, max: 32)
    return try write { (context) throws(StoreError) in
      context.note(.keys)
      if let app = key.app, try context.db.app(app) == nil { throw Checks.missing("app", app) }
      if let account = key.account { _ = try context.db.present(account) }
      if try context.db.key(hash: key.hash) != nil {
        throw StoreError(.conflict, "this API key exists already", advice: "generate another one")
      }
      let insert = try context.db.prepare(
        """
        INSERT INTO api_keys(app, name, scopes, prefix, hash, created_at, expires_at, rate, account)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """)
      insert.bindAll(
        key.app, key.name, key.scopes, key.prefix, key.hash, now, key.expiresAt, key.ratePerMinute.map { Int64($0) })
      insert.bind(9, key.account)
      try insert.run()
      return APIKey(
        id: APIKeyID(rawValue: try context.db.lastInsertedRowID()), app: key.app, name: key.name, scopes: key.scopes,
        prefix: key.prefix, createdAt: now, expiresAt: key.expiresAt, lastUsedAt: nil, revokedAt: nil,
        ratePerMinute: key.ratePerMinute, account: key.account)
    }
  }

  /// The key with a hash, also when expired or revoked, or nil.
  public func key(hash: [UInt8]) throws(StoreError) -> APIKey? {
    try readers.read { (db) throws(StoreError) in try db.key(hash: hash) }
  }

  /// All keys, by key.
  public func keys() throws(StoreError) -> [APIKey] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT id, app, name, scopes, prefix, created_at, expires_at, last_used_at, revoked_at, rate, account
        FROM api_keys ORDER BY id
        """)
      var keys: [APIKey] = []
      while try select.step() { keys.append(APIKey(row: select)) }
      return keys
    }
  }

  /// Revokes a key; revoking it again keeps the first time.
  public func revokeKey(_ id: APIKeyID, unlessLastWith scope: String?, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.keys)
      try context.revoke(id, unlessLastWith: scope, now)
    }
  }

  /// Notes that a key was used.
  public func touchKey(_ id: APIKeyID, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare(
        "UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?2) WHERE id = ?1")
      update.bindAll(id, now)
      try update.run()
    }
  }
}

extension WriterContext {
  func revoke(_ id: APIKeyID, unlessLastWith scope: String?, _ now: Timestamp) throws(StoreError) {
    if let scope, try db.isLastKey(id, with: scope, now: now) {
      throw StoreError(
        .conflict, "this is the last key with the scope \(scope)",
        advice: "create another key with this scope first, and revoke this one with it")
    }
    let update = try db.prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1")
    update.bindAll(id, now)
    try update.run()
    if db.changes == 0 { throw Checks.missing("API key", id) }
  }
}

extension Connection {
  /// Whether a key is the only one that can be used for every app and has a scope.
  fileprivate func isLastKey(_ id: APIKeyID, with scope: String, now: Timestamp) throws(StoreError) -> Bool {
    let select = try prepare(
      """
      SELECT id FROM api_keys WHERE app IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)
        AND ' ' || scopes || ' ' LIKE '% ' || ?1 || ' %' LIMIT 2
      """)
    select.bindAll(scope, now)
    guard try select.step(), select.id(0) == id else { return false }
    return try !select.step()
  }

  func key(hash: [UInt8]) throws(StoreError) -> APIKey? {
    let select = try prepare(
      """
      SELECT id, app, name, scopes, prefix, created_at, expires_at, last_used_at, revoked_at, rate, account
      FROM api_keys WHERE hash = ?1
      """)
    select.bind(1, hash)
    return try select.step() ? APIKey(row: select) : nil
  }
}

extension APIKey {
  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.optionalID(1), name: row.text(2), scopes: row.text(3), prefix: row.text(4),
      createdAt: row.timestamp(5), expiresAt: row.optionalTimestamp(6), lastUsedAt: row.optionalTimestamp(7),
      revokedAt: row.optionalTimestamp(8), ratePerMinute: row.isNull(9) ? nil : row.int(9),
      account: row.optionalID(10))
  }
}
