import GatewayPool
import HTTP2
import ProviderEmulator

/// One HTTP/2 connection of one pool, from the client's memory over the network to the gateway, without bytes.
///
///     unsent ──flush──▶ wire ──serve──▶ gateway ──▶ replies ──deliver──▶ pool
///
/// What has left `unsent` may be processed, also after the client is gone; what has not, never is.
final class SimulatedConnection {
  private enum Phase {
    case dialing(untilMs: Int64)
    case open
    case dead
  }

  /// The gateway's side.
  private enum Peer {
    case open
    /// It accepts nothing new and answers what it has.
    case leaving
    /// It neither reads nor writes.
    case silent
    case closed
  }

  private struct Sent {
    let id: UInt64
    let number: Int
    let deadlineMs: Int64
  }

  private enum Frame {
    case request(SimulatedRequest, number: Int)
    case ping
  }

  private enum Reply {
    /// By the number of its stream: the pool uses its own numbers again.
    case response(number: Int, GatewayAnswer)
    case reset(number: Int, UInt32)
    case goAway(lastNumber: Int)
    case streams(Int)
    case pong
    case end
  }

  private enum Report {
    case event(HTTP2ConnectionEvent)
    case results(HTTP2Results)
  }

  let id: Int
  let provider: EmulatedProvider
  private unowned let world: Simulation
  /// Nil once the process is gone.
  private var pool: SimulatedPool?
  private let pingTimeoutMs: Int64
  private let streamLimit: Int

  private var phase: Phase
  private var unsent: [SimulatedRequest] = []
  private var sent: [Sent] = []
  private var wire: [Frame] = []
  private var replies: [(dueMs: Int64, reply: Reply)] = []
  /// What the client's side reports of its own, in order; the end last.
  private var reports: [Report] = []
  private var pongDueMs: Int64?
  private var leave: HTTP2GoAway?
  private var isLeft = false

  private var peer = Peer.open
  private var memory: GatewayMemory
  private var nextNumber = 1
  private var lastServed = 0

  init(_ world: Simulation, _ pool: SimulatedPool, id: Int, connectMs: Int64, pingTimeoutMs: Int64, streamLimit: Int) {
    self.world = world
    self.pool = pool
    self.id = id
    self.pingTimeoutMs = pingTimeoutMs
    self.streamLimit = streamLimit
    provider = pool.provider
    memory = GatewayMemory()
    let isDeaf = world.gateways.network[provider] == .blackHole
    phase = .dialing(untilMs: world.nowMs + (isDeaf ? connectMs : Int64(world.roll(40))))
  }

  // MARK: What the pool asks for

  func submit(_ requests: consuming HTTP2RequestBatch) {
    var reader = SimulatedRequestReader(nowMs: world.nowMs, provider: provider)
    requests.read(&reader)
    if case .dead = phase { return refuse(reader.requests, .connectionClosed(.closedByPeer)) }
    if leave != nil { return refuse(reader.requests, .draining) }
    unsent += reader.requests
  }

  private func refuse(_ requests: [SimulatedRequest], _ reason: HTTP2FailureReason) {
    var results = HTTP2Results()
    for request in requests { results.append(request.id, HTTP2Failure(.notProcessed, reason)) }
    // A connection reports its results before its end.
    var index = reports.count
    if case .event(.closed)? = reports.last { index -= 1 }
    reports.insert(.results(results), at: index)
  }

  func ping() {
    guard case .open = phase else { return }
    wire.append(.ping)
    pongDueMs = world.nowMs + pingTimeoutMs
  }

  func close() { end(.requested) }

  // MARK: Steps

  /// Whether the connection and all that is on its way are gone.
  var isGone: Bool {
    guard case .dead = phase else { return false }
    return (pool == nil || reports.isEmpty) && !canServe
  }

  private var isAlive: Bool {
    guard pool != nil else { return false }
    if case .open = phase { return true }
    return false
  }

  private var canServe: Bool { peer == .open && !wire.isEmpty }

