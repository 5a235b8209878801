internal import Ledger
public import StoreModel

extension SQLStore {
  /// Starts a draft or waiting push as `push`.
  public func startScheduledPush(
    _ scheduled: ScheduledPush, as push: NewPush, atOnce: Bool, now: Timestamp,
    completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    do throws(StoreError) { try push.check() } catch { return completion(.failure(error)) }
    let payloads = PayloadCoding.encode(push.payloads, personal: push.personal)
    write(
      { (context) throws(StoreError) in
        context.note(.work)
        return try context.start(scheduled, push, payloads, atOnce, now)
      }, completion: completion)
  }
}

extension WriterContext {
  fileprivate mutating func start(
    _ known: ScheduledPush, _ push: NewPush, _ payloads: [UInt8], _ atOnce: Bool, _ now: Timestamp
  ) throws(StoreError) {
    let id = known.push
    try require(id, for: .change)
    let (clock, reserved) = try waiting(known)
    let local = atOnce ? nil : clock
    let audience = try audience(push)
    guard audience.members.count <= reserved, audience.until <= reserved else {
      throw StoreError(
        .invalid, "the audience has grown beyond the \(reserved) devices that push \(id) has room for",
        advice: "make the push anew")
    }
    if atOnce { try forgetClock(of: id) }
    try startRow(id, push, audience, local, now)
    try insertContent(id, push.message, payloads)
    if let segment = audience.segment { try insertSegment(segment, of: id) }
    try insertVariants(push.variants, of: id)
    if let local {
      try insertMembers(audience.members, of: id, push, local, now)
    } else {
      try insertMembers(audience.members, of: id, push.app, now)
    }
    try forgetDue(id)
    try finishIfDone(id, now)
  }

  /// Removes the local start time of a push that is sent immediately.
  private func forgetClock(of push: PushID) throws(StoreError) {
    let update = try db.prepare(
      "UPDATE push_plans SET local_clock = NULL, local_zone = NULL, local_day = NULL WHERE push = ?1")
    update.bind(1, push)
    try update.run()
  }

  /// The local start time and the reserved numbers of a push that starts; throws `conflict` when its start time or its
  /// request has changed since the scheduled push was read.
  private func waiting(_ scheduled: ScheduledPush) throws(StoreError) -> (LocalStart?, Int64) {
    let select = try db.prepare(
      """
      SELECT l.due_at, l.local_clock, l.local_zone, p.reserved, l.request = ?2, l.local_day, l.approval
      FROM pushes p JOIN push_plans l ON l.push = p.id WHERE p.id = ?1
      """)
    select.bindAll(scheduled.push, scheduled.request)
    guard try select.step() else { throw Checks.missing("scheduled push", scheduled.push) }
    guard select.optionalTimestamp(0) == scheduled.dueAt, select.bool(4) else {
      throw StoreError(.conflict, "push \(scheduled.push) was changed meanwhile", advice: "read the push again")
    }
    guard select.isNull(6) || select.int(6) != Int(Approval.State.waiting.rawValue) else {
      throw StoreError(
        .conflict, "push \(scheduled.push) waits for an approval",
        advice: "somebody other than its maker has to approve it")
    }
    let local = select.isNull(1) ? nil : LocalStart(select, clock: 1, zone: 2, day: 5)
    return (local, select.int64(3))
  }

  /// Deliveries scheduled for a local time are written as waiting with a due time, so none of them is fresh and the
  /// cursor starts past them.
  private mutating func startRow(
    _ id: PushID, _ push: NewPush, _ audience: Audience, _ local: LocalStart?, _ now: Timestamp
  ) throws(StoreError) {
    let update = try db.prepare(
      """
      UPDATE pushes SET class = ?2, state = #push.sending, open = ?3, cursor = ?4, targeted = ?5, waiting = ?5,
        audience_complete = ?6, unknown_policy = ?7, start_at = ?8, expires_at = ?9, throttle = ?10, salt = ?11,
        audience_kinds = ?12, audience_until = ?13, name = ?14, category = ?15, urgent = ?16,
        gathered_number = ?17, repeats = ?18, apns_ids = ?19
      WHERE id = ?1
      """)
    let cursor = local == nil ? 0 : audience.members.count
    update.bind(1, id)
    update.bind(2, Int(push.storedClass.rawValue))
    update.bind(3, !audience.complete || cursor < audience.members.count)
    update.bind(4, cursor)
    update.bind(5, audience.members.count)
    update.bind(6, audience.complete)
    update.bind(7, Int(push.unknownPolicy.rawValue))
    update.bind(8, local.map { max($0.last, now) } ?? now)
    update.bind(9, push.expiresAt)
    update.bind(10, push.throttlePerMinute.map { Int64($0) })
    update.bind(11, Int64(bitPattern: push.salt))
    update.bind(12, Int(audience.kinds))
    update.bind(13, audience.until)
    update.bind(14, push.name)
    update.bind(15, push.category)
    update.bind(16, push.isUrgent)
    update.bind(18, audience.repeats)
    update.bind(19, Int(APNsIDs.Form.keyed.rawValue))
    // The owners of a user's devices are looked up now; lists of devices and tokens were resolved when the plan was
    // written.
    if case .users = push.audience { update.bind(17, try takeNumbers(1)) } else { update.bind(17, nil as Int64?) }
    try update.run()
  }

  private func insertMembers(
    _ members: [Member], of id: PushID, _ push: NewPush, _ local: LocalStart, _ now: Timestamp
  ) throws(StoreError) {
    var devices: [DeviceID: LocalDevice] = [:]
    let listed = members.compactMap(\.device)
    try db.ask(LocalDevice.question, .numbers(listed.map(\.rawValue))) { index, row in
      devices[listed[index]] = LocalDevice(row, push.app)
    }
    let insert = try db.prepare(DeliveryRows.insertDue)
    insert.bind(3, now)
    var instants = ZoneInstants(local)
    for (index, member) in members.enumerated() {
      let device = member.device.flatMap { devices[$0] }
      let address = member.target.flatMap(AddressCoding.decode)
      let lane =
        device?.lane ?? address?.lane(of: push.app)
        ?? LaneKey(app: push.app, provider: .apns, environment: .production)
      insert.bindAll(id.rawValue + Int64(index), member.device)
      insert.bind(4, member.target)
      insert.bind(5, instants.instant(in: device?.zone, seenAt: device?.seenAt))
      insert.bind(6, Optional(lane.queue(push.storedClass)))
      try insert.run()
    }
  }
}

/// A device, as far as the time decides at which its clock shows another.
private struct LocalDevice {
  static let question = KeyedQuestion(
    "SELECT timezone, kind, environment, registered_at FROM devices WHERE id = ?1 LIMIT 1", .number)

  let zone: String?
  let lane: LaneKey
  let seenAt: Timestamp

  init(_ row: borrowing Statement, _ app: AppID) {
    zone = row.optionalText(0)
    lane = LaneKey(app, kind: row.int(1), environment: row.int(2))
    seenAt = row.timestamp(3)
  }
}

extension Connection {
  /// The local start time of a push; nil for a push without one.
  func localStart(of push: PushID) throws(StoreError) -> LocalStart? {
    let select = try prepare(
      "SELECT local_clock, local_zone, local_day FROM push_plans WHERE push = ?1 AND local_clock IS NOT NULL")
    select.bind(1, push)
    return try select.step() ? LocalStart(select, clock: 0, zone: 1, day: 2) : nil
  }
}
