/// People who work with the server, and signed-in browsers.
public protocol AccountStore: Sendable {
  /// Saves somebody who is invited. Throws `conflict` when the email is taken, `invalid`, `notFound` (an app).
  func inviteAccount(_ new: NewAccount, now: Timestamp) throws(StoreError) -> Account
  /// Everybody, those who were removed included, by key.
  func accounts() throws(StoreError) -> [Account]
  /// The account with a key, also when removed, or nil.
  func account(_ id: AccountID) throws(StoreError) -> Account?
  /// The account with an email and the password's hash, nil for an email that nobody has who has joined.
  func password(ofEmail email: String) throws(StoreError) -> (account: AccountID, password: [UInt8])?
  /// The password's hash of an account, or nil.
  func password(of id: AccountID) throws(StoreError) -> [UInt8]?
  /// Who may use an invitation, by its token's hash; nil when it is used up, revoked, expired, or there was none.
  func account(invitedBy hash: [UInt8], now: Timestamp) throws(StoreError) -> Account?
  /// Replaces the invitation of an account; nil revokes it. Throws `notFound`.
  func setInvitation(_ invitation: Invitation?, of id: AccountID) throws(StoreError) -> Account
  /// Uses up an invitation: sets the password, deletes the passkeys and ends all sessions of the account. Throws `notFound` when the invitation
  /// cannot be used (any more).
  func join(invitedBy hash: [UInt8], password: [UInt8], now: Timestamp) throws(StoreError) -> Account
  /// Sets another password, and ends all sessions of the account but one. Throws `conflict` when the password is no longer
  /// `old`, which is nil for somebody who signs in without; `notFound`.
  func setPassword(
    _ password: [UInt8], replacing old: [UInt8]?, of id: AccountID, keeping session: [UInt8]
  ) throws(StoreError)
  /// Changes name and roles; nil keeps what there is. Throws `conflict` when no owner would remain, `notFound`, `invalid`.
  func updateAccount(
    _ id: AccountID, name: String?, grants: [AccountGrant]?, unlessLastKeyWith scope: String, now: Timestamp
  ) throws(StoreError) -> Account
  /// Removes a person: email, password, passkeys, identity, roles, invitation and sessions are deleted, their keys revoked. Throws
  /// `conflict` when no owner would remain, or one of the keys is the last with `scope`; `notFound`.
  func removeAccount(_ id: AccountID, unlessLastKeyWith scope: String, now: Timestamp) throws(StoreError)
  /// Lets in whom an identity provider vouches for: who is linked with the identity, or else who has the email. The latter is
  /// linked with it, and joins when they are invited; the invitation is used up and all their sessions end, also when it is to
  /// replace another identity. Throws `notPermitted` with why not, also when there is no email.
  func enter(with identity: IssuedIdentity, email: String?, now: Timestamp) throws(StoreError) -> IdentityEntry
  /// The identity that a person signs in with, or nil.
  func identityLink(of id: AccountID) throws(StoreError) -> IdentityLink?
  /// Removes the identity that a person signs in with, and ends all sessions of the account but one. Throws `conflict` when it
  /// is the only means to sign in with at `host` (nil: at any), `notFound`.
  func removeIdentityLink(of id: AccountID, at host: String?, keeping session: [UInt8]) throws(StoreError)
  /// The names of authors; those that are gone are left out.
  func names(of authors: Set<Author>) throws(StoreError) -> [Author: String]

  /// All sessions, the one used last first.
  func sessions() throws(StoreError) -> [SessionRecord]
  /// The session with a hash, or nil.
  func session(hash: [UInt8]) throws(StoreError) -> SessionRecord?
  /// Saves a session, and deletes those that are over, and the ones that were unused longest where there are too many. For a person,
  /// notes the sign-in; throws `conflict` when what they have proven holds no longer, or nothing was.
  func beginSession(
    _ session: SessionRecord, proof: SignInProof?, over: SessionBounds
  ) throws(StoreError) -> SessionRecord
  /// Notes that a session was used; call it at most once a minute per session.
  func touchSession(_ id: SessionID, now: Timestamp) throws(StoreError)
  /// Ends sessions; those that are over already are ignored.
  func endSessions(_ ids: [SessionID]) throws(StoreError)
}
