internal import StoreModel
internal import Synchronization

/// Whether this node is the one that does something currently; where there are no others it always is.
///
/// A node that was paused for longer than its term asks again before it goes on, and what it writes under the old term is refused
/// (`NodeStore.confirmDuty`).
final class DutyKeeper: Sendable {
  private struct State: Sendable {
    var term: DutyTerm?
    var nextAskAt = Timestamp(milliseconds: 0)
  }

  /// How often it is kept, and asked for, in milliseconds.
  private static let askMs: Int64 = 5_000
  /// How often a node that does not have it asks for it: cheap, and a node that stops hands it back.
  private static let lackMs: Int64 = 1_000

  private let store: any Store
  private let duty: Duty
  private let isShared: Bool
  private let state = Mutex(State())

  init(_ duty: Duty, _ store: any Store) {
    (self.duty, self.store) = (duty, store)
    isShared = store.nodeStatus.isShared
  }

  /// The right to do it now.
  enum Right: Sendable, Hashable {
    /// There is no other node.
    case alone
    case term(DutyTerm)

    /// Within a change of the store: has it fail with `conflict` when another node has taken over.
    func confirm(_ store: any Store) throws(StoreError) {
      if case .term(let term) = self { try store.confirmDuty(term) }
    }
  }

  /// The right to do it now, or nil while another node has it; may wait for the store.
  func right(now: Timestamp) throws(StoreError) -> Right? {
    guard isShared else { return .alone }
    let (term, isDue) = state.withLock { state -> (DutyTerm?, Bool) in
      // A clock that was set back asks again.
      let isDue = now >= state.nextAskAt || now.adding(milliseconds: Self.askMs) < state.nextAskAt
      if let term = state.term, term.until <= now { state.term = nil }
      return (state.term, isDue || state.term.map { now.adding(milliseconds: Node.termMs) < $0.until } ?? false)
    }
    guard isDue else { return term.map { .term($0) } }
    let claimed = try store.claimDuty(duty, until: now.adding(milliseconds: Node.termMs), now: now)
    state.withLock { state in
      state.term = claimed
      state.nextAskAt = now.adding(milliseconds: claimed == nil ? Self.lackMs : Self.askMs)
    }
    return claimed.map { .term($0) }
  }

  /// Whether this node has the right, without asking anybody.
  func isHeld(now: Timestamp) -> Bool {
    !isShared || state.withLock { state in state.term.map { now < $0.until } ?? false }
  }

  /// Another node has taken over.
  func lost() { state.withLock { $0 = State() } }
}
