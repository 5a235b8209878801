internal import Ledger
public import StoreModel

extension SQLStore {
  /// Gathers up to `limit` further devices of a push's audience.
  public func extendAudience(
    of push: PushID, limit: Int, now: Timestamp,
    completion: @escaping @Sendable (Result<AudienceProgress, StoreError>) -> Void
  ) {
    let limit = min(max(limit, 1), StoreLimits.audienceChunkMax)
    write(
      { (context) throws(StoreError) in try context.extendAudience(push, limit, now) }, urgency: .bulk,
      completion: completion)
  }
}

extension WriterContext {
  private struct Frontier {
    let app: AppID
    let targeted: Int64
    let kinds: UInt32
    let position: Int64
    let until: Int64
    let local: LocalStart?
    /// Who is meant of them; nil means all.
    let segment: SegmentFilter?

    /// Whether every device that can be reached is meant.
    var isEveryone: Bool { segment == nil && local == nil && kinds & Self.all == Self.all }

    private static let all = PayloadCoding.mask(DeviceKind.allCases)
  }

  mutating func extendAudience(_ push: PushID, _ limit: Int, _ now: Timestamp) throws(StoreError) -> AudienceProgress {
    guard let frontier = try frontier(of: push) else { return AudienceProgress(added: 0, complete: true) }
    let (added, position) = try materialize(push, frontier, limit, now)
    let complete = position >= frontier.until
    let update = try db.prepare(
      """
      UPDATE pushes SET targeted = targeted + ?2, waiting = waiting + ?2, audience_position = ?3,
        audience_complete = CAST(?4 AS BIGINT),
        state = CASE WHEN state = #push.sending AND #finished(waiting + ?2; in_flight; ?4) THEN #push.sent
          ELSE state END,
        finished_at = CASE WHEN state = #push.sending AND #finished(waiting + ?2; in_flight; ?4) THEN ?5
          ELSE finished_at END,
        open = CASE WHEN #leasable(?4; cursor + ?6; targeted + ?2) THEN open ELSE 0 END, cursor = cursor + ?6
      WHERE id = ?1 RETURNING finished_at IS NOT NULL
      """)
    update.bindAll(push, added, position, complete, now)
    // Deliveries scheduled for a local time are not fresh: the cursor is already past them.
    update.bind(6, frontier.local == nil ? 0 : added)
    if try update.step(), update.bool(0) { try tellFinished(push, frontier.app, .sent, now) }
    return AudienceProgress(added: added, complete: complete)
  }

  /// How far the audience has been expanded, or nil when the expansion is complete.
  private func frontier(of push: PushID) throws(StoreError) -> Frontier? {
    let select = try db.prepare(
      """
      SELECT p.app, p.targeted, p.audience_kinds, p.audience_position, p.audience_until, p.audience_complete, p.state,
        l.local_clock, l.local_zone, s.filter, l.local_day
      FROM pushes p LEFT JOIN push_plans l ON l.push = p.id LEFT JOIN push_segments s ON s.push = p.id WHERE p.id = ?1
      """)
    select.bind(1, push)
    guard try select.step() else { throw Checks.missing("push", push) }
    guard !select.bool(5), PushState(rawValue: UInt8(truncatingIfNeeded: select.int(6)))?.isOver == false else {
      return nil
    }
    // A filter that cannot be decoded matches no device, never every device.
    let segment = select.optionalBlob(9).map { SegmentCoding.decode($0) ?? .or([]) }
    return Frontier(
      app: select.id(0), targeted: select.int64(1), kinds: UInt32(truncatingIfNeeded: select.int64(2)),
      position: select.int64(3), until: select.int64(4),
      local: select.isNull(7) ? nil : LocalStart(select, clock: 7, zone: 8, day: 10), segment: segment)
  }

  /// The next devices of the app in order of their key: key; kind, unless everyone is meant; whether they are in the segment, when
  /// there is one; and for a local time their time zone, environment, and when their app last registered them.
  private func candidates(_ frontier: Frontier, _ limit: Int, _ now: Timestamp) throws(StoreError) -> Statement {
    // The index holds (app, state, key): a chunk is one short walk, however many devices there are.
    let select: Statement
    if let segment = frontier.segment {
      // The condition is a column, so that the limit is one of devices looked at.
      let condition = try SegmentSQL(segment, app: frontier.app, firstParameter: 5, now: now, db)
      let more = frontier.local == nil ? "" : ", d.timezone, d.environment, d.registered_at"
      select = try db.prepareOnce(
        """
        SELECT d.id, d.kind, \(condition.text)\(more)
        FROM devices d INDEXED BY devices_by_state
        WHERE d.app = ?1 AND d.state = #device.active AND d.id > ?2 AND d.id <= ?3 ORDER BY d.id LIMIT ?4
        """)
      condition.bind(to: select)
    } else if frontier.isEveryone {
      // All of it is in the index.
      select = try db.prepare(
        """
        SELECT id FROM devices INDEXED BY devices_by_state
        WHERE app = ?1 AND state = #device.active AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4
        """)
    } else if frontier.local == nil {
      select = try db.prepare(
        """
        SELECT id, kind FROM devices INDEXED BY devices_by_state
        WHERE app = ?1 AND state = #device.active AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4
        """)
    } else {
      select = try db.prepare(
        """
        SELECT id, kind, 1, timezone, environment, registered_at FROM devices INDEXED BY devices_by_state
        WHERE app = ?1 AND state = #device.active AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4
        """)
    }
    select.bindAll(frontier.app, frontier.position, frontier.until, limit)
    return select
  }

