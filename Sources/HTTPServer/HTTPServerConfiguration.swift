/// Where a server listens and how much it takes.
public struct HTTPServerConfiguration: Sendable {
  /// An IPv4 or IPv6 address, or a name that resolves to one.
  ///
  /// The default listens on this machine only.
  public var host: String
  /// The TCP port; 0 takes a free one, told by ``HTTPServer/port``.
  public var port: UInt16
  /// Threads that serve connections, at least 1.
  public var threads: Int
  /// The bounds on everything a client can send or hold.
  public var limits: HTTPLimits

  /// A configuration; by default loopback, a free port, two threads.
  public init(host: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 2, limits: HTTPLimits = HTTPLimits()) {
    self.host = host
    self.port = port
    self.threads = max(1, threads)
    self.limits = limits
  }
}

/// The bounds on everything a client can send or hold.
///
/// Each has a safe default.
public struct HTTPLimits: Sendable, Hashable {
  /// Open connections at once; more are closed when they arrive.
  public var maxConnections = 1024
  /// Bytes of request line and header fields together (answer 414 or 431 beyond).
  ///
  /// The same memory holds the reading and writing buffers of a connection.
  public var maxHeadBytes = 32 * 1024
  /// Bytes of a request body (answer 413 beyond), unless ``HTTPHandler/maxBodyBytes(for:)`` says otherwise.
  public var maxBodyBytes = 1024 * 1024
  /// Bytes of an oversize body that are read and thrown away so that the client sees the 413 on a live connection;
  /// beyond, the connection is closed.
  public var maxDiscardedBytes = 8 * 1024 * 1024
  /// How long a connection may lie idle between requests.
  ///
  /// Whole seconds, at least 1.
  public var idleTimeout: Duration = .seconds(60)
  /// How long a request's head may take from the request line on; the body is given as much again, and more with each
  /// byte received (``minBodyBytesPerSecond``).
  ///
  /// A client that drips bytes is cut off here.
  public var requestTimeout: Duration = .seconds(20)
  /// The slowest transfer of a long body that is still accepted.
  public var minBodyBytesPerSecond = 8 * 1024
  /// How long the handler may take to answer; after that the client gets a 503.
  public var answerTimeout: Duration = .seconds(60)

  /// The defaults.
  public init() {}
}
