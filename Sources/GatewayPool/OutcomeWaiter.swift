internal import Synchronization

/// A one-time slot for an outcome that one task awaits.
///
/// The outcome and the task may arrive in either order.
package final class OutcomeWaiter<Outcome: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Outcome, Never>)
    case fulfilled(Outcome)
  }

  private let state = Mutex(State.empty)

  /// Creates an empty slot.
  package init() {}

  /// Puts the outcome in; the first one counts.
  package func fulfil(_ outcome: Outcome) {
    let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = .fulfilled(outcome)
        return nil
      case .waiting(let continuation):
        state = .fulfilled(outcome)
        return continuation
      case .fulfilled: return nil
      }
    }
    continuation?.resume(returning: outcome)
  }

  /// Waits for the outcome.
  ///
  /// Only one task may call it.
  package func value() async -> Outcome {
    await withCheckedContinuation { continuation in
      let ready: Outcome? = state.withLock { state in
        if case .fulfilled(let outcome) = state { return outcome }
        state = .waiting(continuation)
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