  /// When something is due; now, when something can be done at once.
  func due(_ nowMs: Int64) -> Int64? {
    if canServe || (pool != nil && !reports.isEmpty) { return nowMs }
    guard pool != nil else { return nil }
    if case .dialing(let until) = phase { return until }
    guard isAlive else { return nil }
    if !unsent.isEmpty { return nowMs }
    var due = pongDueMs ?? .max
    for reply in replies { due = min(due, reply.dueMs) }
    for one in sent { due = min(due, one.deadlineMs) }
    return due == .max ? nil : due
  }

  /// Does one of the things that can be done now, chosen by chance.
  func step() {
    let now = world.nowMs
    var choices: [() -> Void] = []
    if pool != nil, !reports.isEmpty { choices.append(report) }
    if canServe { choices.append(serve) }
    if pool != nil, case .dialing(let until) = phase, until <= now { choices.append(dial) }
    if isAlive {
      if !unsent.isEmpty { choices.append(flush) }
      if replies.contains(where: { $0.dueMs <= now }) { choices.append(deliver) }
      if isOverdue(now) { choices.append(expire) }
      if let pongDueMs, pongDueMs <= now { choices.append { self.end(.pingTimeout) } }
    }
    if !choices.isEmpty { choices[world.roll(choices.count)]() }
  }

  private func report() {
    guard let pool else { return }
    switch reports.removeFirst() {
    case .results(let results): pool.worker.report(id, results)
    case .event(let event):
      if case .closed = event { pool.forget(id) }
      pool.worker.report(id, event)
    }
  }

  private func dial() {
    guard let pool else { return }
    switch world.gateways.network[provider] ?? .good {
    case .good:
      phase = .open
      replies.append((world.nowMs, .streams(world.gateways.firstStreams(provider))))
      pool.worker.report(id, .ready(address: "gateway"))
    case .refusing: end(.connectFailed(address: "gateway", why: "refused"))
    case .blackHole: end(.connectTimeout(stage: .tcp))
    case .wrongCertificate: end(.tlsFailed("untrusted"))
    }
  }

  private func flush() {
    for request in unsent.prefix(1 + world.roll(unsent.count)) {
      sent.append(Sent(id: request.id, number: nextNumber, deadlineMs: request.deadlineMs))
      wire.append(.request(request, number: nextNumber))
      nextNumber += 1
      unsent.removeFirst()
    }
  }

  private func isOverdue(_ now: Int64) -> Bool {
    sent.contains { $0.deadlineMs <= now } || unsent.contains { $0.deadlineMs <= now }
  }

  private func expire() {
    let now = world.nowMs
    var results = HTTP2Results()
    for one in sent where one.deadlineMs <= now { results.append(one.id, HTTP2Failure(.unknown, .deadline)) }
    for one in unsent where one.deadlineMs <= now { results.append(one.id, HTTP2Failure(.notProcessed, .deadline)) }
    sent.removeAll { $0.deadlineMs <= now }
    unsent.removeAll { $0.deadlineMs <= now }
    give(results)
  }

  private func give(_ results: HTTP2Results) {
    pool?.worker.report(id, results)
    endIfLeft()
  }

  // MARK: The gateway

  private func serve() {
    switch wire.removeFirst() {
    case .ping: replies.append((world.nowMs, .pong))
    case .request(let request, let number):
      let (action, answer) = world.gateways.handle(request, provider, &memory, world)
      if let limit = action.streamLimit { replies.append((world.nowMs, .streams(limit))) }
      carryOut(action, number, answer)
      lastServed = number
    }
  }

  private func carryOut(_ action: GatewayAction, _ number: Int, _ answer: GatewayAnswer) {
    let due = world.nowMs + Int64(action.delayMs)
    switch action.kind {
    case .respond: replies.append((due, .response(number: number, answer)))
    case .silence: break
    case .reset(let code): replies.append((due, .reset(number: number, code)))
    case .goAway(let effect):
      if effect.processed { replies.append((due, .response(number: number, answer))) }
      leave(after: effect.processed ? number : lastServed)
    case .close:
      peer = .closed
      replies = [(world.nowMs, .end)]
    case .halfOpen: fallSilent()
    }
  }

