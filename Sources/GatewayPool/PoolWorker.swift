package import HTTP2

/// One pool of connections on one event loop: carries out what ``PoolMachine`` decides.
///
/// `@unchecked Sendable`: every stored property is touched on the loop's thread only. Other threads reach it through
/// ``submit(_:)``, ``drain(within:_:)`` and ``close()``, which hand a closure to the loop; the connections' events
/// arrive on the same loop.
package final class PoolWorker: @unchecked Sendable {
  private let loop: EventLoop
  private let endpoint: GatewayEndpoint
  private let tls: TLSContext
  private let wantedHeaders: [String]
  private let responseBodyLimit: Int
  private let timing: SendTiming
  private let clock: GatewayClock
  private let credential: any PoolCredential
  private let finished: @Sendable (Int) -> Void

  private var machine: PoolMachine
  private var queue = SendQueue()
  private var links: [PoolLink] = []
  private var lastLoss: SendFailure?
  private var timerDue: Duration?
  private var drained: (@Sendable () -> Void)?
  private var drainDeadline: Duration?

  /// Makes a pool without connections.
  ///
  /// - Parameter finished: told how many sends have got their outcome; called on the loop.
  package init(
    loop: EventLoop, configuration: PoolConfiguration, tls: TLSContext, credential: any PoolCredential, seed: UInt64,
    finished: @escaping @Sendable (Int) -> Void
  ) {
    self.loop = loop
    endpoint = configuration.endpoint
    self.tls = tls
    wantedHeaders = configuration.wantedHeaders
    responseBodyLimit = configuration.responseBodyLimit
    timing = configuration.timing
    clock = configuration.clock
    self.credential = credential
    self.finished = finished
    machine = PoolMachine(limits: configuration.limits, seed: seed)
  }

  /// Takes a batch, from any thread.
  ///
  /// Returns `false` when the loop has stopped and nothing was taken.
  package func submit(_ run: any PoolBatch) -> Bool {
    loop.execute {
      let now = self.clock.monotonic()
      self.queue.append(run, deadline: now + self.timing.queueTimeout)
      if self.drained != nil { self.failWaiting(.closedByCaller) }
      self.pump(now)
    }
  }

  /// Tries again to send what waits; for a credential whose gate has opened.
  ///
  /// From any thread.
  package func wake() {
    loop.execute { self.pump(self.clock.monotonic()) }
  }

  /// Lets what was submitted end, then closes.
  ///
  /// What is not done within `limit` fails.
  package func drain(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
    let accepted = loop.execute {
      guard self.drained == nil else { return done() }
      self.drained = done
      self.drainDeadline = self.clock.monotonic() + limit
      self.pump(self.clock.monotonic())
    }
    if !accepted { done() }
  }

  /// What the pool is doing, as of now; from the loop.
  package func statistics(_ body: @escaping @Sendable (PoolStatistics) -> Void) {
    let accepted = loop.execute {
      body(
        PoolStatistics(
          connections: self.machine.connectionCount, open: self.machine.openCount, inFlight: self.machine.inFlight,
          waiting: self.queue.waiting, consecutiveFailures: self.machine.consecutiveFailures,
          lastFailure: self.lastLoss))
    }
    if !accepted { body(PoolStatistics()) }
  }
}

// MARK: - The turn

extension PoolWorker {
  /// Sends what can be sent, then lets the machine act on what is left.
  ///
  /// Runs after every event.
  private func pump(_ now: Duration) {
    failOverdue(now)
    if queue.waiting > 0 { passGate(now) }
    machine.waitingChanged(to: queue.waiting, now: now)
    perform(now)
    queue.flush(finished)
    finishDrain(now)
    arm(now)
  }

  private func passGate(_ now: Duration) {
    let wall = clock.wall()
    switch credential.gate(now: now, wall: wall) {
    case .open(let authorization): fill(authorization, now, wall)
    case .wait: break
    case .refuse(let failure): failWaiting(failure)
    }
  }

  private func fill(_ authorization: PoolAuthorization, _ now: Duration, _ wall: Int64) {
    while queue.waiting > 0, let room = machine.mostRoom, let link = link(room.id) {
      let count = min(room.count, queue.waiting)
      var wire = HTTP2RequestBatch(requests: count, bytes: count * PoolWorker.requestBytesGuess)
      write(count, authorization, wall, to: &wire)
      let written = wire.count
      guard written > 0 else { continue }
      machine.started(room.id, count: written, now: now)
      link.connection.submit(wire)
    }
  }

  /// Room made per request for path, `apns-id` and, for FCM, a body; a guess that only saves growing.
  private static let requestBytesGuess = 128

  private func write(
    _ count: Int, _ authorization: PoolAuthorization, _ wall: Int64, to wire: inout HTTP2RequestBatch
  ) {
    var template: HTTP2RequestTemplate?
    var templateRun: (any PoolBatch)?
    for _ in 0..<count {
      guard let slot = queue.take(), let (run, entry) = queue.entry(of: slot) else { return }
      if let notAfter = run.notAfter, notAfter <= wall {
        fail(slot, SendFailure(.notProcessed, .expired, "its expiry passed before it could be sent"))
        continue
      }
      if templateRun !== run {
        do throws(SendFailure) {
          template = try run.template(authorization)
          templateRun = run
        } catch {
          fail(slot, error)
          continue
        }
      }
      guard let template else { continue }
      queue.mark(slot, generation: authorization.generation)
      run.write(entry, template, slot: UInt64(slot), timeout: timing.requestTimeout, to: &wire)
    }
  }

