public import StoreModel

/// Devices that nobody was seen with for a long time: counted first, then forgotten in small steps.
///
/// A device is seen when it registers. One of a user is also kept while another device of theirs is seen: a provider says of the
/// old one itself when its token is dead.
extension SQLStore {
  /// The devices of an app that were last seen before a time.
  public func unseenDevices(app: AppID, before: Timestamp) throws(StoreError) -> UnseenDevices {
    try readers.read { (db) throws(StoreError) in
      var found = UnseenDevices()
      let select = try db.prepare(
        parts: """
          SELECT kind, count(*), count(*) FILTER (WHERE unseen), min(CASE WHEN unseen THEN registered_at END) FROM (
            SELECT d.kind, d.registered_at, \(UnseenSQL.isUnseen) AS unseen FROM devices d
            WHERE d.app = ?1 AND \(UnseenSQL.isMeant)) AS seen GROUP BY kind
          """)
      select.bindAll(app, before)
      while try select.step() {
        guard let kind = DeviceKind(rawValue: UInt8(truncatingIfNeeded: select.int(0))) else { continue }
        found.of += select.int(1)
        let count = select.int(2)
        guard count > 0 else { continue }
        found.kinds[kind] = count
        if let oldest = select.optionalTimestamp(3) { found.oldest = min(found.oldest ?? oldest, oldest) }
      }
      return found
    }
  }
}

private enum UnseenSQL {
  /// The tokens of activities and of channels have an end of their own.
  static let isMeant: String = {
    let kinds = DeviceKind.all.filter { $0.isLiveActivity || $0.isChannel }
    return "d.kind NOT IN (\(kinds.map { String($0.rawValue) }.joined(separator: ", ")))"
  }()
  /// Whether a device was last seen before the second parameter.
  static let isUnseen = """
    (d.registered_at < ?2 AND NOT EXISTS (
      SELECT 1 FROM users u WHERE u.app = d.app AND u.name = d.user AND u.last_seen_at >= ?2))
    """
}

extension WriterContext {
  /// Devices looked at in one step.
  private static let looked: Int64 = 5_000
  private static let dayMs: Int64 = 86_400_000

  /// One step of forgetting: from where the last one ended, round and round.
  mutating func forgetUnseen(
    _ policies: [Int64: RetentionPolicy], now: Timestamp, _ summary: inout PurgeSummary
  ) throws(StoreError) {
    let rules = policies.compactMap { app, policy in policy.unseenDays.map { (app: app, days: $0) } }
    guard !rules.isEmpty else { return }
    let first = unseenSweep
    guard let end = try db.integer("SELECT max(id) FROM devices"), end > first else {
      unseenSweep = 0
      return
    }
    let last = min(first + Self.looked, end)
    for rule in rules {
      let before = now.adding(milliseconds: -Int64(rule.days) * Self.dayMs)
      let ids = try unseen(rule.app, before, first, last)
      guard !ids.isEmpty else { continue }
      for id in ids { try forgetDevice(id) }
      summary.devices += ids.count
      let name = try db.app(AppID(rawValue: rule.app))?.name
      try keep(
        AuditEntry(
          at: now, key: nil, act: "forgetUnseenDevices",
          target: "\(ids.count) devices, not seen for \(rule.days) days", app: name, peer: "", request: ""))
    }
    unseenSweep = last
    if last < end { summary.isDone = false } else { unseenSweep = 0 }
  }

  private func unseen(
    _ app: Int64, _ before: Timestamp, _ first: Int64, _ last: Int64
  ) throws(StoreError) -> [DeviceID] {
    let select = try db.prepare(
      parts: """
        SELECT d.id FROM devices d
        WHERE d.id > ?3 AND d.id <= ?4 AND d.app = ?1 AND \(UnseenSQL.isMeant) AND \(UnseenSQL.isUnseen) ORDER BY d.id
        """)
    select.bindAll(app, before, first, last)
    var ids: [DeviceID] = []
    while try select.step() { ids.append(select.id(0)) }
    return ids
  }
}
