package import GatewayPool
package import HTTP2
internal import Signing
internal import Synchronization
package import TLS

/// The access token of one client, shared by all its connections and threads, and fetched when somebody has something to
/// send.
package final class FCMTokenSource: PoolCredential {
  private struct State {
    var machine = FCMAccessToken()
    var wake: (@Sendable () -> Void)?
  }

  /// Makes the body of a request for a token, at a time in seconds since 1970.
  package typealias Request = @Sendable (_ wall: Int64) throws(FCMAccessToken.Failure) -> [UInt8]

  private let authority: String
  private let request: Request
  private let exchange: any FCMTokenExchange
  private let clock: GatewayClock
  private let state = Mutex(State())

  /// - Parameters:
  ///   - authority: who is asked, for people.
  ///   - request: makes the body of a request.
  package init(
    authority: String, exchange: any FCMTokenExchange, clock: GatewayClock, request: @escaping Request
  ) {
    self.authority = authority
    self.request = request
    self.exchange = exchange
    self.clock = clock
  }

  /// The token of a service account.
  convenience init(account: FCMServiceAccount, exchange: any FCMTokenExchange, clock: GatewayClock) {
    self.init(authority: account.tokenURI.authority, exchange: exchange, clock: clock) {
      (wall) throws(FCMAccessToken.Failure) in
      do throws(SigningError) { return try account.tokenRequest(wall: wall) } catch {
        throw FCMAccessToken.Failure(isRefusal: false, detail: "cannot sign an assertion: \(error.message)")
      }
    }
  }

  /// Sets the callback for changes of the gate.
  package func onChange(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  package func gate(now: Duration, wall: Int64) -> CredentialGate {
    let (need, mustFetch, failure) = state.withLock { state in
      (state.machine.need(now: now), state.machine.shouldFetch(now: now), state.machine.lastFailure)
    }
    if mustFetch { fetch(wall) }
    switch need {
    case .use(let token):
      return .open(PoolAuthorization(generation: token.generation, header: token.authorization))
    case .wait: return .wait(detail: failure?.detail ?? "\(authority) has not answered")
    case .refuse(let failure): return .refuse(SendFailure(.notProcessed, .credential, failure.detail))
    }
  }

  /// A token was refused.
  ///
  /// Returns whether the request goes out once more.
  package func refused(generation: Int, now: Duration) -> Bool {
    state.withLock { $0.machine.refused(generation: generation, now: now) } == .resend
  }

  private func fetch(_ wall: Int64) {
    let body: [UInt8]
    do throws(FCMAccessToken.Failure) { body = try request(wall) } catch { return settle(.failure(error)) }
    exchange.exchange(body) { [weak self] answer in self?.settle(answer) }
  }

  private func settle(_ answer: FCMTokenAnswer) {
    let now = clock.monotonic()
    let (wake, retryAt) = state.withLock { state in
      switch answer {
      case .token(let token, let lifetime): state.machine.fetched(token, lifetime: lifetime, now: now)
      case .failure(let failure): state.machine.failed(failure, now: now)
      }
      return (state.wake, state.machine.nextFetch)
    }
    // Woken without something to send, a pool does not ask for a token: an idle client fetches none.
    if let wake {
      wake()
      if let retryAt { exchange.schedule(after: retryAt - now) { wake() } }
    }
  }
}

/// The way to the token endpoint.
package protocol FCMTokenExchange: AnyObject, Sendable {
  /// Exchanges what proves who asks, as the body of a form, for an access token; `done` is called once.
  func exchange(_ body: [UInt8], _ done: @escaping @Sendable (FCMTokenAnswer) -> Void)
  /// Calls `body` after a delay; harmless when the result is no longer needed.
  func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void)
}

/// The token endpoint over the network: each exchange has a connection of its own.
package final class FCMTokenFetches: FCMTokenExchange {
  /// Reads an answer of the endpoint: its status and its body.
  package typealias Reader = @Sendable (_ status: Int, _ body: [UInt8]) -> FCMTokenAnswer

  private let loop: EventLoop
  private let endpoint: GatewayEndpoint
  private let tls: TLSContext
  private let uri: FCMTokenURI
  private let timeout: Duration
  private let read: Reader
  /// The one under way.
  private let fetch = Mutex<FCMTokenFetch?>(nil)

  /// - Parameter read: reads an answer; that of Google's endpoint, unless given.
  package init(
    loop: EventLoop, endpoint: GatewayEndpoint, tls: TLSContext, uri: FCMTokenURI, timeout: Duration,
    read: @escaping Reader = { FCMTokenAnswer(status: $0, body: $1) }
  ) {
    self.read = read
    self.loop = loop
    self.endpoint = endpoint
    self.tls = tls
    self.uri = uri
    self.timeout = timeout
  }

  package func exchange(_ body: [UInt8], _ done: @escaping @Sendable (FCMTokenAnswer) -> Void) {
    let fetch = FCMTokenFetch(read) { [weak self] answer in
      self?.fetch.withLock { $0 = nil }
      done(answer)
    }
    self.fetch.withLock { $0 = fetch }
    fetch.start(loop: loop, endpoint: endpoint, tls: tls, uri: uri, body: body, timeout: timeout)
  }

  package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    loop.schedule(after: delay, body)
  }
}

