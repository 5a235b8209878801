internal import Ledger
public import StoreModel

extension SQLStore {
  /// Keeps a draft or a push that waits.
  public func addScheduledPush(_ push: NewScheduledPush, now: Timestamp) throws(StoreError) -> CreatedPush {
    try push.check()
    return try write { (context) throws(StoreError) in try context.addScheduled(push, now) }
  }

  /// Replaces what a draft or waiting push will be.
  public func editScheduledPush(
    _ id: PushID, from read: [UInt8], pushClass: PushClass, name: String?, request: [UInt8], start: ScheduledStart?
  ) throws(StoreError) {
    try Checks.request(request)
    if let name { try Checks.text(name, "name", min: 0) }
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      try context.require(id, for: .change)
      let kept = try context.db.prepare("SELECT 1 FROM push_plans WHERE push = ?1 AND request = ?2")
      kept.bindAll(id, read)
      guard try kept.step() else {
        throw StoreError(.conflict, "push \(id) was changed meanwhile", advice: "read it, and change it again")
      }
      let push = try context.db.prepare("UPDATE pushes SET class = ?2, name = ?3 WHERE id = ?1")
      push.bindAll(id, Int(pushClass.rawValue), name)
      try push.run()
      let scheduled = try context.db.prepare("UPDATE push_plans SET request = ?2 WHERE push = ?1")
      scheduled.bindAll(id, request)
      try scheduled.run()
      // What was approved was another message.
      try context.forgetApproval(of: id)
      if let start { try context.schedule(id, start) }
    }
  }

  /// Sets or changes the start time of a draft or scheduled push.
  public func schedulePush(_ id: PushID, _ start: ScheduledStart) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      try context.require(id, for: .change)
      try context.schedule(id, start)
    }
  }

  /// Makes a waiting push a draft again.
  public func unschedulePush(_ id: PushID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      try context.require(id, for: .unschedule)
      try context.setDue(id, nil, nil)
      try context.forgetApproval(of: id)
      try context.setState(id, .draft, startAt: nil)
    }
  }

  /// Ends a waiting push that cannot be made.
  public func failScheduledPush(_ id: PushID, problem: String, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in try context.fail(id, problem, now) }
  }

  /// Removes a draft or waiting push with everything about it.
  public func deleteScheduledPush(_ id: PushID) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      try context.require(id, for: .change)
      for sql: StaticString in [
        "DELETE FROM pushes WHERE id = ?1", "DELETE FROM push_contents WHERE push = ?1",
        "DELETE FROM push_plans WHERE push = ?1",
      ] {
        let delete = try context.db.prepare(sql)
        delete.bind(1, id)
        try delete.run()
      }
    }
  }

  /// What is kept of a push beside its ledger, or nil.
  public func scheduledPush(of id: PushID) throws(StoreError) -> ScheduledPush? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(ScheduledPush.select + "WHERE push = ?1")
      select.bind(1, id)
      return try select.step() ? ScheduledPush(row: select) : nil
    }
  }

  /// Scheduled pushes that are due, earliest first.
  public func dueScheduledPushes(now: Timestamp, limit: Int) throws(StoreError) -> [ScheduledPush] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        ScheduledPush.select
          + "WHERE due_at <= ?1 AND held_at IS NULL AND approval IS DISTINCT FROM 1 ORDER BY due_at LIMIT ?2")
      select.bindAll(now, Checks.page(limit))
      var found: [ScheduledPush] = []
      while try select.step() { found.append(ScheduledPush(row: select)) }
      return found
    }
  }

  /// A user's scheduled pushes.
  public func userScheduledPushes(
    app: AppID, user: String, after: String?, limit: Int
  ) throws(StoreError) -> [ScheduledPush] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        ScheduledPush.select + """
          WHERE app = ?1 AND user = ?2 AND key > ?3 AND key IS NOT NULL AND due_at IS NOT NULL ORDER BY key LIMIT ?4
          """)
      select.bindAll(app, user, after ?? "", Checks.page(limit))
      var found: [ScheduledPush] = []
      while try select.step() { found.append(ScheduledPush(row: select)) }
      return found
    }
  }

  /// A user's scheduled push with a key, or nil.
  public func userScheduledPush(app: AppID, _ name: UserPushName) throws(StoreError) -> ScheduledPush? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(
        ScheduledPush.select + "WHERE app = ?1 AND user = ?2 AND key = ?3 AND key IS NOT NULL AND due_at IS NOT NULL")
      select.bindAll(app, name.user, name.key)
      return try select.step() ? ScheduledPush(row: select) : nil
    }
  }
}

