internal import Glibc
public import TLS

/// Answers requests and decides about faults.
///
/// Its functions are called on the connection's loop; they must not block.
public protocol HTTP2ServerHandler: AnyObject, Sendable {
  /// A TCP connection came in: how it is to be treated.
  func accept(_ connection: HTTP2ServerConnection) -> HTTP2ConnectionBehavior

  /// A whole request came in. Answer it now, or keep `request.responder` and answer later.
  func handle(_ request: HTTP2ServerRequest)

  /// The connection has ended.
  func closed(_ connection: HTTP2ServerConnection)
}

extension HTTP2ServerHandler {
  /// Treats every connection in the ordinary way.
  public func accept(_ connection: HTTP2ServerConnection) -> HTTP2ConnectionBehavior { HTTP2ConnectionBehavior() }

  /// Nothing to do.
  public func closed(_ connection: HTTP2ServerConnection) {}
}

/// How a server treats one incoming connection; the default is the ordinary way.
public struct HTTP2ConnectionBehavior: Sendable {
  /// What happens at the start.
  public enum Opening: Sendable {
    /// TLS, SETTINGS, requests.
    case normal
    /// The connection is reset before TLS.
    case reset
    /// TCP is accepted and nothing is ever read or written.
    case silence
    /// TLS is done, then nothing is ever read or written.
    case silenceAfterTLS
    /// The client's first TLS message is answered with bytes that are not TLS.
    case garbage
    /// TLS is done, then GOAWAY is the first frame and the connection ends.
    case goAway(code: HTTP2ErrorCode, debugData: [UInt8])
  }

  /// What happens at the start.
  public var opening: Opening = .normal
  /// The SETTINGS of this connection; `nil` for those of the server's configuration.
  public var settings: HTTP2Settings?
  /// How long SETTINGS (and all that follows) are held back.
  public var settingsDelay: Duration?
  /// Other TLS settings for this connection, such as another certificate or another ALPN.
  public var tls: TLSContext?
  /// Whether a client that does not use ALPN is assumed to use HTTP/2; RFC 9113 section 3.2 requires ALPN.
  public var acceptsNoALPN = false

  /// The ordinary way.
  public init() {}
}

/// Where a server listens and which limits it keeps.
public struct HTTP2ServerConfiguration: Sendable {
  /// The address to listen on, numeric.
  public var host: String = "127.0.0.1"
  /// The port; 0 for any free one.
  public var port: UInt16 = 0
  /// The TLS settings.
  public var tls: TLSContext
  /// The SETTINGS that clients are sent.
  public var settings = HTTP2Settings(maxConcurrentStreams: 1000, initialWindowSize: 65_535)
  /// How many bytes of a request's body are kept; the rest is counted and dropped.
  public var requestBodyLimit: Int = 65_536
  /// How many bytes of header names and values a request may have; more are answered with status 431.
  public var requestHeaderLimit: Int = 32_768
  /// How many connections may be open; more are closed at once.
  public var connectionLimit: Int = 10_000
  /// How long a TLS handshake may take.
  public var handshakeTimeout: Duration = .seconds(10)

  /// A configuration with the defaults above.
  public init(tls: TLSContext) { self.tls = tls }
}

/// An HTTP/2 server over TLS, for emulators and tests: it answers quickly and misbehaves on demand.
public final class HTTP2Server: Sendable {
  /// The port that it listens on.
  public let port: UInt16
  private let core: ServerCore

  /// Listens at once.
  /// - Parameters:
  ///   - configuration: where to listen, and the limits.
  ///   - loops: connections are spread over them in turn; the first one also accepts. They must outlive the server.
  ///   - handler: answers the requests.
  /// - Throws: ``SystemError`` when the address cannot be listened on.
  public init(configuration: HTTP2ServerConfiguration, loops: [EventLoop], handler: any HTTP2ServerHandler)
    throws(SystemError)
  {
    precondition(!loops.isEmpty, "a server needs at least one event loop")
    guard
      case .success(let found) = SocketAddress.lookUp(configuration.host, port: configuration.port, numericOnly: true),
      let address = found.first
    else { throw SystemError("listen on", "\(configuration.host) (a numeric address is wanted)", errno: EINVAL) }
    let descriptor = try Socket.listen(on: address)
    port = Socket.localAddress(descriptor)?.port ?? configuration.port
    core = ServerCore(configuration: configuration, loops: loops, handler: handler, descriptor: descriptor)
    let core = core
    loops[0].execute { core.start() }
  }

  /// Stops listening and closes all connections: gracefully with GOAWAY, or abruptly.
  public func stop(abruptly: Bool = false) { core.stop(abruptly: abruptly) }
}
