internal import Glibc
internal import Synchronization

/// Threads for work that blocks.
package enum Threads {
  /// A number for the calling thread, never 0.
  static var current: UInt { UInt(pthread_self()) }

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread that nobody waits for; `false` when the system gives no thread.
  package static func startDetached(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Work(body))
    var id = pthread_t()
    let result = pthread_create(
      &id, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      return false
    }
    pthread_detach(id)
    return true
  }
}

/// Counts what runs, up to a limit.
final class RunningCount: Sendable {
  private let count = Mutex(0)

  func enter(limit: Int) -> Bool {
    count.withLock { count in
      guard count < limit else { return false }
      count += 1
      return true
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
