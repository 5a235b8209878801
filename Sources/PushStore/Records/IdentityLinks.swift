public import StoreModel

extension SQLStore {
  /// Lets in whom an identity provider vouches for.
  public func enter(
    with identity: IssuedIdentity, email: String?, now: Timestamp
  ) throws(StoreError) -> IdentityEntry {
    try write { (context) throws(StoreError) in
      context.note(.people)
      if let known = try context.db.account(linkedTo: identity) { return IdentityEntry(account: known, kind: .known) }
      guard let email else {
        throw StoreError(
          .notPermitted, "the identity provider names no email that it has verified",
          advice: "have it verified there, and released to this server (scope email)")
      }
      guard let id = try context.db.account(email: email) else {
        throw StoreError(
          .notPermitted, "nobody with your email is invited here", advice: "ask an owner for an invitation")
      }
      let account = try context.db.existing(id)
      let isJoining = account.invitedUntil.map { now < $0 } ?? false
      // An invitation is an owner's word that whoever has the email may come in anew, and with nothing of before.
      let isLinked = try context.db.identityLink(of: id) != nil
      guard isJoining || account.joinedAt != nil else {
        throw StoreError(.notPermitted, "your invitation was revoked or has expired", advice: "ask for another one")
      }
      guard isJoining || !isLinked else {
        throw StoreError(
          .notPermitted, "somebody else at the identity provider is linked with the account of your email",
          advice: "ask an owner for a new invitation")
      }
      if isJoining { try context.useInvitation(of: id, password: nil, now) }
      try context.link(identity, to: id, now)
      return IdentityEntry(account: id, kind: isJoining ? .joined : .linked)
    }
  }

  /// The identity that a person signs in with, or nil.
  public func identityLink(of id: AccountID) throws(StoreError) -> IdentityLink? {
    try readers.read { (db) throws(StoreError) in try db.identityLink(of: id) }
  }

  /// Removes the identity that a person signs in with.
  public func removeIdentityLink(of id: AccountID, at host: String?, keeping session: [UInt8]) throws(StoreError) {
    try write { [signInIssuer] (context) throws(StoreError) in
      context.note(.people)
      _ = try context.db.present(id)
      guard try context.db.identityLink(of: id) != nil else {
        throw StoreError(.notFound, "no identity is linked with the account", advice: "there is nothing to remove")
      }
      try context.removeIdentityLink(of: id)
      guard try context.db.signInMeans(of: id, signInIssuer, at: host) > 0 else {
        throw StoreError(
          .conflict, "it is the only means that you sign in with", advice: "set a password or add a passkey first")
      }
      try context.endSessions(of: id, keeping: session)
    }
  }
}

extension WriterContext {
  fileprivate func link(_ identity: IssuedIdentity, to id: AccountID, _ now: Timestamp) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM oidc_links WHERE account = ?1 OR issuer = ?2 AND subject = ?3")
    delete.bindAll(id, identity.issuer, identity.subject)
    try delete.run()
    let insert = try db.prepare(
      "INSERT INTO oidc_links(account, issuer, subject, linked_at) VALUES (?1, ?2, ?3, ?4)")
    insert.bindAll(id, identity.issuer, identity.subject, now)
    try insert.run()
  }

  func removeIdentityLink(of id: AccountID) throws(StoreError) {
    let delete = try db.prepare("DELETE FROM oidc_links WHERE account = ?1")
    delete.bind(1, id)
    try delete.run()
  }
}

/// What people sign in with.
enum SignInMeans {
  /// How many of each kind the account `a` has; one that is added is a line here.
  ///
  /// `?2` is the identity provider in use.
  private static func counts(passkeys: String) -> String {
    let all = [
      "(CASE WHEN a.password IS NULL THEN 0 ELSE 1 END)",
      "(SELECT count(*) FROM oidc_links l WHERE l.account = a.id AND l.issuer = ?2)",
      "(SELECT count(*) FROM passkeys p WHERE p.account = a.id\(passkeys))",
    ]
    return "(" + all.joined(separator: " + ") + ")"
  }

  /// How many of all kinds the account `a` has.
  static let count = counts(passkeys: "")
  /// How many of them sign in at the host `?3`: a passkey is for the host that it was made at.
  static let countAtHost = counts(passkeys: " AND p.host = ?3")
}

extension Connection {
  /// How many means a person has to sign in with.
  ///
  /// - Parameter host: the host that they are to work at; nil for any.
  func signInMeans(of id: AccountID, _ issuer: String?, at host: String? = nil) throws(StoreError) -> Int {
    guard let host else {
      let select = try prepare(parts: "SELECT \(SignInMeans.count) FROM accounts a WHERE a.id = ?1")
      select.bindAll(id, issuer)
      return try select.step() ? select.int(0) : 0
    }
    let select = try prepare(parts: "SELECT \(SignInMeans.countAtHost) FROM accounts a WHERE a.id = ?1")
    select.bindAll(id, issuer, host)
    return try select.step() ? select.int(0) : 0
  }

  func account(linkedTo identity: IssuedIdentity) throws(StoreError) -> AccountID? {
    let select = try prepare("SELECT account FROM oidc_links WHERE issuer = ?1 AND subject = ?2")
    select.bindAll(identity.issuer, identity.subject)
    return try select.step() ? select.id(0) : nil
  }

  fileprivate func identityLink(of id: AccountID) throws(StoreError) -> IdentityLink? {
    let select = try prepare("SELECT issuer, subject, linked_at FROM oidc_links WHERE account = ?1")
    select.bind(1, id)
    guard try select.step() else { return nil }
    return IdentityLink(
      identity: IssuedIdentity(issuer: select.text(0), subject: select.text(1)), linkedAt: select.timestamp(2))
  }
}