  /// Reads one chunk of devices in order of their key and writes a delivery for each.
  /// - Returns: how many were added, and the key up to which all devices have been looked at.
  private mutating func materialize(
    _ push: PushID, _ frontier: Frontier, _ limit: Int, _ now: Timestamp
  ) throws(StoreError) -> (added: Int, position: Int64) {
    if let local = frontier.local { return try materialize(push, frontier, local, limit, now) }
    let select = try candidates(frontier, limit, now)
    var writer = DeliveryWriter(first: push.rawValue + frontier.targeted, now: now, db)
    var (seen, position) = (0, frontier.position)
    let isEveryone = frontier.isEveryone
    while try select.step() {
      position = select.int64(0)
      seen += 1
      guard
        isEveryone
          || frontier.kinds & 1 << UInt32(truncatingIfNeeded: select.int64(1)) != 0
            && (frontier.segment == nil || select.bool(2))
      else { continue }
      try writer.add(position, db)
    }
    try writer.finish(db)
    materialized.add(writer.copiedDevices, from: push.rawValue + frontier.targeted)
    return (writer.count, seen < limit ? frontier.until : position)
  }

  /// The same for a push that reaches each device at a local time.
  private func materialize(
    _ push: PushID, _ frontier: Frontier, _ local: LocalStart, _ limit: Int, _ now: Timestamp
  ) throws(StoreError) -> (added: Int, position: Int64) {
    let select = try candidates(frontier, limit, now)
    let insert = try db.prepare(DeliveryRows.insertDue)
    insert.bind(3, now)
    var instants = ZoneInstants(local)
    var (seen, added, position) = (0, 0, frontier.position)
    while try select.step() {
      position = select.int64(0)
      seen += 1
      guard frontier.kinds & 1 << UInt32(truncatingIfNeeded: select.int64(1)) != 0, select.bool(2) else { continue }
      insert.bindAll(push.rawValue + frontier.targeted + Int64(added), position)
      insert.bind(5, instants.instant(in: select.optionalText(3), seenAt: select.timestamp(5)))
      insert.bind(6, Optional(LaneKey(frontier.app, kind: select.int(1), environment: select.int(4)).queue(.campaign)))
      try insert.run()
      added += 1
    }
    return (added, seen < limit ? frontier.until : position)
  }
}

/// Writes fresh deliveries in a row: many with one statement in a file, all of them by COPY on a server.
private struct DeliveryWriter {
  private let first: Int64
  private let now: Timestamp
  private var devices = InlineArray<32, Int64>(repeating: 0)
  private var held = 0
  private var written = 0
  private var copied: CopiedDeliveries?

  /// - Parameter first: the key of the first delivery; the others follow.
  init(first: Int64, now: Timestamp, _ db: borrowing Connection) {
    self.first = first
    self.now = now
    copied = db.writesSets ? CopiedDeliveries(now) : nil
  }

  /// How many deliveries there are.
  var count: Int { written + held }
  /// Their devices, on a server.
  var copiedDevices: [Int64] { copied?.devices ?? [] }

  mutating func add(_ device: Int64, _ db: borrowing Connection) throws(StoreError) {
    guard copied == nil else {
      copied?.append(first + Int64(written), device)
      written += 1
      return
    }
    devices[held] = device
    held += 1
    guard held == DeliveryRows.many else { return }
    let insert = try db.prepare(DeliveryRows.insertMany)
    insert.bindAll(first + Int64(written), now)
    for index in 0..<held { insert.bind(Int32(index) + 3, devices[index]) }
    try insert.run()
    written += held
    held = 0
  }

  /// Writes what is left, one by one, or what is to be copied.
  mutating func finish(_ db: borrowing Connection) throws(StoreError) {
    try copied?.write(to: db)
    guard held > 0 else { return }
    let insert = try db.prepare(DeliveryRows.insert)
    insert.bind(3, now)
    for index in 0..<held {
      insert.bindAll(first + Int64(written), devices[index])
      try insert.run()
      written += 1
    }
    held = 0
  }
}
