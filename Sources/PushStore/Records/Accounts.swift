public import StoreModel

extension SQLStore {
  /// Saves somebody who is invited.
  public func inviteAccount(_ new: NewAccount, now: Timestamp) throws(StoreError) -> Account {
    try Checks.text(new.email, "email", max: AccountLimits.emailBytesMax)
    try Checks.text(new.name, "name")
    try Checks.grants(new.grants)
    return try write { (context) throws(StoreError) in
      context.note(.people)
      guard try context.db.account(email: new.email) == nil else {
        throw StoreError(
          .conflict, "somebody with this email is there already", advice: "change their roles, or invite them again")
      }
      guard
        try context.db.integer("SELECT count(*) FROM accounts WHERE removed_at IS NULL") ?? 0
          < AccountLimits.accountsMax
      else {
        throw StoreError(
          .conflict, "\(AccountLimits.accountsMax) people are there already", advice: "remove those who left")
      }
      let insert = try context.db.prepare(
        "INSERT INTO accounts(email, name, created_at, invitation, invited_until) VALUES (?1, ?2, ?3, ?4, ?5)")
      insert.bindAll(new.email, new.name, now, new.invitation.hash, new.invitation.until)
      try insert.run()
      let id = AccountID(rawValue: try context.db.lastInsertedRowID())
      try context.grant(new.grants, to: id)
      return try context.db.existing(id)
    }
  }

  /// Everybody.
  public func accounts() throws(StoreError) -> [Account] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare("SELECT id FROM accounts ORDER BY id")
      var ids: [AccountID] = []
      while try select.step() { ids.append(select.id(0)) }
      var accounts: [Account] = []
      for id in ids { if let account = try db.account(id) { accounts.append(account) } }
      return accounts
    }
  }

  /// The account with a key, or nil.
  public func account(_ id: AccountID) throws(StoreError) -> Account? {
    try readers.read { (db) throws(StoreError) in try db.account(id) }
  }

  /// The account with an email and its password's hash, or nil.
  public func password(ofEmail email: String) throws(StoreError) -> (account: AccountID, password: [UInt8])? {
    try readers.read { (db) throws(StoreError) in
      guard let id = try db.account(email: email), let password = try db.password(of: id) else { return nil }
      return (id, password)
    }
  }

  /// The password's hash of an account, or nil.
  public func password(of id: AccountID) throws(StoreError) -> [UInt8]? {
    try readers.read { (db) throws(StoreError) in try db.password(of: id) }
  }

  /// Who may use an invitation, or nil.
  public func account(invitedBy hash: [UInt8], now: Timestamp) throws(StoreError) -> Account? {
    try readers.read { (db) throws(StoreError) in
      guard let id = try db.invited(by: hash, now) else { return nil }
      return try db.account(id)
    }
  }

  /// Replaces the invitation of an account; nil revokes it.
  public func setInvitation(_ invitation: Invitation?, of id: AccountID) throws(StoreError) -> Account {
    try write { (context) throws(StoreError) in
      context.note(.people)
      _ = try context.db.present(id)
      let update = try context.db.prepare("UPDATE accounts SET invitation = ?2, invited_until = ?3 WHERE id = ?1")
      update.bindAll(id, invitation?.hash, invitation?.until)
      try update.run()
      return try context.db.existing(id)
    }
  }

  /// Uses up an invitation.
  public func join(invitedBy hash: [UInt8], password: [UInt8], now: Timestamp) throws(StoreError) -> Account {
    try write { (context) throws(StoreError) in
      context.note(.people)
      return try context.db.existing(context.useInvitation(hash, password: password, now))
    }
  }

  /// Sets another password.
  public func setPassword(
    _ password: [UInt8], replacing old: [UInt8]?, of id: AccountID, keeping session: [UInt8]
  ) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.people)
      _ = try context.db.present(id)
      let update = try context.db.prepare(
        "UPDATE accounts SET password = ?2 WHERE id = ?1 AND password IS NOT DISTINCT FROM ?3")
      update.bindAll(id, password, old)
      try update.run()
      guard context.db.changes == 1 else { throw AccountLimits.passwordChanged }
      try context.endSessions(of: id, keeping: session)
    }
  }

  /// Changes name and roles.
  public func updateAccount(
    _ id: AccountID, name: String?, grants: [AccountGrant]?, unlessLastKeyWith scope: String, now: Timestamp
  ) throws(StoreError) -> Account {
    if let name { try Checks.text(name, "name") }
    if let grants { try Checks.grants(grants) }
    return try write { [signInIssuer] (context) throws(StoreError) in
      context.note(.people)
      let account = try context.db.present(id)
      if let name {
        let update = try context.db.prepare("UPDATE accounts SET name = ?2 WHERE id = ?1")
        update.bindAll(id, name)
        try update.run()
      }
      if let grants {
        if account.has(.owner), !grants.contains(AccountGrant(app: nil, role: .owner)) {
          try context.db.requireAnotherOwner(than: id, signInIssuer)
        }
        // What a role allowed must not stay with a key that was made with it.
        if !Set(account.grants).isSubset(of: grants) {
          for key in try context.db.keys(of: id) { try context.revoke(key, unlessLastWith: scope, now) }
        }
        try context.grant(grants, to: id)
      }
      return try context.db.existing(id)
    }
  }

  /// Removes a person.
  public func removeAccount(
    _ id: AccountID, unlessLastKeyWith scope: String, now: Timestamp
  ) throws(StoreError) {
    try write { [signInIssuer] (context) throws(StoreError) in
      context.note(.people)
      let account = try context.db.present(id)
      if account.has(.owner) { try context.db.requireAnotherOwner(than: id, signInIssuer) }
      for key in try context.db.keys(of: id) { try context.revoke(key, unlessLastWith: scope, now) }
      try context.grant([], to: id)
      try context.removePasskeys(of: id)
      try context.removeIdentityLink(of: id)
      try context.endSessions(of: id, keeping: [])
      if let email = account.email { try context.dropViews(naming: email) }
      let update = try context.db.prepare(
        """
        UPDATE accounts SET email = NULL, password = NULL, invitation = NULL, invited_until = NULL, removed_at = ?2
        WHERE id = ?1
        """)
      update.bindAll(id, now)
      try update.run()
    }
  }

  /// The names of authors.
  public func names(of authors: Set<Author>) throws(StoreError) -> [Author: String] {
    try readers.read { (db) throws(StoreError) in
      var names: [Author: String] = [:]
      for author in authors { names[author] = try db.name(of: author) }
      return names
    }
  }
}

