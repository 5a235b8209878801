package import HTTP2

/// The connections of a pool, as its worker uses them.
///
/// None of the functions calls the worker back before it returns.
package protocol PoolTransport: AnyObject {
  /// Opens a connection; what happens to it is reported to the worker, `closed` last.
  func open(_ id: PoolMachine.ConnectionID, attempt: Int, limits: PoolLimits)
  /// Hands requests to a connection.
  func submit(_ requests: consuming HTTP2RequestBatch, on id: PoolMachine.ConnectionID)
  /// Sends a PING.
  func ping(_ id: PoolMachine.ConnectionID)
  /// Closes a connection: requests that are under way on it get their results, then `closed` is reported.
  func close(_ id: PoolMachine.ConnectionID)
  /// Calls ``PoolWorker/timePassed()`` at this time or earlier.
  func wake(at time: Duration, now: Duration)
}

/// One pool: takes sends, carries out what ``PoolMachine`` decides, and gives every send its one outcome.
///
/// Confined to one event loop; ``PoolRunner`` brings it there.
///
/// Invariants:
/// 1. Every send that was submitted is in `queue` until it has its outcome.
/// 2. A drain is reported as done when no send is left and every connection has ended, and not before.
package final class PoolWorker {
  private unowned let transport: any PoolTransport
  private let authority: String
  private let timing: SendTiming
  private let clock: GatewayClock
  private let credential: any PoolCredential
  private let finished: @Sendable (Int) -> Void
  private let onLoss: (@Sendable (SendFailure) -> Void)?

  private var machine: PoolMachine
  private var queue = SendQueue()
  private var lastLoss: SendFailure?
  /// Callbacks for the end of a drain.
  private var drained: [@Sendable () -> Void] = []
  /// What sends fail with once the pool closes.
  private var closing = SendFailure.closedByCaller

  /// Makes a pool without connections.
  ///
  /// - Parameters:
  ///   - finished: gets how many sends have got their outcome.
  package init(
    transport: any PoolTransport, configuration: PoolConfiguration, credential: any PoolCredential, seed: UInt64,
    finished: @escaping @Sendable (Int) -> Void
  ) {
    self.transport = transport
    authority = configuration.endpoint.authority
    timing = configuration.timing
    clock = configuration.clock
    onLoss = configuration.onConnectionLoss
    self.credential = credential
    self.finished = finished
    machine = PoolMachine(limits: configuration.limits, seed: seed)
  }

  /// Takes a batch.
  package func submit(_ run: any PoolBatch) {
    guard machine.isRunning else { return refuse(run) }
    let now = clock.monotonic()
    queue.append(run, deadline: now + timing.queueTimeout)
    pump(now)
  }

  private func refuse(_ run: any PoolBatch) {
    for entry in 0..<run.count { run.failed(entry, closing) }
    finished(run.count)
    run.flush()
  }

  /// Tries again to send what waits; for a credential whose gate has opened.
  package func wake() { pump(clock.monotonic()) }

  /// Lets what was submitted end, then closes.
  ///
  /// What is not done within `limit` fails.
  package func drain(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
    let now = clock.monotonic()
    drained.append(done)
    machine.drain(until: now + limit, now: now)
    pump(now)
  }

  /// Closes at once: what waits fails as not processed, what is under way as unknown.
  package func stop(_ failure: SendFailure) {
    let now = clock.monotonic()
    closing = failure
    machine.stop(now: now)
    pump(now)
  }

  /// Whether nothing is left and nothing happens any more.
  package var isClosed: Bool { machine.life == .closed }

  /// What the pool is doing, as of now.
  package var statistics: PoolStatistics {
    PoolStatistics(
      connections: machine.connectionCount, open: machine.openCount, inFlight: machine.inFlight,
      waiting: queue.waiting, consecutiveFailures: machine.consecutiveFailures, lastFailure: lastLoss)
  }

  /// Time has passed.
  package func timePassed() {
    let now = clock.monotonic()
    machine.timePassed(now: now)
    pump(now)
  }
}

// MARK: - The turn

