public import HTTP2
public import Signing
internal import Synchronization
public import TLS

/// A real HTTP/2 server on loopback whose every move is a closure of the test.
///
/// Stops with the test.
public final class ScriptedServer: Sendable {
  /// Decides how a connection is treated; gets its number, from 0.
  public typealias Plan = @Sendable (_ connection: Int) -> HTTP2ConnectionBehavior
  /// Answers a request; gets its number on the whole server and that of its connection, both from 0.
  public typealias Answer = @Sendable (_ request: HTTP2ServerRequest, _ number: Int, _ connection: Int) -> Void

  /// What the server saw.
  public struct Log: Sendable {
    /// Connections that came in.
    public var connections: [HTTP2ServerConnection] = []
    /// How many of them have ended.
    public var ended = 0
    /// The most streams that were open at one time on any connection.
    public var openMax = 0
    /// Each request's `:path`, `authorization` and `apns-id`, in order.
    public var requests: [Request] = []
  }

  /// One request that came in.
  public struct Request: Sendable, Hashable {
    /// The number of its connection.
    public let connection: Int
    /// The `:path`.
    public let path: String
    /// All header fields without pseudo-headers.
    public let headers: [String: String]
    /// The body.
    public let body: String
  }

  private let loop: EventLoop
  private let server: HTTP2Server
  private let handler: Handler

  /// The port it listens on.
  public var port: UInt16 { server.port }

  /// The certificate of every scripted server of this process: for `localhost` and 127.0.0.1.
  public static let identity: CertificateIdentity? = try? SelfSignedCertificate.make(
    dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"])

  /// What a client has to trust.
  public static var trust: TLSTrust { .pem(Array((identity?.certificatePEM ?? "").utf8)) }

  /// The server's side of TLS.
  public static func tls(alpn: [String] = ["h2"], clientTrust: TLSTrust? = nil) throws -> TLSContext {
    try TLSContext.server(
      identity: TLSIdentity(
        certificatePEM: Array((identity?.certificatePEM ?? "").utf8),
        keyPEM: Array((identity?.privateKeyPEM ?? "").utf8)), clientTrust: clientTrust,
      clientCertificateRequired: clientTrust != nil, alpn: alpn)
  }

  /// Listens at once on a free port.
  public init(
    streams: UInt32 = 1000, tls: TLSContext? = nil,
    answer: @escaping Answer = { request, _, _ in request.respond(status: 200) },
    behavior: @escaping Plan = { _ in HTTP2ConnectionBehavior() }
  ) throws {
    loop = try EventLoop(name: "test-server")
    handler = Handler(behavior: behavior, answer: answer)
    var configuration = HTTP2ServerConfiguration(tls: try tls ?? Self.tls())
    configuration.settings.maxConcurrentStreams = streams
    server = try HTTP2Server(configuration: configuration, loops: [loop], handler: handler)
  }

  deinit {
    server.stop(abruptly: true)
    loop.shutdown()
  }

  /// What the server saw until now.
  public var log: Log { handler.log.withLock { $0 } }

  private final class Handler: HTTP2ServerHandler {
    let log = Mutex(Log())
    private let behavior: Plan
    private let answer: Answer

    init(behavior: @escaping Plan, answer: @escaping Answer) {
      self.behavior = behavior
      self.answer = answer
    }

    func accept(_ connection: HTTP2ServerConnection) -> HTTP2ConnectionBehavior {
      let number = log.withLock { log in
        log.connections.append(connection)
        return log.connections.count - 1
      }
      return behavior(number)
    }

    func closed(_ connection: HTTP2ServerConnection) { log.withLock { $0.ended += 1 } }

    func handle(_ request: HTTP2ServerRequest) {
      let (number, connection) = note(request)
      answer(request, number, connection)
    }

    private func note(_ request: HTTP2ServerRequest) -> (Int, Int) {
      var headers: [String: String] = [:]
      for (name, value) in request.headers where name.first != UInt8(ascii: ":") {
        headers[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
      }
      let path = String(decoding: request.path, as: UTF8.self)
      let body = String(decoding: request.body, as: UTF8.self)
      return log.withLock { log in
        let connection = log.connections.firstIndex { $0 === request.connection } ?? -1
        log.requests.append(Request(connection: connection, path: path, headers: headers, body: body))
        return (log.requests.count - 1, connection)
      }
    }
  }
}
