public import StoreModel

extension SQLStore {
  /// Creates pushes, all or none.
  public func createPushes(
    _ pushes: [NewPush], now: Timestamp, completion: @escaping @Sendable (Result<[CreatedPush], StoreError>) -> Void
  ) {
    let encoded: [[UInt8]]
    do throws(StoreError) {
      for push in pushes { try push.check() }
      encoded = pushes.map { PayloadCoding.encode($0.payloads, personal: $0.personal) }
    } catch {
      return completion(.failure(error))
    }
    write(
      { (context) throws(StoreError) in
        var created: [CreatedPush] = []
        created.reserveCapacity(pushes.count)
        for (push, payloads) in zip(pushes, encoded) { created.append(try context.create(push, payloads, now)) }
        return created
      }, completion: completion)
  }
}

extension NewPush {
  func check() throws(StoreError) {
    if let name { try Checks.text(name, "name", min: 0) }
    if let category { try Checks.text(category, "category", max: StoreLimits.tagBytesMax) }
    try Checks.blob(message, "message")
    if let request { try Checks.request(request) }
    if let idempotency {
      try Checks.text(idempotency.key, "Idempotency-Key", max: StoreLimits.idempotencyKeyBytesMax)
    }
    if let throttlePerMinute, throttlePerMinute < 1 {
      throw StoreError(.invalid, "throttle: \(throttlePerMinute) a minute", advice: "give at least 1, or none")
    }
    for payload in payloads {
      try Checks.blob(payload.body, "payload")
      guard payload.placeholders.allSatisfy({ (0...payload.body.count).contains($0.offset) }) else {
        throw StoreError(.invalid, "payload: a placeholder is outside the body", advice: "render it again")
      }
      if let offset = payload.tokenOffset, offset < 0 || offset > payload.body.count {
        throw StoreError(.invalid, "payload: the token's offset is outside the body", advice: "render it again")
      }
    }
    switch audience {
    case .all: break
    case .segment(let filter, _): try filter.check()
    case .users(let users): try Self.check(users.count, "users")
    case .devices(let devices): try Self.check(devices.count, "devices")
    case .addresses(let addresses):
      try Self.check(addresses.count, "addresses")
      for address in addresses { try Checks.text(address.token, "token", max: StoreLimits.tokenBytesMax) }
    }
  }

  private static func check(_ count: Int, _ what: String) throws(StoreError) {
    guard count > StoreLimits.listedAudienceMax else { return }
    throw StoreError(
      .invalid, "audience: \(count) \(what), at most \(StoreLimits.listedAudienceMax) can be listed",
      advice: "split the list over several pushes")
  }
}

extension WriterContext {
  /// What a push is made of once its audience is known.
  struct Audience {
    var members: [Member] = []
    var reserved: Int64 = 0
    var complete = true
    var kinds: UInt32 = 0
    var until: Int64 = 0
    var unreached: [Int] = []
    /// Devices of listed users that are not opted out of all.
    var subscribed = 0
    /// Entries of the list that name a recipient named before.
    var repeats = 0
    /// Devices of the list that the push has no payload for, or whose lane no credential opens.
    var unreachable: [KindInEnvironment: Int] = [:]
    var segment: SegmentFilter?
  }

  struct Member {
    var device: DeviceID?
    var target: String?
    /// The tokens of the device that the address is of, when that is looked for where the row is written.
    var tokens: (first: String, last: String)?
  }

  mutating func create(_ push: NewPush, _ payloads: [UInt8], _ now: Timestamp) throws(StoreError) -> CreatedPush {
    var keyRow: Int64?
    if let key = push.idempotency {
      switch try db.idempotent(key, scope: push.app.rawValue) {
      case .known(_, let first, _): return try replay(first)
      case .free(let unused): keyRow = unused
      }
    }
    note(.work)
    guard try appExists(push.app) else { throw Checks.missing("app", push.app) }
    let audience = try audience(push, isWrittenNow: true)
    if push.needsSubscriber, case .users = push.audience, audience.subscribed == 0 {
      return CreatedPush(
        id: PushID(rawValue: 0), replayed: false, targeted: 0, unreached: audience.unreached, repeats: audience.repeats)
    }
    let id = PushID(rawValue: try takeNumbers(max(audience.reserved, Int64(audience.members.count))))
    let isDone = try insertPush(id, push, audience, now)
    try insertContent(id, push.message, payloads)
    try insertVariants(push.variants, of: id)
    try insertMembers(audience.members, of: id, push.app, now)
    if let request = push.request { try keep(request, of: id, push.app, by: push.maker) }
    if let segment = audience.segment { try insertSegment(segment, of: id) }
    if let live = push.live { try db.insert(live, push: id, app: push.app, now) }
    if isDone { try tellFinished(id, push.app, .sent, now) }
    if let key = push.idempotency, let keyRow {
      try insertKey(key, id: keyRow, scope: push.app.rawValue, push: id, response: nil, now)
    }
    var created = CreatedPush(
      id: id, replayed: false, targeted: audience.members.count, unreached: audience.unreached,
      repeats: audience.repeats,
      unreachable: audience.unreachable)
    created.number = pushNumbers[push.app] ?? 0
    return created
  }

