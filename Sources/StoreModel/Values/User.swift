/// A person, as far as an app knows them: what several devices share.
public struct User: Sendable, Hashable {
  /// The key.
  public let id: UserID
  /// The app they use.
  public let app: AppID
  /// The caller's own id for them, unique in the app.
  public let name: String
  /// The ids that other systems gave them, sorted by label.
  public package(set) var aliases: [UserAlias] = []
  /// `anonymous_id`, `display_name`, `email` and `phone`, those that are known.
  public package(set) var profile: [String: String] = [:]
  /// What else is known of them, by name.
  public package(set) var properties: [Property] = []
  /// What they are entitled to, by name.
  public package(set) var entitlements: [Property] = []
  /// Their tags, sorted.
  public package(set) var tags: [String] = []
  /// The pushes that the user has opted out of, on all devices.
  public package(set) var optOut = OptOut.none
  /// When the record was made.
  public let createdAt: Timestamp
  /// When it was last changed.
  public let updatedAt: Timestamp
  /// When a device of theirs was first registered, or nil.
  public let firstSeenAt: Timestamp?
  /// When a device of theirs was last registered, or nil.
  public let lastSeenAt: Timestamp?

  /// Creates a user of whom nothing else is known.
  package init(
    id: UserID, app: AppID, name: String, createdAt: Timestamp, updatedAt: Timestamp, firstSeenAt: Timestamp?,
    lastSeenAt: Timestamp?
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.firstSeenAt = firstSeenAt
    self.lastSeenAt = lastSeenAt
  }
}

/// The key of a user.
public typealias UserID = RowID<User>

/// A change to a user; what is not named stays.
public struct UserChange: Sendable, Hashable {
  /// Changes to `anonymous_id`, `display_name`, `email` and `phone`.
  public var profile: [PropertyChange] = []
  /// Single aliases.
  public var aliases: [AliasChange] = []
  /// Single properties.
  public var properties: [PropertyChange] = []
  /// Single entitlements.
  public var entitlements: [PropertyChange] = []
  /// Replaces their tags; nil keeps them.
  public var tags: [String]?
  /// Changes to the pushes they have opted out of.
  public var optOut = OptOutChange()

  /// The members of a profile.
  public static let profileNames = AttributeName.profile

  /// Nothing changes.
  public init() {}
}

/// What erasing a user did: the proof that nothing about them is left.
public struct UserErasure: Sendable, Hashable {
  /// Rows that were removed or emptied, by table.
  public struct Count: Sendable, Hashable {
    /// The table.
    public let table: String
    /// What was done: `removed`; `emptied` where the ledger needs the row; `redacted` where others are named too.
    public let act: String
    /// How many rows.
    public let rows: Int

    /// Creates a value from its parts.
    package init(table: String, act: String, rows: Int) {
      self.table = table
      self.act = act
      self.rows = rows
    }
  }

  /// What was done, table by table; also those where there was nothing.
  public let counts: [Count]
  /// What a second look found after: 0.
  public let left: Int
  /// Whether the log of changes was emptied too, so that no byte of the user is in the store's files.
  ///
  /// False while a long
  /// reading, such as an export, is under way; the log is emptied when it has ended.
  public let logEmptied: Bool

  /// Creates a value from its parts.
  package init(counts: [Count], left: Int, logEmptied: Bool) {
    self.counts = counts
    self.left = left
    self.logEmptied = logEmptied
  }
}
