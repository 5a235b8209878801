public import GatewayPool
internal import HTTP2
public import PushPayload
internal import TLS

/// What a channel client is made from.
public struct APNsChannelClientConfiguration: Sendable {
  /// Which APNs.
  public var gateway: APNsBroadcastGateway
  /// Who sends; a certificate serves broadcasts and channels as well.
  public var credential: APNsCredential
  /// How connections are opened, used and replaced.
  public var limits: PoolLimits
  /// How long a request may take.
  public var timing = SendTiming()
  /// How many unfinished requests each of the two services may have.
  public var queueCapacity = 10_000

  /// A client's parts: one connection to each service, one stream until the first accepted token.
  public init(gateway: APNsBroadcastGateway, credential: APNsCredential) {
    self.gateway = gateway
    self.credential = credential
    limits = PoolLimits()
    limits.connectionsMax = 1
    limits.idlePing = .seconds(3600)
    if case .token = credential { limits.streamsBeforeFirstAcceptance = 1 }
  }
}

/// Manages broadcast channels and sends Live Activity updates to all who listen to one.
///
/// A broadcast is one request, however many devices there are; APNs keeps the list.
///
/// ```swift
/// let client = try APNsChannelClient(
///   APNsChannelClientConfiguration(gateway: .production, credential: .token(key)), threads: threads)
/// if let create = APNsChannelRequest(bundleID: "com.example.app", .create(.mostRecent)) {
///   let outcome = try await client.send(create)
/// }
/// ```
///
/// Each request ends in exactly one ``APNsChannelOutcome``, within the times of ``SendTiming``.
/// Source: Apple, “Sending channel management requests to APNs”, “Sending broadcast push notification requests to APNs”.
public final class APNsChannelClient: Sendable {
  /// One of the two services.
  private struct Service {
    let sender: GatewaySender
    let authority: String
  }

  private let broadcasts: Service
  private let management: Service
  private let tokens: APNsTokenSource?

  /// Makes a client.
  ///
  /// No connection is opened before the first request.
  ///
  /// - Parameters:
  ///   - configuration: the parts.
  ///   - threads: where it runs; they have to outlive the client.
  /// - Throws: ``APNsCredentialError`` when certificate, key or trusted authorities cannot be used.
  public init(_ configuration: APNsChannelClientConfiguration, threads: GatewayThreads) throws(APNsCredentialError) {
    var identity: TLSIdentity?
    switch configuration.credential {
    case .token(let key): tokens = APNsTokenSource(key)
    case .certificate(let certificate):
      identity = certificate
      tokens = nil
    }
    let credential: any PoolCredential = if let tokens { tokens } else { APNsCertificateGate() }
    func service(_ endpoint: GatewayEndpoint) throws(APNsCredentialError) -> Service {
      let tls: TLSContext
      do { tls = try TLSContext.client(trust: endpoint.trust, identity: identity) } catch {
        throw APNsCredentialError("\(error)")
      }
      var pool = PoolConfiguration(
        endpoint: endpoint, limits: configuration.limits, timing: configuration.timing, clock: .system,
        wantedHeaders: APNsChannelRun.wantedHeaders)
      pool.responseBodyLimit = APNsChannelAnswer.bodyBytesMax
      let sender = GatewaySender(
        configuration: pool, capacity: configuration.queueCapacity,
        pools: threads.pools(tls: tls, credential: credential))
      return Service(sender: sender, authority: endpoint.authority)
    }
    broadcasts = try service(configuration.gateway.broadcasts)
    management = try service(configuration.gateway.management)
  }

  /// Asks the channel management service, and says how it ended on a network thread.
  ///
  /// - Throws: ``QueueFull`` when too many requests are unfinished; nothing was taken then.
  public func submit(
    _ request: APNsChannelRequest, completion: @escaping @Sendable (APNsChannelOutcome) -> Void
  ) throws(QueueFull) {
    let wire = APNsChannelRun.Request(
      method: request.method, path: request.path, headers: request.headers, body: request.body,
      content: APNsChannelContent(request.operation))
    try submit(wire, notAfter: nil, to: management, completion)
  }

  /// Sends a broadcast, and reports its outcome on a network thread.
  ///
  /// - Parameters:
  ///   - broadcast: the update; `PushChecker` checks whether it is valid.
  ///   - notAfter: the time, in seconds since 1970, after which it is not sent.
  ///   - completion: called with the outcome, once.
  /// - Throws: ``QueueFull`` when too many requests are unfinished; the request was not accepted then.
  public func submit(
    _ broadcast: APNsBroadcast, notAfter: Int64? = nil, completion: @escaping @Sendable (APNsChannelOutcome) -> Void
  ) throws(QueueFull) {
    let wire = APNsChannelRun.Request(
      method: "POST", path: broadcast.path, headers: broadcast.request.headers, body: broadcast.request.payload,
      content: .nothing(status: 200))
    try submit(wire, notAfter: notAfter, to: broadcasts, completion)
  }

  private func submit(
    _ request: APNsChannelRun.Request, notAfter: Int64?, to service: Service,
    _ completion: @escaping @Sendable (APNsChannelOutcome) -> Void
  ) throws(QueueFull) {
    try service.sender.submit(
      APNsChannelRun(
        request, notAfter: notAfter, authority: service.authority, credential: tokens, completion: completion))
  }

  /// Sends a request to the channel management service and waits for the outcome.
  public func send(_ request: APNsChannelRequest) async throws(QueueFull) -> APNsChannelOutcome {
    let waiter = OutcomeWaiter<APNsChannelOutcome>()
    try submit(request) { waiter.fulfil($0) }
    return await waiter.value()
  }

  /// Sends a broadcast and waits for the outcome.
  public func send(
    _ broadcast: APNsBroadcast, notAfter: Int64? = nil
  ) async throws(QueueFull) -> APNsChannelOutcome {
    let waiter = OutcomeWaiter<APNsChannelOutcome>()
    try submit(broadcast, notAfter: notAfter) { waiter.fulfil($0) }
    return await waiter.value()
  }

  /// Takes nothing new, lets what was submitted end, and closes the connections.
  ///
  /// What is not done within `limit` fails.
  public func drain(within limit: Duration) async {
    await broadcasts.sender.drain(within: limit)
    await management.sender.drain(within: limit)
  }

  /// The same without waiting for the end.
  public func close(within limit: Duration) {
    broadcasts.sender.close(within: limit)
    management.sender.close(within: limit)
  }
}
