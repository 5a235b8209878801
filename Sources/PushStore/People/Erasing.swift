internal import SQLiteEngine
public import StoreModel

/// One statement of erasing a user: what it does to which table.
///
/// Subjects with a table of their own about users add a row to `UserErasing.statements`. Parameters: 1 the app, 2 the user's
/// name, 3 the user's key.
struct ErasureStatement: Sendable {
  let table: String
  var act = "removed"
  let sql: StaticString
}

enum UserErasing {
  /// In this order, before the devices themselves go.
  static let statements: [ErasureStatement] = [
    ErasureStatement(
      table: "frequency",
      sql: """
        DELETE FROM frequency WHERE subject = ?3 OR subject IN (SELECT -id FROM devices WHERE app = ?1 AND user = ?2)
        """),
    ErasureStatement(
      table: "device_attributes",
      sql: "DELETE FROM device_attributes WHERE device IN (SELECT id FROM devices WHERE app = ?1 AND user = ?2)"),
    ErasureStatement(
      table: "earlier_tokens",
      sql: "DELETE FROM earlier_tokens WHERE device IN (SELECT id FROM devices WHERE app = ?1 AND user = ?2)"),
    ErasureStatement(
      table: "device_names",
      sql: "DELETE FROM device_names WHERE device IN (SELECT id FROM devices WHERE app = ?1 AND user = ?2)"),
    ErasureStatement(
      table: "activity_devices",
      sql: """
        DELETE FROM activity_devices WHERE device IN (SELECT id FROM devices WHERE app = ?1 AND user = ?2)
          OR activity IN (SELECT id FROM activities WHERE app = ?1 AND user = ?2)
        """),
    ErasureStatement(
      table: "live_pushes",
      sql: """
        DELETE FROM live_pushes WHERE kind = 3 AND owner IN (SELECT id FROM activities WHERE app = ?1 AND user = ?2)
        """),
    ErasureStatement(table: "activities", sql: "DELETE FROM activities WHERE app = ?1 AND user = ?2"),
    ErasureStatement(table: "devices", sql: "DELETE FROM devices WHERE app = ?1 AND user = ?2"),
    ErasureStatement(table: "push_plans", sql: "DELETE FROM push_plans WHERE app = ?1 AND user = ?2"),
    ErasureStatement(
      table: "push_plans.problem", act: "emptied",
      sql: "UPDATE push_plans SET problem = NULL WHERE app = ?1 AND problem IS NOT NULL AND instr(problem, ?2) > 0"),
    ErasureStatement(
      table: "push_plans.approval_reason", act: "emptied",
      sql: """
        UPDATE push_plans SET approval_reason = NULL
        WHERE app = ?1 AND approval_reason IS NOT NULL AND instr(approval_reason, ?2) > 0
        """),
    ErasureStatement(
      table: "schedules.problem", act: "emptied",
      sql: "UPDATE schedules SET problem = NULL WHERE app = ?1 AND problem IS NOT NULL AND instr(problem, ?2) > 0"),
    ErasureStatement(table: "aliases", sql: "DELETE FROM aliases WHERE user = ?3"),
    ErasureStatement(table: "inbox", sql: "DELETE FROM inbox WHERE user = ?3"),
    ErasureStatement(table: "user_attributes", sql: "DELETE FROM user_attributes WHERE user = ?3"),
    ErasureStatement(table: "users", sql: "DELETE FROM users WHERE id = ?3"),
  ]
}

extension SQLStore {
  /// How often what was written meanwhile is looked for; each look finds only that.
  private static let looksMax = 4

