internal import CLinux
internal import StoreModel

/// Records that name a user beside their own: requests, values, segments, keys.
struct UserMentions {
  var scheduled: [PushID] = []
  var contents: [PushID] = []
  var frozen: [PushID] = []
  var schedules: [ScheduleID] = []
  var segments: [SegmentID] = []
  var keys: [Int64] = []
  /// Idempotency keys with an answer that names the user.
  var answers: [RowID<KnownRequest>] = []

  var count: Int {
    scheduled.count + contents.count + frozen.count + schedules.count + segments.count + keys.count + answers.count
  }
}

/// The search for them, on a connection for reading: each document is looked at for the texts that name the user, and
/// only those that hold one are read.
struct MentionSearch {
  private let app: AppID
  private let user: UserIdentity
  private let redaction: any UserRedaction
  private let marks: [[UInt8]]

  init(_ app: AppID, _ user: UserIdentity, _ redaction: any UserRedaction) {
    self.app = app
    self.user = user
    self.redaction = redaction
    // A text with a quote or a control character is escaped in JSON, so the search uses its longest unescaped part.
    marks = Set(
      ([user.name] + user.deviceNames + user.tokens + user.aliases.map(\.id) + user.profile.values
        + user.devices.map(\.description)).map {
          Self.longestPlainPart($0)
        }
    ).sorted().map { Array($0.utf8) }
  }

  private static func longestPlainPart(_ text: String) -> String {
    text.unicodeScalars.split { $0 == "\"" || $0 == "\\" || $0.value < 0x20 }
      .map { String(Substring.UnicodeScalarView($0)) }.max { $0.utf8.count < $1.utf8.count } ?? ""
  }

  private func isMarked(_ bytes: [UInt8]) -> Bool {
    marks.contains { mark in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe mark.withUnsafeBytes { mark in
          // A name without a plain part finds every document.
          guard let part = mark.baseAddress, mark.count > 0 else { return true }
          guard let start = bytes.baseAddress else { return false }
          return unsafe memmem(start, bytes.count, part, mark.count) != nil
        }
      }
    }
  }

  func run(_ db: borrowing Connection) throws(StoreError) -> UserMentions {
    var found = UserMentions()
    found.scheduled = try documents(
      "SELECT push, request FROM push_plans WHERE app = ?1 AND length(request) > 0", db
    ) { redaction.request($0, without: user) != nil }
    found.schedules = try documents("SELECT id, request FROM schedules WHERE app = ?1", db) {
      redaction.request($0, without: user) != nil
    }
    found.segments = try documents("SELECT id, definition FROM segments WHERE app = ?1", db) {
      redaction.segment($0, without: user) != nil
    }
    found.frozen = try documents(
      "SELECT s.push, s.filter FROM push_segments s JOIN pushes p ON p.id = s.push WHERE p.app = ?1", db
    ) { SegmentCoding.decode($0)?.replacing(user, by: redaction.pseudonym) != nil }
    // The first bytes say whether a push has values; most have none, and of them nothing more is read.
    found.contents = try documents(
      """
      SELECT c.push, c.payloads FROM push_contents c JOIN pushes p ON p.id = c.push
      WHERE p.app = ?1 AND substr(c.payloads, 4, 1) >= x'80'
      """, db
    ) { redaction.values(PayloadCoding.personal($0), without: user) != nil }
    found.keys = try keys(db)
    found.answers = try documents(
      "SELECT id, response FROM idempotency WHERE scope = ?1 AND length(response) > 0", db
    ) { _ in true }
    return found
  }

  private func documents<Record>(
    _ sql: String, _ db: borrowing Connection, _ names: ([UInt8]) -> Bool
  ) throws(StoreError) -> [RowID<Record>] {
    let select = try db.prepareOnce(sql)
    select.bind(1, app)
    var found: [RowID<Record>] = []
    while try select.step() {
      let bytes = select.blob(1)
      if isMarked(bytes), names(bytes) { found.append(select.id(0)) }
    }
    return found
  }

  /// Idempotency keys are stored as digests; an earlier version stored them as the caller wrote them.
  private func keys(_ db: borrowing Connection) throws(StoreError) -> [Int64] {
    let select = try db.prepareOnce(
      "SELECT id FROM idempotency WHERE scope = ?1 AND substr(key, 1, 1) <> ?3 AND instr(key, ?2) > 0")
    select.bindAll(app, user.name, IdempotencyKey.digestMark)
    var found: [Int64] = []
    while try select.step() { found.append(select.int64(0)) }
    return found
  }
}

