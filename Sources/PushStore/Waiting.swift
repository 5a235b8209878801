internal import System

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
    let waiters = indices.map { _ in Waiter<Output>() }
    for (index, waiter) in zip(indices, waiters) { start(index) { waiter.finish($0) } }
    return waiters.map { waiter in
      do throws(StoreError) { return .success(try waiter.wait()) } catch { return .failure(error) }
    }
  }
}

/// Hands one result from the writer's thread to a caller that waits.
private final class Waiter<Output: Sendable>: Sendable {
  private let semaphore = Semaphore()
  private let result = ResultBox<Output>()

  func finish(_ value: Result<Output, StoreError>) {
    result.set(value)
    semaphore.signal()
  }

  func wait() throws(StoreError) -> Output {
    semaphore.wait()
    guard let value = result.get() else {
      throw StoreError(.bug, "an operation ended without a result", advice: "report this as a bug")
    }
    return try value.get()
  }
}
