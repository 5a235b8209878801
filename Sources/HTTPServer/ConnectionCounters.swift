internal import Synchronization

/// How many connections a server has, and how many it refused or closed for lack of room; readable from any thread.
public final class ConnectionCounters: Sendable {
  private let opened = Atomic<Int>(0)
  private let closed = Atomic<Int>(0)
  private let evicted = Atomic<Int>(0)
  private let refused = Atomic<Int>(0)

  /// All zero.
  public init() {}

  /// Connections that are open now.
  public var open: Int { max(0, opened.load(ordering: .relaxed) - closed.load(ordering: .relaxed)) }
  /// Connections that were closed to make room for others, since the start.
  public var evictedTotal: Int { evicted.load(ordering: .relaxed) }
  /// Connections that were turned away because none could make room, since the start.
  public var refusedTotal: Int { refused.load(ordering: .relaxed) }

  func countOpened() { opened.add(1, ordering: .relaxed) }
  func countClosed() { closed.add(1, ordering: .relaxed) }
  func countEvicted() { evicted.add(1, ordering: .relaxed) }
  func countRefused() { refused.add(1, ordering: .relaxed) }
}
