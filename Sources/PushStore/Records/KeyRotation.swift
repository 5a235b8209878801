public import StoreModel

extension SQLStore {
  /// Creates a key that replaces another, which remains valid until a deadline.
  public func rotateKey(
    _ id: APIKeyID, prefix: String, hash: [UInt8], until end: Timestamp, now: Timestamp
  ) throws(StoreError) -> APIKey {
    try write { (context) throws(StoreError) in
      context.note(.keys)
      if let made = try context.db.key(hash: hash) { return made }
      let old = try context.db.rotatable(id)
      guard old.revokedAt == nil, old.expiresAt.map({ now < $0 }) ?? true else {
        throw StoreError(.conflict, "the key works no more", advice: "make a new one")
      }
      let update = try context.db.prepare(
        """
        UPDATE api_keys SET rotated_at = ?2, own_end = ?3, expires_at = min(coalesce(?3, CAST(?4 AS BIGINT)), ?4)
        WHERE id = ?1
        """)
      update.bindAll(id, now, old.ownEnd, end)
      try update.run()
      let insert = try context.db.prepare(
        """
        INSERT INTO api_keys(app, name, scopes, prefix, hash, created_at, expires_at, rate, account)
        SELECT app, name, scopes, ?2, ?3, ?4, own_end, rate, account FROM api_keys WHERE id = ?1
        """)
      insert.bindAll(id, prefix, hash, now)
      try insert.run()
      guard let made = try context.db.key(hash: hash) else { throw Checks.missing("API key", id) }
      return made
    }
  }
}

extension Connection {
  /// The ends of a key: the one that counts, and the one it had before any rotation.
  fileprivate func rotatable(
    _ id: APIKeyID
  ) throws(StoreError) -> (revokedAt: Timestamp?, expiresAt: Timestamp?, ownEnd: Timestamp?) {
    let select = try prepare(
      """
      SELECT revoked_at, expires_at, CASE WHEN rotated_at IS NULL THEN expires_at ELSE own_end END FROM api_keys
      WHERE id = ?1
      """)
    select.bind(1, id)
    guard try select.step() else { throw Checks.missing("API key", id) }
    return (select.optionalTimestamp(0), select.optionalTimestamp(1), select.optionalTimestamp(2))
  }
}
