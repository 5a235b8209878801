public import GatewayPool
internal import HTTP2
public import PushPayload
internal import TLS

/// What a client is made from.
public struct FCMClientConfiguration: Sendable {
  /// Which FCM.
  public var gateway: FCMGateway
  /// Who sends, and for which project.
  public var account: FCMServiceAccount
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

  /// A client's parts, with limits that suit FCM: it allows 100 streams a connection, so there may be more connections,
  /// and it does not tolerate PINGs on idle ones.
  public init(gateway: FCMGateway = .production, account: FCMServiceAccount) {
    self.gateway = gateway
    self.account = account
    limits = PoolLimits()
    limits.connectionsMax = 16
    limits.streamsPerConnectionMax = 100
    limits.idlePing = nil
    limits.connectBurst = 16
  }
}

/// Sends messages to FCM over few connections with many streams each.
///
/// A batch is handed to a network thread, and outcomes come back in batches: ``submit(_:to:)``. The asynchronous
/// ``send(_:to:urgency:notAfter:)`` is a convenience over that for single messages.
///
/// Every send ends in exactly one ``FCMOutcome``, within `queueTimeout` and `requestTimeout` of ``SendTiming`` (twice,
/// when it was sent again because FCM certainly had not processed it), whatever FCM or the network do.
public final class FCMClient: Sendable {
  private let sender: GatewaySender
  private let project: FCMProjectAddress
  private let tokens: FCMTokenSource

  /// Makes a client.
  ///
  /// No connection is opened and no access token fetched before the first send.
  ///
  /// - Parameters:
  ///   - configuration: the parts.
  ///   - threads: where it runs; they have to outlive the client.
  /// - Throws: ``FCMCredentialError`` when the trusted authorities cannot be used.
  public convenience init(
    _ configuration: FCMClientConfiguration, threads: GatewayThreads
  ) throws(FCMCredentialError) {
    let gateway = configuration.gateway
    let account = configuration.account
    let tokenEndpoint = gateway.tokenEndpoint(for: account.tokenURI)
    let tls: TLSContext
    let tokenTLS: TLSContext
    do {
      tls = try TLSContext.client(trust: gateway.endpoint.trust)
      tokenTLS = try TLSContext.client(trust: tokenEndpoint.trust)
    } catch {
      throw FCMCredentialError("\(error)")
    }
    let exchange = FCMTokenFetches(
      loop: threads.loops[0], endpoint: tokenEndpoint, tls: tokenTLS, uri: account.tokenURI,
      timeout: configuration.tokenTimeout)
    self.init(configuration, exchange: exchange) { threads.pools(tls: tls, credential: $0) }
  }

  /// Makes a client over pools and a way to the token endpoint of the caller's.
  package init(
    _ configuration: FCMClientConfiguration, exchange: any FCMTokenExchange,
    pools: (any PoolCredential) -> PoolFactory
  ) {
    let endpoint = configuration.gateway.endpoint
    project = FCMProjectAddress(endpoint: endpoint, projectID: configuration.account.projectID)
    let tokens = FCMTokenSource(account: configuration.account, exchange: exchange, clock: configuration.clock)
    self.tokens = tokens
    var pool = PoolConfiguration(
      endpoint: endpoint, limits: configuration.limits, timing: configuration.timing,
      clock: configuration.clock, wantedHeaders: FCMBatchRun.wantedHeaders)
    pool.onConnectionLoss = configuration.onConnectionLoss
    sender = GatewaySender(configuration: pool, capacity: configuration.queueCapacity, pools: pools(tokens))
    tokens.onChange(sender.waker)
  }

  /// Hands a batch over and returns at once.
  ///
  /// - Parameters:
  ///   - batch: the sends.
  ///   - sink: gets one outcome for each of them.
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends. Nothing of the batch was taken then.
  public func submit(_ batch: FCMBatch, to sink: any FCMSink) throws(QueueFull) {
    try sender.submit(FCMBatchRun(batch, sink: sink, project: project, tokens: tokens))
  }

  /// Sends one message and waits for its outcome.
  ///
  /// - Parameters:
  ///   - body: the message with a placeholder for the target.
  ///   - target: the registration token or installation ID.
  ///   - urgency: which queue it waits in.
  ///   - notAfter: the time, in seconds since 1970, after which it is not sent.
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends.
  public func send(
    _ body: FCMRequestTemplate, to target: String, urgency: SendUrgency = .urgent, notAfter: Int64? = nil
  ) async throws(QueueFull) -> FCMOutcome {
    var batch = FCMBatch(FCMTemplate(body), capacity: 1, urgency: urgency, notAfter: notAfter)
    batch.append(tag: 0, target: target)
    let waiter = OutcomeWaiter<FCMOutcome>()
    try submit(batch, to: FCMSingleSink(waiter))
    return await waiter.value()
  }

  /// Sends one finished request, whatever its target is (a topic, a condition), and waits for its outcome.
  public func send(
    _ request: FCMRequest, urgency: SendUrgency = .urgent, notAfter: Int64? = nil
  ) async throws(QueueFull) -> FCMOutcome {
    try await send(
      FCMRequestTemplate(prefix: request.body, suffix: [], placeholder: .token), to: "", urgency: urgency,
      notAfter: notAfter)
  }

  /// How many sends have no outcome yet.
  public var unfinished: Int { sender.unfinished }

  /// What the client's connections are doing.
  public func statistics() async -> PoolStatistics { await sender.statistics() }

  /// Takes nothing new, lets what was submitted end, and closes the connections.
  ///
  /// What is not done within `limit` fails.
  public func drain(within limit: Duration) async { await sender.drain(within: limit) }

  /// The same without waiting for the end.
  public func close(within limit: Duration) { sender.close(within: limit) }

  /// Whether the client takes nothing new any more.
  public var isClosed: Bool { sender.isClosed }
}

/// Passes the one outcome of a single send on.
private final class FCMSingleSink: FCMSink {
  private let waiter: OutcomeWaiter<FCMOutcome>

  init(_ waiter: OutcomeWaiter<FCMOutcome>) { self.waiter = waiter }

  func receive(_ results: [FCMResult]) {
    if let outcome = results.first?.outcome { waiter.fulfil(outcome) }
  }
}
