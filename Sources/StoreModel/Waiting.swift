internal import System

/// Threads that others depend on, such as those that serve HTTP, must not wait for the disk.
public enum DiskWaits {
  /// Whether to wait is an error here: set for a thread, it holds also for the tasks that are started on it.
  @TaskLocal public static var areForbidden = false
}

extension Store {
  /// Blocks until an operation with a completion has finished.
  ///
  /// ```swift
  /// let created = try store.wait { store.createPushes([push], now: now, completion: $0) }
  /// ```
  /// Never call it inside a completion: those run on the thread that would have to complete the operation.
  public func wait<Output: Sendable>(
    _ start: (@escaping @Sendable (Result<Output, StoreError>) -> Void) -> Void
  ) throws(StoreError) -> Output {
    if DiskWaits.areForbidden { throw forbidden }
    let waiter = Waiter<Output>()
    start { waiter.finish($0) }
    return try waiter.wait()
  }

  /// Starts several operations, so that they share a commit, and blocks until all have answered; the results are in the
  /// order of `indices`.
  ///
  /// Never call it inside a completion.
  public func waitForAll<Output: Sendable>(
    _ indices: Range<Int>, _ start: (Int, @escaping @Sendable (Result<Output, StoreError>) -> Void) -> Void
  ) -> [Result<Output, StoreError>] {
    if DiskWaits.areForbidden { return indices.map { _ in .failure(forbidden) } }
    let waiters = indices.map { _ in Waiter<Output>() }
    for (index, waiter) in zip(indices, waiters) { start(index) { waiter.finish($0) } }
    return waiters.map { waiter in
      do throws(StoreError) { return .success(try waiter.wait()) } catch { return .failure(error) }
    }
  }

  /// Creates one push and waits until it is durable.
  @discardableResult
  public func createPush(_ push: NewPush, now: Timestamp) throws(StoreError) -> CreatedPush {
    let created = try wait { createPushes([push], now: now, completion: $0) }
    return created[0]
  }
}

extension Store {
  /// Suspends the task until an operation with a completion has finished; no thread waits.
  public func result<Output: Sendable>(
    _ start: (@escaping @Sendable (Result<Output, StoreError>) -> Void) -> Void
  ) async throws(StoreError) -> Output {
    try await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }.get()
  }

  /// Runs operations of the store in one transaction, and suspends the task until they are durable; no thread waits.
  public func change<Output: Sendable>(
    _ body: @escaping @Sendable (any Store) throws(StoreError) -> Output
  ) async throws(StoreError) -> Output {
    try await result { change(body, completion: $0) }
  }
}

/// What waiting throws where it is forbidden; nothing was started.
private let forbidden = StoreError(
  .bug, "an operation would wait for the disk on a thread that must not", advice: "report this as a bug")

/// Hands one result from the writer's thread to a caller that waits.
package final class Waiter<Output: Sendable>: Sendable {
  private let semaphore = Semaphore()
  private let result = ResultBox<Output>()

  package init() {}

  package func finish(_ value: Result<Output, StoreError>) {
    result.set(value)
    semaphore.signal()
  }

  package func wait() throws(StoreError) -> Output {
    semaphore.wait()
    guard let value = result.get() else {
      throw StoreError(.bug, "an operation ended without a result", advice: "report this as a bug")
    }
    return try value.get()
  }
}
