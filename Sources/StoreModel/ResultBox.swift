internal import Synchronization

/// One result that is written once and read once, by different threads.
package final class ResultBox<Output: Sendable>: Sendable {
  private let value = Mutex<Result<Output, StoreError>?>(nil)

  package func set(_ result: Result<Output, StoreError>) { value.withLock { $0 = result } }

  package func get() -> Result<Output, StoreError>? { value.withLock { $0 } }
}
