public import StoreModel

extension SQLStore {
  /// Saves a new credential, or replaces one.
  public func saveCredential(
    _ credential: NewCredential, replacing: CredentialID?, now: Timestamp
  ) throws(StoreError) -> Credential {
    try Checks.text(credential.kind, "kind")
    try Checks.blob(credential.settings, "settings")
    try Checks.blob(credential.sealed, "secret")
    return try write { (context) throws(StoreError) in
      context.note(.credentials(credential.app))
      guard try context.db.app(credential.app) != nil else { throw Checks.missing("app", credential.app) }
      if let replacing { return try context.db.replace(replacing, with: credential, now: now) }
      let insert = try context.db.prepare(
        """
        INSERT INTO credentials(app, provider, kind, environment, settings, sealed, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
        """)
      insert.bindAll(
        credential.app, Int(credential.provider.rawValue), credential.kind, Int(credential.environment.rawValue),
        credential.settings, credential.sealed, now)
      try insert.run()
      return try context.db.credential(CredentialID(rawValue: context.db.lastInsertedRowID()))
    }
  }

  /// The credentials of an app, by key.
  public func credentials(app: AppID) throws(StoreError) -> [Credential] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        """
        SELECT id, app, provider, kind, environment, settings, sealed, created_at, updated_at
        FROM credentials WHERE app = ?1 ORDER BY id
        """)
      select.bind(1, app)
      var credentials: [Credential] = []
      while try select.step() { credentials.append(Credential(row: select)) }
      return credentials
    }
  }

  /// Removes a credential.
  public func deleteCredential(_ id: CredentialID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM credentials WHERE id = ?1 RETURNING app")
      delete.bind(1, id)
      guard try delete.step() else { throw Checks.missing("credential", id) }
      context.note(.credentials(delete.id(0)))
    }
  }
}

extension Connection {
  fileprivate func credential(_ id: CredentialID) throws(StoreError) -> Credential {
    let select = try prepare(
      """
      SELECT id, app, provider, kind, environment, settings, sealed, created_at, updated_at
      FROM credentials WHERE id = ?1
      """)
    select.bind(1, id)
    guard try select.step() else { throw Checks.missing("credential", id) }
    return Credential(row: select)
  }

  fileprivate func replace(
    _ id: CredentialID, with new: NewCredential, now: Timestamp
  ) throws(StoreError) -> Credential {
    let update = try prepare(
      """
      UPDATE credentials SET provider = ?3, kind = ?4, environment = ?5, settings = ?6, sealed = ?7, updated_at = ?8
      WHERE id = ?1 AND app = ?2
      """)
    update.bindAll(
      id, new.app, Int(new.provider.rawValue), new.kind, Int(new.environment.rawValue), new.settings, new.sealed, now)
    try update.run()
    if changes == 0 { throw Checks.missing("credential", id) }
    return try credential(id)
  }
}

extension Credential {
  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1), provider: Provider(rawValue: UInt8(truncatingIfNeeded: row.int(2))) ?? .apns,
      kind: row.text(3), environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .production,
      settings: row.blob(5), sealed: row.blob(6), createdAt: row.timestamp(7), updatedAt: row.timestamp(8))
  }
}