extension NewScheduledPush {
  fileprivate func check() throws(StoreError) {
    try Checks.request(request)
    if let name { try Checks.text(name, "name", min: 0) }
    if let userPushName {
      try Checks.text(userPushName.user, "user")
      try Checks.text(userPushName.key, "key")
    }
    if let idempotency {
      try Checks.text(idempotency.key, "Idempotency-Key", max: StoreLimits.idempotencyKeyBytesMax)
    }
  }
}

extension Checks {
  static func request(_ bytes: [UInt8]) throws(StoreError) {
    guard bytes.count > StoreLimits.requestBytesMax else { return }
    throw StoreError(
      .invalid, "request: \(bytes.count) bytes, at most \(StoreLimits.requestBytesMax) are stored",
      advice: "split the list over several pushes")
  }

  /// A text from outside, short enough to be kept.
  static func cut(_ text: String) -> String { String(text.prefix(StoreLimits.textBytesMax / 4)) }
}

extension ScheduledPush {
  static let select = """
    SELECT push, app, request, due_at, local_clock, local_zone, user, key, schedule, problem, held_at, local_day,
      undo, maker, \(Approval.columns)
    FROM push_plans 
    """

  init(row: borrowing Statement) {
    self.init(
      push: row.id(0), app: row.id(1), request: row.blob(2), dueAt: row.optionalTimestamp(3),
      local: row.isNull(4) ? nil : LocalStart(row, clock: 4, zone: 5, day: 11),
      userPushName: row.isNull(7) ? nil : UserPushName(user: row.text(6), key: row.text(7)),
      schedule: row.optionalID(8), problem: row.optionalText(9), heldAt: row.optionalTimestamp(10),
      isUndoable: row.bool(12), maker: row.optionalText(13), approval: Approval(row, from: 14))
  }
}

extension WriterContext {
  mutating func addScheduled(_ push: NewScheduledPush, _ now: Timestamp) throws(StoreError) -> CreatedPush {
    var keyRow: Int64?
    if let key = push.idempotency {
      switch try db.idempotent(key, scope: push.app.rawValue) {
      case .known(_, let first, _): return try replay(first)
      case .free(let unused): keyRow = unused
      }
    }
    note(.schedules)
    guard try appExists(push.app) else { throw Checks.missing("app", push.app) }
    if let userPushName = push.userPushName { try cancel(userPushName, push.app, now) }
    let reserved = try roomForLater()
    let id = PushID(rawValue: try takeNumbers(reserved))
    try insertScheduled(id, push, reserved, now)
    if let key = push.idempotency, let keyRow {
      try insertKey(key, id: keyRow, scope: push.app.rawValue, push: id, response: nil, now)
    }
    var created = CreatedPush(id: id, replayed: false, targeted: 0)
    created.number = pushNumbers[push.app] ?? 0
    return created
  }

  /// A push keeps its number when it starts, so numbers for its deliveries are kept free: eight times the devices there
  /// are, and 16 million more.
  private func roomForLater() throws(StoreError) -> Int64 {
    (try db.integer("SELECT coalesce(max(id), 0) FROM devices") ?? 0) * 8 + 1 << 24
  }

  /// Ends the scheduled push with the same key, which the new one replaces.
  private mutating func cancel(_ name: UserPushName, _ app: AppID, _ now: Timestamp) throws(StoreError) {
    let select = try db.prepare(
      "SELECT push FROM push_plans WHERE app = ?1 AND user = ?2 AND key = ?3 AND key IS NOT NULL AND due_at IS NOT NULL"
    )
    select.bindAll(app, name.user, name.key)
    guard try select.step() else { return }
    let push: PushID = select.id(0)
    try forgetDue(push)
    try end(push, as: .cancelled, now)
  }

