internal import GatewayPool
internal import HTTP2
internal import HTTPClient
internal import Synchronization
internal import TLS

/// One push service: the sends to its subscribers, over HTTP/2 or, where it does not speak that, HTTP/1.1.
final class WebPushOrigin: Sendable {
  private enum Way {
    case http2(GatewaySender)
    /// Its connections ended because it does not speak HTTP/2.
    case http1
    /// It could not be reached, and never had been: what waited for it failed.
    case unreachable(SendFailure)
    /// The client was closed, or the slot was given to another push service.
    case closed
  }

  let authority: String
  private let tokens: VAPIDTokenSource
  private let configuration: WebPushClientConfiguration
  private let trust: TLSTrust
  private let allowsPrivateAddresses: Bool
  private let proxy: HTTP2Proxy?
  private let http1: @Sendable () -> HTTPClient?
  private let finished: @Sendable (Int) -> Void
  private let onFirstAnswer: @Sendable () -> Void
  private let hasAnswered: Atomic<Bool>
  private let way = Mutex(Way.closed)
  /// Sends that have no outcome yet.
  private let open = Atomic(0)

  /// - Parameters:
  ///   - http1: the client for push services without HTTP/2, made when it is first needed.
  ///   - finished: gets how many sends have got their outcome.
  ///   - hasAnswered: whether it is known to be a push service; see ``WebPushClientConfiguration/originsMax``.
  ///   - onFirstAnswer: called when that becomes known.
  init(
    _ endpoint: WebPushEndpoint, _ configuration: WebPushClientConfiguration,
    pools: (any PoolCredential) -> PoolFactory,
    http1: @escaping @Sendable () -> HTTPClient?, finished: @escaping @Sendable (Int) -> Void, hasAnswered: Bool,
    onFirstAnswer: @escaping @Sendable () -> Void
  ) {
    self.configuration = configuration
    self.http1 = http1
    self.finished = finished
    self.hasAnswered = Atomic(hasAnswered)
    self.onFirstAnswer = onFirstAnswer
    let own = configuration.ownService.flatMap { $0.origin == endpoint.origin ? $0 : nil }
    trust = own?.trust ?? configuration.trust
    allowsPrivateAddresses = own != nil || configuration.allowsPrivateAddresses
    var gateway = GatewayEndpoint(
      host: endpoint.host, port: endpoint.port, trust: trust, allowsPrivateAddresses: allowsPrivateAddresses)
    proxy = own == nil ? configuration.proxy : own?.proxy
    gateway.proxy = proxy
    authority = gateway.authority
    tokens = VAPIDTokenSource(key: configuration.key, subject: configuration.subject, audience: endpoint.origin)
    var pool = PoolConfiguration(
      endpoint: gateway, limits: configuration.limits, timing: configuration.timing, clock: configuration.clock,
      wantedHeaders: WebPushBatchRun.wantedHeaders)
    pool.onConnectionLoss = { [weak self] failure in
      if failure.cause == .noHTTP2 { self?.useHTTP1() } else { self?.lostConnection(failure) }
    }
    let sender = GatewaySender(configuration: pool, capacity: configuration.queueCapacity, pools: pools(tokens))
    way.withLock { $0 = .http2(sender) }
  }

  /// Whether every send has its outcome.
  var isIdle: Bool { open.load(ordering: .relaxed) == 0 }

  /// Whether it takes no more, because it could not be reached.
  var isGivenUp: Bool {
    way.withLock { way in
      if case .unreachable = way { true } else { false }
    }
  }

  /// It answered: it is a push service, or was one.
  func answered() {
    if hasAnswered.exchange(true, ordering: .relaxed) { return }
    onFirstAnswer()
  }

  /// Waiting for another connection is for push services that have been reached before: anybody who subscribes can name one
  /// that is none, and as many waits as there are slots would keep the others waiting.
  private func lostConnection(_ failure: SendFailure) {
    guard !hasAnswered.load(ordering: .relaxed), Self.outOfReach.contains(failure.cause) else { return }
    let sender: GatewaySender? = way.withLock { way in
      guard case .http2(let sender) = way else { return nil }
      way = .unreachable(failure)
      return sender
    }
    sender?.close(within: .zero)
  }

  /// How connections end that were never made.
  private static let outOfReach: Set<SendFailure.Cause> = [
    .nameLookup, .addressRefused, .connect, .proxy, .tls, .silence,
  ]