extension PoolWorker {
  /// Sends what can be sent, then lets the machine act on what is left.
  ///
  /// Runs after every event.
  private func pump(_ now: Duration) {
    perform(now)
    failOverdue(now)
    if queue.waiting > 0, machine.isSending { passGate(now) }
    machine.waitingChanged(to: queue.waiting, now: now)
    perform(now)
    queue.flush(finished)
    arm(now)
    if isClosed { reportDone() }
  }

  private func reportDone() {
    let waiting = drained
    drained = []
    for done in waiting { done() }
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
    while queue.waiting > 0, let room = machine.mostRoom {
      let each = max(queue.next?.requestBytes ?? 0, 1)
      let count = min(room.count, queue.waiting, max(PoolWorker.blockBytes / each, 1))
      var wire = HTTP2RequestBatch(requests: count, bytes: min(count * each, PoolWorker.blockBytes))
      write(count, authorization, wall, to: &wire)
      let written = wire.count
      guard written > 0 else { continue }
      machine.started(room.id, count: written, now: now)
      transport.submit(wire, on: room.id)
    }
  }

  /// About how many bytes of requests are handed over together.
  ///
  /// They are kept until the last of them is answered, and large blocks of many sizes would leave holes in the heap.
  private static let blockBytes = 1 << 16

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
      if run.isRecalled(entry) {
        fail(slot, SendFailure(.notProcessed, .recalled, "it was taken back before it was sent"))
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
      case .open(let id, let attempt): transport.open(id, attempt: attempt, limits: machine.limits)
      case .ping(let id): transport.ping(id)
      case .close(let id), .abort(let id, _): transport.close(id)
      case .failWaiting:
        failWaiting(closing)
        machine.waitingChanged(to: 0, now: now)
      case .done: break
      }
    }
    machine.actions.removeAll(keepingCapacity: true)
  }

  private func arm(_ now: Duration) {
    var due = machine.nextDeadline
    if let other = queue.nextDeadline { due = min(due ?? other, other) }
    if let due { transport.wake(at: due, now: now) }
  }
}

// MARK: - What connections report

extension PoolWorker {
  package func report(_ id: PoolMachine.ConnectionID, _ event: HTTP2ConnectionEvent) {
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
      noteLoss(reason)
      machine.closed(id, now: now)
      failIfHopeless(reason)
    }
    pump(now)
  }

  private func noteLoss(_ reason: HTTP2CloseReason) {
    guard reason != .requested else { return }
    let loss = SendFailure(HTTP2Failure(.notProcessed, .connectionClosed(reason)))
    lastLoss = loss
    if machine.isSending { onLoss?(loss) }
  }

  /// When no connection is left and another attempt would meet the same wall, or many have, nothing is kept waiting.
  private func failIfHopeless(_ reason: HTTP2CloseReason) {
    guard machine.openCount == 0, reason != .requested, let lastLoss else { return }
    guard reason.isLasting || machine.consecutiveFailures >= machine.limits.connectFailuresMax else { return }
    failWaiting(lastLoss)
  }

  package func report(_ id: PoolMachine.ConnectionID, _ results: HTTP2Results) {
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
    case .reauthorize: sendAgain(slot, .tokenRefused)
    case .reconnect:
      tally.isUseless = true
      sendAgain(slot, .notProcessed)
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
      sendAgain(slot, .neverSent)
    } else if failure.processing == .notProcessed, !queue.slots[Int(slot)].wasResent, failure.isWorthResending {
      // A send that was certainly not processed is retried once; after that its owner decides.
      sendAgain(slot, .notProcessed)
    } else {
      fail(slot, SendFailure(failure))
    }
  }

  /// Puts a send that was not processed back into the queue; a pool that closes sends nothing again.
  private func sendAgain(_ slot: Int32, _ reason: SendQueue.PutBackReason) {
    if machine.isSending { queue.putBack(slot, reason) } else { fail(slot, closing) }
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
          "no connection to \(authority) within \(timing.queueTimeout)")
    }
    return SendFailure(
      .notProcessed, .queueTimeout,
      "no free stream to \(authority) within \(timing.queueTimeout); submit less, or allow more connections")
  }
}

extension SendFailure {
  static let closedByCaller = SendFailure(.notProcessed, .closed, "the client was closed")
  package static let threadsEnded = SendFailure(.notProcessed, .closed, "the network threads have ended")
}

extension HTTP2Failure {
  /// It was still queued inside the connection when that ended, so it returns to the pool's queue.
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
