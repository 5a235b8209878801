/// How long a send may take.
public struct SendTiming: Sendable, Hashable {
  /// The longest wait for a free stream after submission.
  ///
  /// After that the send fails as not processed.
  public var queueTimeout: Duration = .seconds(30)
  /// From the stream's start to the answer.
  ///
  /// After that it fails as unknown.
  public var requestTimeout: Duration = .seconds(30)

  /// The defaults above.
  public init() {}
}

/// Everything a pool is made from, apart from its credential.
package struct PoolConfiguration: Sendable {
  package var endpoint: GatewayEndpoint
  package var limits: PoolLimits
  package var timing: SendTiming
  package var clock: GatewayClock
  /// The response headers that batches read, by index.
  package var wantedHeaders: [String]
  /// How many bytes of an answer's body are kept.
  package var responseBodyLimit = 65_536
  /// Gets the reason when a connection is lost or cannot be opened; called on a network thread.
  package var onConnectionLoss: (@Sendable (SendFailure) -> Void)?

  /// Names the parts.
  package init(
    endpoint: GatewayEndpoint, limits: PoolLimits, timing: SendTiming, clock: GatewayClock, wantedHeaders: [String]
  ) {
    self.endpoint = endpoint
    self.limits = limits
    self.timing = timing
    self.clock = clock
    self.wantedHeaders = wantedHeaders
  }
}

/// What a client is doing.
public struct PoolStatistics: Sendable, Hashable {
  /// Connections in any phase.
  public var connections = 0
  /// Connections that take requests.
  public var open = 0
  /// Requests under way.
  public var inFlight = 0
  /// Sends that wait for a stream.
  public var waiting = 0
  /// Connections that failed since one last did its work.
  public var consecutiveFailures = 0
  /// Why the last connection was lost, or could not be made.
  public var lastFailure: SendFailure?

  /// All zero.
  public init() {}

  init(
    connections: Int, open: Int, inFlight: Int, waiting: Int, consecutiveFailures: Int, lastFailure: SendFailure?
  ) {
    self.connections = connections
    self.open = open
    self.inFlight = inFlight
    self.waiting = waiting
    self.consecutiveFailures = consecutiveFailures
    self.lastFailure = lastFailure
  }

  /// Adds the figures of several pools.
  static func + (left: PoolStatistics, right: PoolStatistics) -> PoolStatistics {
    PoolStatistics(
      connections: left.connections + right.connections, open: left.open + right.open,
      inFlight: left.inFlight + right.inFlight, waiting: left.waiting + right.waiting,
      consecutiveFailures: max(left.consecutiveFailures, right.consecutiveFailures),
      lastFailure: left.lastFailure ?? right.lastFailure)
  }
}