  /// Why what waited for it failed; nil when that is not because it could not be reached.
  func unreachable() -> SendFailure? {
    way.withLock { way in
      guard case .unreachable(let failure) = way else { return nil }
      return SendFailure(.notProcessed, failure.cause, failure.detail)
    }
  }

  /// Takes the sends of a batch that go to this push service; each gets its outcome.
  func submit(_ batch: WebPushBatch, entries: [WebPushBatch.Entry], to sink: any WebPushSink) {
    open.add(entries.count, ordering: .relaxed)
    let sender: GatewaySender? = way.withLock { way in
      if case .http2(let sender) = way { sender } else { nil }
    }
    let run = WebPushBatchRun(batch, entries: entries, origin: self, sink: sink)
    if let sender {
      // The client has counted: there is room.
      do { try sender.submit(run) } catch { preconditionFailure("more sends than the client holds: \(error)") }
    } else {
      for entry in entries.indices { run.failed(entry, Self.closed) }
      run.flush()
    }
  }

  /// Reports that sends have their outcome.
  func ended(_ count: Int) {
    open.subtract(count, ordering: .relaxed)
    finished(count)
  }

  /// Takes nothing new; what was submitted ends within `limit`.
  func close(within limit: Duration) {
    let sender: GatewaySender? = way.withLock { way in
      defer { way = .closed }
      if case .http2(let sender) = way { return sender } else { return nil }
    }
    sender?.close(within: limit)
  }

  private static let closed = SendFailure(.notProcessed, .closed, "the client was closed")

  // MARK: - HTTP/1.1

  /// The push service does not speak HTTP/2: what waits for a connection is sent over HTTP/1.1, and all that follows.
  private func useHTTP1() {
    let sender: GatewaySender? = way.withLock { way in
      guard case .http2(let sender) = way else { return nil }
      way = .http1
      return sender
    }
    // What waits there fails as not processed, and comes here.
    sender?.close(within: .zero)
  }

  /// Sends over HTTP/1.1 what could not be sent over HTTP/2; false when that is not the way.
  func takeOver(_ send: WebPushSingle) -> Bool {
    let isWay: Bool = way.withLock { way in
      if case .http1 = way { true } else { false }
    }
    guard isWay else { return false }
    let wall = configuration.clock.wall()
    if send.batch.recall?.contains(send.entry.tag) == true {
      end(send, .failed(SendFailure(.notProcessed, .recalled, "it was taken back before it was sent")))
      return true
    }
    if let notAfter = send.batch.notAfter, notAfter <= wall {
      end(send, .failed(SendFailure(.notProcessed, .expired, "its expiry passed before it could be sent")))
      return true
    }
    switch tokens.gate(now: configuration.clock.monotonic(), wall: wall) {
    case .open(let authorization): post(send, authorization.header)
    case .refuse(let failure): end(send, .failed(failure))
    case .wait(let detail): end(send, .failed(SendFailure(.notProcessed, .tokenUnavailable, detail)))
    }
    return true
  }

  private func post(_ send: WebPushSingle, _ authorization: String?) {
    guard let client = http1() else {
      return end(send, .failed(SendFailure(.notProcessed, .connect, "the system gives no thread for HTTP/1.1")))
    }
    var headers = send.batch.message.headers
    if let authorization { headers.append(("authorization", authorization)) }
    let subscription = send.entry.subscription
    var post = HTTPPost(
      url: subscription.endpoint.url, headers: headers, body: send.batch.body(of: send.entry),
      allowsPrivate: allowsPrivateAddresses)
    post.trust = trust
    post.proxy = proxy.map { HTTPTunnelProxy(authority: $0.description, authorization: $0.authorization) }
    client.exchange(post) { [self] answer in
      switch answer {
      case .answer(let answer):
        answered()
        let retryAfter = answer.retryAfter.map { min($0, RetryAfter.secondsMax) }
        end(
          send,
          WebPushOutcome(status: answer.status, location: answer.location, retryAfter: retryAfter, body: answer.body))
      // Whether it had arrived is not known of a request that has no answer.
      case .failed(let why): end(send, .failed(SendFailure(.unknown, .connectionLost, why)))
      case .unsent(let why): end(send, .failed(SendFailure(.notProcessed, .connect, why)))
      }
    }
  }

  private func end(_ send: WebPushSingle, _ outcome: WebPushOutcome) {
    ended(1)
    send.sink.receive([WebPushResult(tag: send.entry.tag, outcome: outcome)])
  }
}
