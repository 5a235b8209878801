internal import Ledger
internal import StoreModel

/// First tries of several pushes at once, on a server: what each would ask of it is asked once for all.
extension Leasing {
  /// Leases all that is fresh of transactional pushes, in their order, as long as there is room; returns those that are left.
  mutating func takeTogether(
    _ rows: [LeasableRow], _ max: Int, _ context: inout WriterContext
  ) throws(StoreError) -> [LeasableRow] {
    var together: [LeasableRow] = []
    var ids: [Int64] = []
    var left: [LeasableRow] = []
    // What does not fit comes before all that is behind it.
    var isFull = false
    for row in rows {
      let range = row.deliveries.unleased
      isFull = isFull || ids.count + range.count > max
      if row.state == .sending, !hasExpired(row), !range.isEmpty, !isFull {
        together.append(row)
        ids += range
      } else {
        left.append(row)
      }
    }
    guard together.count > 1, let app = together.first?.app else { return rows }
    let rules = try suppression.rules(of: app, context.db)
    var fresh = try FreshRows(ids, rules: rules, context.db)
    let closed = closed(of: app)
    var sent: [Int64: [Int64]] = [:]
    for row in together {
      let range = row.deliveries.unleased
      var verdicts = FreshVerdicts(row, rules, closed: closed)
      try judge(&fresh, below: range.upperBound, &verdicts, &context)
      if verdicts.isEmpty, row.throttlePerMinute == nil {
        sent[Int64(range.count), default: []].append(row.id.rawValue)
      } else {
        try settle(row, Int64(range.count), verdicts, &context)
      }
    }
    for (count, pushes) in sent.sorted(by: { $0.key < $1.key }) { try context.db.moveCursors(of: pushes, by: count) }
    return left
  }

  /// Judges the next rows that were read, up to a number.
  mutating func judge(
    _ fresh: inout FreshRows, below end: Int64, _ verdicts: inout FreshVerdicts, _ context: inout WriterContext
  ) throws(StoreError) {
    while let row = fresh.next(below: end) {
      let (address, facts) = fresh.recipient(of: row)
      try judge(row.id, row.device.map { DeviceID(rawValue: $0) }, address, facts, &verdicts, &context)
    }
  }
}

extension Connection {
  /// Notes that so many deliveries of each of these pushes, all that were left of it, are on the wire.
  fileprivate func moveCursors(of pushes: [Int64], by count: Int64) throws(StoreError) {
    let update = try prepare(
      """
      UPDATE pushes SET cursor = cursor + ?2, waiting = waiting - ?2, in_flight = in_flight + ?2,
        open = CASE WHEN #leasable(audience_complete; cursor + ?2; targeted) THEN 1 ELSE 0 END
      WHERE id = ANY(CAST(?1 AS bigint[]))
      """)
    update.bind(1, set: pushes)
    update.bind(2, Optional(count))
    try update.run()
  }
}
