public import StoreModel

extension SQLStore {
  /// The push with a key, or nil.
  public func push(_ id: PushID) throws(StoreError) -> Push? {
    try readers.read { (db) throws(StoreError) in try db.push(id) }
  }

  /// The pushes with these keys.
  public func pushes(_ ids: [PushID]) throws(StoreError) -> [PushID: Push] {
    try readers.read { (db) throws(StoreError) in
      var pushes: [PushID: Push] = [:]
      try db.ask(Push.byKey, .numbers(ids.map(\.rawValue))) { index, row in pushes[ids[index]] = Push(row: row) }
      return pushes
    }
  }

  /// The push of an app with a number, or nil.
  public func push(app: AppID, number: Int64) throws(StoreError) -> Push? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare(parts: Push.select + "WHERE app = ?1 AND number = ?2 AND number > 0")
      select.bindAll(app, number)
      return try select.step() ? Push(row: select) : nil
    }
  }

  /// The numbers of those pushes that exist.
  public func numbers(of pushes: Set<PushID>) throws(StoreError) -> [PushID: Int64] {
    let pushes = Array(pushes)
    return try readers.read { (db) throws(StoreError) in
      var numbers: [PushID: Int64] = [:]
      try db.ask(Self.number, .numbers(pushes.map(\.rawValue))) { index, row in numbers[pushes[index]] = row.int64(0) }
      return numbers
    }
  }

  private static let number = KeyedQuestion("SELECT number FROM pushes WHERE id = ?1 AND number > 0 LIMIT 1", .number)

  /// What the push says and sends, or nil.
  public func content(of id: PushID) throws(StoreError) -> PushContent? {
    try readers.read { (db) throws(StoreError) in
      let select = try db.prepare("SELECT message, payloads FROM push_contents WHERE push = ?1")
      select.bind(1, id)
      guard try select.step() else { return nil }
      return PushContent(message: select.blob(0), payloads: try PayloadCoding.payloads(select.blob(1), of: id))
    }
  }

  /// What sending needs to know of some pushes; those that are not there are left out.
  public func sendable(_ ids: [PushID]) throws(StoreError) -> [SendablePush] {
    try readers.view { (db) throws(StoreError) in
      var pushes: [SendablePush] = []
      pushes.reserveCapacity(ids.count)
      try db.ask(Self.sendable, .numbers(ids.map(\.rawValue))) { (_, row) throws(StoreError) in
        pushes.append(try SendablePush(row: row))
      }
      return pushes
    }
  }

  private static let sendable = KeyedQuestion(
    """
    SELECT p.id, p.app, p.class, p.salt, max(p.start_at, coalesce(p.resumed_at, 0)), p.expires_at, c.payloads,
      p.apns_ids
    FROM pushes p JOIN push_contents c ON c.push = p.id WHERE p.id = ?1 LIMIT 1
    """, .number)

  /// A page of an app's pushes, newest first, before `before`.
  public func pushes(
    app: AppID, campaignsOnly: Bool, before: PushID?, limit: Int
  ) throws(StoreError) -> [Push] {
    try readers.read { (db) throws(StoreError) in
      // Transactional pushes have no index by app: they are found from the newest back.
      let select = try db.prepareOnce(
        Push.select
          + "WHERE app = ?1 AND id < ?2\(campaignsOnly ? " AND class = #class.campaign" : "") ORDER BY id DESC LIMIT ?3"
      )
      select.bindAll(app, before?.rawValue ?? .max, Checks.page(limit))
      var page: [Push] = []
      while try select.step() { page.append(Push(row: select)) }
      return page
    }
  }
}

enum LedgerSQL {
  /// The state of delivery `d` of push `p`; see `Schema` for what a fresh row means.
  static let state = """
    CASE WHEN d.state <> #delivery.fresh THEN d.state WHEN #leased(d.id; p.id; p.cursor) THEN #delivery.inFlight
      WHEN p.state NOT IN (#push.cancelled, #push.expired) THEN #delivery.waiting
      WHEN p.restored_at IS NOT NULL THEN #delivery.unknown WHEN p.state = #push.cancelled THEN #delivery.cancelled
      ELSE #delivery.expired END
    """
}

