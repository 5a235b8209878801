internal import Synchronization
internal import System

/// Takes back sends that were submitted and have not left yet: each is looked up here before it is written.
///
/// Whoever submits names sends by their tags, at any time and from any thread; a send that is found ends as
/// ``SendFailure/Cause/recalled``. One that is on the wire is not changed by it. Shared by any number of batches.
///
/// With a deadline (``allow(until:)``) everything is taken back once that has passed, whether or not whoever submitted it runs:
/// a process that was stopped for a while must not send what it has lost the right to.
public final class SendRecall: Sendable {
  private let tags = Mutex<Set<UInt64>>([])
  /// Spares every send the lock, for as long as nothing is taken back.
  private let count = Atomic<Int>(0)

  /// When the right to send ends, by `clock`; the largest number for never.
  private let end = Atomic<Int64>(.max)
  private let clock: @Sendable () -> Int64

  /// Nothing is taken back.
  public init() { clock = { SystemClock.elapsedMs() } }

  /// The same with a clock of one's own, in milliseconds.
  package init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }

  /// Everything is taken back from a time on, by the clock that goes on while the machine is suspended.
  package func allow(until instant: Int64) { end.store(instant, ordering: .releasing) }

  /// Whether that time has passed.
  package var isOver: Bool {
    let end = end.load(ordering: .acquiring)
    return end != .max && clock() >= end
  }

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
    count.load(ordering: .acquiring) > 0 && tags.withLock { $0.contains(tag) } || isOver
  }

  private func change(_ body: (inout sending Set<UInt64>) -> Void) {
    tags.withLock { tags in
      body(&tags)
      count.store(tags.count, ordering: .releasing)
    }
  }
}
