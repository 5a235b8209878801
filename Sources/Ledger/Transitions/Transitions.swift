public import StoreModel

/// What can happen to a delivery that has no final state yet.
public enum LedgerEvent: String, Sendable, Hashable, CaseIterable {
  /// It was leased to a sender.
  case leased
  /// The provider accepted it.
  case accepted
  /// The provider refused it for good.
  case refused
  /// A named rule of ours keeps it from being sent: the device is retired, nothing is written for it, its attempts are used up.
  case ruledOut = "ruled out"
  /// Its push expired.
  case expired
  /// Its push was cancelled.
  case cancelled
  /// It was certainly not processed, or refused for now, and is sent again later.
  case returned
  /// The outcome is unknown; the push's policy sends it again.
  case lostResend = "lost, sent again"
  /// The outcome is unknown, and it is not sent again.
  case lostLeave = "lost, left"
}

/// The valid state transitions: the only table by which the state of a delivery changes.
///
/// A delivery that no provider can have processed is *certain*. It becomes *uncertain* when it may have been on the
/// wire and its outcome is unknown: its process died, its connection broke, no answer came in time.
/// `deliveries.unknowns` counts these attempts and never decreases, so the uncertainty survives the wait for the next
/// attempt. All unfinished deliveries of a push that was restored from a backup (`pushes.restored_at`) are uncertain
/// too: the server that the backup was made of may have sent them.
///
/// An uncertain delivery ends only as `accepted`, as `rejected` by the provider's own refusal of a later attempt, or as
/// `unknown`. Whatever ends it without an answer (cancel, expiry, a rule of ours) leaves it `unknown`, because an
/// earlier attempt may be on the device's screen. A state that is not in the table is final.
public enum Transitions {
  /// One row of the table.
  public struct Row: Sendable, Hashable {
    /// The state before.
    public let state: DeliveryState
    /// What happens.
    public let event: LedgerEvent
    /// The state after, when no provider can have processed it.
    public let certain: DeliveryState
    /// The state after, when one may have.
    public let uncertain: DeliveryState

    fileprivate init(
      _ state: DeliveryState, _ event: LedgerEvent, _ certain: DeliveryState, uncertain: DeliveryState? = nil
    ) {
      self.state = state
      self.event = event
      self.certain = certain
      self.uncertain = uncertain ?? certain
    }
  }

  /// The whole table.
  public static let rows: [Row] = [
    Row(.waiting, .leased, .inFlight),
    Row(.waiting, .ruledOut, .rejected, uncertain: .unknown),
    Row(.waiting, .expired, .expired, uncertain: .unknown),
    Row(.waiting, .cancelled, .cancelled, uncertain: .unknown),
    Row(.inFlight, .accepted, .accepted),
    Row(.inFlight, .refused, .rejected),
    Row(.inFlight, .ruledOut, .rejected, uncertain: .unknown),
    Row(.inFlight, .expired, .expired, uncertain: .unknown),
    Row(.inFlight, .cancelled, .cancelled, uncertain: .unknown),
    Row(.inFlight, .returned, .waiting),
    Row(.inFlight, .lostResend, .waiting),
    Row(.inFlight, .lostLeave, .unknown),
  ]

  /// The state that follows, or nil when the event cannot happen in that state.
  public static func state(
    after event: LedgerEvent, from state: DeliveryState, isUncertain: Bool
  ) -> DeliveryState? {
    guard let row = rows.first(where: { $0.state == state && $0.event == event }) else { return nil }
    return isUncertain ? row.uncertain : row.certain
  }
}

extension LedgerEvent {
  /// Whether what follows on the wire depends on an earlier attempt.
  package var dependsOnMemory: Bool {
    switch self {
    case .ruledOut, .expired, .cancelled: true
    case .leased, .accepted, .refused, .returned, .lostResend, .lostLeave: false
    }
  }
}
