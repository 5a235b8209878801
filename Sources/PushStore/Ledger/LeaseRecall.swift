public import StoreModel
internal import Synchronization

/// The callback that receives recalls.
final class RecallObserver: Sendable {
  private let body = Mutex<(@Sendable (LeaseRecall) -> Void)?>(nil)

  func set(_ new: @escaping @Sendable (LeaseRecall) -> Void) { body.withLock { $0 = new } }

  func tell(_ recall: LeaseRecall) { body.withLock { $0 }?(recall) }
}

extension SQLStore {
  /// From now on calls `body` with what may no longer be sent as it was leased.
  public func observeRecalls(_ body: @escaping @Sendable (LeaseRecall) -> Void) { writer.recalls.set(body) }
}
