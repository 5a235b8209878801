internal import Synchronization

/// Runs work on a few threads; what comes while all of them are busy waits its turn.
///
/// Unlike ``BoundedThreads`` for callers that do not repeat what is refused. A thread ends when nothing waits.
package final class QueuedThreads: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State: Sendable {
    var waiting: [Work] = []
    /// Index of the first that waits.
    var next = 0
    var running = 0

    var count: Int { waiting.count - next }

    mutating func take() -> Work? {
      guard next < waiting.count else {
        (waiting, next) = ([], 0)
        return nil
      }
      let work = waiting[next]
      next += 1
      // What was taken is not held for longer than what waits.
      if next * 2 > waiting.count {
        waiting.removeFirst(next)
        next = 0
      }
      return work
    }
  }

  private let state = Mutex(State())
  private let name: String
  private let threads: Int
  private let queued: Int

  /// - Parameters:
  ///   - name: of each thread, for debuggers and `top`.
  ///   - threads: how many run at once.
  ///   - queued: how much work may wait for them.
  package init(_ name: String, threads: Int, queued: Int) {
    (self.name, self.threads, self.queued) = (name, threads, queued)
  }

  /// Runs `body` on another thread, now or later, or on this one when the system has no other; false, and nothing is run,
  /// when too much waits.
  package func run(_ body: @escaping Work) -> Bool {
    let starts: Bool? = state.withLock { state in
      guard state.running < threads else {
        guard state.count < queued else { return nil }
        state.waiting.append(body)
        return false
      }
      state.waiting.append(body)
      state.running += 1
      return true
    }
    guard let starts else { return false }
    guard starts else { return true }
    do throws(SystemThread.Refusal) { try SystemThread.detach(name) { [self] in work() } } catch { work() }
    return true
  }

  private func work() {
    while true {
      let body: Work? = state.withLock { state in
        let body = state.take()
        if body == nil { state.running -= 1 }
        return body
      }
      guard let body else { return }
      body()
    }
  }
}
