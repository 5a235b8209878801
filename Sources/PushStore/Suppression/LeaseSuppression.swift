internal import Ledger
internal import StoreModel

/// The suppression of one lease: the rules are read once for each app.
struct LeaseSuppression {
  private let now: Timestamp
  private var rules: [AppID: SuppressionRules] = [:]
  private var suppression: Suppression

  init(now: Timestamp) {
    self.now = now
    suppression = Suppression(now: now)
  }

  mutating func rules(of app: AppID, _ db: borrowing Connection) throws(StoreError) -> SuppressionRules {
    if let known = rules[app] { return known }
    let read = try db.suppressionRules(app)
    rules[app] = read
    return read
  }

  /// Whether a push may go to a device now; a first try that may counts against the user's cap.
  mutating func verdict(
    _ facts: DeviceFacts, _ push: LeasableRow, isFirst: Bool, _ context: borrowing WriterContext
  ) throws(StoreError) -> SuppressionVerdict {
    let rules = try push.isUrgent ? SuppressionRules() : rules(of: push.app, context.db)
    return try suppression.verdict(
      facts, push.suppressed, isFirst: isFirst, rules: rules,
      refusesCategory: { (category) throws(StoreError) in try context.db.refuses(facts, category) },
      counts: { (cap) throws(StoreError) in
        try context.count(push.id, against: cap, of: facts.owner ?? -facts.device, now)
      })
  }
}

extension DeviceFacts {
  /// Reads `device, owner, flags, moved_number, timezone` of a row; the time zone only on request.
  init(_ row: borrowing Statement, device: Int32, first: Int32, readsZone: Bool) {
    self.init(
      device: row.int64(device), owner: row.isNull(first) ? nil : row.int64(first),
      flags: DeviceFlags(rawValue: row.int64(first + 1)), movedNumber: row.int64(first + 2),
      timezone: readsZone ? row.optionalText(first + 3) : nil)
  }
}

extension Connection {
  /// Whether a device or its user refuses a category.
  fileprivate func refuses(_ facts: DeviceFacts, _ category: String) throws(StoreError) -> Bool {
    if facts.flags.contains(.categories) {
      let select = try prepare(
        """
        SELECT 1 FROM device_attributes a CROSS JOIN attribute_keys k ON k.id = a.key
        WHERE a.device = ?1 AND k.name = 'opt_out_categories' AND a.value = ?2
        """)
      select.bindAll(facts.device, category)
      if try select.step() { return true }
    }
    guard facts.flags.contains(.userCategories) else { return false }
    let select = try prepare(
      """
      SELECT 1 FROM user_attributes a CROSS JOIN attribute_keys k ON k.id = a.key
      WHERE a.user = ?1 AND k.name = 'opt_out_categories' AND a.value = ?2
      """)
    select.bindAll(facts.owner, category)
    return try select.step()
  }
}

extension WriterContext {
  /// Counts a push against a cap; false when the cap is reached.
  func count(_ push: PushID, against cap: FrequencyCap, of subject: Int64, _ now: Timestamp) throws(StoreError) -> Bool
  {
    var recent = RecentPushes()
    do {
      let select = try db.prepare("SELECT recent FROM frequency WHERE subject = ?1")
      select.bind(1, Optional(subject))
      if try select.step() { recent = RecentPushes(select.blob(0)) }
    }
    switch recent.count(push, against: cap, now) {
    case .counted: return true
    case .capReached: return false
    case .added: break
    }
    let save = try db.prepare(
      """
      INSERT INTO frequency(subject, recent) VALUES (?1, ?2)
      ON CONFLICT(subject) DO UPDATE SET recent = excluded.recent
      """)
    save.bindAll(subject, recent.bytes)
    try save.run()
    return true
  }
}
