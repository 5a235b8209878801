import Synchronization
import TestSupport
import Testing

@testable import GatewayPool
@testable import HTTP2

/// Random events in random order against one pool: whatever happens, each send has exactly one outcome, and none comes
/// after the end of a drain.
@Suite(.timeLimit(.minutes(1))) struct PoolWorkerTests {
  @Test func everySendHasOneOutcomeInAnyOrderOfEvents() {
    let first = SeededRandom.fromEnvironment().seed
    for round in UInt64(0)..<400 {
      let world = PoolWorld(seed: first &+ round)
      for _ in 0..<200 { world.step() }
      world.end()
      #expect(world.complaints == [], "POSTRIDER_SEED=\(first &+ round)")
      #expect(world.outcomes == world.submissions, "POSTRIDER_SEED=\(first &+ round)")
      #expect(world.doneCount == world.drains, "POSTRIDER_SEED=\(first &+ round)")
      #expect(world.finishedCount == world.submissions, "POSTRIDER_SEED=\(first &+ round)")
    }
  }
}

/// A pool, its connections as a script, its clock and its credential.
///
/// `@unchecked Sendable`: one test uses it on one thread; closures that have to be `Sendable` refer to it.
private final class PoolWorld: PoolTransport, @unchecked Sendable {
  /// One connection: what is under way on it, and what it has not reported yet.
  private struct Connection {
    var open: Set<UInt64> = []
    var isReady = false
    var hasEnded = false
    var reports: [Report] = []

    /// Whether the last report is its end.
    var endsItsReports: Bool {
      if case .event(.closed)? = reports.last { true } else { false }
    }
  }

  private enum Report {
    case event(HTTP2ConnectionEvent)
    case results(HTTP2Results)
  }

