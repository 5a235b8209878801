public import StoreModel

extension SQLStore {
  /// The setting and keys of an app.
  public func identity(app: AppID) throws(StoreError) -> AppIdentity {
    try readers.read { (db) throws(StoreError) in try db.identity(app) }
  }

  /// Sets whether tokens are asked for.
  public func setIdentityMode(_ mode: IdentityMode, app: AppID, now: Timestamp) throws(StoreError) -> AppIdentity {
    try write { (context) throws(StoreError) in
      context.note(.apps)
      guard try context.db.app(app) != nil else { throw Checks.missing("app", app) }
      var identity = try context.db.identity(app)
      guard mode == .off || !identity.keys.isEmpty else {
        throw StoreError(
          .conflict, "the app has no identity key, so no token could be verified", advice: "make a key first")
      }
      let save = try context.db.prepare(
        """
        INSERT INTO identity(app, mode, updated_at) VALUES (?1, ?2, ?3)
        ON CONFLICT(app) DO UPDATE SET mode = excluded.mode, updated_at = excluded.updated_at
        """)
      save.bindAll(app, Int(mode.rawValue), now)
      try save.run()
      identity.mode = mode
      return identity
    }
  }

  /// Saves a key.
  public func createIdentityKey(_ key: NewIdentityKey, now: Timestamp) throws(StoreError) -> IdentityKey {
    try Checks.text(key.name, "name")
    try Checks.blob(key.material, "key")
    return try write { (context) throws(StoreError) in
      context.note(.apps)
      guard try context.db.app(key.app) != nil else { throw Checks.missing("app", key.app) }
      let keys = try context.db.identity(key.app).keys
      guard !keys.contains(where: { $0.name == key.name }) else {
        throw StoreError(.conflict, "the app has an identity key with this id", advice: "make another one")
      }
      guard keys.count < StoreLimits.identityKeysPerAppMax else {
        throw StoreError(
          .conflict, "the app has \(StoreLimits.identityKeysPerAppMax) identity keys already",
          advice: "delete those that no backend signs with")
      }
      let insert = try context.db.prepare(
        "INSERT INTO identity_keys(app, name, algorithm, material, created_at) VALUES (?1, ?2, ?3, ?4, ?5)")
      insert.bindAll(key.app, key.name, Int(key.algorithm.rawValue), key.material, now)
      try insert.run()
      return IdentityKey(
        app: key.app, name: key.name, algorithm: key.algorithm, material: key.material, createdAt: now)
    }
  }

  /// Deletes a key.
  public func deleteIdentityKey(_ name: String, app: AppID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.apps)
      let delete = try context.db.prepare("DELETE FROM identity_keys WHERE app = ?1 AND name = ?2")
      delete.bindAll(app, name)
      try delete.run()
      if context.db.changes == 0 { throw Checks.missing("identity key", name) }
    }
  }
}

extension Connection {
  fileprivate func identity(_ app: AppID) throws(StoreError) -> AppIdentity {
    var identity = AppIdentity()
    let setting = try prepare("SELECT mode FROM identity WHERE app = ?1")
    setting.bind(1, app)
    if try setting.step() {
      // A mode that this version does not know is no reason to believe everybody.
      identity.mode = IdentityMode(rawValue: UInt8(truncatingIfNeeded: setting.int(0))) ?? .required
    }
    let select = try prepare(
      "SELECT name, algorithm, material, created_at FROM identity_keys WHERE app = ?1 ORDER BY id")
    select.bind(1, app)
    while try select.step() {
      guard let algorithm = IdentityAlgorithm(rawValue: UInt8(truncatingIfNeeded: select.int(1))) else { continue }
      identity.keys.append(
        IdentityKey(
          app: app, name: select.text(0), algorithm: algorithm, material: select.blob(2),
          createdAt: select.timestamp(3)))
    }
    return identity
  }
}
