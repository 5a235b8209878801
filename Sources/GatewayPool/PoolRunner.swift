package import HTTP2
package import TLS

/// One pool on its event loop: its connections, its timer, and the way to it from other threads.
///
/// The loop holds it from the first send until the pool has closed, so that every send gets its outcome even when the
/// client is gone or the loop ends.
///
/// `@unchecked Sendable`: every stored property that changes is touched on the loop's thread only. Other threads reach
/// it through ``submit(_:)``, ``wake()``, ``drain(within:_:)`` and ``statistics(_:)``, which hand a closure to the loop;
/// the connections' events arrive on the same loop.
package final class PoolRunner: PoolDriver, @unchecked Sendable {
  private let loop: EventLoop
  private let configuration: PoolConfiguration
  private let tls: TLSContext
  private let credential: any PoolCredential
  private let seed: UInt64
  private let finished: @Sendable (Int) -> Void

  /// Made with the first event, on the loop.
  private var made: PoolWorker?
  private var connections: [PoolMachine.ConnectionID: HTTP2ClientConnection] = [:]
  private var timerDue: Duration?

  /// Makes a pool without connections.
  ///
  /// - Parameter finished: gets how many sends have got their outcome; called on the loop.
  package init(
    loop: EventLoop, configuration: PoolConfiguration, tls: TLSContext, credential: any PoolCredential, seed: UInt64,
    finished: @escaping @Sendable (Int) -> Void
  ) {
    self.loop = loop
    self.configuration = configuration
    self.tls = tls
    self.credential = credential
    self.seed = seed
    self.finished = finished
  }

  /// Takes a batch, from any thread.
  package func submit(_ run: any PoolBatch) -> Bool {
    loop.execute { self.use { $0.submit(run) } }
  }

  /// Tries again to send what waits, from any thread.
  package func wake() {
    loop.execute { self.use { $0.wake() } }
  }

  /// Lets what was submitted end, then closes; from any thread.
  package func drain(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
    let accepted = loop.execute { self.use { $0.drain(within: limit, done) } }
    if !accepted { done() }
  }

  /// What the pool is doing, as of now; from any thread.
  package func statistics(_ body: @escaping @Sendable (PoolStatistics) -> Void) {
    let accepted = loop.execute { body(self.made?.statistics ?? PoolStatistics()) }
    if !accepted { body(PoolStatistics()) }
  }

  private func use(_ body: (PoolWorker) -> Void) {
    let worker = made ?? start()
    body(worker)
    leaveIfClosed()
  }

  private func start() -> PoolWorker {
    let worker = PoolWorker(
      transport: self, configuration: configuration, credential: credential, seed: seed, finished: finished)
    made = worker
    loop.join(self)
    return worker
  }

  private func leaveIfClosed() {
    if made?.isClosed == true { loop.leave(self) }
  }
}

extension PoolRunner: LoopMember {
  /// Nothing to do: the pool acts at once.
  package func flush() {}

  package func loopStops() { use { $0.stop(.threadsEnded) } }
}

extension PoolRunner: PoolTransport {
  package func open(_ id: PoolMachine.ConnectionID, attempt: Int, limits: PoolLimits) {
    let endpoint = configuration.endpoint
    var wire = HTTP2ClientConfiguration(host: endpoint.host, port: endpoint.port, tls: tls)
    wire.serverName = endpoint.serverName
    wire.proxy = endpoint.proxy
    wire.addresses = endpoint.allowsPrivateAddresses ? .any : .publicOnly
    wire.connectTimeout = limits.connectTimeout
    wire.settingsTimeout = limits.connectTimeout
    wire.streamLimit = limits.streamsPerConnectionMax
    wire.pingAfterIdle = limits.idlePing
    wire.pingTimeout = limits.pingTimeout
    wire.wantedHeaders = configuration.wantedHeaders
    wire.responseBodyLimit = configuration.responseBodyLimit
    wire.addressOffset = attempt
    wire.resolver = endpoint.resolver
    let observer = PoolConnectionObserver(runner: self, id: id)
    let connection = HTTP2ClientConnection(loop: loop, configuration: wire, observer: observer)
    connections[id] = connection
    connection.start()
  }

  package func submit(_ requests: consuming HTTP2RequestBatch, on id: PoolMachine.ConnectionID) {
    connections[id]?.submit(requests)
  }

  package func ping(_ id: PoolMachine.ConnectionID) { connections[id]?.ping() }

  package func close(_ id: PoolMachine.ConnectionID) { connections[id]?.close() }

  package func wake(at time: Duration, now: Duration) {
    // A timer that is set for an earlier time does no harm: it sets the next one.
    guard timerDue.map({ time < $0 }) ?? true else { return }
    timerDue = time
    loop.schedule(after: max(time - now, .milliseconds(1))) { self.timerFired(time) }
  }

  private func timerFired(_ due: Duration) {
    if timerDue == due { timerDue = nil }
    use { $0.timePassed() }
  }

  fileprivate func report(_ id: PoolMachine.ConnectionID, _ event: HTTP2ConnectionEvent) {
    if case .closed = event { connections[id] = nil }
    use { $0.report(id, event) }
  }

  fileprivate func report(_ id: PoolMachine.ConnectionID, _ results: HTTP2Results) { use { $0.report(id, results) } }
}

/// Says which connection of the pool an event comes from.
private final class PoolConnectionObserver: HTTP2ClientObserver {
  private let runner: PoolRunner
  private let id: PoolMachine.ConnectionID

  init(runner: PoolRunner, id: PoolMachine.ConnectionID) {
    self.runner = runner
    self.id = id
  }

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) { runner.report(id, event) }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) { runner.report(id, results) }
}
