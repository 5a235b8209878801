public import StoreModel

extension SQLStore {
  /// All sessions, the one used last first.
  public func sessions() throws(StoreError) -> [SessionRecord] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(parts: SessionRecord.select + "ORDER BY used_at DESC, id DESC")
      var sessions: [SessionRecord] = []
      while try select.step() { sessions.append(SessionRecord(row: select)) }
      return sessions
    }
  }

  /// The session with a hash, or nil.
  public func session(hash: [UInt8]) throws(StoreError) -> SessionRecord? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(parts: SessionRecord.select + "WHERE hash = ?1")
      select.bind(1, hash)
      return try select.step() ? SessionRecord(row: select) : nil
    }
  }

  /// Saves a session, and deletes those that are over or too many.
  public func beginSession(
    _ session: SessionRecord, proof: SignInProof?, over: SessionBounds
  ) throws(StoreError) -> SessionRecord {
    try write { (context) throws(StoreError) in
      context.note(.people)
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
      return try context.begin(session, over)
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
      context.note(.people)
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
  /// Saves a session, notes the sign-in of a person, and deletes the sessions that are over, and the one that was unused longest
  /// where there are too many.
  func begin(_ session: SessionRecord, _ bounds: SessionBounds) throws(StoreError) -> SessionRecord {
    let over = try db.prepare("DELETE FROM sessions WHERE used_at < ?1 OR started_at < ?2")
    over.bindAll(bounds.usedBefore, bounds.startedBefore)
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
    try makeRoom(ofKey: key, account, bounds)
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

  private func makeRoom(
    ofKey key: [UInt8]?, _ account: AccountID?, _ bounds: SessionBounds
  ) throws(StoreError) {
    let own = try db.prepare("SELECT id FROM sessions WHERE key = ?1 OR account = ?2 ORDER BY used_at DESC, id DESC")
    own.bindAll(key, account)
    var ids: [SessionID] = []
    while try own.step() { ids.append(own.id(0)) }
    var excess = Array(ids.dropFirst(bounds.ofOneMax - 1))
    let all = try db.prepare("SELECT count(*) FROM sessions")
    if excess.isEmpty, try all.step(), all.int(0) >= bounds.max {
      let oldest = try db.prepare("SELECT id FROM sessions ORDER BY used_at, id LIMIT ?1")
      oldest.bind(1, all.int(0) - bounds.max + 1)
      while try oldest.step() { excess.append(oldest.id(0)) }
    }
    for id in excess {
      let delete = try db.prepare("DELETE FROM sessions WHERE id = ?1")
      delete.bind(1, id)
      try delete.run()
    }
  }
}

extension SessionRecord {
  fileprivate static let select = "SELECT id, hash, key, account, started_at, used_at, peer, agent FROM sessions "

  fileprivate init(row: borrowing Statement) {
    let holder: Holder
    if let account: AccountID = row.optionalID(3) { holder = .account(account) } else { holder = .key(row.blob(2)) }
    self.init(
      id: row.id(0), hash: row.blob(1), holder: holder, startedAt: row.timestamp(4), usedAt: row.timestamp(5),
      peer: row.text(6), agent: row.text(7))
  }
}
