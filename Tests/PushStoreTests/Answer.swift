import Glibc
import PushStore
import StoreModel
import Synchronization
import Testing

/// The answer of one asynchronous operation; waiting is bounded.
final class Answer<Output: Sendable>: Sendable {
  private let value = Mutex<Result<Output, StoreError>?>(nil)

  func set(_ result: Result<Output, StoreError>) { value.withLock { $0 = result } }

  func wait(seconds: Int = 30) throws -> Output {
    for _ in 0..<seconds * 10_000 {
      if let result = value.withLock({ $0 }) { return try result.get() }
      usleep(100)
    }
    throw StoreError(.bug, "no answer in \(seconds) s", advice: "look at the store's thread")
  }
}