  func replay(_ push: PushID?) throws(StoreError) -> CreatedPush {
    guard let push else { throw IdempotencyMismatch.error }
    let select = try db.prepare("SELECT targeted, repeats, number FROM pushes WHERE id = ?1")
    select.bind(1, push)
    guard try select.step() else { return CreatedPush(id: push, replayed: true, targeted: 0) }
    var created = CreatedPush(id: push, replayed: true, targeted: select.int(0), repeats: select.int(1))
    created.number = select.int64(2)
    return created
  }

  mutating func appExists(_ id: AppID) throws(StoreError) -> Bool {
    if knownApps.contains(id) { return true }
    let select = try db.prepare("SELECT 1 FROM apps WHERE id = ?1")
    select.bind(1, id)
    guard try select.step() else { return false }
    knownApps.insert(id)
    return true
  }

  /// - Parameter isWrittenNow: whether the rows of its members follow, as ``insertMembers(_:of:_:)`` writes them.
  func audience(_ push: NewPush, isWrittenNow: Bool = false) throws(StoreError) -> Audience {
    var audience = Audience()
    switch push.audience {
    case .all(let kinds), .segment(_, let kinds):
      // Numbers for every device there is now; those that come later are not in the audience.
      audience.until = try db.integer("SELECT coalesce(max(id), 0) FROM devices") ?? 0
      audience.reserved = audience.until
      audience.complete = audience.until == 0
      audience.kinds = PayloadCoding.mask(kinds.isEmpty ? DeviceKind.allCases : kinds)
      if case .segment(let filter, _) = push.audience { audience.segment = filter }
    case .users(let users):
      try audience.add(users: users, push.app, reaching: Reach(push), db)
    case .devices(let devices):
      try audience.add(devices: devices, push.app, reaching: Reach(push), db)
    case .addresses(let addresses):
      if isWrittenNow, db.writesSets, addresses.count == 1, let only = addresses.first, only.kind.isDevice {
        audience.add(only)
      } else {
        try audience.add(addresses: addresses, push.app, db)
      }
    }
    return audience
  }

  /// - Returns: whether it is finished already, because its audience is empty.
  private mutating func insertPush(
    _ id: PushID, _ push: NewPush, _ audience: Audience, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let start = max(push.startAt ?? now, now)
    let state: PushState = push.draft ? .draft : start > now ? .scheduled : .sending
    let empty = audience.complete && audience.members.isEmpty && state == .sending
    let number = try nextPushNumber(push.app)
    let insert = try db.prepare(
      """
      INSERT INTO pushes(id, app, class, state, open, cursor, targeted, waiting, in_flight, accepted, rejected, expired,
        cancelled, unknown, resent, audience_complete, unknown_policy, created_at, start_at, finished_at, expires_at,
        throttle, salt, reserved, audience_kinds, audience_position, audience_until, name,
        category, urgent, repeats, number, apns_ids, author)
      VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?6, 0, 0, 0, 0, 0, 0, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 0,
        ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)
      """)
    insert.bind(1, id)
    insert.bind(2, push.app)
    insert.bind(3, Int(push.storedClass.rawValue))
    insert.bind(4, Int((empty ? .sent : state).rawValue))
    insert.bind(5, state == .sending && !empty)
    insert.bind(6, audience.members.count)
    insert.bind(7, audience.complete)
    insert.bind(8, Int(push.unknownPolicy.rawValue))
    insert.bind(9, now)
    insert.bind(10, start)
    insert.bind(11, empty ? now : nil)
    insert.bind(12, push.expiresAt)
    insert.bind(13, push.throttlePerMinute.map { Int64($0) })
    insert.bind(14, Int64(bitPattern: push.salt))
    insert.bind(15, audience.reserved)
    insert.bind(16, Int(audience.kinds))
    insert.bind(17, audience.until)
    insert.bind(18, push.name)
    insert.bind(19, push.category)
    insert.bind(20, push.isUrgent)
    insert.bind(21, audience.repeats)
    insert.bind(22, number)
    insert.bind(23, Int(APNsIDs.Form.keyed.rawValue))
    insert.bind(24, author?.stored)
    try insert.runLater()
    return empty
  }

