internal import Synchronization

/// What both provider clients are made of: one pool per thread, a bounded number of unfinished sends, an orderly end.
package final class GatewaySender: Sendable {
  private struct Count {
    var unfinished = 0
    var isClosed = false
    var nextWorker = 0
  }

  private let runners: [any PoolDriver]
  private let capacity: Int
  /// How long what is under way may take at most: it may be sent twice.
  private let sendBound: Duration
  private let count: CountBox

  /// Shared with the pools, which must not keep the sender alive.
  private final class CountBox: Sendable {
    let value = Mutex(Count())
  }

  /// Makes the pools.
  ///
  /// - Parameter capacity: how many unfinished sends may be held.
  package init(configuration: PoolConfiguration, capacity: Int, pools: PoolFactory) {
    self.capacity = capacity
    let timing = configuration.timing
    sendBound =
      min(timing.queueTimeout, Self.sendBoundMax) + min(timing.requestTimeout, Self.sendBoundMax) * 2
    let count = CountBox()
    self.count = count
    runners = pools(configuration) { finished in count.value.withLock { $0.unfinished -= finished } }
  }

  private static let sendBoundMax: Duration = .seconds(86_400)

  /// What was submitted still ends; then the connections are closed.
  deinit { for runner in runners { runner.drain(within: sendBound) {} } }

  /// Takes a batch whole, or not at all.
  package func submit(_ run: any PoolBatch) throws(QueueFull) {
    let sends = run.count
    guard sends > 0 else { return }
    switch hand(run, sends) {
    case .taken: return
    case .closed: refuse(run)
    case .full(let refusal): throw refusal
    }
  }

  private enum Handed {
    case taken
    case closed
    case full(QueueFull)
  }

  /// Under the lock until the pool has the batch: a drain, which takes the lock first, comes after it on the loop, so
  /// that no outcome follows the end of the drain.
  private func hand(_ run: any PoolBatch, _ sends: Int) -> Handed {
    count.value.withLock { count in
      guard !count.isClosed else { return .closed }
      let free = capacity - count.unfinished
      guard sends <= free else { return .full(QueueFull(requested: sends, free: free, capacity: capacity)) }
      count.nextWorker = (count.nextWorker + 1) % runners.count
      guard runners[count.nextWorker].submit(run) else { return .closed }
      count.unfinished += sends
      return .taken
    }
  }

  /// After the end, every send still gets its outcome: on the caller's thread, since there is no other.
  private func refuse(_ run: any PoolBatch) {
    for entry in 0..<run.count { run.failed(entry, .closedByCaller) }
    run.flush()
  }

  /// Lets every pool try again to send what waits, as long as it lives; for a credential whose gate may have opened.
  package var waker: @Sendable () -> Void {
    let pools = runners.map { WeakRunner(runner: $0) }
    return { for pool in pools { pool.runner?.wake() } }
  }

  private struct WeakRunner: Sendable {
    weak let runner: (any PoolDriver)?
  }

  /// How many sends have no outcome yet.
  package var unfinished: Int { count.value.withLock { $0.unfinished } }

  /// Whether nothing new is taken any more.
  package var isClosed: Bool { count.value.withLock { $0.isClosed } }

  /// Takes nothing new, lets what was submitted end within `limit`, closes the connections.
  ///
  /// Returns after the last outcome.
  package func drain(within limit: Duration) async {
    await withCheckedContinuation { done in close(within: limit) { done.resume() } }
  }

  /// The same without waiting; `done` is called on a network thread, or on this one when those have ended.
  package func close(within limit: Duration, _ done: @escaping @Sendable () -> Void = {}) {
    count.value.withLock { $0.isClosed = true }
    let left = Countdown(runners.count)
    for runner in runners { runner.drain(within: limit) { if left.step() { done() } } }
  }

  /// What all pools do together.
  package func statistics() async -> PoolStatistics {
    var sum = PoolStatistics()
    for runner in runners {
      sum = sum + (await withCheckedContinuation { done in runner.statistics { done.resume(returning: $0) } })
    }
    return sum
  }
}

/// Counts down to the last of several ends.
private final class Countdown: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  /// Whether this was the last step.
  func step() -> Bool {
    left.withLock { left in
      left -= 1
      return left == 0
    }
  }
}