extension Connection {
  /// The push with a key, or nil.
  func push(_ id: PushID) throws(StoreError) -> Push? {
    let select = try prepare(parts: Push.select + "WHERE id = ?1")
    select.bind(1, id)
    return try select.step() ? Push(row: select) : nil
  }
}

extension PayloadCoding {
  fileprivate static func payloads(_ bytes: [UInt8], of push: PushID) throws(StoreError) -> [RenderedPayload] {
    if let payloads = decode(bytes) { return payloads }
    throw StoreError(.corrupted, "the payloads of push \(push) cannot be read", advice: "restore the last backup")
  }
}

extension Statement {
  /// How `apns-id`s are made, from the column `apns_ids`.
  func apnsIDForm(_ column: Int32) -> APNsIDs.Form {
    APNsIDs.Form(rawValue: UInt8(truncatingIfNeeded: int(column))) ?? .keyed
  }
}

extension SendablePush {
  fileprivate init(row: borrowing Statement) throws(StoreError) {
    let id: PushID = row.id(0)
    let bytes = row.blob(6)
    self.init(
      id: id, app: row.id(1), pushClass: PushClass(rawValue: UInt8(truncatingIfNeeded: row.int(2))) ?? .transactional,
      salt: UInt64(bitPattern: row.int64(3)), apnsIDForm: row.apnsIDForm(7), startAt: row.timestamp(4),
      expiresAt: row.optionalTimestamp(5),
      payloads: try PayloadCoding.payloads(bytes, of: id), personal: PayloadCoding.personal(bytes))
  }
}

extension Push {
  fileprivate static let byKey = KeyedQuestion(select + "WHERE id = ?1 LIMIT 1", .number)

  fileprivate static let select = """
    SELECT id, app, class, name, state, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown,
    audience_complete, resent, created_at, start_at, expires_at, finished_at, throttle, unknown_policy, salt,
    (SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = #event.received AND e.action = ''),
    (SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = #event.opened AND e.action = ''),
    (SELECT count FROM push_events e WHERE e.push = pushes.id AND e.kind = #event.action AND e.action = ''), repeats, restored_at,
    number, author FROM pushes 
    """

  fileprivate init(row: borrowing Statement) {
    var events = EventCounts()
    events.received = row.int(22)
    events.opened = row.int(23)
    events.action = row.int(24)
    self.init(
      id: row.id(0), app: row.id(1), number: row.int64(27),
      pushClass: PushClass(rawValue: UInt8(truncatingIfNeeded: row.int(2))) ?? .transactional,
      name: row.optionalText(3),
      state: PushState(rawValue: UInt8(truncatingIfNeeded: row.int(4))) ?? .cancelled,
      counts: LedgerCounts(row, from: 5), events: events,
      audienceComplete: row.bool(13), repeats: row.int(25), resent: row.int(14), createdAt: row.timestamp(15),
      startAt: row.timestamp(16),
      expiresAt: row.optionalTimestamp(17), finishedAt: row.optionalTimestamp(18),
      throttlePerMinute: row.isNull(19) ? nil : row.int(19),
      unknownPolicy: UnknownPolicy(rawValue: UInt8(truncatingIfNeeded: row.int(20))) ?? .leave,
      salt: UInt64(bitPattern: row.int64(21)), restoredAt: row.optionalTimestamp(26),
      author: row.author(28))
  }
}

extension LedgerCounts {
  /// Reads `targeted` and the counts of the states from columns in the order of the table.
  init(_ row: borrowing Statement, from column: Int32) {
    self.init()
    targeted = row.int(column)
    waiting = row.int(column + 1)
    inFlight = row.int(column + 2)
    accepted = row.int(column + 3)
    rejected = row.int(column + 4)
    expired = row.int(column + 5)
    cancelled = row.int(column + 6)
    unknown = row.int(column + 7)
  }
}
