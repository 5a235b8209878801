package import HTTP2

/// The event-loop threads that clients run on.
///
/// Clients may share one set; it has to outlive them.
public final class GatewayThreads: Sendable {
  package let loops: [EventLoop]

  /// The most threads one set may have.
  public static let countMax = 64

  /// Starts the threads.
  ///
  /// - Parameter count: how many, 1 to ``countMax``; other numbers are brought into that range. One thread carries
  ///   about 100 000 sends a second.
  /// - Throws: ``GatewayThreadsError`` when the system gives no thread.
  public init(count: Int = 1) throws(GatewayThreadsError) {
    var loops: [EventLoop] = []
    for index in 0..<max(1, min(count, Self.countMax)) {
      do {
        loops.append(try EventLoop(name: "postrider-\(index)"))
      } catch {
        for loop in loops { loop.shutdown() }
        throw GatewayThreadsError(description: "cannot start the network threads: \(error)")
      }
    }
    self.loops = loops
  }

  /// Ends the threads; sends under way fail.
  ///
  /// Returns when they have ended.
  public func shutdown() {
    for loop in loops { loop.shutdown() }
  }
}

/// The system gave no thread.
public struct GatewayThreadsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed and why.
  public let description: String
}