  var random: SeededRandom
  let time = Mutex(Duration.zero)
  let gate = ScriptedGate()
  private var connections: [Int: Connection] = [:]
  private var pool: PoolWorker?
  private var due: Duration?
  var submissions = 0
  var outcomes = 0
  var drains = 0
  var doneCount = 0
  var finishedCount = 0
  var complaints: [String] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    var limits = PoolLimits()
    limits.connectionsMax = 3
    limits.connectTimeout = .seconds(2)
    limits.busySilence = .seconds(3)
    limits.pingTimeout = .seconds(1)
    limits.streamsBeforeFirstAcceptance = seed.isMultiple(of: 2) ? 1 : nil
    var timing = SendTiming()
    timing.queueTimeout = .seconds(10)
    let clock = GatewayClock(monotonic: { self.time.withLock { $0 } }, wall: { 1_800_000_000 })
    let configuration = PoolConfiguration(
      endpoint: GatewayEndpoint(host: "gateway", port: 443), limits: limits, timing: timing, clock: clock,
      wantedHeaders: [])
    pool = PoolWorker(transport: self, configuration: configuration, credential: gate, seed: seed) {
      self.finishedCount += $0
    }
  }

  func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  // MARK: What the pool asks for

  func open(_ id: PoolMachine.ConnectionID, attempt: Int, limits: PoolLimits) { connections[id] = Connection() }

  func submit(_ requests: consuming HTTP2RequestBatch, on id: PoolMachine.ConnectionID) {
    let ids = requests.storage.entries.map(\.id)
    guard connections[id] != nil else { return complaints.append("requests for connection \(id), which is gone") }
    if connections[id]?.hasEnded == true {
      report(id, Dictionary(uniqueKeysWithValues: ids.map { ($0, .connectionClosed(.closedByPeer)) }), .notProcessed)
    } else {
      connections[id]?.open.formUnion(ids)
    }
  }

  func ping(_ id: PoolMachine.ConnectionID) {
    if connections[id]?.hasEnded == false, roll(2) == 0 {
      connections[id]?.reports.append(.event(.pong(roundTrip: .zero)))
    }
  }

  func close(_ id: PoolMachine.ConnectionID) { end(id, .requested) }

  func wake(at time: Duration, now: Duration) { due = min(due ?? time, time) }

  // MARK: What connections do

  private func report(
    _ id: Int, _ failures: [UInt64: HTTP2FailureReason], _ processing: HTTP2Failure.Processing? = nil
  ) {
    let collector = ResultCollector(wanted: 0)
    for (request, reason) in failures.sorted(by: { $0.key < $1.key }) {
      collector.fail(request, HTTP2Failure(processing ?? (roll(2) == 0 ? .notProcessed : .unknown), reason))
      connections[id]?.open.remove(request)
    }
    // A connection reports its results before its end, whatever it is handed meanwhile.
    let index = (connections[id]?.reports.count ?? 0) - (connections[id]?.endsItsReports == true ? 1 : 0)
    collector.deliver { connections[id]?.reports.insert(.results($0), at: index) }
  }

  private func end(_ id: Int, _ reason: HTTP2CloseReason) {
    guard let connection = connections[id], !connection.hasEnded else { return }
    connections[id]?.hasEnded = true
    if !connection.open.isEmpty {
      report(id, Dictionary(uniqueKeysWithValues: connection.open.map { ($0, .connectionClosed(reason)) }))
    }
    connections[id]?.reports.append(.event(.closed(reason)))
  }

  private func some(_ id: Int) -> [UInt64] {
    guard let open = connections[id]?.open, !open.isEmpty else { return [] }
    return Array(open.sorted().shuffled(using: &random).prefix(1 + roll(open.count)))
  }

  private func answer(_ id: Int) {
    var results = HTTP2Results()
    for request in some(id) {
      connections[id]?.open.remove(request)
      results.entries.append(
        HTTP2Results.Entry(
          id: request, status: 200, failure: -1, firstHeader: 0, bodyStart: 0, bodyEnd: 0, bodyTruncated: false))
    }
    if !results.isEmpty { connections[id]?.reports.append(.results(results)) }
  }

  private func failSome(_ id: Int) {
    let reasons: [HTTP2FailureReason] = [
      .deadline, .reset(.refusedStream), .reset(.cancel), .invalidResponse("x"), .invalidRequest("y"), .queueFull,
    ]
    let reason = reasons[roll(reasons.count)]
    report(id, Dictionary(uniqueKeysWithValues: some(id).map { ($0, reason) }))
  }

  private func goAway(_ id: Int) {
    guard connections[id]?.hasEnded == false else { return }
    let frame = HTTP2GoAway(lastStreamID: 1, code: .noError, debugData: [])
    report(id, Dictionary(uniqueKeysWithValues: some(id).map { ($0, .goAway(frame)) }), .notProcessed)
    connections[id]?.reports.append(.event(.goAway(frame)))
  }

  private func deliver(_ id: Int) {
    guard let next = connections[id]?.reports.first else { return }
    connections[id]?.reports.removeFirst()
    switch next {
    case .results(let results): pool?.report(id, results)
    case .event(let event):
      if case .closed = event { connections[id] = nil }
      pool?.report(id, event)
    }
  }

  // MARK: Steps

  func step() {
    let ids = connections.keys.sorted()
    let id = ids.isEmpty ? -1 : ids[roll(ids.count)]
    switch roll(40) {
    case 0..<6: submit(1 + roll(30))
    case 6..<14: deliver(id)
    case 14..<18: ready(id)
    case 18..<23: answer(id)
    case 23: failSome(id)
    case 24: goAway(id)
    case 25: end(id, [.closedByPeer, .protocolError("z"), .noALPN, .pingTimeout][roll(4)])
    case 26: gate.change(to: roll(4))
    case 27: pool?.wake()
    case 28 where roll(6) == 0: drain(.milliseconds(roll(8000)))
    case 29 where roll(20) == 0: pool?.stop(.threadsEnded)
    default: pass(.milliseconds(roll(800)))
    }
  }

  private func ready(_ id: Int) {
    guard connections[id]?.hasEnded == false else { return }
    connections[id]?.reports.append(.event(.settings(HTTP2Settings(), streams: roll(20))))
  }

  private func pass(_ step: Duration) {
    let now = time.withLock { time in
      time += step
      return time
    }
    guard let due, due <= now else { return }
    self.due = nil
    pool?.timePassed()
  }

  private func submit(_ count: Int) {
    submissions += count
    pool?.submit(ScriptedBatch(count: count, world: self, wasSubmittedAfterEnd: pool?.isClosed == true))
  }

  private func drain(_ limit: Duration) {
    drains += 1
    pool?.drain(within: limit) { self.doneCount += 1 }
  }

  /// Ends the pool, if nothing has, and lets everything come in that is still on its way.
  func end() {
    if roll(2) == 0 { drain(.seconds(5)) } else { pool?.stop(.threadsEnded) }
    for _ in 0..<200 {
      pass(.milliseconds(500))
      for id in connections.keys.sorted() {
        while connections[id]?.reports.isEmpty == false { deliver(id) }
      }
    }
    if pool?.isClosed != true { complaints.append("the pool has not closed") }
  }
}

