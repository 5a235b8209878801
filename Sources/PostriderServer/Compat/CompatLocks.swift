internal import Synchronization

/// Locks by name, so that what is read of a thing does not change before it is written.
final class CompatLocks: Sendable {
  private final class Lock: Sendable {
    let mutex = Mutex(())
  }

  private let locks = (0..<64).map { _ in Lock() }

  /// Runs `body` while no other request holds one of the names.
  func with(_ names: [String], _ body: () throws(Problem) -> Void) throws(Problem) {
    let indices = Set(names.map { Int(UInt(bitPattern: $0.hashValue) % UInt(locks.count)) })
    // In one order in every request, so that none waits for another one that waits for it.
    try nested(indices.sorted()[...], body)
  }

  private func nested(_ indices: ArraySlice<Int>, _ body: () throws(Problem) -> Void) throws(Problem) {
    guard let first = indices.first else { return try body() }
    try locks[first].mutex.withLock { _ throws(Problem) in try nested(indices.dropFirst(), body) }
  }
}
