package import StoreModel

/// The law of the ledger: what is targeted is somewhere, and the counters of a push are what its rows say.
package enum LedgerLaw {
  /// What is wrong with the counters of a push, in words; nil when nothing is.
  package static func fault(recorded: LedgerCounts, counted: LedgerCounts) -> String? {
    if !recorded.balances { return "targeted is \(recorded.targeted), the states add up to \(recorded.sum)" }
    if recorded != counted { return "the counters say \(row(recorded)), the deliveries say \(row(counted))" }
    return nil
  }

  /// The numbers in the order of the law.
  private static func row(_ counts: LedgerCounts) -> String {
    "\(counts.targeted) = \(counts.waiting) + \(counts.inFlight) + \(counts.accepted) + \(counts.rejected)"
      + " + \(counts.expired) + \(counts.cancelled) + \(counts.unknown)"
  }
}

extension LedgerCounts {
  /// Adds deliveries that were found in a state; what has a state that there is not breaks the law.
  package mutating func add(_ count: Int, _ state: DeliveryState?) {
    targeted += count
    switch state {
    case .waiting: waiting += count
    case .inFlight: inFlight += count
    case .accepted: accepted += count
    case .rejected: rejected += count
    case .expired: expired += count
    case .cancelled: cancelled += count
    case .unknown: unknown += count
    case nil: break
    }
  }
}
