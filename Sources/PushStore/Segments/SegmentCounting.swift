public import StoreModel
internal import Synchronization

extension SQLStore {
  /// Counts the active devices in a segment, and shows the first of them.
  public func count(
    _ filter: SegmentFilter, app: AppID, sample: Int, now: Timestamp
  ) throws(StoreError) -> SegmentCount {
    let parts = try parts(filter, app) { (db, range) throws(StoreError) in
      try db.countSegment(filter, app, range, sample: sample, now)
    }
    let first = parts.flatMap(\.first).prefix(sample)
    let devices = try readers.read { (db) throws(StoreError) in try db.devices(Array(first)) }
    return SegmentCount(
      devices: parts.reduce(0) { $0 + $1.devices }, activityTokens: parts.reduce(0) { $0 + $1.activityTokens },
      sample: devices)
  }

  /// Counts the active devices in a segment by kind and environment.
  public func countByKindInEnvironment(
    _ filter: SegmentFilter, app: AppID, now: Timestamp
  ) throws(StoreError) -> [KindInEnvironment: Int] {
    let parts = try parts(filter, app) { (db, range) throws(StoreError) in
      try db.countSegmentByKind(filter, app, range, now)
    }
    return parts.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
  }

  /// Counts those of an app's newest active devices that are in a segment, by kind and environment.
  public func countNewestByKind(
    _ filter: SegmentFilter, app: AppID, among limit: Int, now: Timestamp
  ) throws(StoreError) -> [KindInEnvironment: Int] {
    try filter.check()
    return try readers.read { (db) throws(StoreError) in
      let condition = try SegmentSQL(filter, app: app, firstParameter: 3, now: now, db)
      let select = try db.prepareOnce(
        """
        SELECT d.kind, d.environment, count(*) FROM (
          SELECT * FROM devices INDEXED BY devices_by_state WHERE app = ?1 AND state = #device.active ORDER BY id DESC LIMIT ?2) d
        WHERE \(condition.text) GROUP BY d.kind, d.environment
        """)
      select.bindAll(app, limit)
      condition.bind(to: select)
      return try Self.kinds(select)
    }
  }

  /// The rows of a statement, each a kind, an environment and a number.
  fileprivate static func kinds(_ select: borrowing Statement) throws(StoreError) -> [KindInEnvironment: Int] {
    var counts: [KindInEnvironment: Int] = [:]
    while try select.step() {
      if let target = KindInEnvironment(select, from: 0) { counts[target] = select.int(2) }
    }
    return counts
  }

  /// Keys of devices from which on they are counted in pieces.
  private static let piecesFrom: Int64 = 20_000
  /// Pieces of a count: enough that no thread waits long for another's last one, where an app's devices are not spread evenly.
  private static let pieces = 16

  /// Scans the devices of an app in parts, on several connections; the results are in the order of the keys.
  ///
  /// Each part is a snapshot of its own: a device that is registered or changed meanwhile is counted as before or
  /// after.
  private func parts<Part: Sendable>(
    _ filter: SegmentFilter, _ app: AppID,
    _ body: @escaping @Sendable (borrowing Connection, SegmentRange) throws(StoreError) -> Part
  ) throws(StoreError) -> [Part] {
    try filter.check()
    let last = try readers.read { (db) throws(StoreError) in
      try db.integer("SELECT coalesce(max(id), 0) FROM devices") ?? 0
    }
    let pieces = last > Self.piecesFrom ? Self.pieces : 1
    let results = Mutex([Result<Part, StoreError>?](repeating: nil, count: pieces))
    // The last piece has no end: what is registered meanwhile is counted too.
    let step = last / Int64(pieces) + 1
    let readers = readers
    Crew.run(pieces) { piece in
      let until = piece == pieces - 1 ? Int64.max : Int64(piece + 1) * step
      let range = SegmentRange(after: Int64(piece) * step, until: until)
      let result = Result { () throws(StoreError) in
        try readers.read { (db) throws(StoreError) in try body(db, range) }
      }
      results.withLock { $0[piece] = result }
    }
    var parts: [Part] = []
    for result in results.withLock({ $0 }) { if let result { parts.append(try result.get()) } }
    return parts
  }
}

/// What a range of devices has of a segment.
private struct SegmentPart: Sendable {
  /// The first devices that messages go to.
  var first: [DeviceID] = []
  var devices = 0
  var activityTokens = 0
}

/// Devices by their keys.
struct SegmentRange {
  let after: Int64
  let until: Int64
}

extension Connection {
  /// A statement over the active devices `d` of a range that a segment names; parameters from 5 on are the segment's, 4 is the
  /// caller's.
  private func select(
    _ what: String, _ end: String, _ filter: SegmentFilter, _ app: AppID, _ range: SegmentRange, _ now: Timestamp
  ) throws(StoreError) -> Statement {
    let condition = try SegmentSQL(filter, app: app, firstParameter: 5, now: now, self)
    let select = try prepareOnce(
      """
      SELECT \(what) FROM devices d INDEXED BY devices_by_state
      WHERE d.app = ?1 AND d.state = #device.active AND d.id > ?2 AND d.id <= ?3 AND \(condition.text) \(end)
      """)
    select.bindAll(app, range.after, range.until)
    condition.bind(to: select)
    return select
  }

  func segment(
    _ filter: SegmentFilter, _ app: AppID, _ range: SegmentRange, limit: Int, _ now: Timestamp
  ) throws(StoreError) -> [DeviceID] {
    let select = try select("d.id", "ORDER BY d.id LIMIT ?4", filter, app, range, now)
    select.bind(4, limit)
    var ids: [DeviceID] = []
    while try select.step() { ids.append(select.id(0)) }
    return ids
  }

  /// The first are read one by one, the others behind them counted only.
  fileprivate func countSegment(
    _ filter: SegmentFilter, _ app: AppID, _ range: SegmentRange, sample: Int, _ now: Timestamp
  ) throws(StoreError) -> SegmentPart {
    var part = SegmentPart()
    var last = range.after
    if sample > 0 {
      let select = try select("d.id, \(Self.isActivityToken)", "ORDER BY d.id", filter, app, range, now)
      while part.first.count < sample {
        guard try select.step() else { return part }
        let id: DeviceID = select.id(0)
        last = id.rawValue
        if select.bool(1) {
          part.activityTokens += 1
        } else {
          part.first.append(id)
          part.devices += 1
        }
      }
    }
    let select = try select(
      "count(*), count(*) FILTER (WHERE \(Self.isActivityToken))", "", filter, app,
      SegmentRange(after: last, until: range.until), now)
    guard try select.step() else { return part }
    part.activityTokens += select.int(1)
    part.devices += select.int(0) - select.int(1)
    return part
  }

  /// Whether a device `d` is a token of a Live Activity.
  private static let isActivityToken =
    "(d.kind IN (" + DeviceKind.allCases.filter(\.isLiveActivity).map { "\($0.rawValue)" }.joined(separator: ", ")
    + "))"

  fileprivate func countSegmentByKind(
    _ filter: SegmentFilter, _ app: AppID, _ range: SegmentRange, _ now: Timestamp
  ) throws(StoreError) -> [KindInEnvironment: Int] {
    try SQLStore.kinds(
      select("d.kind, d.environment, count(*)", "GROUP BY d.kind, d.environment", filter, app, range, now))
  }
}
