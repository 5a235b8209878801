package import StoreModel

/// What somebody may do to a whole push, and in which states.
package enum PushAct: Sendable, CaseIterable {
  /// Letting a draft go.
  case release
  case hold
  case resume
  case cancel
  /// Changing or removing what has not started.
  case change
  /// Making a scheduled push a draft again, or having it approved first.
  case unschedule
  case approve

  /// The states in which it can be done.
  package var states: Set<PushState> {
    switch self {
    case .release: [.draft]
    case .hold: [.sending, .scheduled, .paused]
    case .resume: [.paused]
    case .cancel: [.draft, .scheduled, .planned, .sending, .paused]
    case .change: [.draft, .planned]
    case .unschedule, .approve: [.planned]
    }
  }

  /// What is said of a push in any other state.
  package var objection: String {
    switch self {
    case .release: "is not a draft"
    case .hold: "cannot be held"
    case .resume: "is not held"
    case .cancel: "is over"
    case .change: "has started"
    case .unschedule: "is not scheduled"
    case .approve: "waits for no approval"
    }
  }
}