extension Connection {
  /// The identifiers of a user.
  func identity(_ app: AppID, _ name: String, _ user: UserID) throws(StoreError) -> UserIdentity {
    let devices = try prepare("SELECT id, name, token FROM devices WHERE app = ?1 AND user = ?2 ORDER BY id")
    devices.bindAll(app, name)
    var ids: [DeviceID] = []
    var (names, tokens): ([String], [String]) = ([], [])
    while try devices.step() {
      ids.append(devices.id(0))
      if let name = devices.optionalText(1) { names.append(name) }
      tokens.append(devices.text(2))
    }
    let earlier = try prepare("SELECT token FROM earlier_tokens WHERE device = ?1")
    for id in ids {
      earlier.bind(1, id)
      while try earlier.step() { tokens.append(earlier.text(0)) }
      earlier.reset()
    }
    let others = try prepare("SELECT name FROM device_names WHERE device = ?1")
    for id in ids {
      others.bind(1, id)
      while try others.step() { names.append(others.text(0)) }
      others.reset()
    }
    // Whoever writes down a browser's address may leave the keys out.
    tokens += tokens.map(WebAddress.identity).filter { !tokens.contains($0) }
    return UserIdentity(
      name: name, devices: ids, deviceNames: names, tokens: tokens, aliases: try aliases(of: user),
      profile: try attributes(of: user.rawValue, .user).profile)
  }
}

extension WriterContext {
  /// Takes a user out of records that name them; returns how many changed, by table.
  mutating func redact(
    _ found: UserMentions, _ user: UserIdentity, _ redaction: any UserRedaction, _ now: Timestamp
  ) throws(StoreError) -> [UserErasure.Count] {
    var counts: [UserErasure.Count] = []
    func note(_ table: String, _ rows: Int) { counts.append(.init(table: table, act: "redacted", rows: rows)) }
    var rows = 0
    for id in found.scheduled where try redact(scheduledPush: id, user, redaction, now) { rows += 1 }
    note("push_plans", rows)
    rows = 0
    for id in found.schedules where try redact(id, user, redaction, now) { rows += 1 }
    note("schedules", rows)
    rows = 0
    for id in found.contents where try redact(valuesOf: id, user, redaction) { rows += 1 }
    note("push_contents", rows)
    rows = 0
    for id in found.segments {
      let changed = try replace(
        "SELECT definition FROM segments WHERE id = ?1", "UPDATE segments SET definition = ?2 WHERE id = ?1",
        id.rawValue
      ) { redaction.segment($0, without: user) }
      if changed { rows += 1 }
    }
    note("segments", rows)
    rows = 0
    for id in found.frozen {
      let changed = try replace(
        "SELECT filter FROM push_segments WHERE push = ?1", "UPDATE push_segments SET filter = ?2 WHERE push = ?1",
        id.rawValue
      ) { SegmentCoding.decode($0)?.replacing(user, by: redaction.pseudonym).map(SegmentCoding.encode) }
      if changed { rows += 1 }
    }
    note("push_segments", rows)
    note("idempotency", try hide(found.keys, redaction) + empty(found.answers))
    return counts
  }

  private func replace(
    _ select: StaticString, _ update: StaticString, _ id: Int64, _ change: ([UInt8]) -> [UInt8]?
  ) throws(StoreError) -> Bool {
    let read = try db.prepare(select)
    read.bind(1, Optional(id))
    guard try read.step(), let changed = change(read.blob(0)) else { return false }
    let write = try db.prepare(update)
    write.bindAll(id, changed)
    try write.run()
    return true
  }

