/// A server on loopback that accepts connections and ends each at once, as what is before a lost server does.
public final class ClosingServer: Sendable {
  private let listener = LoopbackListener()

  /// Where it listens, on 127.0.0.1.
  public var port: UInt16 { listener.port }

  /// Binds a port and begins to take connections.
  public init() { listener.start { _ in } }

  /// Takes no more.
  public func stop() { listener.stop() }
}
