public import TLS

/// Where a client connection goes and which limits it keeps.
public struct HTTP2ClientConfiguration: Sendable {
  /// The host to connect to: a name, or an IPv4 or IPv6 address.
  public var host: String
  /// The port to connect to.
  public var port: UInt16
  /// The TLS settings.
  public var tls: TLSContext
  /// The name that the certificate must have, and that SNI carries, when it is not `host`.
  public var serverName: String?
  /// Which addresses of the host may be connected to.
  ///
  /// Through a proxy only a numeric host and a name of the inner network are held against it, because the proxy looks names up.
  public var addresses: HTTP2AddressPolicy = .any
  /// The HTTP proxy to go through, if any.
  public var proxy: HTTP2Proxy?
  /// From start to the end of the TLS handshake, look-up included.
  public var connectTimeout: Duration = .seconds(10)
  /// From the end of the TLS handshake to the server's SETTINGS.
  public var settingsTimeout: Duration = .seconds(10)
  /// How many streams may be open before the server's SETTINGS say what it allows.
  public var initialStreamLimit: Int = 100
  /// How many streams may be open at most, whatever the server allows.
  public var streamLimit: Int = 1000
  /// How many requests may wait for a stream; more fail immediately with `queueFull`.
  public var queueLimit: Int = 100_000
  /// How many requests the connection carries before it closes, as if the server had sent a graceful GOAWAY: HTTP/2 has
  /// stream ids for ``requestLimitMax`` requests per connection, and some operators require connections to be renewed.
  public var requestLimit: Int = HTTP2ClientConfiguration.requestLimitMax
  /// After how long without anything received a PING is sent; `nil` for never.
  public var pingAfterIdle: Duration? = .seconds(3600)
  /// How long the answer to a PING may take.
  public var pingTimeout: Duration = .seconds(10)
  /// Lower-case names of the response headers to keep; at most ``wantedHeaderLimit``.
  public var wantedHeaders: [String] = []
  /// How many bytes of a response's body are kept.
  public var responseBodyLimit: Int = 65_536
  /// Which of the host's addresses is tried first: the number modulo their count.
  ///
  /// Give each connection of a pool its own number to spread them.
  public var addressOffset: Int = 0
  /// Resolves the host instead of the system's resolver; called for each connection, on a thread of its own.
  ///
  /// An empty list means a host without an address. Numeric hosts are not resolved.
  public var resolver: HTTP2Resolver?

  /// The most requests that one connection can carry: half of all 31-bit stream ids.
  public static let requestLimitMax = (1 << 30) - 1
  /// How many response headers may be kept.
  public static let wantedHeaderLimit = 16

  /// A configuration with the defaults above.
  public init(host: String, port: UInt16, tls: TLSContext) {
    self.host = host
    self.port = port
    self.tls = tls
  }
}

/// Finds the addresses of a host: numeric ones, each with its port.
public typealias HTTP2Resolver =
  @Sendable (_ host: String, _ port: UInt16) -> [(address: String, port: UInt16)]
