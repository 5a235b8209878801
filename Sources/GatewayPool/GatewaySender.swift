package import HTTP2
internal import Synchronization

/// What both provider clients are made of: one pool per thread, a bounded number of unfinished sends, an orderly end.
package final class GatewaySender: Sendable {
  private struct Count {
    var unfinished = 0
    var isClosed = false
    var nextWorker = 0
  }

  private let workers: [PoolWorker]
  private let capacity: Int
  private let count: CountBox

  /// Shared with the workers, which must not keep the sender alive.
  private final class CountBox: Sendable {
    let value = Mutex(Count())
  }

  /// Makes one pool for each loop.
  ///
  /// - Parameters:
  ///   - capacity: how many unfinished sends may be held.
  ///   - credential: makes the credential of one pool, which is touched on that pool's loop only.
  package init(
    threads: GatewayThreads, configuration: PoolConfiguration, tls: TLSContext, capacity: Int,
    credential: (EventLoop) -> any PoolCredential
  ) {
    self.capacity = capacity
    let count = CountBox()
    self.count = count
    var generator = SystemRandomNumberGenerator()
    var shared = configuration
    // The limits are the client's; each thread gets its part, and at least one connection.
    shared.limits.connectionsMax = max(1, configuration.limits.connectionsMax / threads.loops.count)
    workers = threads.loops.map { loop in
      PoolWorker(
        loop: loop, configuration: shared, tls: tls, credential: credential(loop), seed: generator.next()
      ) { finished in count.value.withLock { $0.unfinished -= finished } }
    }
  }

  /// Takes a batch whole, or not at all.
  package func submit(_ run: any PoolBatch) throws(QueueFull) {
    let sends = run.count
    guard sends > 0 else { return }
    let (worker, refusal) = reserve(sends)
    if let refusal { throw refusal }
    guard let worker, worker.submit(run) else {
      refuse(run)
      return
    }
  }

  private func reserve(_ sends: Int) -> (PoolWorker?, QueueFull?) {
    count.value.withLock { count in
      let free = capacity - count.unfinished
      guard sends <= free else { return (nil, QueueFull(requested: sends, free: free, capacity: capacity)) }
      count.unfinished += sends
      guard !count.isClosed else { return (nil, nil) }
      count.nextWorker = (count.nextWorker + 1) % workers.count
      return (workers[count.nextWorker], nil)
    }
  }

  /// After the end, every send still gets its outcome: on the caller's thread, since there is no other.
  private func refuse(_ run: any PoolBatch) {
    for entry in 0..<run.count { run.failed(entry, .closedByCaller) }
    run.flush()
    count.value.withLock { $0.unfinished -= run.count }
  }

  /// Lets every pool try again to send what waits; for a credential whose gate may have opened.
  package func wake() {
    for worker in workers { worker.wake() }
  }

  /// How many sends have no outcome yet.
  package var unfinished: Int { count.value.withLock { $0.unfinished } }

  /// Takes nothing new, lets what was submitted end within `limit`, closes the connections.
  package func drain(within limit: Duration) async {
    count.value.withLock { $0.isClosed = true }
    for worker in workers {
      await withCheckedContinuation { done in worker.drain(within: limit) { done.resume() } }
    }
  }

  /// What all pools do together.
  package func statistics() async -> PoolStatistics {
    var sum = PoolStatistics()
    for worker in workers {
      sum = sum + (await withCheckedContinuation { done in worker.statistics { done.resume(returning: $0) } })
    }
    return sum
  }
}
