extension SQLiteStore {
  /// Leases deliveries.
  public func lease(
    _ request: LeaseRequest, now: Timestamp, completion: @escaping @Sendable (Result<Lease, StoreError>) -> Void
  ) {
    write(
      { (context) throws(StoreError) in
        context.throttles.begin(now)
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
        update.bindAll(node, until)
        try update.run()
        // In the queue of leases and of recovery: a renewal that overtook a lease would leave that one to the recovery behind
        // it, when the clock has jumped meanwhile, and what the lease names would be sent twice.
      }, urgency: .bulk, completion: completion)
  }
}

/// One lease while it is put together.
struct Leasing {
  let request: LeaseRequest
  let now: Timestamp
  var deliveries: [LeasedDelivery] = []
  var ranges: [LeaseRange] = []
  /// Deliveries looked at that are not sent now.
  var settled = 0
  /// First attempts that were deferred, because their lane is closed.
  var parked: [PushID: Int] = [:]
  var suppression: Suppression
  /// The local times of pushes that have one.
  var locals: [PushID: ZoneMoments?] = [:]

  init(request: LeaseRequest, now: Timestamp) {
    self.request = request
    self.now = now
    suppression = Suppression(now: now)
  }

  private var room: Int { StoreLimits.leaseMax - deliveries.count }

  mutating func take(_ pick: LeaseRequest.Pick, _ context: inout WriterContext) throws(StoreError) {
    switch pick {
    case .transactional(let app, let max): try takeTransactional(app, min(max, room), &context)
    case .push(let push, let max):
      if let row = try context.db.leasable(push) { try takeOpen(row, min(max, room), &context) }
    case .due(let lane, let max, let byTime): try takeDue(lane, min(max, room), byTime, &context)
    case .overdue(let lane, let before, let reason, let max):
      try giveUp(lane, before: before, reason, min(max, room), &context)
    }
  }

  /// The lanes of an app for which deliveries are deferred.
  func closed(of app: AppID) -> LaneSlots {
    var slots = LaneSlots()
    for lane in request.closed where lane.app == app { slots.insert(lane) }
    return slots
  }

