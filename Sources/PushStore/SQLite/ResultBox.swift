internal import Synchronization

/// One result that is written once and read once, by different threads.
final class ResultBox<Output: Sendable>: Sendable {
  private let value = Mutex<Result<Output, StoreError>?>(nil)

  func set(_ result: Result<Output, StoreError>) { value.withLock { $0 = result } }

  func get() -> Result<Output, StoreError>? { value.withLock { $0 } }
}
