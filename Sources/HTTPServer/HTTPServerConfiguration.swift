/// Where a server listens and how much it takes.
public struct HTTPServerConfiguration: Sendable {
  /// An IPv4 or IPv6 address, or a name that resolves to one.
  ///
  /// The default listens on this machine only.
  public var host: String
  /// The TCP port; 0 chooses a free one, reported by ``HTTPServer/port``.
  public var port: UInt16
  /// Threads that serve connections, at least 1.
  public var threads: Int
  /// The bounds on everything a client can send or hold.
  public var limits: HTTPLimits
  /// The certificate to speak TLS with, 1.2 or later; nil for plain HTTP, as behind a reverse proxy.
  public var certificate: ServerCertificate?
  /// The reverse proxies whose forwarding header is trusted; none by default.
  public var trustedProxies: [AddressBlock] = []
  /// The header in which they say it.
  ///
  /// Only one is read: a proxy that sets one passes on the other as the client wrote it.
  public var forwardedHeader = ForwardedHeader.xForwardedFor
  /// Where the server counts its connections.
  public var connections = ConnectionCounters()

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
  /// Open connections at once.
  ///
  /// Beyond it the connection that has waited longest for a request is closed to make room, first of a network that has
  /// more than its ``connectionShare``.
  public var maxConnections = 1024
  /// Connections beyond ``maxConnections`` that serve essential requests only (``HTTPHandler/isEssential(_:)``), while
  /// all others are busy.
  public var reservedConnections = 16
  /// Bytes of request line and header fields together (answer 414 or 431 beyond).
  public var maxHeadBytes = 32 * 1024
  /// Bytes of a request body (answer 413 beyond), unless ``HTTPHandler/maxBodyBytes(for:)`` says otherwise.
  public var maxBodyBytes = 1024 * 1024
  /// Bytes of all request bodies that are being received or handled (answer 503 with `Retry-After` beyond).
  ///
  /// A quarter of it is reserved for bodies up to ``smallBodyBytes``, so that a few large ones do not block the rest.
  public var maxBufferedBodyBytes = 128 * 1024 * 1024
  /// Bytes of a refused body that are read and dropped so that the connection can be used again; beyond, it is closed.
  public var maxDiscardedBytes = 8 * 1024 * 1024
  /// How long a connection may be idle between requests.
  public var idleTimeout: Duration = .seconds(60)
  /// How long a request's head may take from the request line on; the body is given as much again, and more with each
  /// byte received (``minBodyBytesPerSecond``).
  ///
  /// A client that drips bytes is cut off here.
  public var requestTimeout: Duration = .seconds(20)
  /// The slowest transfer of a long body that is still accepted, in either direction.
  public var minBodyBytesPerSecond = 8 * 1024
  /// How far a client may fall behind ``minBodyBytesPerSecond`` while it reads an answer; then the connection is closed.
  public var readTimeout: Duration = .seconds(30)
  /// How long the handler may take to answer; after that the client gets a 503.
  public var answerTimeout: Duration = .seconds(60)

  /// The largest useful ``maxConnections``: the kernel's default limit on the descriptors of a process is about the
  /// same.
  public static let connectionsMax = 1_000_000

  /// Header lines of one request (answer 431 beyond).
  public static let fieldsMax = 100

  /// The largest body that may use the last quarter of ``maxBufferedBodyBytes``.
  public static let smallBodyBytes = 64 * 1024

  /// Connections of one network beyond which it makes room for others; nil for an eighth of ``maxConnections``.
  public var maxConnectionsPerNetwork: Int?

  /// Connections of one network (the /24 of IPv4, the /64 of IPv6) beyond which it makes room for others.
  public var connectionShare: Int { max(1, min(maxConnectionsPerNetwork ?? maxConnections / 8, maxConnections)) }

  /// The defaults.
  public init() {}
}