  mutating func finish(_ context: inout WriterContext) throws(StoreError) -> Lease {
    let expiresAt = now.adding(milliseconds: request.durationMs)
    guard !deliveries.isEmpty else {
      return Lease(id: LeaseID(rawValue: 0), expiresAt: expiresAt, deliveries: [], settled: settled, parked: parked)
    }
    let insert = try context.db.prepare(
      "INSERT INTO leases(node, expires_at, remaining, ranges) VALUES (?1, ?2, ?3, ?4)")
    insert.bindAll(request.node, expiresAt, deliveries.count, LeaseRange.encode(ranges))
    try insert.run()
    return Lease(
      id: LeaseID(rawValue: try context.db.lastInsertedRowID()), expiresAt: expiresAt, deliveries: deliveries,
      settled: settled, parked: parked)
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
        SELECT id, app, state, cursor, targeted, audience_kinds, expires_at, coalesce(gathered_number, id), category,
          urgent, throttle, resumed_at, restored_at IS NOT NULL, class
        FROM pushes INDEXED BY pushes_open WHERE open = 1 AND class = 1 AND app = ?1 ORDER BY id LIMIT ?2
        """)
      select.bindAll(app, max)
      while try select.step() { rows.append(LeasableRow(select)) }
    }
    let end = deliveries.count + max
    for row in rows where deliveries.count < end { try takeOpen(row, end - deliveries.count, &context) }
  }

  /// Leases from a push that is being sent: first tries, then what was held while it was paused.
  private mutating func takeOpen(_ row: LeasableRow, _ max: Int, _ context: inout WriterContext) throws(StoreError) {
    guard row.state == .sending, max > 0 else { return }
    if let expiresAt = row.expiresAt, expiresAt <= now { return try context.end(row.id, as: .expired, now) }
    let count = Int(min(Int64(max), row.targeted - row.cursor))
    if count > 0 { try takeFresh(row, Int64(count), &context) } else { try takeHeld(row, max, &context) }
  }

  /// Leases the next fresh deliveries of a push by moving its cursor: one row is written, however many are leased.
  private mutating func takeFresh(
    _ row: LeasableRow, _ count: Int64, _ context: inout WriterContext
  ) throws(StoreError) {
    let (gone, held) = try readFresh(row, count, &context)
    let update = try context.db.prepare(
      """
      UPDATE pushes SET cursor = cursor + ?2, waiting = waiting - ?2 + ?4, in_flight = in_flight + ?2 - ?3 - ?4,
        rejected = rejected + CASE WHEN restored_at IS NULL THEN ?3 ELSE 0 END,
        unknown = unknown + CASE WHEN restored_at IS NULL THEN 0 ELSE ?3 END,
        open = CASE WHEN audience_complete = 0 OR cursor + ?2 <> targeted
          OR EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_due WHERE state = 3 AND lane = -pushes.id)
          THEN 1 ELSE 0 END
      WHERE id = ?1
      """)
    update.bindAll(row.id, count, gone.count, held.count)
    try update.run()
    settled += gone.count + held.count
    if let perMinute = row.throttlePerMinute {
      context.throttles.sent(Int(count) - gone.count - held.count, of: row.id, perMinute: perMinute, now)
    }
    for one in held {
      let until = context.throttled(one.until, row)
      try context.hold(one.id, in: one.queue, until: until, now)
    }
    for (id, reason) in gone { try context.ruleOut(id, of: row.id, reason, from: RowState.fresh, now) }
    guard !gone.isEmpty else { return }
    try context.count(row.id, row.isRestored ? .unknown : .rejected, gone.count, now)
    try context.finishIfDone(row.id, now)
  }

  /// Reads the tokens of a range; returns the deliveries that are not sent, and those that are held.
  private mutating func readFresh(
    _ row: LeasableRow, _ count: Int64, _ context: inout WriterContext
  ) throws(StoreError) -> (gone: [(id: Int64, reason: String)], held: [HeldRow]) {
    let closed = closed(of: row.app)
    let rules = try suppression.rules(of: row.app, context.db)
    let isBound = rules != SuppressionRules() && !row.isUrgent
    let select = try context.db.prepare(
      """
      SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state,
        v.owner, v.flags, v.moved_number, v.timezone
      FROM deliveries d LEFT JOIN devices v ON v.id = d.device WHERE d.id >= ?1 AND d.id < ?2 ORDER BY d.id
      """)
    let first = row.id.rawValue + row.cursor
    select.bindAll(first, first + count)
    deliveries.reserveCapacity(deliveries.count + Int(count))
    var gone: [(id: Int64, reason: String)] = []
    var held: [HeldRow] = []
    while try select.step() {
      switch Self.address(select) {
      case .success(let address):
        if !closed.isEmpty, closed.contains(address) {
          held.append(HeldRow(id: select.int64(0), queue: row.queue(address), until: now))
          parked[row.id, default: 0] += 1
          continue
        }
        let facts = DeviceFacts(select, device: 1, first: 7, readsZone: rules.quietHours != nil)
        if isBound || !facts.isPlain, !select.isNull(3) {
          switch try suppression.verdict(facts, row, isFirst: true, context) {
          case .send: break
          case .refuse(let reason):
            gone.append((select.int64(0), reason))
            continue
          case .hold(let until):
            held.append(HeldRow(id: select.int64(0), queue: row.queue(address), until: until))
            continue
          }
        }
        add(select.int64(0), row.id, select.optionalID(1), attempt: 1, address)
      case .failure(let refusal): gone.append((select.int64(0), refusal.reason))
      }
    }
    return (gone, held)
  }

  // MARK: Both

  struct Refusal: Error {
    let reason: String
  }

  /// A first try that is put off.
  private struct HeldRow {
    let id: Int64
    let queue: Int64
    let until: Timestamp
  }

  /// Columns 1 to 6 of both queries: device, target, then the device's token, kind, environment, state.
  static func address(_ row: borrowing Statement) -> Result<DeviceAddress, Refusal> {
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

  mutating func add(_ id: Int64, _ push: PushID, _ device: DeviceID?, attempt: Int, _ address: DeviceAddress) {
    deliveries.append(
      LeasedDelivery(
        id: DeliveryID(rawValue: id), push: push, device: device, attempt: attempt, token: address.token,
        kind: address.kind, environment: address.environment))
    LeaseRange.append(id, attempt: attempt, to: &ranges)
  }
}