  private func perform(_ now: Duration) {
    var next = 0
    while next < machine.actions.count {
      let action = machine.actions[next]
      next += 1
      switch action {
      case .open(let id, let attempt): open(id, attempt, now)
      case .ping(let id): link(id)?.connection.ping()
      case .close(let id): link(id)?.connection.drain()
      case .abort(let id, _): link(id)?.connection.close()
      }
    }
    machine.actions.removeAll(keepingCapacity: true)
  }

  private func open(_ id: PoolMachine.ConnectionID, _ attempt: Int, _ now: Duration) {
    var configuration = HTTP2ClientConfiguration(host: endpoint.host, port: endpoint.port, tls: tls)
    let limits = machine.limits
    configuration.serverName = endpoint.serverName
    configuration.proxy = endpoint.proxy
    configuration.addresses = endpoint.allowsPrivateAddresses ? .any : .publicOnly
    configuration.connectTimeout = limits.connectTimeout
    configuration.settingsTimeout = limits.connectTimeout
    configuration.streamLimit = limits.streamsPerConnectionMax
    configuration.pingAfterIdle = limits.idlePing
    configuration.pingTimeout = limits.pingTimeout
    configuration.wantedHeaders = wantedHeaders
    configuration.responseBodyLimit = responseBodyLimit
    configuration.addressOffset = attempt
    configuration.resolver = endpoint.resolver
    let observer = PoolLinkObserver(worker: self, id: id)
    let connection = HTTP2ClientConnection(loop: loop, configuration: configuration, observer: observer)
    links.append(PoolLink(id: id, connection: connection, observer: observer))
    connection.start()
  }

  private func link(_ id: PoolMachine.ConnectionID) -> PoolLink? { links.first { $0.id == id } }

  private func arm(_ now: Duration) {
    var due = machine.nextDeadline
    for other in [queue.nextDeadline, drainDeadline] {
      if let other { due = min(due ?? other, other) }
    }
    // A timer that is armed for an earlier moment does no harm: it arms the next one.
    guard let due, timerDue.map({ due < $0 }) ?? true else { return }
    timerDue = due
    loop.schedule(after: max(due - now, .milliseconds(1))) { self.timerFired(due) }
  }

  private func timerFired(_ due: Duration) {
    if timerDue == due { timerDue = nil }
    let now = clock.monotonic()
    machine.timePassed(now: now)
    perform(now)
    pump(now)
  }
}

// MARK: - What connections report

extension PoolWorker {
  fileprivate func report(_ id: PoolMachine.ConnectionID, _ event: HTTP2ConnectionEvent) {
    let now = clock.monotonic()
    switch event {
    case .ready: return
    case .settings(_, let streams):
      machine.opened(id, streamLimit: streams, now: now)
      machine.streamLimitChanged(id, to: streams, now: now)
    case .goAway(let frame):
      lastLoss = SendFailure(HTTP2Failure(.notProcessed, .goAway(frame)))
      machine.goAway(id, now: now)
    case .pong: machine.ponged(id, now: now)
    case .closed(let reason):
      links.removeAll { $0.id == id }
      noteLoss(reason)
      machine.closed(id, now: now)
      failIfHopeless(reason)
    }
    pump(now)
  }

  private func noteLoss(_ reason: HTTP2CloseReason) {
    guard reason != .requested else { return }
    lastLoss = SendFailure(HTTP2Failure(.notProcessed, .connectionClosed(reason)))
  }

  /// When no connection is left and another attempt would meet the same wall, or many have, nothing is kept waiting.
  private func failIfHopeless(_ reason: HTTP2CloseReason) {
    guard machine.openCount == 0, reason != .requested, let lastLoss else { return }
    guard reason.isLasting || machine.consecutiveFailures >= machine.limits.connectFailuresMax else { return }
    failWaiting(lastLoss)
  }

  fileprivate func report(_ id: PoolMachine.ConnectionID, _ results: HTTP2Results) {
    let now = clock.monotonic()
    var tally = Tally()
    for index in 0..<results.count {
      let result = results[index]
      let slot = Int32(truncatingIfNeeded: result.id)
      switch result.outcome {
      case .response(let response): take(response, slot, results, now, &tally)
      case .failure(let failure): take(failure, slot, &tally)
      }
    }
    machine.finished(
      id, count: results.count, answered: tally.answered, accepted: tally.isProven, now: now)
    if tally.isEnding { machine.ending(id) }
    if tally.hasTimeout { machine.requestTimedOut(id, now: now) }
    if tally.isUseless { machine.goAway(id, now: now) }
    pump(now)
  }

  private struct Tally {
    var answered = 0
    var isProven = false
    var hasTimeout = false
    var isUseless = false
    var isEnding = false
  }

