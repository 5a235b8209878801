internal import Ledger
public import StoreModel

extension SQLStore {
  /// Recounts the ledger, of one push or of all; what is returned breaks the law.
  public func verifyLedger(push: PushID?) throws(StoreError) -> [LedgerFault] {
    try readers.view { (db) throws(StoreError) in
      // The counters and the rows must be of the same instant.
      var faults: [LedgerFault] = []
      var last = push.map { $0.rawValue - 1 } ?? 0
      while let next = try db.recorded(after: last), push == nil || next.push == push {
        last = next.push.rawValue
        let counted = try db.count(next.push)
        var words = LedgerLaw.fault(recorded: next.counts, counted: counted)
        if words == nil { words = try db.untrue(next.push) }
        if let words {
          faults.append(
            LedgerFault(push: next.push, recorded: next.counts, counted: counted, description: words))
        }
      }
      if push == nil { faults += try db.faultyLeases() + db.faultySchedules() }
      return faults
    }
  }
}

extension Connection {
  fileprivate func recorded(after id: Int64) throws(StoreError) -> (push: PushID, counts: LedgerCounts)? {
    let select = try prepare(
      """
      SELECT id, targeted, waiting, in_flight, accepted, rejected, expired, cancelled, unknown FROM pushes
      WHERE id > ?1 ORDER BY id LIMIT 1
      """)
    select.bind(1, id)
    guard try select.step() else { return nil }
    return (select.id(0), LedgerCounts(select, from: 1))
  }

  /// Counts all rows in the push's range of numbers, also those beyond `targeted`, which must not exist.
  fileprivate func count(_ push: PushID) throws(StoreError) -> LedgerCounts {
    let select = try prepareOnce(
      """
      SELECT \(LedgerSQL.state) AS s, count(*) FROM pushes p
      JOIN deliveries d ON d.id >= p.id AND d.id < p.id + max(p.reserved, p.targeted) WHERE p.id = ?1 GROUP BY s
      """)
    select.bind(1, push)
    var counts = try purgedCounts(of: push)
    while try select.step() {
      counts.add(select.int(1), DeliveryState(rawValue: UInt8(truncatingIfNeeded: select.int(0))))
    }
    return counts
  }

  /// Rows that are named as never processed although a provider may have processed them; see `Transitions`.
  fileprivate func untrue(_ push: PushID) throws(StoreError) -> String? {
    let others = Provider.allCases.map { String(OutcomeCode.other($0)) }.joined(separator: ", ")
    // A provider's reason beyond the limit of the table is kept without its status.
    let select = try prepareOnce(
      """
      SELECT count(*) FROM pushes p CROSS JOIN deliveries d ON d.id >= p.id AND d.id < p.id + p.targeted
      WHERE p.id = ?1 AND p.resent > 0 AND d.unknowns > 0 AND (d.state IN (#delivery.expired, #delivery.cancelled)
        OR d.state = #delivery.rejected AND d.code IN (SELECT code FROM outcomes WHERE status = 0 AND code NOT IN (\(others))))
      """)
    select.bind(1, push)
    guard try select.step(), select.int(0) > 0 else { return nil }
    return "\(select.int(0)) deliveries that may have been processed are expired, cancelled or rejected by a rule"
  }

  /// Every run that a schedule counts is a push of its own.
  func faultySchedules() throws(StoreError) -> [LedgerFault] {
    let select = try prepareOnce(
      """
      SELECT s.id, s.made, s.pushes FROM (SELECT id, made,
        (SELECT count(*) FROM push_plans l JOIN pushes p ON p.id = l.push WHERE l.schedule = schedules.id) AS pushes
        FROM schedules) s
      WHERE s.made <> s.pushes
      """)
    var faults: [LedgerFault] = []
    while try select.step() {
      faults.append(
        LedgerFault(
          push: PushID(rawValue: 0), recorded: LedgerCounts(), counted: LedgerCounts(),
          description:
            "schedule \(select.int64(0)) counts \(select.int(1)) runs, there are \(select.int(2)) pushes of it",
          isOfSchedule: true))
    }
    return faults
  }

  /// What is on the wire must be covered by leases: the sum over pushes equals the sum over leases.
  func faultyLeases() throws(StoreError) -> [LedgerFault] {
    let onWire = try integer("SELECT coalesce(sum(in_flight), 0) FROM pushes") ?? 0
    let leased = try integer("SELECT coalesce(sum(remaining), 0) FROM leases") ?? 0
    guard onWire != leased else { return [] }
    let words = "\(onWire) deliveries are in flight, leases cover \(leased)"
    return [
      LedgerFault(
        push: PushID(rawValue: 0), recorded: LedgerCounts(), counted: LedgerCounts(), description: words)
    ]
  }
}
