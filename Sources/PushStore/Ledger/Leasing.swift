internal import Ledger
public import StoreModel

extension SQLStore {
  /// Leases deliveries.
  public func lease(
    _ request: LeaseRequest, now: Timestamp, completion: @escaping @Sendable (Result<Lease, StoreError>) -> Void
  ) {
    let (asked, doubtful) = (LeaseAsked(), doubtfulLeases)
    write(
      { (context) throws(StoreError) in
        context.throttles.begin(now, nodes: context.fleet.liveNodes)
        var leasing = Leasing(request: request, now: now)
        for pick in request.picks { try leasing.take(pick, &context) }
        let lease = try leasing.finish(&context)
        asked.note(lease)
        return lease
      }, urgency: request.isUrgent ? .urgent : .bulk,
      completion: { result in
        if let mark = asked.mark(after: result) { doubtful.add(mark) }
        completion(result)
      })
  }

  /// Extends all leases of a node but those of which nobody knows whether they are there.
  public func renewLeases(
    node: String, until: Timestamp, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    let doubtful = doubtfulLeases
    write(
      { (context) throws(StoreError) in
        let condition = doubtful.condition
        let update =
          condition.isEmpty
          ? try context.db.prepare(Self.extendLeases) : try context.db.prepareOnce("\(Self.extendLeases)\(condition)")
        update.bindAll(node, until)
        try update.run()
        // In the queue of leases and of recovery: a renewal that overtook a lease would leave that one to the recovery behind
        // it, when the clock has jumped meanwhile, and what the lease names would be sent twice.
      }, urgency: .bulk, completion: completion)
  }

  private static let extendLeases: StaticString =
    "UPDATE leases SET expires_at = ?2 WHERE node = ?1 AND expires_at < ?2"
}

/// One lease while it is put together.
struct Leasing {
  let request: LeaseRequest
  let now: Timestamp
  var deliveries: [LeasedDelivery] = []
  var ranges: [LeaseRange] = []
  /// Deliveries looked at that are not sent now.
  var settled = 0
  /// Deliveries that waited and are taken by the pick that is under way.
  var again: [Again] = []
  /// First attempts that were deferred, because their lane is closed.
  var parked: [PushID: Int] = [:]
  var suppression: LeaseSuppression
  /// The local times of pushes that have one.
  var locals: [PushID: ZoneInstants?] = [:]