  private mutating func insertScheduled(
    _ id: PushID, _ push: NewScheduledPush, _ reserved: Int64, _ now: Timestamp
  ) throws(StoreError) {
    let number = try nextPushNumber(push.app)
    let insert = try db.prepare(
      """
      INSERT INTO pushes(id, app, class, state, open, cursor, targeted, waiting, in_flight, accepted, rejected, expired,
        cancelled, unknown, resent, audience_complete, unknown_policy, created_at, start_at, salt, reserved,
        audience_kinds, audience_position, audience_until, name, number, author)
      VALUES (?1, ?2, ?3, ?4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, ?5, ?6, 0, ?7, 0, 0, 0, ?8, ?9, ?10)
      """)
    insert.bindAll(
      id, push.app, Int(push.pushClass.rawValue), Int((push.dueAt == nil ? PushState.draft : .planned).rawValue), now,
      push.local?.last ?? push.dueAt ?? now, reserved, push.name)
    insert.bind(9, number)
    insert.bind(10, author?.stored)
    try insert.run()
    let scheduled = try db.prepare(
      """
      INSERT INTO push_plans(push, app, request, due_at, local_clock, local_zone, user, key, local_day, undo, maker)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """)
    scheduled.bindAll(
      id, push.app, push.request, push.dueAt, push.local?.clock, push.local?.zone, push.userPushName?.user,
      push.userPushName?.key)
    scheduled.bind(9, push.local?.day?.code)
    scheduled.bind(10, push.isUndoable)
    scheduled.bind(11, push.maker)
    try scheduled.run()
    if let approval = push.approval { try ask(approval, of: id, now) }
  }

  fileprivate func setDue(
    _ id: PushID, _ instant: Timestamp?, _ local: LocalStart?, isUndoable: Bool = false
  ) throws(StoreError) {
    // Who gives it a time decides anew about a push that was held.
    let update = try db.prepare(
      """
      UPDATE push_plans SET due_at = ?2, local_clock = ?3, local_zone = ?4, local_day = ?5, held_at = NULL, undo = ?6
      WHERE push = ?1
      """)
    update.bindAll(id, instant, local?.clock, local?.zone, local?.day?.code)
    update.bind(6, isUndoable)
    try update.run()
  }

  /// Keeps the request of a push that is made at once.
  func keep(_ request: [UInt8], of id: PushID, _ app: AppID, by maker: String?) throws(StoreError) {
    let insert = try db.prepare("INSERT INTO push_plans(push, app, request, maker) VALUES (?1, ?2, ?3, ?4)")
    insert.bindAll(id, app, request, maker)
    try insert.run()
  }

  /// A push that starts or ends no longer waits.
  func forgetDue(_ id: PushID) throws(StoreError) {
    let update = try db.prepare("UPDATE push_plans SET due_at = NULL, held_at = NULL WHERE push = ?1")
    update.bind(1, id)
    try update.run()
  }

  /// Ends a push that has not started, and says why.
  mutating func fail(_ id: PushID, _ problem: String, _ now: Timestamp) throws(StoreError) {
    try require(id, for: .change)
    let update = try db.prepare(
      "UPDATE pushes SET state = #push.failed, open = 0, audience_complete = 1, finished_at = ?2 WHERE id = ?1 RETURNING app"
    )
    update.bindAll(id, now)
    if try update.step() { try tellFinished(id, update.id(0), .failed, now) }
    let scheduled = try db.prepare("UPDATE push_plans SET due_at = NULL, held_at = NULL, problem = ?2 WHERE push = ?1")
    scheduled.bindAll(id, Checks.cut(problem))
    try scheduled.run()
  }

  /// Has a push wait for its start.
  fileprivate func schedule(_ id: PushID, _ start: ScheduledStart) throws(StoreError) {
    try setDue(id, start.dueAt, start.local, isUndoable: start.isUndoable)
    try setState(id, .planned, startAt: start.local?.last ?? start.dueAt)
  }

  fileprivate func setState(_ id: PushID, _ state: PushState, startAt: Timestamp?) throws(StoreError) {
    let update = try db.prepare(
      "UPDATE pushes SET state = ?2, start_at = coalesce(?3, created_at) WHERE id = ?1")
    update.bindAll(id, Int(state.rawValue), startAt)
    try update.run()
  }
}

extension Connection {
  /// Deletes the request that a push was created from, and the user and key it was scheduled under.
  func forgetRequest(of push: PushID) throws(StoreError) {
    let update = try prepare(
      "UPDATE push_plans SET request = x'', user = NULL, key = NULL WHERE push = ?1 AND length(request) > 0")
    update.bind(1, push)
    try update.run()
  }
}
