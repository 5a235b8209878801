extension SQLiteStore {
  /// Leases deliveries.
  public func lease(
    _ request: LeaseRequest, now: Timestamp, completion: @escaping @Sendable (Result<Lease, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        var leasing = Leasing(request: request, now: now)
        for pick in request.picks { try leasing.take(pick, &context) }
        return try leasing.finish(&context)
      }, urgency: request.isUrgent ? .urgent : .bulk, completion: completion)
  }

  /// Extends all leases of a node.
  public func renewLeases(
    node: String, until: Timestamp, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        let update = try context.db.prepare("UPDATE leases SET expires_at = ?2 WHERE node = ?1 AND expires_at < ?2")
        update.bind(1, node)
        update.bind(2, until)
        try update.run()
        // In the queue of leases and of recovery: a renewal that overtook a lease would leave that one to the recovery behind
        // it, when the clock has jumped meanwhile, and what the lease names would be sent twice.
      }, urgency: .bulk, completion: completion)
  }
}

/// One lease while it is put together.
private struct Leasing {
  let request: LeaseRequest
  let now: Timestamp
  var deliveries: [LeasedDelivery] = []
  var ranges: [LeaseRange] = []
  /// Deliveries looked at that are not sent now.
  private var settled = 0
  private var suppression: Suppression
  /// How much longer a due delivery of a held push or stopped app waits before it is looked at again.
  private static let heldRecheckMs: Int64 = 15_000

  init(request: LeaseRequest, now: Timestamp) {
    self.request = request
    self.now = now
    suppression = Suppression(now: now)
  }

  private var room: Int { StoreLimits.leaseMax - deliveries.count }

  mutating func take(_ pick: LeaseRequest.Pick, _ context: inout WriterContext) throws(StoreError) {
    switch pick {
    case .transactional(let app, let max):
      guard !request.stoppedApps.contains(app) else { return }
      try takeTransactional(app, min(max, room), &context)
    case .push(let push, let max):
      guard let row = try context.db.leasable(push), !request.stoppedApps.contains(row.app) else { return }
      try takeFresh(row, min(max, room), &context)
    case .due(let max): try takeDue(min(max, room), &context)
    }
  }

  mutating func finish(_ context: inout WriterContext) throws(StoreError) -> Lease {
    let expiresAt = now.adding(milliseconds: request.durationMs)
    guard !deliveries.isEmpty else {
      return Lease(id: LeaseID(rawValue: 0), expiresAt: expiresAt, deliveries: [], settled: settled)
    }
    let insert = try context.db.prepare(
      "INSERT INTO leases(node, expires_at, remaining, ranges) VALUES (?1, ?2, ?3, ?4)")
    insert.bind(1, request.node)
    insert.bind(2, expiresAt)
    insert.bind(3, deliveries.count)
    insert.bind(4, LeaseRange.encode(ranges))
    try insert.run()
    return Lease(
      id: LeaseID(rawValue: context.db.lastInsertedRowID), expiresAt: expiresAt, deliveries: deliveries,
      settled: settled)
  }

  // MARK: First tries

  private mutating func takeTransactional(
    _ app: AppID, _ max: Int, _ context: inout WriterContext
  ) throws(StoreError) {
    guard max > 0 else { return }
    // Read first, change then: changing a row while its index is walked could show it twice.
    var rows: [LeasableRow] = []
    do {
      let select = try context.db.prepare(
        """
        SELECT id, app, state, cursor, targeted, audience_kinds, expires_at, coalesce(gathered_at, created_at), category,
          urgent, throttle, waiting
        FROM pushes INDEXED BY pushes_open WHERE open = 1 AND class = 1 AND app = ?1 ORDER BY id LIMIT ?2
        """)
      select.bind(1, app)
      select.bind(2, max)
      while try select.step() { rows.append(LeasableRow(select)) }
    }
    let end = deliveries.count + max
    for row in rows where deliveries.count < end { try takeFresh(row, end - deliveries.count, &context) }
  }