  init(request: LeaseRequest, now: Timestamp) {
    self.request = request
    self.now = now
    suppression = LeaseSuppression(now: now)
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
        FROM pushes INDEXED BY pushes_open WHERE open = 1 AND class = #class.transactional AND app = ?1 ORDER BY id LIMIT ?2
        """)
      select.bindAll(app, max)
      while try select.step() { rows.append(LeasableRow(select)) }
    }
    let end = deliveries.count + max
    if context.db.writesSets { rows = try takeTogether(rows, max, &context) }
    for row in rows where deliveries.count < end { try takeOpen(row, end - deliveries.count, &context) }
  }

  func hasExpired(_ row: LeasableRow) -> Bool { row.expiresAt.map { $0 <= now } ?? false }

  /// Leases from a push that is being sent: first tries, then what was held while it was paused.
  private mutating func takeOpen(_ row: LeasableRow, _ max: Int, _ context: inout WriterContext) throws(StoreError) {
    guard row.state == .sending, max > 0 else { return }
    if hasExpired(row) { return try context.end(row.id, as: .expired, now) }
    let next = row.deliveries.next(max)
    if next.isEmpty { try takeHeld(row, max, &context) } else { try takeFresh(row, next, &context) }
  }

  /// Leases the next fresh deliveries of a push by moving its cursor: one row is written, however many are leased.
  private mutating func takeFresh(
    _ row: LeasableRow, _ range: Range<Int64>, _ context: inout WriterContext
  ) throws(StoreError) {
    try settle(row, Int64(range.count), try readFresh(row, range, &context), &context)
  }

  /// Moves the cursor of a push, and writes what becomes of those that are not sent.
  mutating func settle(
    _ row: LeasableRow, _ count: Int64, _ judged: FreshVerdicts, _ context: inout WriterContext
  ) throws(StoreError) {
    let (gone, held) = (judged.gone, judged.held)
    let end = Transitions.state(after: .ruledOut, from: .waiting, isUncertain: row.isRestored)
    let rejected = end == .rejected ? gone.count : 0
    let update = try context.db.prepare(
      """
      UPDATE pushes SET cursor = cursor + ?2, waiting = waiting - ?2 + ?5, in_flight = in_flight + ?2 - ?3 - ?4 - ?5,
        rejected = rejected + ?3, unknown = unknown + ?4,
        open = CASE WHEN #leasable(audience_complete; cursor + ?2; targeted) THEN 1 ELSE 0 END
      WHERE id = ?1
      """)
    update.bindAll(row.id, count, rejected, gone.count - rejected, held.count)
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
    try context.count(row.id, rejected > 0 ? .rejected : .unknown, gone.count, now)
    try context.finishIfDone(row.id, now)
  }

  /// Reads the tokens of a range; returns what is not sent of it.
  private mutating func readFresh(
    _ row: LeasableRow, _ range: Range<Int64>, _ context: inout WriterContext
  ) throws(StoreError) -> FreshVerdicts {
    let rules = try suppression.rules(of: row.app, context.db)
    var verdicts = FreshVerdicts(row, rules, closed: closed(of: row.app))
    deliveries.reserveCapacity(deliveries.count + range.count)
    if context.db.writesSets {
      var fresh = try FreshRows(range, rules: rules, &context)
      try judge(&fresh, below: range.upperBound, &verdicts, &context)
      return verdicts
    }
    let select = try context.db.prepare(
      """
      SELECT d.id, d.device, d.target, v.token, v.kind, v.environment, v.state,
        v.owner, v.flags, v.moved_number, v.timezone
      FROM deliveries d LEFT JOIN devices v ON v.id = d.device WHERE d.id >= ?1 AND d.id < ?2 ORDER BY d.id
      """)
    select.bindAll(range.lowerBound, range.upperBound)
    while try select.step() {
      let facts =
        select.isNull(3) ? nil : DeviceFacts(select, device: 1, first: 7, readsZone: rules.quietHours != nil)
      try judge(select.int64(0), select.optionalID(1), Self.address(select), facts, &verdicts, &context)
    }
    return verdicts
  }

  /// Leases one fresh delivery, or notes why it is not sent now.
  mutating func judge(
    _ id: Int64, _ device: DeviceID?, _ address: Result<DeviceAddress, Refusal>, _ facts: DeviceFacts?,
    _ verdicts: inout FreshVerdicts, _ context: inout WriterContext
  ) throws(StoreError) {
    let row = verdicts.row
    switch address {
    case .success(let address):
      if !verdicts.closed.isEmpty, verdicts.closed.contains(address) {
        verdicts.held.append(HeldRow(id: id, queue: row.queue(address), until: now))
        parked[row.id, default: 0] += 1
        return
      }
      if let facts, verdicts.isBound || !facts.isPlain {
        switch try suppression.verdict(facts, row, isFirst: true, context) {
        case .send: break
        case .refuse(let reason): return verdicts.gone.append((id, reason))
        case .hold(let until):
          return verdicts.held.append(HeldRow(id: id, queue: row.queue(address), until: until))
        }
      }
      add(id, row.id, device, attempt: 1, address)
    case .failure(let refusal): verdicts.gone.append((id, refusal.reason))
    }
  }

  // MARK: Both

  struct Refusal: Error {
    let reason: String
    static let removed = Refusal(reason: LocalReason.deviceRemoved)
    static let retired = Refusal(reason: LocalReason.deviceRetired)
  }

  /// A first try that is put off.
  struct HeldRow {
    let id: Int64
    let queue: Int64
    let until: Timestamp
  }

  /// What is not sent of a push's next deliveries, and by what that is judged.
  struct FreshVerdicts {
    let row: LeasableRow
    /// The lanes for which deliveries are put off.
    let closed: LaneSlots
    /// Whether rules of the app may keep any of them.
    let isBound: Bool
    var gone: [(id: Int64, reason: String)] = []
    var held: [HeldRow] = []

    init(_ row: LeasableRow, _ rules: SuppressionRules, closed: LaneSlots) {
      self.row = row
      self.closed = closed
      isBound = rules != SuppressionRules() && !row.isUrgent
    }

    /// Whether all of them are sent.
    var isEmpty: Bool { gone.isEmpty && held.isEmpty }
  }

  /// The address that is kept with a delivery.
  static func address(target: String?) -> Result<DeviceAddress, Refusal> {
    target.flatMap(AddressCoding.decode).map { .success($0) } ?? .failure(.removed)
  }

  /// Columns 1 to 6 of both queries: device, target, then the device's token, kind, environment, state.
  static func address(_ row: borrowing Statement) -> Result<DeviceAddress, Refusal> {
    if row.isNull(3) { return address(target: row.optionalText(2)) }
    guard row.int(6) == Int(DeviceState.active.rawValue) else { return .failure(.retired) }
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
