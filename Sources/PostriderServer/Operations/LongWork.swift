internal import Glibc
internal import Synchronization

/// Requests that read for longer than a server thread may be held, each on a thread of its own; a few at once.
final class LongWork: Sendable {
  /// Long requests at once; more are told to come again.
  static let runningMax = 8

  private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let running = Mutex(0)

  /// Runs `body` on another thread.
  ///
  /// - Returns: false when too much runs already; nothing is run then.
  func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    let isFree = running.withLock { running in
      guard running < LongWork.runningMax else { return false }
      running += 1
      return true
    }
    guard isFree else { return false }
    let job = Job { [self] in
      body()
      running.withLock { $0 -= 1 }
    }
    let box = Unmanaged.passRetained(job)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      running.withLock { $0 -= 1 }
      return false
    }
    pthread_detach(thread)
    return true
  }
}
