/// The key of a person's account.
public typealias AccountID = RowID<Account>

/// The key of a session.
public typealias SessionID = RowID<SessionRecord>

/// What a person may do, in one app or in all of them.
///
/// The raw values are stored; never reuse one. They start at 2 as all do that are stored in rows.
public enum AccountRole: UInt8, NamedCase, Sendable {
  /// Everything, people and keys included; of the whole server only.
  case owner = 2
  /// Everything but people, keys and sessions.
  case admin = 3
  /// Sends pushes and manages the audience.
  case sender = 4
  /// Sees outcomes and changes nothing.
  case analyst = 5
  /// Sees everything, and helps single users and devices.
  case support = 6

  /// The name in the API.
  public var name: String {
    switch self {
    case .owner: "owner"
    case .admin: "admin"
    case .sender: "sender"
    case .analyst: "analyst"
    case .support: "support"
    }
  }
}

/// A role of a person.
public struct AccountGrant: Sendable, Hashable {
  /// The app it is for; nil for the server with all its apps.
  public let app: AppID?
  /// The role.
  public let role: AccountRole

  /// Creates a value from its parts.
  public init(app: AppID?, role: AccountRole) {
    self.app = app
    self.role = role
  }
}

/// A person who works with the server.
public struct Account: Sendable, Hashable {
  /// The key.
  public let id: AccountID
  /// With what they sign in, in lower case; nil once they are removed.
  public let email: String?
  /// The display name, which remains after they are removed: what they did keeps its author.
  public let name: String
  /// What they may do.
  public let grants: [AccountGrant]
  /// When they were invited.
  public let createdAt: Timestamp
  /// Until when an invitation can be used, or nil when there is none.
  public let invitedUntil: Timestamp?
  /// When they first chose a password, or nil.
  public let joinedAt: Timestamp?
  /// When they last signed in, or nil.
  public let signedInAt: Timestamp?
  /// When they were removed, or nil.
  public let removedAt: Timestamp?

  /// Creates a value from its parts.
  package init(
    id: AccountID, email: String?, name: String, grants: [AccountGrant], createdAt: Timestamp, invitedUntil: Timestamp?,
    joinedAt: Timestamp?, signedInAt: Timestamp?, removedAt: Timestamp?
  ) {
    self.id = id
    self.email = email
    self.name = name
    self.grants = grants
    self.createdAt = createdAt
    self.invitedUntil = invitedUntil
    self.joinedAt = joinedAt
    self.signedInAt = signedInAt
    self.removedAt = removedAt
  }

  /// Whether they have a role for the whole server.
  public func has(_ role: AccountRole) -> Bool { grants.contains { $0.app == nil && $0.role == role } }
}

/// Somebody who is invited.
public struct NewAccount: Sendable, Hashable {
  /// With what they will sign in, in lower case.
  public var email: String
  /// The display name.
  public var name: String
  /// What they may do.
  public var grants: [AccountGrant]
  /// The invitation that comes with it.
  public var invitation: Invitation

  /// Creates a value from its parts.
  public init(email: String, name: String, grants: [AccountGrant], invitation: Invitation) {
    self.email = email
    self.name = name
    self.grants = grants
    self.invitation = invitation
  }
}

/// An invitation as it is stored: the token is known to whoever got the link.
public struct Invitation: Sendable, Hashable {
  /// SHA-256 of the token.
  public let hash: [UInt8]
  /// Until when it can be used.
  public let until: Timestamp

  /// Creates a value from its parts.
  public init(hash: [UInt8], until: Timestamp) {
    self.hash = hash
    self.until = until
  }
}

/// Which sessions are over, and how many there are.
public struct SessionBounds: Sendable, Hashable {
  /// Those last used before are over.
  public let usedBefore: Timestamp
  /// Those begun before are over.
  public let startedBefore: Timestamp
  /// Sessions of one holder.
  public let ofOneMax: Int
  /// Sessions of all.
  public let max: Int

  /// Creates a value from its parts.
  public init(usedBefore: Timestamp, startedBefore: Timestamp, ofOneMax: Int, max: Int) {
    self.usedBefore = usedBefore
    self.startedBefore = startedBefore
    self.ofOneMax = ofOneMax
    self.max = max
  }
}

/// A signed-in browser.
public struct SessionRecord: Sendable, Hashable {
  /// Whose it is.
  public enum Holder: Sendable, Hashable {
    /// An API key, by SHA-256 of its text.
    case key([UInt8])
    /// A person.
    case account(AccountID)
  }

  /// The key of the record.
  public let id: SessionID
  /// SHA-256 of the session's id.
  public let hash: [UInt8]
  /// Whose it is.
  public let holder: Holder
  /// When it began.
  public let startedAt: Timestamp
  /// When it was last used; stored at most once a minute.
  public var usedAt: Timestamp
  /// The network address it began from.
  public let peer: String
  /// How the browser describes itself, shortened.
  public let agent: String

  /// Creates a value from its parts.
  public init(
    id: SessionID = SessionID(rawValue: 0), hash: [UInt8], holder: Holder, startedAt: Timestamp, usedAt: Timestamp,
    peer: String, agent: String
  ) {
    self.id = id
    self.hash = hash
    self.holder = holder
    self.startedAt = startedAt
    self.usedAt = usedAt
    self.peer = peer
    self.agent = agent
  }

  /// The same under a key.
  package func with(id: SessionID) -> SessionRecord {
    SessionRecord(
      id: id, hash: hash, holder: holder, startedAt: startedAt, usedAt: usedAt, peer: peer, agent: agent)
  }
}