extension Checks {
  static func grants(_ grants: [AccountGrant]) throws(StoreError) {
    guard (1...AccountLimits.grantsMax).contains(grants.count) else {
      throw StoreError(
        .invalid, "roles: \(grants.count), a person has 1 to \(AccountLimits.grantsMax)", advice: "change roles")
    }
    guard Set(grants.map(\.app)).count == grants.count else {
      throw StoreError(.invalid, "roles: two are for one app", advice: "give one role for each app")
    }
    guard grants.allSatisfy({ $0.role != .owner || $0.app == nil }) else {
      throw StoreError(
        .invalid, "roles: an owner is one of the whole server", advice: "leave the app out, or choose admin")
    }
  }
}

extension WriterContext {
  /// Replaces the roles of a person.
  fileprivate func grant(_ grants: [AccountGrant], to id: AccountID) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM grants WHERE account = ?1")
    delete.bind(1, id)
    try delete.run()
    for grant in grants {
      if let app = grant.app, try db.app(app) == nil { throw Checks.missing("app", app) }
      let insert = try db.prepare("INSERT INTO grants(account, app, role) VALUES (?1, ?2, ?3)")
      insert.bindAll(id, grant.app, Int(grant.role.rawValue))
      try insert.run()
    }
  }

  /// Uses up an invitation, with which everything begins anew: what the person signed in with before is deleted, and their
  /// sessions end.
  func useInvitation(_ hash: [UInt8], password: [UInt8]?, _ now: Timestamp) throws(StoreError) -> AccountID {
    guard let id = try db.invited(by: hash, now) else {
      throw StoreError(
        .notFound, "this invitation was used, revoked, or has expired", advice: "ask for another one")
    }
    try useInvitation(of: id, password: password, now)
    return id
  }

  func useInvitation(of id: AccountID, password: [UInt8]?, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE accounts SET password = ?2, joined_at = coalesce(joined_at, ?3), invitation = NULL, invited_until = NULL
      WHERE id = ?1
      """)
    update.bindAll(id, password, now)
    try update.run()
    try removePasskeys(of: id)
    try removeIdentityLink(of: id)
    try endSessions(of: id, keeping: [])
  }

  fileprivate func removePasskeys(of id: AccountID) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM passkeys WHERE account = ?1")
    delete.bind(1, id)
    try delete.run()
  }

  func endSessions(of id: AccountID, keeping session: [UInt8]) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM sessions WHERE account = ?1 AND hash <> ?2")
    delete.bindAll(id, session)
    try delete.run()
  }
}

extension Connection {
  func account(email: String) throws(StoreError) -> AccountID? {
    let select = try prepare("SELECT id FROM accounts WHERE email = ?1")
    select.bind(1, email)
    return try select.step() ? select.id(0) : nil
  }

  func password(of id: AccountID) throws(StoreError) -> [UInt8]? {
    let select = try prepare("SELECT password FROM accounts WHERE id = ?1")
    select.bind(1, id)
    return try select.step() ? select.optionalBlob(0) : nil
  }

  fileprivate func invited(by hash: [UInt8], _ now: Timestamp) throws(StoreError) -> AccountID? {
    let select = try prepare("SELECT id FROM accounts WHERE invitation = ?1 AND invited_until > ?2")
    select.bindAll(hash, now)
    return try select.step() ? select.id(0) : nil
  }

  fileprivate func account(_ id: AccountID) throws(StoreError) -> Account? {
    let grants = try grants(of: id)
    let select = try prepare(
      """
      SELECT id, email, name, created_at, invited_until, joined_at, signed_in_at, removed_at FROM accounts WHERE id = ?1
      """)
    select.bind(1, id)
    guard try select.step() else { return nil }
    return Account(
      id: select.id(0), email: select.optionalText(1), name: select.text(2), grants: grants,
      createdAt: select.timestamp(3), invitedUntil: select.optionalTimestamp(4),
      joinedAt: select.optionalTimestamp(5), signedInAt: select.optionalTimestamp(6),
      removedAt: select.optionalTimestamp(7))
  }

  private func grants(of id: AccountID) throws(StoreError) -> [AccountGrant] {
    let select = try prepare("SELECT app, role FROM grants WHERE account = ?1 ORDER BY id")
    select.bind(1, id)
    var grants: [AccountGrant] = []
    while try select.step() {
      // A role that this version does not know allows nothing.
      guard let role = AccountRole(rawValue: UInt8(truncatingIfNeeded: select.int(1))) else { continue }
      grants.append(AccountGrant(app: select.optionalID(0), role: role))
    }
    return grants
  }

  func existing(_ id: AccountID) throws(StoreError) -> Account {
    guard let account = try account(id) else { throw Checks.missing("person", id) }
    return account
  }

  /// The account, unless the person was removed.
  func present(_ id: AccountID) throws(StoreError) -> Account {
    let account = try existing(id)
    guard account.removedAt == nil else { throw Checks.missing("person", id) }
    return account
  }

  /// An owner who has not joined yet cannot let anybody in, and is not counted.
  fileprivate func requireAnotherOwner(than id: AccountID, _ issuer: String?) throws(StoreError) {
    let select = try prepare(
      parts: """
        SELECT 1 FROM accounts a JOIN grants g ON g.account = a.id
        WHERE a.id <> ?1 AND \(SignInMeans.count) > 0 AND g.app IS NULL AND g.role = ?3 LIMIT 1
        """)
    select.bindAll(id, issuer, Int(AccountRole.owner.rawValue))
    guard try !select.step(), try signInMeans(of: id, issuer) > 0 else { return }
    throw StoreError(
      .conflict, "this is the last owner who can sign in", advice: "make somebody else an owner first")
  }

  fileprivate func keys(of id: AccountID) throws(StoreError) -> [APIKeyID] {
    let select = try prepare("SELECT id FROM api_keys WHERE account = ?1 AND revoked_at IS NULL")
    select.bind(1, id)
    var keys: [APIKeyID] = []
    while try select.step() { keys.append(select.id(0)) }
    return keys
  }

  fileprivate func name(of author: Author) throws(StoreError) -> String? {
    switch author {
    case .key(let id):
      let select = try prepare("SELECT name FROM api_keys WHERE id = ?1")
      select.bind(1, id)
      return try select.step() ? select.text(0) : nil
    case .account(let id):
      let select = try prepare("SELECT name FROM accounts WHERE id = ?1")
      select.bind(1, id)
      return try select.step() ? select.text(0) : nil
    case .schedule: return nil
    }
  }
}
