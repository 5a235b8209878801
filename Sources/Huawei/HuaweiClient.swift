public import FCM
public import GatewayPool
internal import HTTP2
public import PushPayload
internal import Synchronization
internal import TLS

/// What a client is made from.
public struct HuaweiClientConfiguration: Sendable {
  /// Which Push Kit.
  public var gateway: HuaweiGateway
  /// Who sends, and for which app or project.
  public var account: HuaweiAccount
  /// How connections are opened, used and replaced.
  public var limits: PoolLimits
  /// How long a send may take.
  public var timing = SendTiming()
  /// How many unfinished sends the client holds; a batch that does not fit is refused whole.
  public var queueCapacity = 100_000
  /// Gets the reason each time a connection is lost or cannot be opened; called on a network thread.
  public var onConnectionLoss: (@Sendable (SendFailure) -> Void)?
  package var clock = GatewayClock.system
  /// How long the token endpoint may take to answer; its connection has its own limits.
  package var tokenTimeout: Duration = .seconds(20)

  /// A client's parts, with limits for a gateway of whose connections nothing is documented: few, without PINGs.
  public init(gateway: HuaweiGateway = .production, account: HuaweiAccount) {
    self.gateway = gateway
    self.account = account
    limits = PoolLimits()
    limits.connectionsMax = 8
    limits.streamsPerConnectionMax = 100
    limits.idlePing = nil
  }
}

/// Sends messages to Huawei's Push Kit, one token a request, over HTTP/2 or, where the gateway does not speak that, HTTP/1.1.
///
/// A request to Push Kit may have up to 1,000 tokens. It has one here: texts differ from person to person, an answer then
/// says of a device without doubt the outcome of it, and a request without an answer leaves one delivery in doubt.
///
/// Every send ends in exactly one ``HuaweiOutcome``.
public final class HuaweiClient: Sendable {
  /// As Huawei's page has it.
  static let contentType = "application/json;charset=UTF-8"

  private let sender: GatewaySender
  private let address: FCMProjectAddress
  private let tokens: FCMTokenSource
  private let plain: HuaweiPlainWay
  private let capacity: Int

  /// Makes a client.
  ///
  /// No connection is opened and no access token fetched before the first send.
  ///
  /// - Parameters:
  ///   - configuration: the parts.
  ///   - threads: where it runs; they have to outlive the client.
  /// - Throws: ``HuaweiCredentialError`` when the trusted authorities or the gateway's name cannot be used.
  public convenience init(
    _ configuration: HuaweiClientConfiguration, threads: GatewayThreads
  ) throws(HuaweiCredentialError) {
    let gateway = configuration.gateway
    let uri = try gateway.tokenURI()
    let tls: TLSContext
    let tokenTLS: TLSContext
    do {
      tls = try TLSContext.client(trust: gateway.endpoint.trust)
      tokenTLS = try TLSContext.client(trust: gateway.tokenEndpoint.trust)
    } catch {
      throw HuaweiCredentialError("", "\(error)")
    }
    let exchange = FCMTokenFetches(
      loop: threads.loops[0], endpoint: gateway.tokenEndpoint, tls: tokenTLS, uri: uri,
      timeout: configuration.tokenTimeout, read: HuaweiTokenAnswer.read)
    self.init(configuration, exchange: exchange, tokenAuthority: uri.authority) {
      threads.pools(tls: tls, credential: $0)
    }
  }

  /// Makes a client over pools and a way to the token endpoint of the caller's.
  package init(
    _ configuration: HuaweiClientConfiguration, exchange: any FCMTokenExchange, tokenAuthority: String,
    pools: (any PoolCredential) -> PoolFactory
  ) {
    let endpoint = configuration.gateway.endpoint
    let account = configuration.account
    address = FCMProjectAddress(authority: endpoint.authority, path: account.path, contentType: Self.contentType)
    let tokens = FCMTokenSource(authority: tokenAuthority, exchange: exchange, clock: configuration.clock) {
      (_) throws(FCMAccessToken.Failure) in account.tokenRequest
    }
    self.tokens = tokens
    let plain = HuaweiPlainWay(
      endpoint: endpoint, path: account.path, tokens: tokens, timing: configuration.timing, clock: configuration.clock)
    self.plain = plain
    capacity = configuration.queueCapacity
    var pool = PoolConfiguration(
      endpoint: endpoint, limits: configuration.limits, timing: configuration.timing, clock: configuration.clock,
      wantedHeaders: HuaweiBatchRun.wantedHeaders)
    let relay = SenderRelay()
    let onLoss = configuration.onConnectionLoss
    pool.onConnectionLoss = { failure in
      guard failure.cause == .noHTTP2 else { onLoss?(failure); return }
      // What waits there fails as not processed, and goes over HTTP/1.1.
      if plain.open() { relay.close() }
    }
    sender = GatewaySender(configuration: pool, capacity: capacity, pools: pools(tokens))
    relay.set(sender)
    let wake = sender.waker
    tokens.onChange {
      wake()
      plain.wake()
    }
  }

  /// Hands a batch over and returns at once.
  ///
  /// - Parameters:
  ///   - batch: the sends, laid out as ``HuaweiRequest`` has them.
  ///   - sink: gets one outcome for each of them.
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends. Nothing of the batch was taken then.
  public func submit(_ batch: FCMBatch, to sink: any HuaweiSink) throws(QueueFull) {
    guard !plain.isOpen else { return try plain.submit(batch, to: sink, capacity: capacity) }
    try sender.submit(HuaweiBatchRun(batch, sink: sink, address: address, tokens: tokens, plain: plain))
  }

  /// Sends one message and waits for its outcome.
  ///
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends.
  public func send(
    _ body: FCMRequestTemplate, to token: String, urgency: SendUrgency = .urgent, notAfter: Int64? = nil
  ) async throws(QueueFull) -> HuaweiOutcome {
    var batch = FCMBatch(FCMTemplate(body), capacity: 1, urgency: urgency, notAfter: notAfter)
    batch.append(tag: 0, target: token)
    let waiter = OutcomeWaiter<HuaweiOutcome>()
    try submit(batch, to: HuaweiSingleSink(waiter))
    return await waiter.value()
  }

  /// How many sends have no outcome yet.
  public var unfinished: Int { sender.unfinished + plain.unfinished }

  /// Takes nothing new; what was submitted ends within `limit`, and the connections are closed.
  public func close(within limit: Duration) {
    isEnded.store(true, ordering: .relaxed)
    sender.close(within: limit)
    plain.close()
  }

  private let isEnded = Atomic(false)

  /// Whether the client takes nothing new any more.
  public var isClosed: Bool { isEnded.load(ordering: .relaxed) }
}

/// The sender for its own callback, which is made before it.
private final class SenderRelay: Sendable {
  private struct Weak: Sendable { weak var sender: GatewaySender? }

  private let held = Mutex(Weak())

  func set(_ sender: GatewaySender) { held.withLock { $0.sender = sender } }
  func close() { held.withLock { $0.sender }?.close(within: .zero) }
}

/// Passes the one outcome of a single send on.
private final class HuaweiSingleSink: HuaweiSink {
  private let waiter: OutcomeWaiter<HuaweiOutcome>

  init(_ waiter: OutcomeWaiter<HuaweiOutcome>) { self.waiter = waiter }

  func receive(_ results: [HuaweiResult]) {
    if let outcome = results.first?.outcome { waiter.fulfil(outcome) }
  }
}
