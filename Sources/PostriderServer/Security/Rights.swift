internal import StoreModel

/// What a role allows: the scopes that keys have, and single operations more or less.
struct Rights: Sendable {
  let scopes: Scope
  /// Operations that the scopes do not include.
  var also: Set<String> = []
  /// Operations that the scopes would include.
  var never: Set<String> = []

  /// The scopes with which a person acts in an operation; nil when the role does not allow it.
  func scopes(for target: AccessTarget) -> Scope? {
    guard !never.contains(target.operation) else { return nil }
    if scopes.satisfies(target.accepted) { return scopes }
    guard also.contains(target.operation) else { return nil }
    // Not as an app's key: those speak for one user and need that user's token.
    return scopes.union(target.accepted.subtracting([.client, .compat]))
  }
}

extension AccountRole {
  /// The table of roles.
  var rights: Rights {
    switch self {
    case .owner: Rights(scopes: .admin)
    case .admin:
      // A key of scope admin is as good as an owner, so that who may not make owners may not create keys either.
      Rights(
        scopes: .admin,
        never: [
          "createKey", "rotateKey", "revokeKey", "invitePerson", "updatePerson", "removePerson", "renewInvitation",
          "revokeInvitation", "listSessions", "endSession",
        ])
    case .sender: Rights(scopes: [.send, .read])
    case .analyst: Rights(scopes: .read)
    case .support:
      Rights(
        scopes: .read,
        also: [
          "updateDevice", "deleteDevice", "updateUser", "deleteUser", "leaveInboxMessage", "updateInboxMessage",
          "deleteInboxMessage", "cancelForUser", "testPush",
        ])
    }
  }
}

/// Where somebody wants in: an operation, what it accepts, and of which app.
struct AccessTarget: Sendable {
  /// The operation's id.
  let operation: String
  /// The scopes of which a key needs one.
  let accepted: Scope
  /// The app's name in the path; nil for what concerns the whole server.
  var app: String?
  /// Whether it reads and changes nothing of the server's.
  var isStateless = false
}

extension Account {
  /// The caller that a person is in an operation; `app` is the app of that name, nil when there is none.
  func caller(at target: AccessTarget, app: AppID?) throws(Problem) -> Caller {
    var roles: [String] = []
    for grant in grants {
      guard grant.app == nil || target.isStateless || app != nil && grant.app == app else { continue }
      if let scopes = grant.role.rights.scopes(for: target) {
        return Caller(account: id, scopes: scopes, app: grant.app)
      }
      roles.append(grant.role.name)
    }
    guard !roles.isEmpty else {
      // The same whether or not that app exists.
      throw Problem(
        .forbidden,
        target.app == nil
          ? "this concerns the whole server, and your roles are for single apps; ask an owner"
          : "you have no role in this app; ask an owner")
    }
    throw Problem(
      .forbidden, "the role \(roles.joined(separator: ", ")) does not include \(target.operation); ask an owner")
  }
}