  /// Leases the next fresh deliveries of a push by moving its cursor: one row is written, however many are leased.
  private mutating func takeFresh(
    _ row: LeasableRow, _ max: Int, _ context: inout WriterContext
  ) throws(StoreError) {
    guard row.state == .sending, max > 0 else { return }
    if let expiresAt = row.expiresAt, expiresAt <= now { return try context.end(row.id, as: .expired, now) }
    let count = min(Int64(max), row.targeted - row.cursor)
    guard count > 0 else { return }
    let (gone, held) = try readFresh(row, count, &context)
    let update = try context.db.prepare(
      """
      UPDATE pushes SET cursor = cursor + ?2, waiting = waiting - ?2 + ?4, in_flight = in_flight + ?2 - ?3 - ?4,
        rejected = rejected + ?3, open = NOT (audience_complete AND cursor + ?2 = targeted)
      WHERE id = ?1
      """)
    update.bind(1, row.id)
    update.bind(2, count)
    update.bind(3, gone.count)
    update.bind(4, held.count)
    try update.run()
    settled += gone.count + held.count
    for (place, (id, until)) in held.enumerated() {
      try context.hold(id, until: row.throttled(until, place: Int64(place)))
    }
    for (id, reason) in gone { try context.ruleOut(id, of: row.id, reason, from: RowState.fresh, now) }
    guard !gone.isEmpty else { return }
    try context.count(row.id, .rejected, gone.count, now)
    try context.finishIfDone(row.id, now)
  }

  /// Reads the tokens of a range; returns the deliveries that are not sent, and those that are held.
  private mutating func readFresh(
    _ row: LeasableRow, _ count: Int64, _ context: inout WriterContext
  ) throws(StoreError) -> (gone: [(id: Int64, reason: String)], held: [(id: Int64, until: Timestamp)]) {
    let rules = try suppression.rules(of: row.app, context.db)
    let isBound = rules != SuppressionRules() && !row.isUrgent
    let select = try context.db.prepare(
      """
      SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state,
        v.owner, v.flags, v.moved_at, v.timezone
      FROM deliveries d LEFT JOIN devices v ON v.id = d.device WHERE d.id >= ?1 AND d.id < ?2 ORDER BY d.id
      """)
    let first = row.id.rawValue + row.cursor
    select.bind(1, first)
    select.bind(2, first + count)
    deliveries.reserveCapacity(deliveries.count + Int(count))
    var gone: [(id: Int64, reason: String)] = []
    var held: [(id: Int64, until: Timestamp)] = []
    while try select.step() {
      switch Self.address(select) {
      case .success(let address):
        let facts = DeviceFacts(select, device: 1, first: 7, readsZone: rules.quietHours != nil)
        if isBound || !facts.isPlain, !select.isNull(3) {
          switch try suppression.verdict(facts, row, isFirst: true, context) {
          case .send: break
          case .refuse(let reason):
            gone.append((select.int64(0), reason))
            continue
          case .hold(let until):
            held.append((select.int64(0), until))
            continue
          }
        }
        add(select.int64(0), row.id, select.optionalID(1), attempt: 1, address)
      case .failure(let refusal): gone.append((select.int64(0), refusal.reason))
      }
    }
    return (gone, held)
  }

  // MARK: Later tries

  private mutating func takeDue(_ max: Int, _ context: inout WriterContext) throws(StoreError) {
    guard max > 0 else { return }
    var pushes: [PushID: LeasableRow] = [:]
    for due in try readDue(max, context.db) {
      guard let push = try context.db.owner(of: due.id) else { continue }
      if pushes[push] == nil { pushes[push] = try context.db.leasable(push) }
      guard let row = pushes[push] else { continue }
      settled += 1
      if let expiresAt = row.expiresAt, expiresAt <= now {
        try context.end(push, as: .expired, now)
        pushes[push] = nil
      } else if row.state != .sending || request.stoppedApps.contains(row.app) {
        try context.delay(due.id, until: now.adding(milliseconds: Self.heldRecheckMs))
      } else {
        try takeAgain(due, row, &context)
      }
    }
  }

  private struct Due {
    let id: Int64
    let device: DeviceID?
    let attempts: Int
    let address: Result<DeviceAddress, Refusal>
    /// Nil for an address that is not registered.
    let facts: DeviceFacts?
  }

  private func readDue(_ max: Int, _ db: borrowing Connection) throws(StoreError) -> [Due] {
    let select = try db.prepare(
      """
      SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state, d.attempts,
        v.owner, v.flags, v.moved_at, v.timezone
      FROM deliveries d INDEXED BY deliveries_due LEFT JOIN devices v ON v.id = d.device
      WHERE d.state = 3 AND d.not_before <= ?1 ORDER BY d.not_before LIMIT ?2
      """)
    select.bind(1, now)
    select.bind(2, max)
    var rows: [Due] = []
    while try select.step() {
      rows.append(
        Due(
          id: select.int64(0), device: select.optionalID(1), attempts: select.int(7), address: Self.address(select),
          facts: select.isNull(3) ? nil : DeviceFacts(select, device: 1, first: 8, readsZone: true)))
    }
    return rows
  }

