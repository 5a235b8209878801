import Synchronization

/// Keeps what a sink receives, and lets the test wait for a number of them within a bound.
public final class OutcomeCollector<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])

  /// Starts empty.
  public init() {}

  /// Adds items; from any thread.
  public func add(_ more: [Item]) { items.withLock { $0 += more } }

  /// What there is now.
  public var all: [Item] { items.withLock { $0 } }

  /// Waits until there are `count` items, at most `seconds`; returns what there is then.
  public func wait(for count: Int, seconds: Int = 40) async -> [Item] {
    for _ in 0..<(seconds * 200) {
      if items.withLock({ $0.count }) >= count { break }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return all
  }
}

/// Waits until `condition` holds, at most `seconds`; returns whether it does.
public func eventually(seconds: Int = 40, _ condition: () -> Bool) async -> Bool {
  for _ in 0..<(seconds * 200) {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return condition()
}