/// One exchange for an access token: a connection of its own, one request, one answer.
final class FCMTokenFetch: HTTP2ClientObserver {
  private struct State {
    var connection: HTTP2ClientConnection?
    /// The request for the same exchange over HTTP/1.1.
    var plain: Plain?
    var asksPlainly = false
    var done: (@Sendable (FCMTokenAnswer) -> Void)?
  }

  private struct Plain: Sendable {
    let endpoint: GatewayEndpoint
    let uri: FCMTokenURI
    let body: [UInt8]
    let timeout: Duration
  }

  private let state: Mutex<State>
  private let read: FCMTokenFetches.Reader

  init(_ read: @escaping FCMTokenFetches.Reader, _ done: @escaping @Sendable (FCMTokenAnswer) -> Void) {
    self.read = read
    state = Mutex(State(done: done))
  }

  func start(
    loop: EventLoop, endpoint: GatewayEndpoint, tls: TLSContext, uri: FCMTokenURI, body: [UInt8], timeout: Duration
  ) {
    var configuration = HTTP2ClientConfiguration(host: endpoint.host, port: endpoint.port, tls: tls)
    configuration.serverName = endpoint.serverName
    configuration.proxy = endpoint.proxy
    configuration.addresses = endpoint.allowsPrivateAddresses ? .any : .publicOnly
    configuration.responseBodyLimit = FCMTokenAnswer.bodyBytesMax
    let template: HTTP2RequestTemplate
    do {
      template = try HTTP2RequestTemplate(
        authority: uri.authority, headers: [HTTP2Header("content-type", "application/x-www-form-urlencoded")])
    } catch {
      finish(.failure(.init(isRefusal: false, detail: "the token endpoint's address cannot be used: \(error)")))
      return
    }
    let connection = HTTP2ClientConnection(loop: loop, configuration: configuration, observer: self)
    state.withLock {
      $0.connection = connection
      $0.plain = Plain(endpoint: endpoint, uri: uri, body: body, timeout: timeout)
    }
    var batch = HTTP2RequestBatch(requests: 1, bytes: uri.path.utf8.count + body.count)
    batch.append(template, id: 0, path: uri.path, body: body, timeout: timeout)
    connection.start()
    connection.submit(batch)
  }

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) {
    guard case .closed(let reason) = event else { return }
    if askPlainly(reason) { return }
    finish(.failure(.unreachable(.connectionClosed(reason))))
    state.withLock { $0.connection = nil }
  }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) {
    guard !results.isEmpty else { return }
    switch results[0].outcome {
    case .response(let response):
      finish(read(response.status, Array(results.body(of: response))))
    case .failure(let failure):
      // A request fails with its connection; the reason for closing shows whether the endpoint uses another protocol.
      if case .connectionClosed(let reason) = failure.reason, askPlainly(reason) { break }
      finish(.failure(.unreachable(failure.reason)))
    }
    connection.drain()
  }

  /// Sends the request over HTTP/1.1 when the endpoint requires that; true when it does.
  private func askPlainly(_ reason: HTTP2CloseReason) -> Bool {
    let (plain, isAsking) = state.withLock { state in
      state.connection = nil
      guard let plain = state.plain,
        FCMPlainTokenFetch.isWorthTrying(reason, plain.endpoint, plain.uri)
      else { return (Plain?.none, false) }
      let isFirst = !state.asksPlainly
      state.asksPlainly = true
      return (isFirst ? plain : nil, true)
    }
    if let plain {
      FCMPlainTokenFetch.start(plain.endpoint, plain.uri, plain.body, plain.timeout, read) { [self] in finish($0) }
    }
    return isAsking
  }

  private func finish(_ answer: FCMTokenAnswer) {
    let done = state.withLock { $0.done.take() }
    done?(answer)
  }
}

extension FCMAccessToken.Failure {
  /// The token endpoint did not answer, which says nothing about the credential.
  fileprivate static func unreachable(_ reason: HTTP2FailureReason) -> FCMAccessToken.Failure {
    FCMAccessToken.Failure(isRefusal: false, detail: "the token endpoint cannot be reached: \(reason)")
  }
}
