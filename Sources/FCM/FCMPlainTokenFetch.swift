internal import GatewayPool
internal import HTTP2
internal import HTTPClient

/// The exchange for an access token over HTTP/1.1, for token endpoints without HTTP/2, mostly relays inside a company.
///
/// It runs on a thread of its own for the duration of the exchange: there is one an hour.
enum FCMPlainTokenFetch {
  /// Whether the end of an attempt over HTTP/2 shows that the endpoint uses TLS with another protocol.
  static func isWorthTrying(_ reason: HTTP2CloseReason, _ endpoint: GatewayEndpoint, _ uri: FCMTokenURI) -> Bool {
    // The library asks the address of the URI itself.
    guard endpoint.host == uri.host, endpoint.port == uri.port else { return false }
    return switch reason {
    case .noALPN: true
    // Some refuse the handshake instead of choosing nothing (RFC 7301, section 3.2).
    case .tlsFailed(let why): why.contains("no application protocol")
    default: false
    }
  }

  static func start(
    _ endpoint: GatewayEndpoint, _ uri: FCMTokenURI, _ body: [UInt8], _ timeout: Duration,
    _ read: @escaping FCMTokenFetches.Reader = { FCMTokenAnswer(status: $0, body: $1) },
    _ done: @escaping @Sendable (FCMTokenAnswer) -> Void
  ) {
    var limits = HTTPClientLimits()
    limits.requestMs = Int(timeout / .milliseconds(1))
    limits.answerBytesMax = FCMTokenAnswer.bodyBytesMax
    guard let client = HTTPClient(limits: limits) else {
      return done(.failure(.init(isRefusal: false, detail: "the token endpoint cannot be asked: no thread is left")))
    }
    var post = HTTPPost(
      url: "https://\(uri.authority)\(uri.path)", headers: [("content-type", "application/x-www-form-urlencoded")],
      body: body, allowsPrivate: endpoint.allowsPrivateAddresses)
    post.trust = endpoint.trust
    // The attempt over HTTP/2 went through it, too, which looks at the host.
    post.proxy = endpoint.proxy.map { HTTPTunnelProxy(authority: $0.description, authorization: $0.authorization) }
    client.exchange(post) { answer in
      client.end()
      switch answer {
      case .answer(let answer): done(read(answer.status, answer.body))
      case .failed(let why), .unsent(let why):
        done(.failure(.init(isRefusal: false, detail: "the token endpoint cannot be reached over HTTP/1.1: \(why)")))
      }
    }
  }
}
