internal import FCM
internal import GatewayPool
internal import HTTP2
internal import HTTPClient
internal import Synchronization
internal import TLS

/// One send, for a gateway that speaks HTTP/1.1.
struct HuaweiPlainSend: Sendable {
  let batch: FCMBatch
  let entry: Int
  let sink: any HuaweiSink
  /// Whether its access token was refused before.
  var wasReauthorized = false
}

/// The way to a gateway without HTTP/2: Huawei promises HTTPS and no more.
///
/// It is open from the time on at which a connection ended because the gateway does not speak HTTP/2.
final class HuaweiPlainWay: Sendable {
  private struct State {
    var isOpen = false
    var isClosed = false
    /// Sends without an outcome.
    var unfinished = 0
    /// Sends that wait for an access token.
    var waiting: [HuaweiPlainSend] = []
    var client: HTTPClient?
  }

  private let endpoint: GatewayEndpoint
  private let path: String
  private let tokens: FCMTokenSource
  private let clock: GatewayClock
  private let limits: HTTPClientLimits
  private let state = Mutex(State())

  init(
    endpoint: GatewayEndpoint, path: String, tokens: FCMTokenSource, timing: SendTiming, clock: GatewayClock
  ) {
    self.endpoint = endpoint
    self.path = path
    self.tokens = tokens
    self.clock = clock
    var limits = HTTPClientLimits()
    limits.requestMs = max(1, Int(timing.requestTimeout / .milliseconds(1)))
    self.limits = limits
  }

  deinit { state.withLock { $0.client.take() }?.end() }

  var isOpen: Bool { state.withLock { $0.isOpen } }
  var unfinished: Int { state.withLock { $0.unfinished } }

  /// Opens the way; true the first time.
  func open() -> Bool {
    state.withLock { state in
      defer { state.isOpen = true }
      return !state.isOpen
    }
  }

  /// Takes a send that did not go over HTTP/2; false when this is not the way.
  func takeOver(_ send: HuaweiPlainSend) -> Bool {
    let isTaken = state.withLock { state in
      guard state.isOpen, !state.isClosed else { return false }
      state.unfinished += 1
      return true
    }
    if isTaken { start(send) }
    return isTaken
  }

  /// Takes a batch; false when there is no room for it, and nothing of it was taken then.
  func submit(_ batch: FCMBatch, to sink: any HuaweiSink, capacity: Int) throws(QueueFull) {
    let refusal: QueueFull? = state.withLock { state in
      guard batch.count <= capacity - state.unfinished else {
        return QueueFull(requested: batch.count, free: max(0, capacity - state.unfinished), capacity: capacity)
      }
      state.unfinished += batch.count
      return nil
    }
    if let refusal { throw refusal }
    for entry in 0..<batch.count { start(HuaweiPlainSend(batch: batch, entry: entry, sink: sink)) }
  }

  /// The gate of the access token may have changed.
  func wake() {
    for send in state.withLock({ state in
      defer { state.waiting = [] }
      return state.waiting
    }) { start(send, isLast: true) }
  }

  /// Takes nothing new; what is under way ends within the time that a request has, and what waits for a token fails.
  func close() {
    state.withLock { $0.isClosed = true }
    wake()
  }

  /// - Parameter isLast: whether the token endpoint has answered while it waited, so that it waits no longer.
  private func start(_ send: HuaweiPlainSend, isLast: Bool = false) {
    let wall = clock.wall()
    if send.batch.isRecalled(send.entry) {
      return end(send, .failed(SendFailure(.notProcessed, .recalled, "it was taken back before it was sent")))
    }
    if let notAfter = send.batch.notAfter, notAfter <= wall {
      return end(send, .failed(SendFailure(.notProcessed, .expired, "its expiry passed before it could be sent")))
    }
    guard !state.withLock({ $0.isClosed }) else {
      return end(send, .failed(SendFailure(.notProcessed, .closed, "the client was closed")))
    }
    switch tokens.gate(now: clock.monotonic(), wall: wall) {
    case .open(let authorization): post(send, authorization)
    case .refuse(let failure): end(send, .failed(failure))
    case .wait(let detail):
      guard !isLast else {
        return end(send, .failed(SendFailure(.notProcessed, .tokenUnavailable, detail)))
      }
      state.withLock { $0.waiting.append(send) }
      // The answer may have come between the two looks at the gate.
      if case .wait = tokens.gate(now: clock.monotonic(), wall: wall) { return }
      wake()
    }
  }

  private func post(_ send: HuaweiPlainSend, _ authorization: PoolAuthorization) {
    guard let client = client() else {
      return end(send, .failed(SendFailure(.notProcessed, .connect, "the system gives no thread for HTTP/1.1")))
    }
    var headers = [("content-type", HuaweiClient.contentType)]
    if let value = authorization.header { headers.append(("authorization", value)) }
    var post = HTTPPost(
      url: "https://\(endpoint.authority)\(path)", headers: headers, body: send.batch.body(of: send.entry),
      allowsPrivate: endpoint.allowsPrivateAddresses)
    post.trust = endpoint.trust
    post.proxy = endpoint.proxy.map { HTTPTunnelProxy(authority: $0.description, authorization: $0.authorization) }
    client.exchange(post) { [self] answer in
      switch answer {
      case .answer(let answer): read(answer, of: send, authorization)
      // Whether it had arrived is not known of a request that has no answer.
      case .failed(let why): end(send, .failed(SendFailure(.unknown, .connectionLost, why)))
      case .unsent(let why): end(send, .failed(SendFailure(.notProcessed, .connect, why)))
      }
    }
  }

  private func read(_ answer: HTTPAnswer, of send: HuaweiPlainSend, _ authorization: PoolAuthorization) {
    let outcome = HuaweiAnswer(
      status: answer.status, retryAfter: answer.retryAfter.map { min($0, RetryAfter.secondsMax) }, body: answer.body
    ).outcome { send.batch.target(of: send.entry) }
    if case .rejected(let rejection) = outcome, rejection.consequence == .refreshToken, !send.wasReauthorized,
      tokens.refused(generation: authorization.generation, now: clock.monotonic())
    {
      var again = send
      again.wasReauthorized = true
      return start(again)
    }
    end(send, outcome)
  }

  private func client() -> HTTPClient? {
    state.withLock { state in
      if state.client == nil { state.client = HTTPClient(limits: limits) }
      return state.client
    }
  }

  private func end(_ send: HuaweiPlainSend, _ outcome: HuaweiOutcome) {
    state.withLock { $0.unfinished -= 1 }
    send.sink.receive([HuaweiResult(tag: send.batch.tag(of: send.entry), outcome: outcome)])
  }
}
