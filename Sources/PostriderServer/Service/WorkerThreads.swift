internal import Synchronization
internal import System

/// Threads for requests that read for longer than a serving thread may be held.
///
/// A request that waits for the store holds none of them.
final class WorkerThreads: TaskExecutor {
  private let threads: QueuedThreads
  private let requests: Int
  private let admitted = Mutex(0)

  /// - Parameters:
  ///   - name: of each thread, for debuggers and `top`.
  ///   - threads: how many run at once.
  ///   - requests: how many requests are worked on or wait at once; more are refused with a request to retry.
  init(_ name: String, threads: Int, requests: Int) {
    self.threads = QueuedThreads(name, threads: threads, queued: .max)
    self.requests = requests
  }

  /// The queue is bounded by the requests that are admitted, each of which has one part ready at a time.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    _ = threads.run { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Works on a request here.
  func run<Output: Sendable>(
    _ body: @Sendable () async throws(Problem) -> Output
  ) async throws(Problem) -> Output {
    let isAdmitted = admitted.withLock { admitted in
      guard admitted < requests else { return false }
      admitted += 1
      return true
    }
    guard isAdmitted else {
      throw Problem(
        .busy, "\(requests) long requests are being worked on already", headers: [("Retry-After", "1")])
    }
    defer { admitted.withLock { $0 -= 1 } }
    return try await withTaskExecutorPreference(self, operation: body)
  }
}
