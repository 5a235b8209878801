internal import StoreModel
internal import Synchronization
internal import System

/// Checks whether the store can write now, with at most one write a second however often it is called.
final class WriteProof: Sendable {
  private struct Attempt {
    var endedAtMs = Int64.min
    var failure: StoreError?
    /// Those who want to know how the attempt that is under way ends.
    var waiting: [@Sendable (Result<Void, StoreError>) -> Void] = []
  }

  /// How long a commit, or a failed attempt, says how things are.
  private let validMs: Int64
  /// How long a full disk does.
  private let fullMs: Int64
  private let committedAtMs = Atomic(Int64.min)
  private let attempt = Mutex(Attempt())
  private let full = Mutex<(error: StoreError, atMs: Int64)?>(nil)

  /// - Parameter fullMs: nothing where the room that is left can be looked at. On a database server's full disk a small row
  ///   may still fit where a bigger one was refused, so that no write disproves the refusal.
  init(validMs: Int64 = 1_000, fullMs: Int64 = 0) { (self.validMs, self.fullMs) = (validMs, fullMs) }

  /// A commit has reached the disk.
  func noteCommit() { committedAtMs.store(SystemClock.monotonicMs(), ordering: .relaxed) }

  /// A transaction could not be begun or committed: an earlier commit says nothing of now.
  func noteFailure(_ error: StoreError) {
    committedAtMs.store(.min, ordering: .relaxed)
    guard error.code == .diskFull else { return }
    full.withLock { $0 = (error, SystemClock.monotonicMs()) }
  }

  /// Tells `completion` why `write` failed; that is called only when the last second saw no commit and no attempt, and once for
  /// all who ask meanwhile.
  func check(
    _ write: (@escaping @Sendable (Result<Void, StoreError>) -> Void) -> Void,
    _ completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    if let refusal = full.withLock({ $0 }), isFresh(refusal.atMs, fullMs) {
      return completion(.failure(refusal.error))
    }
    if isProven { return completion(.success(())) }
    let (failure, isFirst) = attempt.withLock { attempt -> (StoreError?, Bool) in
      if let failure = attempt.failure, isFresh(attempt.endedAtMs, validMs) { return (failure, false) }
      attempt.waiting.append(completion)
      return (nil, attempt.waiting.count == 1)
    }
    if let failure { return completion(.failure(failure)) }
    guard isFirst else { return }
    write { [self] result in
      let waiting = attempt.withLock { attempt in
        attempt.failure = if case .failure(let error) = result { error } else { nil }
        attempt.endedAtMs = SystemClock.monotonicMs()
        defer { attempt.waiting = [] }
        return attempt.waiting
      }
      for completion in waiting { completion(result) }
    }
  }

  private var isProven: Bool { isFresh(committedAtMs.load(ordering: .relaxed), validMs) }

  private func isFresh(_ atMs: Int64, _ termMs: Int64) -> Bool {
    atMs != .min && SystemClock.monotonicMs() - atMs < termMs
  }
}
