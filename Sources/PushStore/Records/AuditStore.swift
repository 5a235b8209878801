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

extension SQLiteStore {
  /// Keeps an entry.
  public func keepAudit(_ entry: AuditEntry, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    write({ (context) throws(StoreError) in try context.keep(entry) }, completion: completion)
  }

  /// A page of the log, the newest first.
  public func audit(_ filter: AuditFilter, before: AuditID?, limit: Int) throws(StoreError) -> [AuditEntry] {
    let isOfPerson = "(account = ?4 OR key IN (SELECT id FROM api_keys WHERE account = ?4))"
    let conditions =
      (filter.app == nil ? "" : " AND app = ?2") + (filter.account == nil ? "" : " AND \(isOfPerson)")
      + (filter.key == nil ? "" : " AND key = ?5") + (filter.act == nil ? "" : " AND act = ?6")
      + (filter.from == nil ? "" : " AND at >= ?7") + (filter.until == nil ? "" : " AND at < ?8")
    return try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT id, at, key, act, target, app, peer, request, account FROM audit
        WHERE id < ?1\(conditions) ORDER BY id DESC LIMIT ?3
        """)
      select.bind(1, before?.rawValue ?? .max)
      if let app = filter.app { select.bind(2, app) }
      select.bind(3, Checks.page(limit))
      if let account = filter.account { select.bind(4, account) }
      if let key = filter.key { select.bind(5, key) }
      if let act = filter.act { select.bind(6, act) }
      if let from = filter.from { select.bind(7, from) }
      if let until = filter.until { select.bind(8, until) }
      var entries: [AuditEntry] = []
      while try select.step() {
        var entry = AuditEntry(
          id: select.id(0), at: select.timestamp(1), key: select.optionalID(2), act: select.text(3),
          target: select.text(4), app: select.optionalText(5), peer: select.text(6), request: select.text(7))
        entry.account = select.optionalID(8)
        entries.append(entry)
      }
      return entries
    }
  }
}

extension WriterContext {
  /// Keeps an entry of the audit log.
  func keep(_ entry: AuditEntry) throws(StoreError) {
    let insert = try db.prepare(
      "INSERT INTO audit(at, key, act, target, app, peer, request, account) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    insert.bindAll(
      entry.at, entry.key, entry.act, entry.target, entry.app, entry.peer, entry.request, entry.account)
    try insert.run()
  }
}