  /// Forgets a user and everything about them.
  public func eraseUser(
    app: AppID, named name: String, redaction: any UserRedaction, audit: AuditEntry?, now: Timestamp
  ) async throws(StoreError) -> UserErasure {
    // The long part, reading all deliveries and documents, runs on a reader and blocks nobody; the writer then checks
    // only the rows added since.
    let (seen, upTo, found) = try readers.read { (db) throws(StoreError) in
      guard let user = try db.userID(app, name) else { throw Self.noUser }
      let upTo = try db.integer("SELECT coalesce(max(id), 0) FROM deliveries") ?? 0
      let identity = try db.identity(app, name, user)
      return (
        try db.deliveries(app, ofUser: name, from: 0, to: upTo), upTo,
        try MentionSearch(app, identity, redaction).run(db)
      )
    }
    let (user, identity, counts) = try await writing { (context) throws(StoreError) in
      let erased = try context.erase(app, name, seen: seen, upTo: upTo, found, redaction, now)
      if let audit { try context.keep(audit) }
      return erased
    }
    var left = 0
    for _ in 0..<Self.looksMax {
      // What was written while this ran can name the user once more.
      let again = try readers.read { (db) throws(StoreError) in try MentionSearch(app, identity, redaction).run(db) }
      left = again.count + (try readers.read { (db) throws(StoreError) in try db.rowsLeft(app, name, user) })
      guard again.count > 0 else { break }
      _ = try await writing { (context) throws(StoreError) in try context.redact(again, identity, redaction, now) }
    }
    return UserErasure(counts: counts, left: left, logEmptied: try emptyLog())
  }

  fileprivate static let noUser = StoreError(
    .notFound, "no user of that name", advice: "check the name; they may have been erased already")

  /// Moves the log of changes into the file, where erased rows are overwritten, and cuts it to nothing.
  ///
  /// A server's log is archived and replicated by the server's own rules, so that nothing can be said of it here.
  private func emptyLog() throws(StoreError) -> Bool {
    guard server == nil else { return false }
    // A short timeout: it waits for short reads to finish, not for an export.
    let db = try Connection(path: path, access: .readWrite, busyMilliseconds: 250)
    // A connection learns that there is a log by its first read.
    _ = try db.integer("SELECT count(*) FROM sqlite_schema")
    for _ in 0..<8 {
      if try db.checkpoint(truncate: true).frames == 0 { return true }
    }
    return false
  }
}

extension Connection {
  /// The deliveries to a user's devices, or to a token that one of them has or had.
  fileprivate func deliveries(
    _ app: AppID, ofUser name: String, from first: Int64, to last: Int64
  ) throws(StoreError) -> [Int64] {
    // An address is kept as "kind environment token", the environment with one digit (see `AddressCoding`).
    let select = try prepareOnce(
      """
      WITH mine AS MATERIALIZED (SELECT id, token FROM devices WHERE app = ?1 AND user = ?2)
      SELECT id FROM deliveries WHERE id > ?3 AND id <= ?4 AND (device IN (SELECT id FROM mine)
        OR target IS NOT NULL AND \(TokenRange.identity("substr(target, instr(target, ' ') + 3)")) IN (
          SELECT \(TokenRange.identity("token")) FROM mine UNION ALL
          SELECT \(TokenRange.identity("token")) FROM earlier_tokens WHERE device IN (SELECT id FROM mine)))
      """)
    select.bindAll(app, name, first, last)
    var ids: [Int64] = []
    while try select.step() { ids.append(select.int64(0)) }
    return ids
  }

  /// What is left of a user: nothing.
  fileprivate func rowsLeft(_ app: AppID, _ name: String, _ user: UserID) throws(StoreError) -> Int {
    let select = try prepare(
      """
      SELECT (SELECT count(*) FROM users WHERE app = ?1 AND name = ?2)
        + (SELECT count(*) FROM devices WHERE app = ?1 AND user = ?2)
        + (SELECT count(*) FROM user_attributes WHERE user = ?3)
        + (SELECT count(*) FROM push_plans WHERE app = ?1 AND user = ?2)
        + (SELECT count(*) FROM activities WHERE app = ?1 AND user = ?2)
        + (SELECT count(*) FROM inbox WHERE user = ?3)
        + (SELECT count(*) FROM aliases WHERE user = ?3)
      """)
    select.bindAll(app, name, user)
    return try select.step() ? select.int(0) : 0
  }
}