  private mutating func takeAgain(
    _ due: Due, _ row: LeasableRow, _ context: inout WriterContext
  ) throws(StoreError) {
    let push = row.id
    var address = due.address
    if case .success = address, let facts = due.facts {
      switch try suppression.verdict(facts, row, isFirst: due.attempts == 0, context) {
      case .send: break
      case .refuse(let reason): address = .failure(Refusal(reason: reason))
      case .hold(let until):
        let again = row.throttlePerMinute == nil ? until : try suppression.spaced(until, of: row, context.db)
        return try context.delay(due.id, until: again)
      }
    }
    switch address {
    case .failure(let refusal):
      // The push may have expired while this list was walked; then the row is final already.
      try context.ruleOutWaiting(due.id, of: push, refusal.reason, now)
    case .success(let address):
      let update = try context.db.prepare(
        "UPDATE deliveries SET state = 4, not_before = NULL WHERE id = ?1 AND state = 3")
      update.bind(1, due.id)
      try update.run()
      guard context.db.changes == 1 else { return }
      try context.move(push, waiting: -1, inFlight: 1)
      add(due.id, push, due.device, attempt: due.attempts + 1, address)
    }
  }

  // MARK: Both

  private struct Refusal: Error {
    let reason: String
  }

  /// Columns 1 to 6 of both queries: device, target, then the device's token, kind, environment, state.
  private static func address(_ row: borrowing Statement) -> Result<DeviceAddress, Refusal> {
    if row.isNull(3) {
      guard let target = row.optionalText(2), let address = AddressCoding.decode(target) else {
        return .failure(Refusal(reason: LocalReason.deviceRemoved))
      }
      return .success(address)
    }
    guard row.int(6) == Int(DeviceState.active.rawValue) else {
      return .failure(Refusal(reason: LocalReason.deviceRetired))
    }
    return .success(
      DeviceAddress(
        token: row.text(3), kind: DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .ios,
        environment: DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .production))
  }

  private mutating func add(_ id: Int64, _ push: PushID, _ device: DeviceID?, attempt: Int, _ address: DeviceAddress) {
    deliveries.append(
      LeasedDelivery(
        id: DeliveryID(rawValue: id), push: push, device: device, attempt: attempt, token: address.token,
        kind: address.kind, environment: address.environment))
    LeaseRange.append(id, attempt: attempt, to: &ranges)
  }
}

/// What leasing needs to know of a push.
struct LeasableRow {
  let id: PushID
  let app: AppID
  let state: PushState
  let cursor: Int64
  let targeted: Int64
  let expiresAt: Timestamp?
  /// When its list was made.
  let listedAt: Timestamp
  /// Whether it was addressed to users, devices or tokens by name.
  let isListed: Bool
  let category: String?
  let isUrgent: Bool
  let throttlePerMinute: Int64?
  private let waiting: Int64

  /// Deliveries that were held and still wait.
  var held: Int64 { waiting - (targeted - cursor) }

  init(_ row: borrowing Statement) {
    id = row.id(0)
    app = row.id(1)
    state = PushState(rawValue: UInt8(truncatingIfNeeded: row.int(2))) ?? .cancelled
    cursor = row.int64(3)
    targeted = row.int64(4)
    isListed = row.int64(5) == 0
    expiresAt = row.optionalTimestamp(6)
    listedAt = row.timestamp(7)
    category = row.optionalText(8)
    isUrgent = row.bool(9)
    throttlePerMinute = row.isNull(10) ? nil : row.int64(10)
    waiting = row.int64(11)
  }
}

extension LeasableRow {
  /// When a held delivery is due: all that a throttle held up are not let go in one burst.
  func throttled(_ until: Timestamp, place: Int64) -> Timestamp {
    guard let throttlePerMinute, throttlePerMinute > 0 else { return until }
    let due = until.adding(milliseconds: (max(held, 0) + place) * 60_000 / throttlePerMinute)
    return expiresAt.map { min(due, $0) } ?? due
  }
}

extension Connection {
  func leasable(_ push: PushID) throws(StoreError) -> LeasableRow? {
    let select = try prepare(
      """
      SELECT id, app, state, cursor, targeted, audience_kinds, expires_at, coalesce(gathered_at, created_at), category,
        urgent, throttle, waiting
      FROM pushes WHERE id = ?1
      """)
    select.bind(1, push)
    return try select.step() ? LeasableRow(select) : nil
  }

  /// The push whose range of numbers holds a delivery.
  func owner(of delivery: Int64) throws(StoreError) -> PushID? {
    let select = try prepare("SELECT id FROM pushes WHERE id <= ?1 ORDER BY id DESC LIMIT 1")
    select.bind(1, delivery)
    return try select.step() ? select.id(0) : nil
  }
}