  /// The gateway says GOAWAY: what comes later is not processed.
  private func leave(after number: Int) {
    peer = .leaving
    replies.append((world.nowMs, .goAway(lastNumber: number)))
    replies.append((world.nowMs + 1_000 + Int64(world.roll(60_000)), .end))
  }

  // MARK: Replies

  private func deliver() {
    guard let index = replies.firstIndex(where: { $0.dueMs <= world.nowMs }), let pool else { return }
    switch replies.remove(at: index).reply {
    case .response(let number, let answer):
      guard let request = take(number) else { return }
      var results = HTTP2Results()
      results.append(
        request, status: answer.status, headers: pool.wantedHeaders.map(answer.header), body: answer.body)
      give(results)
    case .reset(let number, let code):
      guard let request = take(number) else { return }
      let code = HTTP2ErrorCode(rawValue: code)
      var results = HTTP2Results()
      results.append(request, HTTP2Failure(code == .refusedStream ? .notProcessed : .unknown, .reset(code)))
      give(results)
    case .goAway(let last): hearGoAway(last)
    case .streams(let limit):
      pool.worker.report(id, .settings(HTTP2Settings(), streams: min(limit, streamLimit)))
    case .pong:
      pongDueMs = nil
      pool.worker.report(id, .pong(roundTrip: .zero))
    case .end: end(leave.map { .goAway($0) } ?? .closedByPeer)
    }
  }

  /// The pool's number of a request that still waits for its answer; from now on it does not.
  private func take(_ number: Int) -> UInt64? {
    guard let index = sent.firstIndex(where: { $0.number == number }) else { return nil }
    return sent.remove(at: index).id
  }

  private func hearGoAway(_ last: Int) {
    let frame = HTTP2GoAway(lastStreamID: Int32(last), code: .noError, debugData: [])
    leave = frame
    var results = HTTP2Results()
    for one in sent where one.number > last { results.append(one.id, HTTP2Failure(.notProcessed, .goAway(frame))) }
    for one in unsent { results.append(one.id, HTTP2Failure(.notProcessed, .draining)) }
    sent.removeAll { $0.number > last }
    unsent = []
    if !results.isEmpty { pool?.worker.report(id, results) }
    pool?.worker.report(id, .goAway(frame))
    endIfLeft()
  }

  /// After GOAWAY the connection ends with its last request.
  private func endIfLeft() {
    guard let leave, sent.isEmpty, !isLeft else { return }
    isLeft = true
    end(.goAway(leave))
  }

  // MARK: The end

  /// The client's side ends; what is under way gets its results, then the end is reported.
  private func end(_ reason: HTTP2CloseReason) {
    if case .dead = phase { return }
    phase = .dead
    var results = HTTP2Results()
    for one in sent {
      if let leave, one.number > Int(leave.lastStreamID) {
        results.append(one.id, HTTP2Failure(.notProcessed, .goAway(leave)))
      } else {
        results.append(one.id, HTTP2Failure(.unknown, .connectionClosed(reason)))
      }
    }
    for one in unsent { results.append(one.id, HTTP2Failure(.notProcessed, .connectionClosed(reason))) }
    (sent, unsent) = ([], [])
    if !results.isEmpty { reports.append(.results(results)) }
    reports.append(.event(.closed(reason)))
    cut()
  }

  /// Of what was written, only a part reaches the gateway.
  private func cut() {
    wire.removeLast(world.roll(wire.count + 1))
    replies = []
  }

  /// The connection breaks.
  func lose() { end(.broken("the network")) }

  /// The gateway goes on accepting bytes and does nothing with them.
  func fallSilent() {
    peer = .silent
    replies.removeAll { $0.dueMs > world.nowMs }
  }

  /// The gateway leaves without a request as the cause.
  func leaveIdle() { if peer == .open { leave(after: lastServed) } }

  /// The process ends: its memory is gone, the kernel sends what it was handed.
  func abandon() {
    pool = nil
    phase = .dead
    (sent, unsent, reports) = ([], [], [])
    cut()
  }
}
