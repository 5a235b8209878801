internal import Synchronization

/// Takes back sends that were submitted and have not left yet: each is looked up here before it is written.
///
/// Whoever submits names sends by their tags, at any time and from any thread; a send that is found ends as
/// ``SendFailure/Cause/recalled``. One that is on the wire is not changed by it. Shared by any number of batches.
public final class SendRecall: Sendable {
  private let tags = Mutex<Set<UInt64>>([])
  /// Spares every send the lock, for as long as nothing is taken back.
  private let count = Atomic<Int>(0)

  /// Nothing is taken back.
  public init() {}

  /// Takes sends back.
  public func insert(_ new: some Sequence<UInt64>) {
    change { $0.formUnion(new) }
  }

  /// A send has its outcome: its tag may be forgotten.
  public func remove(_ tag: UInt64) {
    guard count.load(ordering: .acquiring) > 0 else { return }
    change { $0.remove(tag) }
  }

  /// Whether a send was taken back.
  public func contains(_ tag: UInt64) -> Bool {
    count.load(ordering: .acquiring) > 0 && tags.withLock { $0.contains(tag) }
  }

  private func change(_ body: (inout sending Set<UInt64>) -> Void) {
    tags.withLock { tags in
      body(&tags)
      count.store(tags.count, ordering: .releasing)
    }
  }
}
