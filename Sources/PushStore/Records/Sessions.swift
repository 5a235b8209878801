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
      let over = try context.db.prepare("DELETE FROM sessions WHERE used_at < ?1 OR started_at < ?2")
      over.bindAll(usedBefore, startedBefore)
      try over.run()
      var key: [UInt8]?
      var account: AccountID?
      switch session.holder {
      case .key(let hash): key = hash
      case .account(let id):
        account = id
        // Whoever signs in with a password while it is changed is not let in with the old one.
        guard try context.db.holds(proof, for: id) else {
          if case .identity = proof { throw AccountLimits.unlinked }
          throw AccountLimits.passwordChanged
        }
        let note = try context.db.prepare("UPDATE accounts SET signed_in_at = ?2 WHERE id = ?1")
        note.bindAll(id, session.startedAt)
        try note.run()
      }
      let insert = try context.db.prepare(
        """
        INSERT INTO sessions(hash, key, account, started_at, used_at, peer, agent)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
      insert.bindAll(
        session.hash, key, account, session.startedAt, session.usedAt, session.peer, session.agent)
      try insert.run()
      return session.with(id: SessionID(rawValue: context.db.lastInsertedRowID))
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