/// A batch that counts its outcomes and judges answers at random.
///
/// `@unchecked Sendable`: used on the thread of its test only.
private final class ScriptedBatch: PoolBatch, @unchecked Sendable {
  let count: Int
  let urgency: SendUrgency
  let notAfter: Int64?
  let requestBytes = 64
  private let world: PoolWorld
  private let wasSubmittedAfterEnd: Bool
  private var kept = 0
  private var ended: Set<Int> = []
  private var recalled: Set<Int> = []

  init(count: Int, world: PoolWorld, wasSubmittedAfterEnd: Bool) {
    self.count = count
    self.world = world
    self.wasSubmittedAfterEnd = wasSubmittedAfterEnd
    urgency = world.roll(2) == 0 ? .urgent : .bulk
    notAfter = world.roll(8) == 0 ? 1 : nil
  }

  func isRecalled(_ entry: Int) -> Bool {
    if world.roll(20) == 0 { recalled.insert(entry) }
    return recalled.contains(entry)
  }

  func template(_ authorization: PoolAuthorization) throws(SendFailure) -> HTTP2RequestTemplate {
    if world.roll(50) == 0 { throw SendFailure(.notProcessed, .invalidRequest, "a value") }
    guard let template = try? HTTP2RequestTemplate(authority: "gateway") else {
      throw SendFailure(.notProcessed, .invalidRequest, "no template")
    }
    return template
  }

  func write(
    _ entry: Int, _ template: HTTP2RequestTemplate, slot: UInt64, timeout: Duration, to wire: inout HTTP2RequestBatch
  ) {
    if recalled.contains(entry) { world.complaints.append("a send left that was taken back") }
    wire.begin(template, id: slot, timeout: timeout)
    wire.path("/")
    wire.end()
  }

  func answered(
    _ entry: Int, _ response: HTTP2Response, in results: HTTP2Results, _ attempt: PoolAttempt
  ) -> AnswerVerdict {
    switch world.roll(10) {
    case 0 where !attempt.wasReauthorized: return .reauthorize
    case 1 where !attempt.wasResent: return .reconnect
    case 2:
      keep(entry)
      return .doneAndReconnect
    default:
      keep(entry)
      return .done(isProof: true)
    }
  }

  func failed(_ entry: Int, _ failure: SendFailure) {
    if failure.cause == .recalled, !recalled.contains(entry) { world.complaints.append("nobody took this send back") }
    keep(entry)
  }

  private func keep(_ entry: Int) {
    if !ended.insert(entry).inserted { world.complaints.append("two outcomes for one send") }
    kept += 1
  }

  func flush() {
    if world.doneCount > 0, kept > 0, !wasSubmittedAfterEnd { world.complaints.append("an outcome after the end") }
    world.outcomes += kept
    kept = 0
  }
}

/// A credential that a test opens and closes.
private final class ScriptedGate: PoolCredential {
  private let state = Mutex(0)

  func change(to state: Int) { self.state.withLock { $0 = state } }

  func gate(now: Duration, wall: Int64) -> CredentialGate {
    switch state.withLock({ $0 }) {
    case 2: .wait(detail: "waiting")
    case 3: .refuse(SendFailure(.notProcessed, .credential, "refused"))
    default: .open(PoolAuthorization(generation: 1, header: nil))
    }
  }
}