  /// The next number of an app's pushes, taken; the app's row is written once for all of a transaction.
  mutating func nextPushNumber(_ app: AppID) throws(StoreError) -> Int64 {
    var last = pushNumbers[app]
    if last == nil {
      let read = try db.prepare("SELECT push_number FROM apps WHERE id = ?1")
      read.bind(1, app)
      guard try read.step() else { throw Checks.missing("app", app) }
      last = read.int64(0)
    }
    let next = (last ?? 0) + 1
    pushNumbers[app] = next
    return next
  }

  func insertContent(_ id: PushID, _ message: [UInt8], _ payloads: [UInt8]) throws(StoreError) {
    let insert = try db.prepare("INSERT INTO push_contents(push, message, payloads) VALUES (?1, ?2, ?3)")
    insert.bindAll(id, message, payloads)
    try insert.runLater()
  }

  func insertSegment(_ filter: SegmentFilter, of push: PushID) throws(StoreError) {
    let insert = try db.prepare("INSERT INTO push_segments(push, filter) VALUES (?1, ?2)")
    insert.bindAll(push, SegmentCoding.encode(filter))
    try insert.run()
  }

  func insertMembers(
    _ members: [Member], of push: PushID, _ app: AppID, _ now: Timestamp
  ) throws(StoreError) {
    if let only = members.first, let tokens = only.tokens {
      let insert = try db.prepare(DeliveryRows.insertFound)
      insert.bindAll(push, now, app, tokens.first, tokens.last)
      insert.bind(6, only.target)
      return try insert.runLater()
    }
    let insert = try db.prepare(DeliveryRows.insert)
    insert.bind(3, now)
    for (index, member) in members.enumerated() {
      insert.bindAll(push.rawValue + Int64(index), member.device)
      insert.bind(4, member.target)
      try insert.run()
    }
  }
}

/// SQL shared by the code that writes delivery rows.
enum DeliveryRows {
  static let insert: StaticString = """
    INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, target)
    VALUES (?1, ?2, #delivery.fresh, 0, 0, #outcome.none, ?3, ?4)
    """
  /// One to an address, or to the device that has it: nothing is waited for between the question and the row.
  static let insertFound: StaticString = """
    INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, target)
    SELECT given.id, found.id, #delivery.fresh, 0, 0, #outcome.none, given.at,
      CASE WHEN found.id IS NULL THEN given.target END
    FROM (VALUES (CAST(?1 AS BIGINT), CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), CAST(?4 AS TEXT), CAST(?5 AS TEXT), CAST(?6 AS TEXT)))
      AS given(id, at, app, first, last, target)
      LEFT JOIN LATERAL (
        SELECT d.id FROM devices d WHERE d.app = given.app AND d.token >= given.first AND d.token <= given.last LIMIT 1)
      AS found ON 1 = 1
    """
  /// How many deliveries ``insertMany`` writes.
  static let many = 32
  /// Consecutive rows of one push: the first row's key, the time, and the devices in their order.
  ///
  /// One statement opens the table and its indexes once for all its rows, so that a row costs two thirds of the time of
  /// a single insert, and no allocation.
  static let insertMany: StaticString = """
    INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at)
    SELECT ?1 + column1, column2, #delivery.fresh, 0, 0, #outcome.none, ?2 FROM (VALUES
      (0, CAST(?3 AS BIGINT)), (1, ?4), (2, ?5), (3, ?6), (4, ?7), (5, ?8), (6, ?9), (7, ?10), (8, ?11), (9, ?12),
      (10, ?13), (11, ?14), (12, ?15), (13, ?16), (14, ?17), (15, ?18), (16, ?19), (17, ?20), (18, ?21),
      (19, ?22), (20, ?23), (21, ?24), (22, ?25), (23, ?26), (24, ?27), (25, ?28), (26, ?29), (27, ?30),
      (28, ?31), (29, ?32), (30, ?33), (31, ?34)) AS listed
    """
  /// A delivery with a due time of its own.
  static let insertDue: StaticString = """
    INSERT INTO deliveries(id, device, state, attempts, unknowns, code, at, target, not_before, lane)
    VALUES (?1, ?2, #delivery.waiting, 0, 0, #outcome.none, ?3, ?4, ?5, ?6)
    """
}

/// How an unregistered address is kept in a delivery row: kind, environment and token, separated by spaces.
enum AddressCoding {
  static func encode(_ address: DeviceAddress) -> String {
    "\(address.kind.rawValue) \(address.environment.rawValue) \(address.token)"
  }

  static func decode(_ text: String) -> DeviceAddress? {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let kind = UInt8(parts[0]).flatMap(DeviceKind.init(rawValue:)),
      let environment = UInt8(parts[1]).flatMap(DeviceEnvironment.init(rawValue:))
    else { return nil }
    return DeviceAddress(token: String(parts[2]), kind: kind, environment: environment)
  }
}
