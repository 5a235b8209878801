extension SQLiteStore {
  /// Recounts the ledger, of one push or of all; what is returned breaks the law.
  public func verifyLedger(push: PushID?) throws(StoreError) -> [LedgerFault] {
    try readers.view { (db) throws(StoreError) in
      // The counters and the rows must be of the same instant.
      var faults: [LedgerFault] = []
      var last = push.map { $0.rawValue - 1 } ?? 0
      while let next = try db.recorded(after: last), push == nil || next.push == push {
        last = next.push.rawValue
        let counted = try db.count(next.push)
        if let words = Self.fault(next.counts, counted) {
          faults.append(
            LedgerFault(push: next.push, recorded: next.counts, counted: counted, description: words))
        }
      }
      if push == nil { faults += try db.faultyLeases() }
      return faults
    }
  }

  private static func fault(_ recorded: LedgerCounts, _ counted: LedgerCounts) -> String? {
    if !recorded.balances { return "targeted is \(recorded.targeted), the states add up to \(recorded.sum)" }
    if recorded != counted { return "the counters say \(recorded.row), the deliveries say \(counted.row)" }
    return nil
  }
}

extension LedgerCounts {
  /// The numbers in the order of the law.
  fileprivate var row: String {
    "\(targeted) = \(waiting) + \(inFlight) + \(accepted) + \(rejected) + \(expired) + \(cancelled) + \(unknown)"
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
    var counts = LedgerCounts()
    counts.targeted = select.int(1)
    counts.waiting = select.int(2)
    counts.inFlight = select.int(3)
    counts.accepted = select.int(4)
    counts.rejected = select.int(5)
    counts.expired = select.int(6)
    counts.cancelled = select.int(7)
    counts.unknown = select.int(8)
    return (select.id(0), counts)
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
      let count = select.int(1)
      counts.targeted += count
      switch DeliveryState(rawValue: UInt8(truncatingIfNeeded: select.int(0))) {
      case .waiting: counts.waiting += count
      case .inFlight: counts.inFlight += count
      case .accepted: counts.accepted += count
      case .rejected: counts.rejected += count
      case .expired: counts.expired += count
      case .cancelled: counts.cancelled += count
      case .unknown: counts.unknown += count
      case nil: break
      }
    }
    return counts
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
