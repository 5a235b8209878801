extension SQLiteStore {
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
    /// Who is meant of them; nil means all.
    let segment: SegmentFilter?
  }

  func extendAudience(_ push: PushID, _ limit: Int, _ now: Timestamp) throws(StoreError) -> AudienceProgress {
    guard let frontier = try frontier(of: push) else { return AudienceProgress(added: 0, complete: true) }
    let (added, position) = try gather(push, frontier, limit, now)
    let complete = position >= frontier.until
    let update = try db.prepare(
      """
      UPDATE pushes SET targeted = targeted + ?2, waiting = waiting + ?2, audience_position = ?3,
        audience_complete = ?4,
        state = CASE WHEN ?4 AND state = 3 AND waiting + ?2 = 0 AND in_flight = 0 THEN 6 ELSE state END,
        finished_at = CASE WHEN ?4 AND state = 3 AND waiting + ?2 = 0 AND in_flight = 0 THEN ?5 ELSE finished_at END,
        open = CASE WHEN ?4 AND targeted + ?2 = cursor THEN 0 ELSE open END
      WHERE id = ?1
      """)
    update.bind(1, push)
    update.bind(2, added)
    update.bind(3, position)
    update.bind(4, complete)
    update.bind(5, now)
    try update.run()
    return AudienceProgress(added: added, complete: complete)
  }

  /// Where gathering stands, or nil when there is nothing left to gather.
  private func frontier(of push: PushID) throws(StoreError) -> Frontier? {
    let select = try db.prepare(
      """
      SELECT app, targeted, audience_kinds, audience_position, audience_until, audience_complete, state, filter
      FROM pushes LEFT JOIN push_segments ON push = id WHERE id = ?1
      """)
    select.bind(1, push)
    guard try select.step() else { throw Checks.missing("push", push) }
    guard !select.bool(5), PushState(rawValue: UInt8(truncatingIfNeeded: select.int(6)))?.isOver == false else {
      return nil
    }
    // A filter that cannot be read means nobody, never everybody.
    let segment = select.optionalBlob(7).map { SegmentCoding.decode($0) ?? .or([]) }
    return Frontier(
      app: select.id(0), targeted: select.int64(1), kinds: UInt32(truncatingIfNeeded: select.int64(2)),
      position: select.int64(3), until: select.int64(4), segment: segment)
  }

  /// Reads one chunk of devices in order of their key and writes a delivery for each.
  /// - Returns: how many were added, and the key up to which all devices have been looked at.
  private func gather(
    _ push: PushID, _ frontier: Frontier, _ limit: Int, _ now: Timestamp
  ) throws(StoreError) -> (added: Int, position: Int64) {
    // The index holds (app, state, key): a chunk is one short walk, however many devices there are.
    let select: Statement
    if let segment = frontier.segment {
      // The condition is a column, so that the limit is one of devices looked at.
      let condition = try SegmentSQL(segment, app: frontier.app, firstParameter: 5, now: now, db)
      select = try db.prepareOnce(
        """
        SELECT d.id, d.kind, \(condition.text) FROM devices d INDEXED BY devices_by_state
        WHERE d.app = ?1 AND d.state = 2 AND d.id > ?2 AND d.id <= ?3 ORDER BY d.id LIMIT ?4
        """)
      condition.bind(to: select)
    } else {
      select = try db.prepare(
        """
        SELECT id, kind, 1 FROM devices INDEXED BY devices_by_state
        WHERE app = ?1 AND state = 2 AND id > ?2 AND id <= ?3 ORDER BY id LIMIT ?4
        """)
    }
    select.bind(1, frontier.app)
    select.bind(2, frontier.position)
    select.bind(3, frontier.until)
    select.bind(4, limit)
    let insert = try db.prepare(DeliveryRows.insert)
    insert.bind(3, now)
    var (seen, added, position) = (0, 0, frontier.position)
    let first = push.rawValue + frontier.targeted
    while try select.step() {
      position = select.int64(0)
      seen += 1
      guard frontier.kinds & 1 << UInt32(truncatingIfNeeded: select.int64(1)) != 0, select.bool(2) else { continue }
      insert.bind(1, first + Int64(added))
      insert.bind(2, position)
      try insert.run()
      added += 1
    }
    return (added, seen < limit ? frontier.until : position)
  }
}

extension PushState {
  /// Whether nothing more is sent.
  public var isOver: Bool {
    switch self {
    case .draft, .scheduled, .sending, .paused: false
    case .cancelled, .sent, .expired: true
    }
  }
}
