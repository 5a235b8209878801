internal import Synchronization
internal import System

/// Checks whether the store can write now, with at most one write a second however often it is called.
final class WriteProof: Sendable {
  private struct Attempt {
    var endedAtMs = Int64.min
    var failure: StoreError?
  }

  /// How long a commit, or a failed attempt, says how things are.
  private let validMs: Int64
  private let committedAtMs = Atomic(Int64.min)
  private let attempt = Mutex(Attempt())

  init(validMs: Int64 = 1_000) { self.validMs = validMs }

  /// A commit has reached the disk.
  func noteCommit() { committedAtMs.store(SystemClock.monotonicMs(), ordering: .relaxed) }

  /// Throws why `write` failed; it is called only when the last second saw no commit and no attempt.
  func check(_ write: () throws(StoreError) -> Void) throws(StoreError) {
    guard !isProven else { return }
    let failure = attempt.withLock { attempt -> StoreError? in
      if isProven { return nil }
      if attempt.failure != nil, isFresh(attempt.endedAtMs) { return attempt.failure }
      do throws(StoreError) {
        try write()
        attempt.failure = nil
      } catch { attempt.failure = error }
      attempt.endedAtMs = SystemClock.monotonicMs()
      return attempt.failure
    }
    if let failure { throw failure }
  }

  private var isProven: Bool { isFresh(committedAtMs.load(ordering: .relaxed)) }

  private func isFresh(_ atMs: Int64) -> Bool { atMs != .min && SystemClock.monotonicMs() - atMs < validMs }
}
