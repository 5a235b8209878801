internal import Synchronization

/// Runs blocking work on threads of its own, at most so many at once.
package final class BoundedThreads: Sendable {
  private let running = Mutex(0)
  private let name: String
  private let limit: Int

  /// - Parameter name: of each thread, for debuggers and `top`.
  package init(_ name: String, limit: Int) {
    self.name = name
    self.limit = limit
  }

  /// Runs `body` on another thread; false, and nothing is run, when `limit` threads are running or the system has none.
  package func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard enter() else { return false }
    do throws(SystemThread.Refusal) {
      try SystemThread.detach(name) { [self] in
        body()
        leave()
      }
      return true
    } catch {
      leave()
      return false
    }
  }

  private func enter() -> Bool {
    running.withLock { running in
      guard running < limit else { return false }
      running += 1
      return true
    }
  }

  private func leave() { running.withLock { $0 -= 1 } }
}
