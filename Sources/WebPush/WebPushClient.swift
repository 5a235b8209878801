public import GatewayPool
public import HTTP2
internal import HTTPClient
internal import Synchronization
public import TLS

/// A push service that the operator has named: it may have a private address, and certificates of its own.
public struct WebPushOwnService: Sendable {
  /// Scheme, host and port, as ``WebPushEndpoint/origin`` has them.
  public let origin: String
  /// The certificate authorities that may vouch for it.
  public let trust: TLSTrust
  /// The HTTP proxy on the way to it, reached with CONNECT.
  public var proxy: HTTP2Proxy?

  /// Names a push service.
  ///
  /// - Throws: ``WebPushError`` when host and port make no endpoint.
  public init(host: String, port: UInt16, trust: TLSTrust = .system) throws(WebPushError) {
    origin = try WebPushEndpoint("https://\(host.contains(":") ? "[\(host)]" : host):\(port)").origin
    self.trust = trust
  }
}

/// What a client is made from.
public struct WebPushClientConfiguration: Sendable {
  /// Who sends: the key that the subscriptions were made for.
  public var key: VAPIDKey
  /// Whom push services can contact.
  public var subject: VAPIDSubject
  /// The certificate authorities of push services.
  public var trust: TLSTrust = .system
  /// Whether endpoints may have loopback, private and link-local addresses.
  ///
  /// Endpoints come from browsers: off, so that nobody can have requests sent into the inner network.
  public var allowsPrivateAddresses = false
  /// The one push service to which neither of these applies; nil for none.
  public var ownService: WebPushOwnService?
  /// The HTTP proxy on the way to all others, reached with CONNECT.
  ///
  /// The proxy looks names up: what they lead to is then not checked here, but for numeric addresses and names of inner
  /// networks.
  public var proxy: HTTP2Proxy?
  /// How connections to one push service are opened, used and replaced.
  public var limits: PoolLimits
  /// How long a send may take.
  public var timing = SendTiming()
  /// How many unfinished sends the client holds; a batch that does not fit is refused whole.
  public var queueCapacity = 100_000
  /// How many push services may be in use at a time.
  ///
  /// The connections of one that has nothing to do are given up for another. Half of them are kept for push services that
  /// have answered before: an endpoint can name any host, and what answers nowhere holds its slot for a while.
  public var originsMax = 64
  package var clock = GatewayClock.system

  /// The time in seconds since 1970, as the client has it.
  public func wallClock() -> Int64 { clock.wall() }

  /// A client's parts, with limits for one push service of two connections with 1000 streams each.
  public init(key: VAPIDKey, subject: VAPIDSubject) {
    self.key = key
    self.subject = subject
    limits = PoolLimits()
    limits.connectionsMax = 2
    limits.connectionsMin = 0
  }
}

extension SendFailure.Cause {
  /// As many push services are in use as the client may have connections to.
  public static let originLimit = Self(rawValue: "origin_limit")
}

/// Sends messages to browsers over their push services (RFC 8030), encrypted (RFC 8291) and signed (RFC 8292).
///
/// Each push service (origin) has connections of its own, so that one that hangs costs the others nothing. Messages are
/// encrypted on the network threads when they are written.
///
/// Every send ends in exactly one ``WebPushOutcome``, within `queueTimeout` and `requestTimeout` of ``SendTiming`` (twice,
/// when it was sent again because the push service certainly had not processed it).
public final class WebPushClient: Sendable {
  private struct State {
    var unfinished = 0
    var isClosed = false
    var origins: [String: PooledOrigin] = [:]
    /// Push services that have answered, by origin.
    var known: Set<String> = []
    var uses: UInt64 = 0

    /// Whether there is room for another push service, and the idle one that makes room.
    mutating func makeRoom(for name: String, of max: Int) -> (hasRoom: Bool, evicted: WebPushOrigin?) {
      // Found dead, it is made anew in its own slot.
      if origins.removeValue(forKey: name) != nil { return (true, nil) }
      let isKnown = known.contains(name)
      let unknown = isKnown ? 0 : origins.keys.count { !known.contains($0) }
      let isCrowded = !isKnown && unknown >= Swift.max(1, max / 2)
      guard isCrowded || origins.count >= max else { return (true, nil) }
      let idle = origins.filter { (!isCrowded || !known.contains($0.key)) && $0.value.origin.isIdle }
      guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return (false, nil) }
      return (true, origins.removeValue(forKey: oldest.key)?.origin)
    }

    mutating func note(known name: String) {
      // There are few push services in the world.
      if known.count < Self.knownMax { known.insert(name) }
    }

