internal import Ledger
public import StoreModel

extension SQLStore {
  /// A page of a push's deliveries, in order of the audience, after `after`.
  public func deliveries(
    of push: PushID, filter: DeliveryFilter, after: DeliveryID?, limit: Int
  ) throws(StoreError) -> DeliveryPage<DeliveryID> {
    try readers.read { (db) throws(StoreError) in
      guard let extent = try db.extent(of: push) else { return DeliveryPage(rows: [], next: nil) }
      return try db.page(of: extent, filter: filter, after: after, limit: Checks.page(limit))
    }
  }

  /// A page of the deliveries to one device or one user, the newest push first.
  public func deliveries(
    app: AppID, filter: DeliveryFilter, before: PushID?, limit: Int
  ) throws(StoreError) -> DeliveryPage<PushID> {
    guard filter.device != nil || filter.user != nil else {
      throw StoreError(.invalid, "filter: names neither device nor user", advice: "name one of them")
    }
    return try readers.read { (db) throws(StoreError) in
      var search = DeviceSearch(app: app, filter: filter, limit: Checks.page(limit))
      return try search.run(before: before, db)
    }
  }
}

/// Deliveries to some devices, push by push from the newest back.
private struct DeviceSearch {
  let app: AppID
  let filter: DeliveryFilter
  let limit: Int
  private var rows: [DeliveryRecord] = []

  init(app: AppID, filter: DeliveryFilter, limit: Int) {
    (self.app, self.filter, self.limit) = (app, filter, limit)
  }

  /// Pushes looked at for one page.
  private static let pushesMax = 2_000
  /// Rows looked at for one page, in listed audiences.
  private static let costMax: Int64 = 50_000

  mutating func run(before: PushID?, _ db: borrowing Connection) throws(StoreError) -> DeliveryPage<PushID> {
    let devices = try db.devices(app: app, filter)
    guard !devices.isEmpty else { return DeliveryPage(rows: [], next: nil) }
    let select = try db.prepare(
      """
      SELECT id, app, class, targeted, cursor, salt, audience_kinds, start_at, apns_ids FROM pushes
      WHERE id < ?1 ORDER BY id DESC LIMIT ?2
      """)
    select.bindAll(before?.rawValue ?? .max, Self.pushesMax)
    var (seen, cost): (Int, Int64) = (0, 0)
    var last: PushID?
    var group: [PushExtent] = []
    while try select.step() {
      let push = PushExtent(select)
      seen += 1
      last = push.id
      guard push.app == app else { continue }
      group.append(push)
      cost += push.isMaterialized ? 0 : push.deliveries.targeted * Int64(devices.count)
      guard group.count == db.pushesSearchedTogether || cost > Self.costMax else { continue }
      if let full = try look(at: group, devices, db) { return DeliveryPage(rows: rows, next: full) }
      if cost > Self.costMax { return DeliveryPage(rows: rows, next: push.id) }
      group.removeAll()
    }
    if let full = try look(at: group, devices, db) { return DeliveryPage(rows: rows, next: full) }
    return DeliveryPage(rows: rows, next: seen == Self.pushesMax ? last : nil)
  }

  /// Adds what these pushes sent to the devices; returns the push with which the page is full.
  private mutating func look(
    at pushes: [PushExtent], _ devices: [DeviceID], _ db: borrowing Connection
  ) throws(StoreError) -> PushID? {
    let found = try db.deliveries(to: devices, in: pushes)
    for push in pushes {
      for id in found[push.id] ?? [] { rows += try db.rows(of: push, id..<id + 1, filter, limit: 1) }
      if rows.count >= limit { return push.id }
    }
    return nil
  }
}

/// The SQL of delivery lists.
enum DeliverySQL {
  /// What devices reported of a delivery.
  static let events = KeyedQuestion(
    """
    SELECT kind, action, at FROM events WHERE delivery = ?1 ORDER BY kind, action
    LIMIT \(DeviceReports.actionsPerDeliveryMax + EventKind.allCases.count)
    """, .number)

  /// Rows looked at for one page.
  static let windowRows: Int64 = 8_192

