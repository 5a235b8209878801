internal import Synchronization

/// Work on what has a name, one after the other for each name: in the order of asking, and without holding a thread.
final class Turns: Sendable {
  /// Those who wait, by name; a name that is not here is free.
  private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs `body` when nobody else works under the name.
  func one<Output>(
    _ name: String, _ body: () async throws(Problem) -> Output
  ) async throws(Problem) -> Output {
    await take(name)
    defer { giveBack(name) }
    return try await body()
  }

  /// The same for several names, which everybody must take in one order, so that none waits for another one that waits for it.
  func all<Output>(
    _ names: ArraySlice<String>, _ body: () async throws(Problem) -> Output
  ) async throws(Problem) -> Output {
    for name in names { await take(name) }
    defer { for name in names { giveBack(name) } }
    return try await body()
  }

  private func take(_ name: String) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[name] == nil else {
          waiting[name]?.append(continuation)
          return false
        }
        waiting[name] = []
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func giveBack(_ name: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard waiting[name]?.isEmpty == false else {
        waiting[name] = nil
        return nil
      }
      return waiting[name]?.removeFirst()
    }
    next?.resume()
  }
}