extension WriterContext {
  fileprivate mutating func erase(
    _ app: AppID, _ name: String, seen: [Int64], upTo: Int64, _ found: UserMentions, _ redaction: any UserRedaction,
    _ now: Timestamp
  ) throws(StoreError) -> (UserID, UserIdentity, [UserErasure.Count]) {
    guard let user = try db.userID(app, name) else { throw SQLStore.noUser }
    let identity = try db.identity(app, name, user)
    let deliveries = seen + (try db.deliveries(app, ofUser: name, from: upTo, to: .max))
    try recallDevices(app, name)
    recall.deliveries.formUnion(deliveries.map(DeliveryID.init(rawValue:)))
    let (emptied, contents) = try detach(deliveries, identity, redaction, now)
    try endWaiting(app, name, now)
    var counts = [
      UserErasure.Count(table: "deliveries", act: "emptied", rows: emptied),
      UserErasure.Count(table: "push_contents", act: "emptied", rows: contents),
    ]
    counts += try redact(found, identity, redaction, now)
    for statement in UserErasing.statements {
      let rows = try run(statement, app, name, user)
      counts.append(UserErasure.Count(table: statement.table, act: statement.act, rows: rows))
    }
    return (user, identity, counts)
  }

  /// Ends the user's scheduled pushes; other statements delete their requests.
  private mutating func endWaiting(_ app: AppID, _ name: String, _ now: Timestamp) throws(StoreError) {
    var waiting: [PushID] = []
    do {
      let select = try db.prepare("SELECT push FROM push_plans WHERE app = ?1 AND user = ?2 AND due_at IS NOT NULL")
      select.bindAll(app, name)
      while try select.step() { waiting.append(select.id(0)) }
    }
    for push in waiting { try end(push, as: .cancelled, now) }
  }

  private func run(
    _ erasure: ErasureStatement, _ app: AppID, _ name: String, _ user: UserID
  ) throws(StoreError) -> Int {
    let statement = try db.prepareOnce(erasure.sql.description)
    let names = statement.parameterCount
    if names >= 1 { statement.bind(1, app) }
    if names >= 2 { statement.bind(2, name) }
    if names >= 3 { statement.bind(3, user) }
    try statement.run()
    return db.changes
  }

  /// Takes device and token out of deliveries, and empties the pushes that were for this user alone; those that were not
  /// over yet end.
  private mutating func detach(
    _ deliveries: [Int64], _ user: UserIdentity, _ redaction: any UserRedaction, _ now: Timestamp
  ) throws(StoreError) -> (Int, Int) {
    var perPush: [PushID: Int64] = [:]
    var emptied = 0
    for id in deliveries {
      let update = try db.prepare(
        "UPDATE deliveries SET device = NULL, target = NULL, provider_id = NULL WHERE id = ?1")
      update.bind(1, Optional(id))
      try update.run()
      emptied += db.changes
      if let push = try db.owner(of: id) { perPush[push, default: 0] += 1 }
    }
    var contents = 0
    for (push, count) in perPush.sorted(by: { $0.key < $1.key }) {
      guard let state = try db.soleState(of: push, count: count) else { continue }
      if !state.isOver { try end(push, as: .cancelled, now) }
      try emptyContent(of: push)
      contents += db.changes
      try db.forgetRequest(of: push)
      let rename = try db.prepare(
        """
        UPDATE pushes SET name = CASE WHEN instr(name, ?2) > 0 THEN ?3 ELSE name END,
          category = CASE WHEN instr(category, ?2) > 0 THEN NULL ELSE category END
        WHERE id = ?1 AND (instr(name, ?2) > 0 OR instr(category, ?2) > 0)
        """)
      rename.bindAll(push, user.name, redaction.pseudonym)
      try rename.run()
    }
    return (emptied, contents)
  }
}

extension Connection {
  fileprivate func userID(_ app: AppID, _ name: String) throws(StoreError) -> UserID? {
    let select = try prepare("SELECT id FROM users WHERE app = ?1 AND name = ?2")
    select.bindAll(app, name)
    return try select.step() ? select.id(0) : nil
  }

  /// The state of a push that was for these deliveries and no others, and was addressed by name.
  fileprivate func soleState(of push: PushID, count: Int64) throws(StoreError) -> PushState? {
    let select = try prepare("SELECT state FROM pushes WHERE id = ?1 AND targeted = ?2 AND audience_kinds = 0")
    select.bindAll(push, count)
    return try select.step() ? PushState(rawValue: UInt8(truncatingIfNeeded: select.int(0))) : nil
  }
}
