internal import PushStore
internal import Signing
internal import StoreModel

/// Invites an owner in the data folder of a stopped server: the first one, or another when nobody can sign in any more.
public enum OwnerInvitation {
  /// What was created.
  public struct Made: Sendable, Hashable {
    /// The person's id.
    public let id: String
    /// With what they sign in.
    public let email: String
    /// Behind the server's address and `/#/join/` it is the link; not stored.
    public let invitation: String
    /// Until when it can be used.
    public let until: String
  }

  /// Invites somebody as an owner of the server, or an owner who is there already once more, and records it in the audit log.
  ///
  /// - Parameters:
  ///   - location: the data folder of a server that is not running, or a database, beside whose servers it works.
  ///   - email: with what they sign in.
  ///   - name: the display name.
  ///   - clock: the time of day.
  /// - Throws: ``PostriderServerError`` when there is no database, or a server uses the folder, or the email is not one.
  public static func run(
    _ location: StoreLocation, email: String, name: String, clock: WallClock = .system
  ) throws(PostriderServerError) -> Made {
    guard let email = EmailText.read(email) else {
      throw PostriderServerError(
        DataFolderError(description: "“\(email)” is no email; expected one such as ann@example.com"))
    }
    return try StoppedServer.withStore(of: location) { (store) throws(StoreError) in
      try invite(email, name, store, now: Timestamp(milliseconds: clock.nowMs()))
    }
  }

  private static func invite(
    _ email: String, _ name: String, _ store: SQLStore, now: Timestamp
  ) throws(StoreError) -> Made {
    let token = Base64URL.encode(SecureRandom.bytes(32))
    let invitation = Invitation(hash: SHA256.digest(token), until: now.adding(seconds: PeopleRoutes.lifetimeSeconds))
    let account: Account
    if let known = try store.accounts().first(where: { $0.email == email }) {
      // Whoever may write to the folder may do everything; but a role is not raised unseen.
      guard known.has(.owner) else {
        throw StoreError(
          .conflict, "\(email) is there and no owner", advice: "give the role with postrider people role")
      }
      account = try store.setInvitation(invitation, of: known.id)
    } else {
      account = try store.inviteAccount(
        NewAccount(
          email: email, name: name, grants: [AccountGrant(app: nil, role: .owner)], invitation: invitation), now: now)
    }
    let entry = AuditEntry(
      at: now, key: nil, act: "addOwner", target: "/v1/people → \(account.id)", app: nil, peer: "", request: "offline")
    try store.wait { store.keepAudit(entry, completion: $0) }
    return Made(
      id: account.id.description, email: email, invitation: token, until: TimeText.text(invitation.until))
  }
}