  /// The deliveries of one push in a range of numbers; parameters 1 to 5 are push, first, end, limit and (from 6 on) the
  /// filter's values.
  static func page(_ filter: DeliveryFilter, _ refused: StaticString = file) -> String {
    // Rejected rows have an index of their own; for all others the table is in the right order already.
    let isRefused = filter.state == .rejected
    let source = isRefused ? "deliveries d INDEXED BY deliveries_refused" : "deliveries d NOT INDEXED"
    let key = isRefused ? "d.\(refused)" : "d.id"
    return """
      SELECT d.id, d.device, v.user, v.kind, d.target, \(LedgerSQL.state) AS s, d.attempts, d.unknowns, o.provider,
        o.status, o.reason, d.provider_id, d.at, d.not_before, p.salt, p.apns_ids, v.environment
      FROM pushes p CROSS JOIN \(source) ON \(key) >= ?2 AND \(key) < ?3
      LEFT JOIN outcomes o ON o.code = d.code LEFT JOIN devices v ON v.id = d.device
      WHERE p.id = ?1\(condition(filter)) ORDER BY \(key) LIMIT ?4
      """
  }

  /// The column by which the index of rejected deliveries finds them: their key, in a file.
  static let file: StaticString = "id"

  /// Those that wait without a reason, for devices of some kinds and environments.
  private static func untried(_ targets: Set<KindInEnvironment>) -> String {
    let wanted = targets.map { Int($0.kind.rawValue) << 8 | Int($0.environment.rawValue) }.sorted()
    return
      "((\(LedgerSQL.state)) = #delivery.waiting AND coalesce(o.reason, '') = '' AND v.kind << 8 | v.environment IN ("
      + wanted.map(String.init).joined(separator: ", ") + "))"
  }

  private static func condition(_ filter: DeliveryFilter) -> String {
    var sql = ""
    switch filter.state {
    case .rejected: sql += " AND d.state = #delivery.rejected"
    case .some: sql += " AND (\(LedgerSQL.state)) = ?6"
    case nil: break
    }
    if filter.reason != nil || filter.provider != nil {
      // The few numbers of these outcomes are looked up once for the whole page.
      let reason = filter.reason == nil ? "" : " AND reason = ?7"
      let provider = filter.provider == nil ? "" : " AND provider = ?8"
      let ended = "d.code IN (SELECT code FROM outcomes WHERE true\(reason)\(provider))"
      sql += filter.unanswered.isEmpty ? " AND \(ended)" : " AND (\(ended) OR \(untried(filter.unanswered)))"
    }
    if filter.device != nil { sql += " AND d.device = ?9" }
    if filter.user != nil { sql += " AND v.user = ?10" }
    if filter.from != nil { sql += " AND d.at >= ?11" }
    if filter.until != nil { sql += " AND d.at < ?12" }
    return sql
  }
}

extension Connection {
  /// The devices a filter names.
  fileprivate func devices(app: AppID, _ filter: DeliveryFilter) throws(StoreError) -> [DeviceID] {
    guard let user = filter.user else { return filter.device.map { [$0] } ?? [] }
    let select = try prepare("SELECT id FROM devices WHERE app = ?1 AND user = ?2 ORDER BY id LIMIT 100")
    select.bindAll(app, user)
    var devices: [DeviceID] = []
    while try select.step() { devices.append(select.id(0)) }
    return filter.device.map { device in devices.filter { $0 == device } } ?? devices
  }

  /// A page of a push's deliveries.
  func page(
    of push: PushExtent, filter: DeliveryFilter, after: DeliveryID?, limit: Int
  ) throws(StoreError) -> DeliveryPage<DeliveryID> {
    let range = try window(of: push, after: after, filter)
    let rows = try rows(of: push, range, filter, limit: limit)
    // A full page continues after its last row, one that has seen its share of rows after the last of these.
    if rows.count == limit, let last = rows.last?.id {
      return DeliveryPage(rows: rows, next: last.rawValue + 1 < push.end ? last : nil)
    }
    let next = range.upperBound < push.end ? DeliveryID(rawValue: range.upperBound - 1) : nil
    return DeliveryPage(rows: rows, next: next)
  }

