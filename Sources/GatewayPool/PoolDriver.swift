internal import HTTP2
package import TLS

/// One pool with what moves its bytes: the way to it from any thread.
///
/// ``PoolRunner`` drives a pool on an event loop; a simulation drives one step by step.
package protocol PoolDriver: AnyObject, Sendable {
  /// Takes a batch; `false` when the pool's thread has ended and nothing was taken.
  func submit(_ run: any PoolBatch) -> Bool
  /// Tries again to send what waits; for a credential whose gate has opened.
  func wake()
  /// Lets what was submitted end, then closes.
  ///
  /// What is not done within `limit` fails. `done` is called once, after the last outcome and when all connections have
  /// ended.
  func drain(within limit: Duration, _ done: @escaping @Sendable () -> Void)
  /// What the pool is doing, as of now.
  func statistics(_ body: @escaping @Sendable (PoolStatistics) -> Void)
}

/// Makes the pools of one sender; the function is called with how many sends have got their outcome.
package typealias PoolFactory = (PoolConfiguration, @escaping @Sendable (Int) -> Void) -> [any PoolDriver]

extension GatewayThreads {
  /// Makes the pools of one sender, one for each thread.
  package func pools(tls: TLSContext, credential: any PoolCredential) -> PoolFactory {
    { configuration, finished in
      var generator = SystemRandomNumberGenerator()
      var shared = configuration
      // The limits are the client's; each thread gets its part, and at least one connection.
      shared.limits.connectionsMax = max(1, configuration.limits.connectionsMax / self.loops.count)
      return self.loops.map { loop in
        PoolRunner(
          loop: loop, configuration: shared, tls: tls, credential: credential, seed: generator.next(),
          finished: finished)
      }
    }
  }
}
