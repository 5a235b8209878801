internal import StoreModel

/// The status of a push in the six words that senders know (facts 5); `state` is exact.
enum PushStatus: String, Sendable, CaseIterable {
  case draft, scheduled, sending, sent, cancelled, failed

  /// A push failed when it could not start, or when it is finished and no provider accepted any of it (and none may
  /// have).
  static func of(_ push: Push) -> PushStatus {
    switch push.state {
    case .draft: .draft
    case .scheduled, .planned: .scheduled
    case .sending, .paused: .sending
    case .cancelled: .cancelled
    case .failed: .failed
    case .sent, .expired:
      push.counts.targeted > 0 && push.counts.accepted == 0 && push.counts.unknown == 0 && push.counts.inFlight == 0
        ? .failed : .sent
    }
  }
}
