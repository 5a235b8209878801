/// Why a request has no response, and whether it may be sent again without the risk of a second effect.
public struct HTTP2Failure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What the server may have done with the request.
  public enum Processing: Sendable, Hashable {
    /// The server certainly did not act on it: safe to send again.
    case notProcessed
    /// The server may or may not have acted on it.
    case unknown
  }

  /// What the server may have done with the request.
  public let processing: Processing
  /// What happened.
  public let reason: HTTP2FailureReason

  /// A failure of one request.
  public init(_ processing: Processing, _ reason: HTTP2FailureReason) {
    self.processing = processing
    self.reason = reason
  }

  /// What happened, and whether the request was processed.
  public var description: String {
    processing == .notProcessed ? "not processed: \(reason)" : "unknown whether processed: \(reason)"
  }
}

/// What ended a request that got no response.
public enum HTTP2FailureReason: Sendable, Hashable, CustomStringConvertible {
  /// No response came within the request's time.
  case deadline
  /// The server ended the stream with RST_STREAM.
  case reset(HTTP2ErrorCode)
  /// The server sent GOAWAY and named an earlier stream as the last one.
  case goAway(HTTP2GoAway)
  /// The connection ended, or never came to be.
  case connectionClosed(HTTP2CloseReason)
  /// More requests wait on this connection than its configuration allows.
  case queueFull
  /// The connection is draining and takes no new requests.
  case draining
  /// The request cannot be sent: text says which part is wrong.
  case invalidRequest(String)
  /// The response broke the protocol.
  case invalidResponse(String)

  /// One sentence.
  public var description: String {
    switch self {
    case .deadline: "no response within the request's deadline"
    case .reset(let code): "the server reset the stream with \(code)"
    case .goAway(let frame): "the server sent \(frame)"
    case .connectionClosed(let reason): "\(reason)"
    case .queueFull: "too many requests are waiting on this connection"
    case .draining: "the connection is draining and takes no new requests"
    case .invalidRequest(let text): "the request cannot be sent: \(text)"
    case .invalidResponse(let text): "the response breaks the protocol: \(text)"
    }
  }
}

/// Why a connection ended, or never came to be.
public enum HTTP2CloseReason: Sendable, Hashable, CustomStringConvertible {
  /// `close()` was called, or `drain()` has finished.
  case requested
  /// The event loop was shut down.
  case loopStopped
  /// The name has no address: the resolver's words.
  case lookupFailed(host: String, why: String)
  /// The host has addresses, but the address policy allows none of them.
  case addressRefused(host: String, address: String)
  /// No address took the connection: what the last one answered.
  case connectFailed(address: String, why: String)
  /// The connection was not ready within the connect deadline; the stage is the one it had reached.
  case connectTimeout(stage: HTTP2ConnectStage)
  /// The HTTP proxy does not let the connection through: what it answered.
  case proxyRefused(String)
  /// The HTTP proxy gave no tunnel, and may give one later: what it answered, or how it broke off.
  case proxyUnavailable(String)
  /// The TLS handshake failed, certificate verification included.
  case tlsFailed(String)
  /// The server supports TLS but did not choose `h2` by ALPN.
  case noALPN
  /// The server sent GOAWAY and all its streams have ended.
  case goAway(HTTP2GoAway)
  /// The server did not answer a PING in time: the connection is dead or half-open.
  case pingTimeout
  /// No SETTINGS frame came after the handshake.
  case settingsTimeout
  /// The server closed the connection without GOAWAY.
  case closedByPeer
  /// Reading or writing failed: the system's or the TLS library's words.
  case broken(String)
  /// The server broke HTTP/2: the library's words.
  case protocolError(String)

  /// One sentence that says what happened and, where it helps, what to look at.
  public var description: String {
    switch self {
    case .requested: "the connection was closed by this side"
    case .loopStopped: "the event loop was shut down"
    case .lookupFailed(let host, let why): "cannot find an address for \(host): \(why)"
    case .addressRefused(let host, let address):
      "\(host) leads to \(address), which is not a public address; name the gateway or allow private addresses explicitly if that"
        + " is meant"
    case .connectFailed(let address, let why): "cannot connect to \(address): \(why)"
    case .connectTimeout(let stage): "the connection was not ready in time; it waited for \(stage)"
    case .proxyRefused(let why), .proxyUnavailable(let why): "the proxy did not open the tunnel: \(why)"
    case .tlsFailed(let why): "the TLS handshake failed: \(why)"
    case .noALPN: "no ALPN h2: the server does not offer HTTP/2 on this port"
    case .goAway(let frame): "the server closed the connection with \(frame)"
    case .pingTimeout: "the server did not answer a PING in time"
    case .settingsTimeout: "the server sent no SETTINGS after the handshake"
    case .closedByPeer: "the server closed the connection without GOAWAY"
    case .broken(let why): "the connection broke: \(why)"
    case .protocolError(let why): "the server broke HTTP/2: \(why)"
    }
  }
}

/// How far the making of a connection has come.
public enum HTTP2ConnectStage: Sendable, Hashable, CustomStringConvertible {
  /// Looking up the name.
  case lookup
  /// Waiting for TCP.
  case tcp
  /// Waiting for the proxy's answer.
  case proxy
  /// In the TLS handshake.
  case tls

  /// Words for a message.
  public var description: String {
    switch self {
    case .lookup: "the name look-up"
    case .tcp: "the TCP connection"
    case .proxy: "the proxy's answer"
    case .tls: "the TLS handshake"
    }
  }
}