    private static let knownMax = 4_096
  }

  private struct PooledOrigin {
    let origin: WebPushOrigin
    var lastUse: UInt64
  }

  /// Shared with the origins, which must not keep the client alive.
  private final class StateBox: Sendable {
    let value = Mutex(State())
  }

  private let configuration: WebPushClientConfiguration
  private let threads: GatewayThreads
  private let tls: TLSContext
  private let ownTLS: TLSContext?
  private let state = StateBox()
  private let http1: LazyHTTPClient

  /// Makes a client.
  ///
  /// No connection is opened before the first send.
  ///
  /// - Parameters:
  ///   - configuration: the parts.
  ///   - threads: where it runs; they have to outlive the client.
  /// - Throws: ``WebPushError`` when the trusted authorities cannot be used.
  public init(_ configuration: WebPushClientConfiguration, threads: GatewayThreads) throws(WebPushError) {
    do {
      tls = try TLSContext.client(trust: configuration.trust)
      ownTLS = try configuration.ownService.map { (own) throws(TLSError) in try TLSContext.client(trust: own.trust) }
    } catch {
      throw WebPushError("", "\(error)")
    }
    self.configuration = configuration
    self.threads = threads
    http1 = LazyHTTPClient(configuration.timing)
  }

  deinit { http1.end() }

  /// Hands a batch over and returns at once.
  ///
  /// - Parameters:
  ///   - batch: the sends.
  ///   - sink: gets one outcome for each of them.
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends. Nothing of the batch was taken then.
  public func submit(_ batch: WebPushBatch, to sink: any WebPushSink) throws(QueueFull) {
    guard batch.count > 0 else { return }
    try count(batch.count)
    var parts: [String: [WebPushBatch.Entry]] = [:]
    for entry in batch.entries { parts[entry.subscription.endpoint.origin, default: []].append(entry) }
    for (name, entries) in parts {
      if let origin = origin(name, entries[0].subscription.endpoint) {
        origin.submit(batch, entries: entries, to: sink)
      } else {
        refuse(entries, to: sink)
      }
    }
  }

  /// Sends one message and waits for its outcome.
  ///
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends.
  public func send(
    _ message: WebPushMessage, to subscription: WebPushSubscription, urgency: SendUrgency = .urgent,
    notAfter: Int64? = nil
  ) async throws(QueueFull) -> WebPushOutcome {
    var batch = WebPushBatch(message, urgency: urgency, notAfter: notAfter)
    batch.append(tag: 0, to: subscription)
    let waiter = OutcomeWaiter<WebPushOutcome>()
    try submit(batch, to: WebPushSingleSink(waiter))
    return await waiter.value()
  }

  /// How many sends have no outcome yet.
  public var unfinished: Int { state.value.withLock { $0.unfinished } }

  /// How many push services have connections, or had some and may get more.
  public var origins: Int { state.value.withLock { $0.origins.count } }

  /// Takes nothing new; what was submitted ends within `limit`, and the connections are closed.
  public func close(within limit: Duration) {
    let origins = state.value.withLock { state in
      state.isClosed = true
      defer { state.origins = [:] }
      return state.origins.values.map(\.origin)
    }
    for origin in origins { origin.close(within: limit) }
  }

  private func count(_ sends: Int) throws(QueueFull) {
    let capacity = configuration.queueCapacity
    let refusal: QueueFull? = state.value.withLock { state in
      guard sends <= capacity - state.unfinished else {
        return QueueFull(requested: sends, free: capacity - state.unfinished, capacity: capacity)
      }
      state.unfinished += sends
      return nil
    }
    if let refusal { throw refusal }
  }

  /// The push service's connections; nil when the client is closed, or all slots are in use.
  private func origin(_ name: String, _ endpoint: WebPushEndpoint) -> WebPushOrigin? {
    let (origin, evicted): (WebPushOrigin?, WebPushOrigin?) = state.value.withLock { state in
      guard !state.isClosed else { return (nil, nil) }
      state.uses += 1
      if let pooled = state.origins[name], !pooled.origin.isGivenUp {
        state.origins[name]?.lastUse = state.uses
        return (pooled.origin, nil)
      }
      let (hasRoom, evicted) = state.makeRoom(for: name, of: configuration.originsMax)
      guard hasRoom else { return (nil, nil) }
      let made = make(endpoint, isKnown: state.known.contains(name))
      state.origins[name] = PooledOrigin(origin: made, lastUse: state.uses)
      return (made, evicted)
    }
    evicted?.close(within: configuration.timing.requestTimeout)
    return origin
  }

  private func make(_ endpoint: WebPushEndpoint, isKnown: Bool) -> WebPushOrigin {
    let state = state
    let name = endpoint.origin
    let http1 = http1
    let tls = endpoint.origin == configuration.ownService?.origin ? ownTLS ?? tls : tls
    return WebPushOrigin(
      endpoint, configuration, pools: { [threads] in threads.pools(tls: tls, credential: $0) },
      http1: { http1.client }, finished: { count in state.value.withLock { $0.unfinished -= count } },
      hasAnswered: isKnown,
      onFirstAnswer: { state.value.withLock { $0.note(known: name) } })
  }

  private func refuse(_ entries: [WebPushBatch.Entry], to sink: any WebPushSink) {
    let isClosed = state.value.withLock { state in
      state.unfinished -= entries.count
      return state.isClosed
    }
    let failure =
      isClosed
      ? SendFailure(.notProcessed, .closed, "the client was closed")
      : SendFailure(
        .notProcessed, .originLimit,
        "\(configuration.originsMax) push services are in use; send again when fewer are")
    sink.receive(entries.map { WebPushResult(tag: $0.tag, outcome: .failed(failure)) })
  }
}

/// The client for push services without HTTP/2, which hardly anybody needs: its thread starts with the first send.
private final class LazyHTTPClient: Sendable {
  private enum State {
    case unused
    case made(HTTPClient?)
  }

  private let state = Mutex(State.unused)
  private let limits: HTTPClientLimits

  init(_ timing: SendTiming) {
    var limits = HTTPClientLimits()
    limits.requestMs = max(1, Int(timing.requestTimeout / .milliseconds(1)))
    self.limits = limits
  }

  var client: HTTPClient? {
    state.withLock { state in
      if case .made(let client) = state { return client }
      let client = HTTPClient(limits: limits)
      state = .made(client)
      return client
    }
  }

  func end() {
    state.withLock { state in
      if case .made(let client?) = state { client.end() }
    }
  }
}

/// Passes the one outcome of a single send on.
private final class WebPushSingleSink: WebPushSink {
  private let waiter: OutcomeWaiter<WebPushOutcome>

  init(_ waiter: OutcomeWaiter<WebPushOutcome>) { self.waiter = waiter }

  func receive(_ results: [WebPushResult]) {
    if let outcome = results.first?.outcome { waiter.fulfil(outcome) }
  }
}
