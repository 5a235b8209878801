public import StoreModel

extension SQLStore {
  /// Keeps a schedule.
  public func createSchedule(
    app: AppID, request: [UInt8], first: ScheduleStep.Next, now: Timestamp
  ) throws(StoreError) -> ScheduleID {
    try Checks.request(request)
    return try write { (context) throws(StoreError) in
      context.note(.schedules)
      guard try context.appExists(app) else { throw Checks.missing("app", app) }
      let insert = try context.db.prepare(
        """
        INSERT INTO schedules(app, request, next_at, next_number, made, missed, created_at, computed_at, from_at, author)
        VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?5, ?5, ?6)
        """)
      insert.bindAll(app, request, first.at, first.number, now, context.author?.stored)
      try insert.run()
      return ScheduleID(rawValue: try context.db.lastInsertedRowID())
    }
  }

  /// The schedule with a key, or nil.
  public func schedule(_ id: ScheduleID) throws(StoreError) -> Schedule? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(Schedule.select + "WHERE id = ?1")
      select.bind(1, id)
      return try select.step() ? Schedule(row: select) : nil
    }
  }

  /// A page of an app's schedules.
  public func schedules(app: AppID, after: ScheduleID?, limit: Int) throws(StoreError) -> [Schedule] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(Schedule.select + "WHERE app = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
      select.bindAll(app, after?.rawValue ?? 0, Checks.page(limit))
      var page: [Schedule] = []
      while try select.step() { page.append(Schedule(row: select)) }
      return page
    }
  }

  /// Ends a schedule.
  public func endSchedule(_ id: ScheduleID, now: Timestamp) throws(StoreError) {
    try write { (context) throws(StoreError) in
      context.note(.schedules)
      let update = try context.db.prepare(
        "UPDATE schedules SET next_at = NULL, computed_at = NULL, ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL")
      update.bindAll(id, now)
      try update.run()
      guard context.db.changes == 0 else { return }
      guard try context.db.nextDue(of: id) != nil else { throw Checks.missing("schedule", id) }
      throw StoreError(.conflict, "schedule \(id) has ended", advice: "make a new one")
    }
  }

  /// Schedules whose next run is due, earliest first.
  public func dueSchedules(now: Timestamp, limit: Int) throws(StoreError) -> [Schedule] {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepareOnce(Schedule.select + "WHERE next_at <= ?1 ORDER BY next_at LIMIT ?2")
      select.bindAll(now, Checks.page(limit))
      var due: [Schedule] = []
      while try select.step() { due.append(Schedule(row: select)) }
      return due
    }
  }

  /// Creates the push of the run that is due and advances to the next one, both or neither.
  public func takeStep(
    _ step: ScheduleStep, now: Timestamp, completion: @escaping @Sendable (Result<PushID?, StoreError>) -> Void
  ) {
    let payloads: [UInt8]
    do throws(StoreError) {
      try step.push?.check()
      payloads = PayloadCoding.encode(step.push?.payloads ?? [], personal: step.push?.personal ?? [])
    } catch { return completion(.failure(error)) }
    write(
      { (context) throws(StoreError) in try context.take(step, payloads, now) }, completion: completion)
  }
}

extension WriterContext {
  fileprivate mutating func take(
    _ step: ScheduleStep, _ payloads: [UInt8], _ now: Timestamp
  ) throws(StoreError) -> PushID? {
    guard let (next, revision) = try db.nextDue(of: step.schedule) else {
      throw Checks.missing("schedule", step.schedule)
    }
    guard next == step.expected, revision == step.revision ?? revision else {
      throw StoreError(.conflict, "schedule \(step.schedule) is at another run", advice: "read it again")
    }
    var made: PushID?
    let occurrence = step.occurrence ?? step.expected
    if let push = step.push, try !db.isMade(occurrence, of: step.schedule) {
      author = .schedule(step.schedule)
      let id = try create(push, payloads, now).id
      try keepOrigin(of: id, step.schedule, occurrence)
      made = id
    }
    if let push = step.waiting, try !db.isMade(occurrence, of: step.schedule) {
      let id = try addScheduled(push, now).id
      let origin = try db.prepare("UPDATE push_plans SET schedule = ?2, occurrence_at = ?3 WHERE push = ?1")
      origin.bindAll(id, step.schedule, occurrence)
      try origin.run()
      made = id
    }
    let update = try db.prepare(
      """
      UPDATE schedules SET next_at = ?2, next_number = coalesce(?3, next_number + 1), made = made + ?4,
        missed = missed + ?5, last_push = coalesce(?6, last_push), problem = ?7, ended_at = ?8, computed_at = ?9
      WHERE id = ?1
      """)
    update.bind(1, step.schedule)
    update.bind(2, step.next?.at)
    update.bind(3, (step.next?.number ?? step.passed).map { Int64($0) })
    update.bind(4, made == nil ? 0 : 1)
    update.bind(5, step.missed)
    update.bind(6, made)
    update.bind(7, step.problem.map(Checks.cut))
    update.bind(8, step.next == nil ? now : nil)
    update.bind(9, now)
    try update.run()
    return made
  }

  /// Notes which occurrence of which schedule a push is, and the request it was made from.
  private func keepOrigin(
    of push: PushID, _ schedule: ScheduleID, _ occurrence: Timestamp
  ) throws(StoreError) {
    let insert = try db.prepare(
      """
      INSERT INTO push_plans(push, app, request, schedule, occurrence_at, maker)
      SELECT ?1, app, request, id, ?3, maker FROM schedules WHERE id = ?2
      """)
    insert.bindAll(push, schedule, occurrence)
    try insert.run()
  }
}

extension Connection {
  /// Whether a schedule has made the push of an occurrence.
  fileprivate func isMade(_ occurrence: Timestamp, of schedule: ScheduleID) throws(StoreError) -> Bool {
    let select = try prepare("SELECT 1 FROM push_plans WHERE schedule = ?1 AND occurrence_at = ?2")
    select.bindAll(schedule, occurrence)
    return try select.step()
  }

  /// The next run of a schedule, nil when it has ended or is paused, and its revision; nil when the schedule does not
  /// exist.
  fileprivate func nextDue(of id: ScheduleID) throws(StoreError) -> (at: Timestamp?, revision: Int)? {
    let select = try prepare("SELECT next_at, revision FROM schedules WHERE id = ?1")
    select.bind(1, id)
    return try select.step() ? (select.optionalTimestamp(0), select.int(1)) : nil
  }
}

extension Schedule {
  static let select = """
    SELECT id, app, request, next_at, next_number, made, missed, last_push, problem, created_at, ended_at,
      paused_at, revision, from_at, author, maker
    FROM schedules 
    """

  init(row: borrowing Statement) {
    self.init(
      id: row.id(0), app: row.id(1), request: row.blob(2), nextAt: row.optionalTimestamp(3), nextNumber: row.int(4),
      made: row.int(5), missed: row.int(6), lastPush: row.optionalID(7), problem: row.optionalText(8),
      createdAt: row.timestamp(9), endedAt: row.optionalTimestamp(10), pausedAt: row.optionalTimestamp(11),
      revision: row.int(12), fromAt: row.timestamp(13), author: row.author(14), maker: row.optionalText(15))
  }
}
