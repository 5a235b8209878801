public import StoreModel

extension SQLStore {
  /// The passkeys of a person.
  public func passkeys(of account: AccountID) throws(StoreError) -> [Passkey] {
    try readers.read { (db) throws(StoreError) in try db.passkeys("account = ?1") { $0.bind(1, account) } }
  }

  /// The passkey with an authenticator's id.
  public func passkey(credential: [UInt8]) throws(StoreError) -> Passkey? {
    try readers.read { (db) throws(StoreError) in
      try db.passkeys("credential = ?1") { $0.bind(1, credential) }.first
    }
  }

  /// Adds a passkey.
  public func addPasskey(_ new: NewPasskey, to account: AccountID, now: Timestamp) throws(StoreError) -> Passkey {
    try Checks.passkey(new)
    return try write { (context) throws(StoreError) in
      context.note(.people)
      _ = try context.db.present(account)
      return try context.add(new, to: account, now)
    }
  }

  /// Gives a passkey another name.
  public func renamePasskey(
    _ id: PasskeyID, of account: AccountID, to name: String
  ) throws(StoreError) -> Passkey {
    try Checks.text(name, "name")
    return try write { (context) throws(StoreError) in
      context.note(.people)
      let update = try context.db.prepare("UPDATE passkeys SET name = ?3 WHERE id = ?1 AND account = ?2")
      update.bindAll(id, account, name)
      try update.run()
      return try context.db.passkey(id, of: account)
    }
  }

  /// Removes a passkey.
  public func removePasskey(
    _ id: PasskeyID, of account: AccountID, at host: String?, keeping session: [UInt8]
  ) throws(StoreError) {
    try write { [signInIssuer] (context) throws(StoreError) in
      context.note(.people)
      _ = try context.db.passkey(id, of: account)
      let delete = try context.db.prepare("DELETE FROM passkeys WHERE id = ?1 AND account = ?2")
      delete.bindAll(id, account)
      try delete.run()
      guard try context.db.signInMeans(of: account, signInIssuer, at: host) > 0 else {
        throw StoreError(
          .conflict, "this is the last thing to sign in with", advice: "add another passkey or a password first")
      }
      try context.endSessions(of: account, keeping: session)
    }
  }

  /// Uses up an invitation.
  public func join(invitedBy hash: [UInt8], passkey: NewPasskey, now: Timestamp) throws(StoreError) -> Passkey {
    try Checks.passkey(passkey)
    return try write { (context) throws(StoreError) in
      context.note(.people)
      let id = try context.useInvitation(hash, password: nil, now)
      return try context.add(passkey, to: id, now)
    }
  }
}

extension Checks {
  fileprivate static func passkey(_ new: NewPasskey) throws(StoreError) {
    try text(new.name, "name")
    guard !new.credential.isEmpty, !new.handle.isEmpty, !new.key.isEmpty, !new.host.isEmpty else {
      throw StoreError(.invalid, "passkey: a part of it is empty", advice: "register it again")
    }
  }
}

extension WriterContext {
  /// Notes that a passkey has signed its owner in.
  func note(_ use: PasskeyUse, of account: AccountID, _ now: Timestamp) throws(StoreError) {
    // With the counter that was verified, so that of two signatures of one passkey only one signs in.
    let update = try db.prepare(
      """
      UPDATE passkeys SET counter = ?4, is_backed_up = ?5, used_at = ?6 WHERE id = ?1 AND account = ?2 AND counter = ?3
      """)
    update.bindAll(
      use.passkey.id, account, Int64(use.passkey.made.counter), Int64(use.counter), use.isBackedUp, now)
    try update.run()
    guard db.changes == 1 else {
      throw StoreError(.conflict, "the passkey was removed or used meanwhile", advice: "sign in again")
    }
  }

  fileprivate func add(_ new: NewPasskey, to account: AccountID, _ now: Timestamp) throws(StoreError) -> Passkey {
    let count = try db.prepare("SELECT count(*) FROM passkeys WHERE account = ?1")
    count.bind(1, account)
    guard try count.step(), count.int(0) < PasskeyLimits.passkeysMax else {
      throw StoreError(
        .conflict, "a person has at most \(PasskeyLimits.passkeysMax) passkeys", advice: "remove one first")
    }
    let known = try db.prepare("SELECT 1 FROM passkeys WHERE credential = ?1")
    known.bind(1, new.credential)
    guard try !known.step() else {
      throw StoreError(.conflict, "this passkey is registered already", advice: "register another one")
    }
    let insert = try db.prepare(
      """
      INSERT INTO passkeys(
        account, credential, host, handle, key, counter, is_backup_eligible, is_backed_up, name, created_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    insert.bindAll(
      account, new.credential, new.host, new.handle, new.key, Int64(new.counter), new.isBackupEligible,
      new.isBackedUp)
    insert.bind(9, new.name)
    insert.bind(10, now)
    try insert.run()
    return Passkey(
      id: PasskeyID(rawValue: try db.lastInsertedRowID()), account: account, made: new, createdAt: now, usedAt: nil)
  }
}

extension Connection {
  fileprivate func passkeys(
    _ condition: String, _ bind: (borrowing Statement) -> Void
  ) throws(StoreError) -> [Passkey] {
    let select = try prepare(
      parts: """
        SELECT id, account, credential, host, handle, key, counter, is_backup_eligible, is_backed_up, name, created_at,
          used_at FROM passkeys WHERE \(condition) ORDER BY id
        """)
    bind(select)
    var passkeys: [Passkey] = []
    while try select.step() {
      let made = NewPasskey(
        credential: select.blob(2), host: select.text(3), handle: select.blob(4), key: select.blob(5),
        counter: UInt32(truncatingIfNeeded: select.int(6)), isBackupEligible: select.bool(7),
        isBackedUp: select.bool(8), name: select.text(9))
      passkeys.append(
        Passkey(
          id: select.id(0), account: select.id(1), made: made, createdAt: select.timestamp(10),
          usedAt: select.optionalTimestamp(11)))
    }
    return passkeys
  }

  fileprivate func passkey(_ id: PasskeyID, of account: AccountID) throws(StoreError) -> Passkey {
    guard let found = try passkeys("id = ?1 AND account = ?2", { $0.bindAll(id, account) }).first else {
      throw Checks.missing("passkey", id)
    }
    return found
  }
}
