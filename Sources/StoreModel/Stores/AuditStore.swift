/// An administrative act.
///
/// It holds no secret: names, ids and addresses only.
public struct AuditEntry: Sendable, Hashable {
  /// The key; nil before it is kept.
  public let id: AuditID?
  /// When.
  public let at: Timestamp
  /// Who: the API key.
  public let key: APIKeyID?
  /// Who: the person, instead of a key.
  public var account: AccountID?
  /// What: the name of the operation.
  public let act: String
  /// The target: the path, and the id of a created record.
  public let target: String
  /// The app's name, or nil for acts on the whole server.
  public let app: String?
  /// From which address.
  public let peer: String
  /// The request's name, as in the log.
  public let request: String

  /// Creates a value from its parts.
  public init(
    id: AuditID? = nil, at: Timestamp, key: APIKeyID?, act: String, target: String,
    app: String?, peer: String,
    request: String
  ) {
    self.id = id
    self.at = at
    self.key = key
    self.act = act
    self.target = target
    self.app = app
    self.peer = peer
    self.request = request
  }
}

/// The key of an entry of the audit log.
public typealias AuditID = RowID<AuditEntry>

/// Which entries of the audit log are read.
public struct AuditFilter: Sendable, Hashable {
  /// Only those on the app with this name.
  public var app: String?
  /// Only those of this person, and of the API keys that belong to them.
  public var account: AccountID?
  /// Only those of this API key.
  public var key: APIKeyID?
  /// Only those with this name.
  public var act: String?
  /// Only those that happened then or later.
  public var from: Timestamp?
  /// Only those that happened before.
  public var until: Timestamp?

  /// Creates a filter; all entries without arguments.
  public init(app: String? = nil, account: AccountID? = nil, key: APIKeyID? = nil) {
    self.app = app
    self.account = account
    self.key = key
  }
}

/// The log of administrative acts.
public protocol AuditStore: Sendable {
  /// Keeps an entry, durably when `completion` is called.
  func keepAudit(_ entry: AuditEntry, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)
  /// A page of the log, the newest first, before `before`.
  func audit(_ filter: AuditFilter, before: AuditID?, limit: Int) throws(StoreError) -> [AuditEntry]
}