  /// The numbers that the next page looks at.
  fileprivate func window(
    of push: PushExtent, after: DeliveryID?, _ filter: DeliveryFilter
  ) throws(StoreError) -> Range<Int64> {
    let first = max((after?.rawValue ?? 0) &+ 1, push.id.rawValue)
    guard first < push.end else { return push.end..<push.end }
    if filter.device != nil || filter.user != nil {
      let numbers = try deliveries(to: devices(app: push.app, filter), in: [push])[push.id] ?? []
      guard let number = numbers.filter({ $0 >= first }).min() else { return push.end..<push.end }
      return number..<number + 1
    }
    guard filter.state == .rejected else { return first..<min(first + DeliverySQL.windowRows, push.end) }
    let select = try prepare(
      parts: """
        SELECT id FROM deliveries INDEXED BY deliveries_refused WHERE state = #delivery.rejected AND \(refused) >= ?1 AND \(refused) < ?2
        ORDER BY \(refused) LIMIT 1 OFFSET ?3
        """)
    select.bindAll(first, push.end, DeliverySQL.windowRows.advanced(by: -1))
    return try select.step() ? first..<select.int64(0) + 1 : first..<push.end
  }

  /// The deliveries of a push in a range of numbers that the filter names.
  func rows(
    of push: PushExtent, _ range: Range<Int64>, _ filter: DeliveryFilter, limit: Int
  ) throws(StoreError) -> [DeliveryRecord] {
    guard !range.isEmpty else { return [] }
    let select = try prepareOnce(DeliverySQL.page(filter, refused))
    select.bindAll(push.id, range.lowerBound, range.upperBound, limit)
    select.bind(filter)
    var rows: [DeliveryRecord] = []
    while try select.step() { rows.append(DeliveryRecord(row: select, push: push.id)) }
    try readEvents(of: &rows)
    return rows
  }

  /// Adds what devices reported.
  private func readEvents(of rows: inout [DeliveryRecord]) throws(StoreError) {
    try ask(DeliverySQL.events, .numbers(rows.map(\.id.rawValue))) { index, row in rows[index].events.add(row) }
  }
}

extension DeliveryEvents {
  /// Adds one, from columns kind, action, at.
  fileprivate mutating func add(_ row: borrowing Statement) {
    switch EventKind(rawValue: UInt8(truncatingIfNeeded: row.int(0))) {
    case .received: receivedAt = row.timestamp(2)
    case .opened: openedAt = row.timestamp(2)
    case .action: actions.append(row.text(1))
    case nil: break
    }
  }
}

extension Statement {
  fileprivate func bind(_ filter: DeliveryFilter) {
    if let state = filter.state, state != .rejected { bind(6, Int(state.rawValue)) }
    if let reason = filter.reason { bind(7, reason) }
    if let provider = filter.provider { bind(8, Int(provider.rawValue)) }
    if let device = filter.device { bind(9, device) }
    if let user = filter.user { bind(10, user) }
    if let from = filter.from { bind(11, from) }
    if let until = filter.until { bind(12, until) }
  }
}

extension DeliveryRecord {
  fileprivate init(row: borrowing Statement, push: PushID) {
    let address = row.optionalText(4).flatMap(AddressCoding.decode)
    let kind = row.isNull(3) ? address?.kind : DeviceKind(rawValue: UInt8(truncatingIfNeeded: row.int(3)))
    let id: DeliveryID = row.id(0)
    let attempts = row.int(6)
    let provider = Provider(rawValue: UInt8(truncatingIfNeeded: row.int(8)))
    let named = row.optionalText(11)
    let apnsIDs = APNsIDs(salt: UInt64(bitPattern: row.int64(14)), form: row.apnsIDForm(15))
    let apnsID = provider?.derivesIDs == true ? apnsIDs.id(of: id) : nil
    self.init(
      id: id, push: push, device: row.optionalID(1), user: row.optionalText(2), kind: kind,
      environment: row.isNull(16)
        ? address?.environment : DeviceEnvironment(rawValue: UInt8(truncatingIfNeeded: row.int(16))),
      state: DeliveryState(rawValue: UInt8(truncatingIfNeeded: row.int(5))) ?? .unknown, attempts: attempts,
      unknowns: row.int(7), provider: provider, status: row.int(9), reason: row.text(10), providerID: named ?? apnsID,
      at: row.timestamp(12), notBefore: row.optionalTimestamp(13), events: DeliveryEvents())
  }
}
