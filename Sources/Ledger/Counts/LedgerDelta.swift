package import StoreModel

/// How many deliveries of one push leave the wire, and to where.
package struct LedgerDelta: Hashable, Sendable {
  package var waiting = 0
  package var accepted = 0
  package var rejected = 0
  package var expired = 0
  package var cancelled = 0
  package var unknown = 0
  package var resent = 0
  package var at = Timestamp(milliseconds: 0)

  package init(accepted: Int = 0, at: Timestamp = Timestamp(milliseconds: 0)) {
    self.accepted = accepted
    self.at = at
  }

  /// What got its final state.
  package var final: [(count: Int, metric: SeriesMetric)] {
    [
      (accepted, .accepted), (rejected, .rejected), (expired, .expired), (cancelled, .cancelled), (unknown, .unknown),
    ]
  }

  /// All that left the wire.
  package var total: Int { waiting + accepted + rejected + expired + cancelled + unknown }

  /// Whether deliveries were accepted, and nothing else happened to any.
  package var isOnlyAccepted: Bool { self == LedgerDelta(accepted: accepted, at: at) }

  /// Counts one delivery that left the wire.
  package mutating func count(_ end: WireEnd, at instant: Timestamp) {
    switch end.state {
    case .waiting:
      waiting += 1
      if end.isUnknown { resent += 1 }
    case .accepted: accepted += 1
    case .rejected: rejected += 1
    case .expired: expired += 1
    case .cancelled: cancelled += 1
    case .unknown: unknown += 1
    case .inFlight: assertionFailure("a delivery that leaves the wire is not on it")
    }
    at = max(at, instant)
  }
}

/// How many deliveries of a push have left the wire, and what is reported of them.
package struct PushChange: Sendable {
  package let push: PushID
  package let delta: LedgerDelta
  package let notices: [Notice]

  package init(push: PushID, delta: LedgerDelta, notices: [Notice]) {
    self.push = push
    self.delta = delta
    self.notices = notices
  }
}
