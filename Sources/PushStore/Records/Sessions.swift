extension SQLiteStore {
  /// All sessions, the one used last first.
  public func sessions() throws(StoreError) -> [SessionRecord] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(
        "SELECT id, hash, key, account, started_at, used_at, peer, agent FROM sessions ORDER BY used_at DESC, id DESC")
      var sessions: [SessionRecord] = []
      while try select.step() {
        let holder: SessionRecord.Holder
        if let account: AccountID = select.optionalID(3) {
          holder = .account(account)
        } else {
          holder = .key(select.blob(2))
        }
        sessions.append(
          SessionRecord(
            id: select.id(0), hash: select.blob(1), holder: holder, startedAt: select.timestamp(4),
            usedAt: select.timestamp(5), peer: select.text(6), agent: select.text(7)))
      }
      return sessions
    }
  }

  /// Saves a session, and deletes those that are over.
  public func beginSession(
    _ session: SessionRecord, proof: SignInProof?, usedBefore: Timestamp, startedBefore: Timestamp
  ) throws(StoreError) -> SessionRecord {
    try write { (context) throws(StoreError) in
      if case .account(let id) = session.holder {
        // Whoever signs in with what is changed or removed meanwhile is not let in with what was.
        switch proof {
        case .password(let password):
          guard try context.db.password(of: id) == password else { throw AccountLimits.passwordChanged }
        case .identity(let identity):
          guard try context.db.account(linkedTo: identity) == id else { throw AccountLimits.unlinked }
        case .passkey(let use): try context.note(use, of: id, session.startedAt)
        case nil: throw AccountLimits.passwordChanged
        }
      }
      return try context.begin(session, usedBefore: usedBefore, startedBefore: startedBefore)
    }
  }

  /// Notes that a session was used.
  public func touchSession(_ id: SessionID, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare("UPDATE sessions SET used_at = max(used_at, ?2) WHERE id = ?1")
      update.bindAll(id, now)
      try update.run()
    }
  }

  /// Ends sessions.
  public func endSessions(_ ids: [SessionID]) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM sessions WHERE id = ?1")
      for id in ids {
        delete.bind(1, id)
        try delete.run()
        delete.reset()
      }
    }
  }
}

extension WriterContext {
  /// Saves a session, notes the sign-in of a person, and deletes the sessions that are over.
  func begin(
    _ session: SessionRecord, usedBefore: Timestamp, startedBefore: Timestamp
  ) throws(StoreError) -> SessionRecord {
    let over = try db.prepare("DELETE FROM sessions WHERE used_at < ?1 OR started_at < ?2")
    over.bindAll(usedBefore, startedBefore)
    try over.run()
    var key: [UInt8]?
    var account: AccountID?
    switch session.holder {
    case .key(let hash): key = hash
    case .account(let id):
      account = id
      let note = try db.prepare("UPDATE accounts SET signed_in_at = ?2 WHERE id = ?1")
      note.bindAll(id, session.startedAt)
      try note.run()
    }
    let insert = try db.prepare(
      """
      INSERT INTO sessions(hash, key, account, started_at, used_at, peer, agent)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    insert.bindAll(
      session.hash, key, account, session.startedAt, session.usedAt, session.peer, session.agent)
    try insert.run()
    return session.with(id: SessionID(rawValue: try db.lastInsertedRowID()))
  }
}
