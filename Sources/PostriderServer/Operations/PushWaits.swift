internal import Glibc
internal import StoreModel
internal import Synchronization
internal import System

/// Requests that are answered when their pushes have finished, or after a while.
///
/// One thread checks all of them, while there are any: a request that waits blocks no thread of the server's.
final class PushWaits: Sendable {
  /// A push that is waited for.
  struct Waited: Sendable {
    let push: PushID
    /// Deliveries that stay for an unknown time, as the app has no credential for them.
    var stuck = 0
  }

  private struct Waiter: Sendable {
    /// The pushes that have not finished yet, each with how many of its deliveries nobody waits for.
    var pushes: [Waited]
    let until: ContinuousClock.Instant
    var next: ContinuousClock.Instant
    var pause: Duration
    let done: @Sendable () -> Void
  }

  private struct State: Sendable {
    var waiters: [Waiter] = []
    var isRunning = false
    var isStopped = false
  }

  /// Requests waiting at once; a further one is answered at once.
  static let waitersMax = 1_000
  /// The longest wait.
  static let seconds = 20
  /// Time between two checks of the same pushes: most finish within the first; the others cost less and less.
  private static let pauses: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(250))
  private static let tickUs: UInt32 = 5_000

  private let store: any Store
  private let state = Mutex(State())

  init(store: any Store) { self.store = store }

  /// Calls `done` once: when every push has finished but for what is stuck, when the time has passed, or when the server stops.
  func wait(for pushes: [Waited], _ done: @escaping @Sendable () -> Void) {
    let now = ContinuousClock.now
    let waiter = Waiter(
      pushes: pushes, until: now + .seconds(PushWaits.seconds), next: now, pause: PushWaits.pauses.lowerBound,
      done: done)
    let (isTaken, starts) = state.withLock { state in
      guard !state.isStopped, !pushes.isEmpty, state.waiters.count < PushWaits.waitersMax else { return (false, false) }
      state.waiters.append(waiter)
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    guard isTaken else { return done() }
    guard starts else { return }
    do throws(SystemThread.Refusal) {
      try SystemThread.detach("push-waits") { [self] in run() }
    } catch {
      // Without a thread nothing would be checked: those that wait are answered now.
      end()
    }
  }

  /// Answers all that wait; later requests are answered at once.
  func stop() {
    state.withLock { $0.isStopped = true }
    end()
  }

  private func end() {
    let all = state.withLock { state in
      let all = state.waiters
      (state.waiters, state.isRunning) = ([], false)
      return all
    }
    for waiter in all { waiter.done() }
  }

  private func run() {
    while true {
      let now = ContinuousClock.now
      let due = state.withLock { state -> [Waiter]? in
        guard !state.waiters.isEmpty else {
          state.isRunning = false
          return nil
        }
        let due = state.waiters.filter { $0.next <= now }
        state.waiters.removeAll { $0.next <= now }
        return due
      }
      guard let due else { return }
      var rest: [Waiter] = []
      for var waiter in due {
        waiter.pushes.removeAll(where: hasFinished)
        if waiter.pushes.isEmpty || now >= waiter.until {
          waiter.done()
        } else {
          waiter.next = now + waiter.pause
          waiter.pause = min(waiter.pause * 2, PushWaits.pauses.upperBound)
          rest.append(waiter)
        }
      }
      let late = state.withLock { state -> [Waiter] in
        guard !state.isStopped else { return rest }
        state.waiters += rest
        return []
      }
      for waiter in late { waiter.done() }
      usleep(PushWaits.tickUs)
    }
  }

  private func hasFinished(_ waited: Waited) -> Bool {
    guard let push = try? store.push(waited.push) else { return false }
    let left = push.counts.waiting + push.counts.inFlight
    return left == 0 ? push.state.isOver : left <= waited.stuck
  }
}
