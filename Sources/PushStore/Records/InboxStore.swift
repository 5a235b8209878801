public import StoreModel

extension SQLStore {
  /// Leaves a message in a user's inbox.
  public func addInboxMessage(_ message: NewInboxMessage, now: Timestamp) throws(StoreError) -> InboxMessage {
    try message.check()
    return try write { (context) throws(StoreError) in try context.add(message, now) }
  }

  /// The message with the caller's id, and whose inbox it is in.
  public func inboxMessage(
    app: AppID, named name: String, now: Timestamp
  ) throws(StoreError) -> (InboxMessage, user: String)? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT \(InboxMessage.columns), (SELECT name FROM users WHERE users.id = inbox.user) FROM inbox
        WHERE app = ?1 AND name = ?2 AND expires_at > ?3
        """)
      select.bindAll(app, name, now)
      return try select.step() ? (InboxMessage(row: select), select.text(InboxMessage.columnCount)) : nil
    }
  }

  /// A page of a user's inbox, newest first.
  public func inbox(
    app: AppID, user: String, unreadOnly: Bool, before: InboxMessageID?, limit: Int, now: Timestamp
  ) throws(StoreError) -> [InboxMessage] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT \(InboxMessage.columns) FROM inbox
        WHERE user = (SELECT id FROM users WHERE app = ?1 AND name = ?2) AND id < ?3 AND expires_at > ?4
          AND (NOT ?5 OR read_at IS NULL) ORDER BY id DESC LIMIT ?6
        """)
      select.bindAll(app, user, before?.rawValue ?? .max, now, unreadOnly, Checks.page(limit))
      var page: [InboxMessage] = []
      while try select.step() { page.append(InboxMessage(row: select)) }
      return page
    }
  }

  /// How many messages a user's inbox has.
  public func inboxCounts(app: AppID, user: String, now: Timestamp) throws(StoreError) -> InboxCounts {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT count(*), count(*) FILTER (WHERE read_at IS NULL) FROM inbox
        WHERE user = (SELECT id FROM users WHERE app = ?1 AND name = ?2) AND expires_at > ?3
        """)
      select.bindAll(app, user, now)
      guard try select.step() else { return InboxCounts(total: 0, unread: 0) }
      return InboxCounts(total: select.int(0), unread: select.int(1))
    }
  }

  /// Notes that a message was read, or that it was not.
  public func markInboxMessage(_ id: InboxMessageID, read: Bool, now: Timestamp) throws(StoreError) -> InboxMessage {
    try write { (context) throws(StoreError) in
      let update = try context.db.prepareOnce(
        """
        UPDATE inbox SET read_at = CASE WHEN ?2 THEN coalesce(read_at, ?3) END WHERE id = ?1 AND expires_at > ?3
        RETURNING \(InboxMessage.columns)
        """)
      update.bindAll(id, read, now)
      guard try update.step() else { throw Checks.missing("message", id) }
      return InboxMessage(row: update)
    }
  }

  /// Notes that messages of an inbox were read.
  public func markInboxRead(
    app: AppID, user: String, upTo: InboxMessageID?, now: Timestamp
  ) throws(StoreError) -> Int {
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare(
        """
        UPDATE inbox SET read_at = ?4
        WHERE user = (SELECT id FROM users WHERE app = ?1 AND name = ?2) AND id <= ?3 AND read_at IS NULL
          AND expires_at > ?4
        """)
      update.bindAll(app, user, upTo?.rawValue ?? .max, now)
      try update.run()
      return context.db.changes
    }
  }

  /// Removes a message.
  public func deleteInboxMessage(_ id: InboxMessageID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let delete = try context.db.prepare("DELETE FROM inbox WHERE id = ?1")
      delete.bind(1, id)
      try delete.run()
      guard context.db.changes > 0 else { throw Checks.missing("message", id) }
    }
  }
}

extension NewInboxMessage {
  fileprivate func check() throws(StoreError) {
    try Checks.text(user, "user")
    try Checks.text(name, "id")
    try Checks.text(content.title, "title")
    if let url = content.url { try Checks.text(url, "url", max: StoreLimits.urlBytesMax) }
    try Checks.blob(Array((content.summary ?? "").utf8), "summary")
    try Checks.blob(Array(content.body.utf8), "body")
    try Checks.blob(content.data, "data")
  }
}

extension WriterContext {
  /// Messages that are looked at in one step of the upkeep.
  private static let purgedAtOnce = 1_000

  fileprivate mutating func add(_ message: NewInboxMessage, _ now: Timestamp) throws(StoreError) -> InboxMessage {
    guard try appExists(message.app) else { throw Checks.missing("app", message.app) }
    let user = try see(message.user, message.app, nil, now).id
    let content = message.content
    let insert = try db.prepareOnce(
      """
      INSERT INTO inbox(app, user, name, type, title, summary, body, url, data, push, created_at, expires_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT(app, name) DO NOTHING
      RETURNING \(InboxMessage.columns)
      """)
    insert.bindAll(message.app, user, message.name, Int(content.type.rawValue), content.title, content.summary)
    insert.bind(7, content.body)
    insert.bind(8, content.url)
    insert.bind(9, content.data)
    insert.bind(10, message.push?.rawValue)
    insert.bind(11, now)
    insert.bind(12, message.expiresAt)
    guard try insert.step() else {
      throw StoreError(
        .conflict, "a message of this app has the id \(message.name) already",
        advice: "choose another id, or leave it out")
    }
    let added = InboxMessage(row: insert)
    let trim = try db.prepare(
      """
      DELETE FROM inbox WHERE user = ?1
        AND id <= (SELECT id FROM inbox WHERE user = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """)
    trim.bindAll(user, StoreLimits.messagesPerInboxMax)
    try trim.run()
    return added
  }

  /// Forgets messages that have expired.
  func purgeInbox(now: Timestamp) throws(StoreError) {
    let delete = try db.prepare(
      "DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)")
    delete.bindAll(now, Self.purgedAtOnce)
    try delete.run()
  }
}

extension InboxMessage {
  fileprivate static let columns =
    "id, user, name, type, title, summary, body, url, data, push, created_at, read_at, expires_at"
  fileprivate static let columnCount: Int32 = 13

  fileprivate init(row: borrowing Statement) {
    self.init(
      id: row.id(0), user: row.id(1), name: row.text(2),
      content: InboxContent(
        type: InboxType(rawValue: UInt8(truncatingIfNeeded: row.int(3))) ?? .text, title: row.text(4),
        summary: row.optionalText(5), body: row.text(6), url: row.optionalText(7),
        data: row.isNull(8) ? nil : row.blob(8)),
      push: row.isNull(9) ? nil : row.id(9), createdAt: row.timestamp(10), readAt: row.optionalTimestamp(11),
      expiresAt: row.timestamp(12))
  }
}