  private func take(
    _ response: HTTP2Response, _ slot: Int32, _ results: HTTP2Results, _ now: Duration, _ tally: inout Tally
  ) {
    guard let (run, entry) = queue.entry(of: slot) else { return }
    tally.answered += 1
    let state = queue.slots[Int(slot)]
    let attempt = PoolAttempt(
      generation: Int(state.generation), wasReauthorized: state.wasReauthorized, wasResent: state.wasResent, now: now)
    switch run.answered(entry, response, in: results, attempt) {
    case .done(let isProof):
      if isProof { tally.isProven = true }
      queue.finish(slot)
    case .reauthorize: queue.putBack(slot, .tokenRefused)
    case .reconnect:
      tally.isUseless = true
      queue.putBack(slot, .notProcessed)
    case .doneAndReconnect:
      tally.isUseless = true
      queue.finish(slot)
    }
  }

  private func take(_ failure: HTTP2Failure, _ slot: Int32, _ tally: inout Tally) {
    if failure.reason == .deadline { tally.hasTimeout = true }
    // Results come before the event that names the end; without this the rest would be put on a dead connection.
    if failure.meansEnd { tally.isEnding = true }
    if failure.wasNeverSent {
      queue.putBack(slot, .neverSent)
    } else if failure.processing == .notProcessed, !queue.slots[Int(slot)].wasResent, failure.isWorthResending {
      // What was certainly not processed goes out once more; the second time its owner decides.
      queue.putBack(slot, .notProcessed)
    } else {
      fail(slot, SendFailure(failure))
    }
  }
}

// MARK: - Ends

extension PoolWorker {
  private func fail(_ slot: Int32, _ failure: SendFailure) {
    if let (run, entry) = queue.entry(of: slot) { run.failed(entry, failure) }
    queue.finish(slot)
  }

  private func failWaiting(_ failure: SendFailure) {
    while let slot = queue.take() { fail(slot, failure) }
  }

  private func failOverdue(_ now: Duration) {
    guard let deadline = queue.nextDeadline, deadline <= now else { return }
    let failure = overdueFailure(now)
    for slot in queue.takeOverdue(now: now) { fail(slot, failure) }
  }

  /// Names what kept sends waiting: a token, the connections, or plain lack of room.
  private func overdueFailure(_ now: Duration) -> SendFailure {
    if case .wait(let detail) = credential.gate(now: now, wall: clock.wall()) {
      return SendFailure(.notProcessed, .tokenUnavailable, "no access token within \(timing.queueTimeout): \(detail)")
    }
    if machine.openCount == 0 {
      return lastLoss
        ?? SendFailure(
          .notProcessed, .queueTimeout,
          "no connection to \(endpoint.authority) within \(timing.queueTimeout)")
    }
    return SendFailure(
      .notProcessed, .queueTimeout,
      "no free stream to \(endpoint.authority) within \(timing.queueTimeout); submit less, or allow more connections")
  }

  private func finishDrain(_ now: Duration) {
    guard let done = drained, let deadline = drainDeadline else { return }
    if now >= deadline && (queue.waiting > 0 || machine.inFlight > 0) {
      failWaiting(.closedByCaller)
      machine.abortAll(now: now)
      perform(now)
      queue.flush(finished)
    }
    guard queue.waiting == 0, machine.inFlight == 0 else { return }
    machine.drain()
    perform(now)
    drainDeadline = nil
    done()
  }
}

extension SendFailure {
  static let closedByCaller = SendFailure(.notProcessed, .closed, "the client was closed")
}

extension HTTP2Failure {
  /// It was still waiting inside the connection when that ended, so it takes its place in the queue again.
  ///
  /// Its own deadline and the count of failed connections bound how often.
  fileprivate var wasNeverSent: Bool {
    guard processing == .notProcessed else { return false }
    switch reason {
    case .connectionClosed(let reason): return reason != .requested && reason != .loopStopped
    case .draining, .queueFull: return true
    case .deadline, .reset, .goAway, .invalidRequest, .invalidResponse: return false
    }
  }

  /// The connection that it was on takes no more requests.
  fileprivate var meansEnd: Bool {
    switch reason {
    case .connectionClosed, .draining, .goAway: true
    case .deadline, .reset, .queueFull, .invalidRequest, .invalidResponse: false
    }
  }

  /// A request that cannot be written will not be written the next time either.
  fileprivate var isWorthResending: Bool {
    if case .invalidRequest = reason { false } else { true }
  }
}

/// One connection of a pool.
private struct PoolLink {
  let id: PoolMachine.ConnectionID
  let connection: HTTP2ClientConnection
  /// Kept here because a connection does not own its observer.
  let observer: PoolLinkObserver
}

/// Tells the pool which of its connections speaks.
private final class PoolLinkObserver: HTTP2ClientObserver {
  private let worker: PoolWorker
  private let id: PoolMachine.ConnectionID

  init(worker: PoolWorker, id: PoolMachine.ConnectionID) {
    self.worker = worker
    self.id = id
  }

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) { worker.report(id, event) }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) { worker.report(id, results) }
}
