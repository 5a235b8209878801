/// Passkeys of people who work with the server.
public protocol PasskeyStore: Sendable {
  /// The passkeys of a person, the oldest first.
  func passkeys(of account: AccountID) throws(StoreError) -> [Passkey]
  /// The passkey with an authenticator's id, or nil.
  func passkey(credential: [UInt8]) throws(StoreError) -> Passkey?
  /// Adds a passkey. Throws `conflict` when somebody has it or the person has as many as are allowed, `notFound`, `invalid`.
  func addPasskey(_ new: NewPasskey, to account: AccountID, now: Timestamp) throws(StoreError) -> Passkey
  /// Gives a passkey another name. Throws `notFound` for one of somebody else, too; `invalid`.
  func renamePasskey(_ id: PasskeyID, of account: AccountID, to name: String) throws(StoreError) -> Passkey
  /// Removes a passkey, and ends all sessions of the person but one. Throws `conflict` when nothing would be left to sign in with
  /// at `host` (nil: at any), `notFound`.
  func removePasskey(
    _ id: PasskeyID, of account: AccountID, at host: String?, keeping session: [UInt8]
  ) throws(StoreError)
  /// Uses up an invitation: the passkey replaces all that the person signed in with, and all their sessions end. Throws
  /// `notFound` when the invitation cannot be used (any more), `conflict`, `invalid`.
  func join(invitedBy hash: [UInt8], passkey: NewPasskey, now: Timestamp) throws(StoreError) -> Passkey
}
