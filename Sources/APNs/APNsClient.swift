public import GatewayPool
internal import HTTP2
public import PushPayload
internal import Synchronization
internal import TLS

/// What a client is made from.
public struct APNsClientConfiguration: Sendable {
  /// Which APNs.
  public var gateway: APNsGateway
  /// Who sends.
  public var credential: APNsCredential
  /// How connections are opened, used and replaced.
  public var limits: PoolLimits
  /// How long a send may take.
  public var timing = SendTiming()
  /// How many unfinished sends the client holds; a batch that does not fit is refused whole.
  public var queueCapacity = 100_000
  /// Gets the reason each time a connection is lost or cannot be opened; called on a network thread.
  public var onConnectionLoss: (@Sendable (SendFailure) -> Void)?
  package var clock = GatewayClock.system

  /// A client's parts, with Apple's rules as limits: one stream until the first accepted token, a PING after an hour.
  public init(gateway: APNsGateway, credential: APNsCredential) {
    self.gateway = gateway
    self.credential = credential
    limits = PoolLimits()
    limits.idlePing = .seconds(3600)
    if case .token = credential { limits.streamsBeforeFirstAcceptance = 1 }
  }
}

/// Sends notifications to APNs over few connections with many streams each.
///
/// A batch is handed to a network thread, and outcomes come back in batches: ``submit(_:to:)``. The asynchronous
/// ``send(_:to:id:urgency:notAfter:)`` is a convenience over that for single notifications.
///
/// Every send ends in exactly one ``APNsOutcome``, within `queueTimeout` and `requestTimeout` of ``SendTiming`` (twice,
/// when it was sent again because APNs certainly had not processed it), whatever APNs or the network do.
public final class APNsClient: Sendable {
  private let sender: GatewaySender
  private let authority: String
  private let tokens: APNsTokenSource?

  /// Makes a client.
  ///
  /// No connection is opened before the first send.
  ///
  /// - Parameters:
  ///   - configuration: the parts.
  ///   - threads: where it runs; they have to outlive the client.
  /// - Throws: ``APNsCredentialError`` when certificate, key or trusted authorities cannot be used.
  public convenience init(
    _ configuration: APNsClientConfiguration, threads: GatewayThreads
  ) throws(APNsCredentialError) {
    var identity: TLSIdentity?
    if case .certificate(let certificate) = configuration.credential { identity = certificate }
    let tls: TLSContext
    do {
      tls = try TLSContext.client(trust: configuration.gateway.endpoint.trust, identity: identity)
    } catch {
      throw APNsCredentialError("\(error)")
    }
    self.init(configuration) { threads.pools(tls: tls, credential: $0) }
  }

  /// Makes a client over pools of the caller's.
  package init(_ configuration: APNsClientConfiguration, pools: (any PoolCredential) -> PoolFactory) {
    let endpoint = configuration.gateway.endpoint
    authority = endpoint.authority
    if case .token(let key) = configuration.credential { tokens = APNsTokenSource(key) } else { tokens = nil }
    var pool = PoolConfiguration(
      endpoint: endpoint, limits: configuration.limits, timing: configuration.timing, clock: configuration.clock,
      wantedHeaders: APNsBatchRun.wantedHeaders)
    pool.onConnectionLoss = configuration.onConnectionLoss
    let credential: any PoolCredential = if let tokens { tokens } else { APNsCertificateGate() }
    sender = GatewaySender(
      configuration: pool, capacity: configuration.queueCapacity, pools: pools(credential))
  }

  /// Hands a batch over and returns at once.
  ///
  /// - Parameters:
  ///   - batch: the sends.
  ///   - sink: gets one outcome for each of them.
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends. Nothing of the batch was taken then.
  public func submit(_ batch: APNsBatch, to sink: any APNsSink) throws(QueueFull) {
    try sender.submit(APNsBatchRun(batch, sink: sink, authority: authority, credential: tokens))
  }

  /// Sends one notification and waits for its outcome.
  ///
  /// - Parameters:
  ///   - request: headers and body.
  ///   - token: the device token as hexadecimal text.
  ///   - id: the `apns-id`; the one in the request's headers when `nil`, else a random one.
  ///   - urgency: which queue it waits in.
  ///   - notAfter: the time, in seconds since 1970, after which it is not sent.
  /// - Throws: ``QueueFull`` when the client holds too many unfinished sends.
  public func send(
    _ request: APNsRequest, to token: String, id: APNsID? = nil, urgency: SendUrgency = .urgent, notAfter: Int64? = nil
  ) async throws(QueueFull) -> APNsOutcome {
    var generator = SystemRandomNumberGenerator()
    var batch = APNsBatch(APNsTemplate(request), capacity: 1, urgency: urgency, notAfter: notAfter)
    batch.append(tag: 0, token: token, id: id ?? request.headers.id ?? APNsID(using: &generator))
    let waiter = OutcomeWaiter<APNsOutcome>()
    try submit(batch, to: APNsSingleSink(waiter))
    return await waiter.value()
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
private final class APNsSingleSink: APNsSink {
  private let waiter: OutcomeWaiter<APNsOutcome>

  init(_ waiter: OutcomeWaiter<APNsOutcome>) { self.waiter = waiter }

  func receive(_ results: [APNsResult]) {
    if let outcome = results.first?.outcome { waiter.fulfil(outcome) }
  }
}