  /// A push for the user alone that has not started ends; a finished one loses its request.
  private mutating func redact(
    scheduledPush push: PushID, _ user: UserIdentity, _ redaction: any UserRedaction, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let document: RedactedDocument
    let state: PushState?
    do {
      let select = try db.prepare(
        "SELECT l.request, p.state FROM push_plans l JOIN pushes p ON p.id = l.push WHERE l.push = ?1")
      select.bind(1, push)
      guard try select.step(), let changed = redaction.request(select.blob(0), without: user) else { return false }
      document = changed
      state = PushState(rawValue: UInt8(truncatingIfNeeded: select.int(1)))
    }
    if document.hasNoRecipients {
      if state == .draft || state == .planned {
        try forgetDue(push)
        try end(push, as: .cancelled, now)
      }
      try db.forgetRequest(of: push)
    } else {
      let update = try db.prepare("UPDATE push_plans SET request = ?2 WHERE push = ?1")
      update.bindAll(push, document.bytes)
      try update.run()
    }
    return true
  }

  /// A schedule for the user alone ends.
  private func redact(
    _ schedule: ScheduleID, _ user: UserIdentity, _ redaction: any UserRedaction, _ now: Timestamp
  ) throws(StoreError) -> Bool {
    let select = try db.prepare("SELECT request FROM schedules WHERE id = ?1")
    select.bind(1, schedule)
    guard try select.step(), let document = redaction.request(select.blob(0), without: user) else { return false }
    let update = try db.prepare(
      """
      UPDATE schedules SET request = ?2, revision = revision + 1, next_at = CASE WHEN ?3 THEN NULL ELSE next_at END,
        ended_at = CASE WHEN ?3 THEN coalesce(ended_at, ?4) ELSE ended_at END
      WHERE id = ?1
      """)
    update.bindAll(
      schedule, document.hasNoRecipients ? Array("{}".utf8) : document.bytes, document.hasNoRecipients, now)
    try update.run()
    return true
  }

  /// Removes the user's values from a push's payloads; a push that reached no device and has no other user's values was
  /// for this user alone, and loses its content.
  private func redact(
    valuesOf push: PushID, _ user: UserIdentity, _ redaction: any UserRedaction
  ) throws(StoreError) -> Bool {
    let select = try db.prepare(
      """
      SELECT c.payloads, p.targeted = 0 AND p.audience_kinds = 0 FROM push_contents c JOIN pushes p ON p.id = c.push
      WHERE c.push = ?1
      """)
    select.bind(1, push)
    guard try select.step() else { return false }
    let bytes = select.blob(0)
    guard let document = redaction.values(PayloadCoding.personal(bytes), without: user),
      let payloads = PayloadCoding.decode(bytes)
    else { return false }
    if document.hasNoRecipients, select.bool(1) {
      try emptyContent(of: push)
      return true
    }
    let update = try db.prepare("UPDATE push_contents SET payloads = ?2 WHERE push = ?1")
    update.bindAll(push, PayloadCoding.encode(payloads, personal: document.bytes))
    try update.run()
    return true
  }

  /// Keys in the caller's words that hold the user's name become digests; their requests are still known again.
  private func hide(_ keys: [Int64], _ redaction: any UserRedaction) throws(StoreError) -> Int {
    var rows = 0
    for id in keys {
      let select = try db.prepare("SELECT key FROM idempotency WHERE id = ?1")
      select.bind(1, Optional(id))
      guard try select.step() else { continue }
      let digest = redaction.keyDigest(select.text(0))
      let update = try db.prepare("UPDATE idempotency SET key = ?2 WHERE id = ?1")
      update.bindAll(id, digest)
      try update.run()
      rows += db.changes
    }
    return rows
  }

  /// A repetition is still answered as one, without what the first answer said.
  private func empty(_ answers: [RowID<KnownRequest>]) throws(StoreError) -> Int {
    var rows = 0
    for id in answers {
      let update = try db.prepare("UPDATE idempotency SET response = x'' WHERE id = ?1")
      update.bind(1, id)
      try update.run()
      rows += db.changes
    }
    return rows
  }

  /// Leaves nothing of what a push said.
  func emptyContent(of push: PushID) throws(StoreError) {
    let update = try db.prepare("UPDATE push_contents SET message = ?2, payloads = ?3 WHERE push = ?1")
    update.bindAll(push, [] as [UInt8], PayloadCoding.encode([]))
    try update.run()
  }
}
