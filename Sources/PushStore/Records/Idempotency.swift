extension SQLiteStore {
  /// What was answered to a request with this key, or nil.
  public func response(scope: Int64, key: IdempotencyKey) throws(StoreError) -> [UInt8]? {
    try readers.read { (db) throws(StoreError) in try db.idempotent(key, scope: scope)?.response }
  }

  /// Remembers an answer.
  ///
  /// The first one stays.
  public func remember(
    response: [UInt8], scope: Int64, key: IdempotencyKey, now: Timestamp
  ) throws(StoreError) {
    try Checks.text(key.key, "Idempotency-Key", max: StoreLimits.idempotencyKeyBytesMax)
    try Checks.blob(response, "response")
    try write { (context) throws(StoreError) in
      if try context.db.idempotent(key, scope: scope) != nil { return }
      try context.insertKey(key, scope: scope, push: nil, response: response, now)
    }
  }

  /// Forgets keys made before `moment`, at most `limit`; returns how many.
  public func forgetIdempotencyKeys(before moment: Timestamp, limit: Int) throws(StoreError) -> Int {
    try write { (context) throws(StoreError) in
      // Rows are in the order of time, so the oldest come first without an index on the time.
      let delete = try context.db.prepare(
        """
        DELETE FROM idempotency WHERE created_at < ?1
          AND id <= (SELECT max(id) FROM (SELECT id FROM idempotency ORDER BY id LIMIT ?2))
        """)
      delete.bind(1, moment)
      delete.bind(2, Checks.page(limit))
      try delete.run()
      return context.db.changes
    }
  }
}

enum IdempotencyMismatch {
  static func error(_ key: IdempotencyKey) -> StoreError {
    StoreError(
      .idempotencyMismatch, "the Idempotency-Key was used before with another request",
      advice: "repeat the first request unchanged, or choose a new key")
  }
}

extension Connection {
  /// What a key stands for; throws when it was used for another request.
  func idempotent(
    _ key: IdempotencyKey, scope: Int64
  ) throws(StoreError) -> (push: PushID?, response: [UInt8]?)? {
    let select = try prepare(
      "SELECT fingerprint, push, response FROM idempotency WHERE scope = ?1 AND key = ?2")
    select.bind(1, scope)
    select.bind(2, key.key)
    guard try select.step() else { return nil }
    guard select.blob(0) == key.fingerprint else { throw IdempotencyMismatch.error(key) }
    return (select.optionalID(1), select.optionalBlob(2))
  }
}

extension WriterContext {
  func insertKey(
    _ key: IdempotencyKey, scope: Int64, push: PushID?, response: [UInt8]?, _ now: Timestamp
  ) throws(StoreError) {
    let insert = try db.prepare(
      "INSERT INTO idempotency(scope, key, fingerprint, push, response, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    insert.bind(1, scope)
    insert.bind(2, key.key)
    insert.bind(3, key.fingerprint)
    insert.bind(4, push)
    insert.bind(5, response)
    insert.bind(6, now)
    try insert.run()
  }
}
