internal import Ledger
public import StoreModel

extension SQLStore {
  /// Has a scheduled push wait for an approval.
  public func askApproval(_ id: PushID, _ request: ApprovalRequest, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      try context.require(id, for: .unschedule)
      try context.ask(request, of: id, now)
    }
  }

  /// Decides about a push that waits for an approval.
  public func decideApproval(
    _ id: PushID, _ decision: ApprovalDecision, by person: String, now: Timestamp
  ) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      try context.requireAwaited(id, by: person, now)
      switch decision {
      case .approve(let asked):
        if let asked { try context.requireUnchanged(id, since: asked) }
        try context.decide(id, .approved, by: person, reason: nil, now)
      case .decline(let reason):
        try context.decide(id, .declined, by: person, reason: reason.map(Checks.cut), now)
        try context.forgetDue(id)
        try context.end(id, as: .cancelled, now)
      }
    }
  }

  /// Pushes whose approval was not given in time.
  public func lateApprovals(now: Timestamp, limit: Int) throws(StoreError) -> [PushID] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT push FROM push_plans INDEXED BY push_plans_approval_until
        WHERE approval = 1 AND due_at IS NOT NULL AND approval_until <= ?1 ORDER BY approval_until LIMIT ?2
        """)
      select.bindAll(now, Checks.page(limit))
      var late: [PushID] = []
      while try select.step() { late.append(select.id(0)) }
      return late
    }
  }

  /// Ends a push whose approval was not given in time.
  public func expireApproval(_ id: PushID, problem: String, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare(
        """
        UPDATE push_plans SET approval = 4, approval_decided_at = ?2
        WHERE push = ?1 AND approval = 1 AND approval_until <= ?2 AND due_at IS NOT NULL
        """)
      update.bindAll(id, now)
      try update.run()
      if context.db.changes == 1 { try context.fail(id, problem, now) }
    }
  }

  /// An app's pushes that wait for an approval.
  public func awaitedApprovals(app: AppID, after: PushID?, limit: Int) throws(StoreError) -> [PushID] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        """
        SELECT push FROM push_plans INDEXED BY push_plans_approval_by_app
        WHERE app = ?1 AND push > ?2 AND approval = 1 AND due_at IS NOT NULL ORDER BY push LIMIT ?3
        """)
      select.bindAll(app, after?.rawValue ?? 0, Checks.page(limit))
      var awaited: [PushID] = []
      while try select.step() { awaited.append(select.id(0)) }
      return awaited
    }
  }

  /// Notes who wrote what a draft or scheduled push is made from.
  public func setMaker(of id: PushID, _ maker: String?) throws(StoreError) {
    try write { (context) throws(StoreError) in
      try context.require(id, for: .change)
      let update = try context.db.prepare("UPDATE push_plans SET maker = ?2 WHERE push = ?1")
      update.bindAll(id, maker)
      try update.run()
    }
  }

  /// Notes who wrote a schedule's request.
  public func setMaker(of id: ScheduleID, _ maker: String?) throws(StoreError) {
    try write { (context) throws(StoreError) in
      let update = try context.db.prepare("UPDATE schedules SET maker = ?2 WHERE id = ?1")
      update.bindAll(id, maker)
      try update.run()
      guard context.db.changes == 1 else { throw Checks.missing("schedule", id) }
    }
  }
}

extension WriterContext {
  /// Has a push wait for an approval, whatever was decided before.
  func ask(_ request: ApprovalRequest, of id: PushID, _ now: Timestamp) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE push_plans SET approval = 1, approval_devices = ?2, approval_recent = ?3, approval_above = ?4,
        approval_asked_at = ?5, approval_until = ?6, approval_by = NULL, approval_decided_at = NULL,
        approval_reason = NULL
      WHERE push = ?1
      """)
    update.bindAll(id, request.devices, request.recent, request.above, now, request.until)
    try update.run()
  }

  /// Forgets what was asked and decided: the push is another now.
  func forgetApproval(of id: PushID) throws(StoreError) {
    let update = try db.prepare("UPDATE push_plans SET approval = NULL WHERE push = ?1 AND approval IS NOT NULL")
    update.bind(1, id)
    try update.run()
  }

  fileprivate func requireAwaited(_ id: PushID, by person: String, _ now: Timestamp) throws(StoreError) {
    try require(id, for: .approve)
    let select = try db.prepare(
      """
      SELECT p.approval = 1 AND p.approval_until > ?2, p.maker, s.maker, u.author, s.author
      FROM push_plans p JOIN pushes u ON u.id = p.push LEFT JOIN schedules s ON s.id = p.schedule WHERE p.push = ?1
      """)
    select.bindAll(id, now)
    guard try select.step(), select.bool(0) else {
      throw StoreError(.conflict, "push \(id) waits for no approval", advice: "read the push again")
    }
    var writers = [select.optionalText(1), select.optionalText(2)].compactMap { $0 }
    let authors = [select.author(3), select.author(4)].compactMap { $0 }
    select.reset()
    for author in authors { if let writer = try db.writer(author) { writers.append(writer) } }
    for writer in writers where try db.areSame(writer, person) {
      throw StoreError(
        .notPermitted, "push \(id) was written by the same person or key",
        advice: "have somebody else decide; you can still cancel it, or change it to fewer devices")
    }
  }

  /// Refuses when somebody was asked anew, because the push is another now.
  fileprivate func requireUnchanged(_ id: PushID, since asked: Timestamp) throws(StoreError) {
    let select = try db.prepare("SELECT approval_asked_at FROM push_plans WHERE push = ?1")
    select.bind(1, id)
    guard try select.step(), select.timestamp(0) == asked else {
      throw StoreError(.conflict, "push \(id) was changed since it was read", advice: "read it again")
    }
  }

  fileprivate func decide(
    _ id: PushID, _ state: Approval.State, by person: String, reason: String?, _ now: Timestamp
  ) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE push_plans SET approval = ?2, approval_by = ?3, approval_decided_at = ?4, approval_reason = ?5
      WHERE push = ?1
      """)
    update.bindAll(id, Int(state.rawValue), person, now, reason)
    try update.run()
  }
}

extension Connection {
  /// Who an author is as a writer: a key of a person is that person; nil for a schedule.
  fileprivate func writer(_ author: Author) throws(StoreError) -> String? {
    switch author {
    case .account(let id): return "person:\(id)"
    case .schedule: return nil
    case .key(let id):
      let select = try prepare("SELECT account FROM api_keys WHERE id = ?1")
      select.bind(1, id)
      defer { select.reset() }
      guard try select.step(), !select.isNull(0) else { return "key:\(id)" }
      return "person:\(select.int64(0))"
    }
  }

  /// Whether two writers are one: a key that was rotated has the name of its successor.
  fileprivate func areSame(_ one: String, _ other: String) throws(StoreError) -> Bool {
    if one == other { return true }
    let ids = [one, other].compactMap { $0.hasPrefix("key:") ? APIKeyID(String($0.dropFirst(4))) : nil }
    guard ids.count == 2 else { return false }
    let select = try prepare(
      "SELECT 1 FROM api_keys a JOIN api_keys b ON a.name = b.name WHERE a.id = ?1 AND b.id = ?2")
    select.bindAll(ids[0], ids[1])
    defer { select.reset() }
    return try select.step()
  }
}

extension Approval {
  /// The columns that an approval is read from.
  static let columns = """
    approval, approval_devices, approval_recent, approval_above, approval_asked_at, approval_until, approval_by,
    approval_decided_at, approval_reason
    """

  /// Reads the columns from one on; nil when none was ever needed.
  init?(_ row: borrowing Statement, from column: Int32) {
    guard !row.isNull(column), let state = State(rawValue: UInt8(truncatingIfNeeded: row.int(column))) else {
      return nil
    }
    self.init(
      state: state,
      request: ApprovalRequest(
        devices: row.int(column + 1), recent: row.int(column + 2), above: row.int(column + 3),
        until: row.timestamp(column + 5)),
      askedAt: row.timestamp(column + 4), decidedBy: row.optionalText(column + 6),
      decidedAt: row.optionalTimestamp(column + 7), reason: row.optionalText(column + 8))
  }
}
