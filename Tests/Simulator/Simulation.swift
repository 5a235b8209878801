import Delivery
import ProviderEmulator
import PushStore
import StoreModel
import TestSupport

/// A server, its gateways and everything between them under one seed: one thread, one clock, every hand-over a step.
///
/// Real are the pipeline, the policy, the clients with their pools and tokens, the store with its group commits, and the
/// emulator's rules; simulated are threads, sockets, HTTP/2, the disk's failures and time. What happens next is chosen by
/// the seed, so that a seed that fails fails again.
///
/// `@unchecked Sendable`: a simulation has one thread; closures that have to be `Sendable` refer to it.
package final class Simulation: @unchecked Sendable {
  /// What a run found.
  package struct Verdict: Sendable {
    /// What was wrong, each in one sentence; empty when nothing was.
    package var faults: [String] = []
    /// What happened, when it was asked for.
    package var trace: [String] = []
    /// Steps taken.
    package var steps = 0
    /// Pushes that a gateway took.
    package var takes = 0
  }

  /// The true time at which every simulation begins, in milliseconds since 1970.
  static let epochMs: Int64 = 1_800_000_000_000
  /// Steps with faults, then steps in which everything has to come to rest.
  private static let activeSteps = 250
  private static let calmStepsMax = 20_000

  let seed: UInt64
  let disk: SimulatedDisk
  let gateways: SimulatedGateways
  let setup: SimulatedSetup
  var random: SeededRandom
  var app = AppID(rawValue: 0)
  var oracle = TruthOracle()
  var process: SimulatedProcess?
  var connections: [SimulatedConnection] = []
  /// Milliseconds since the simulation began.
  private(set) var nowMs: Int64 = 0
  /// By how much the server's clock is wrong.
  var wallOffsetMs: Int64 = 0
  var markers = 0
  /// Pushes whose creation was acknowledged.
  var pushes: [PushID] = []
  /// Providers without a credential.
  var lacking: Set<EmulatedProvider> = []
  private var isCalm = false
  private var restartMs: Int64 = 0
  private var verdict = Verdict()
  private let isTraced: Bool

  /// Runs one seed.
  ///
  /// - Parameters:
  ///   - disk: a disk that no other simulation uses meanwhile.
  package static func run(seed: UInt64, on disk: SimulatedDisk, isTraced: Bool = false) throws -> Verdict {
    try disk.clear()
    let world = try Simulation(seed: seed, disk, isTraced)
    do { try world.run() } catch let error as StoreError { world.complain("the simulation failed: \(error)") }
    world.process?.die(inOrder: false)
    return world.verdict
  }

  private init(seed: UInt64, _ disk: SimulatedDisk, _ isTraced: Bool) throws {
    self.seed = seed
    self.disk = disk
    self.isTraced = isTraced
    random = SeededRandom(seed: seed)
    setup = SimulatedSetup(&random)
    gateways = try SimulatedGateways(seed: seed)
  }

  /// What the server's clock shows.
  var wall: Timestamp { Timestamp(milliseconds: Self.epochMs + nowMs + wallOffsetMs) }

  func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

  func note(_ words: @autoclosure () -> String) {
    if isTraced { verdict.trace.append("\(nowMs) ms: \(words())") }
  }

  func complain(_ words: String) {
    note("FAULT: \(words)")
    if verdict.faults.count < 20 { verdict.faults.append("\(nowMs) ms: \(words)") }
  }

  // MARK: The run

  private func run() throws {
    app = try disk.store.createApp(name: "demo", title: "", settings: [], now: wall).id
    register(1 + roll(10))
    process = try SimulatedProcess(self)
    for _ in 0..<Self.activeSteps where verdict.faults.isEmpty {
      if roll(12) == 0 { try act() } else { try step() }
    }
    if verdict.faults.isEmpty { try rest() }
    verdict.takes = gateways.records.values.reduce(0) { $0 + $1.takes }
  }

  /// One step of one of those who can take one, or time passes.
  private func step() throws {
    verdict.steps += 1
    var (choices, next) = runnable()
    if process == nil {
      if restartMs <= nowMs { choices.append(.start) } else { next = min(next, restartMs) }
    }
    guard !choices.isEmpty, isCalm || roll(10) > 0 else {
      if choices.isEmpty, next == .max { return complain("nothing can happen any more") }
      let small = nowMs + 1 + Int64(roll(roll(4) == 0 ? 3_000 : 40))
      nowMs = choices.isEmpty ? max(isCalm ? next : min(next, small), nowMs + 1) : small
      return
    }
    try perform(choices[roll(choices.count)])
  }

  private enum Choice: CustomStringConvertible {
    case start, turn, store, loop, end
    case pool(SimulatedPool)
    case connection(SimulatedConnection)

    var description: String {
      switch self {
      case .start: "start"
      case .turn: "turn"
      case .store: "store"
      case .loop: "loop"
      case .end: "end"
      case .pool(let pool): "pool of \(pool.provider)"
      case .connection(let connection): "connection \(connection.id) to \(connection.provider)"
      }
    }
  }

  /// Who can take a step now, and when the next of the others can.
  private func runnable() -> ([Choice], Int64) {
    var choices: [Choice] = []
    var next = Int64.max
    func consider(_ due: Int64?, _ choice: Choice) {
      guard let due else { return }
      if due <= nowMs { choices.append(choice) } else { next = min(next, due) }
    }
    if disk.store.hasQueuedChanges { choices.append(.store) }
    connections.removeAll { $0.isGone }
    for connection in connections { consider(connection.due(nowMs), .connection(connection)) }
    if let process {
      consider(process.due(nowMs), .turn)
      consider(process.loop.due(nowMs), .loop)
      for pool in process.pools { consider(pool.dueMs, .pool(pool)) }
      if process.hasEnded { choices.append(.end) }
    }
    return (choices, next)
  }

  private func perform(_ choice: Choice) throws {
    note("step: \(choice)")
    switch choice {
    case .start: try start()
    case .turn: process?.turn()
    case .store:
      disk.store.step()
      try check()
    case .loop: process?.loop.step(nowMs)
    case .pool(let pool): pool.step()
    case .connection(let connection):
      connection.step()
    case .end: end(inOrder: true)
    }
  }

  private func check() throws {
    let failure = disk.steps.readFailure
    disk.steps.readFailure = nil
    defer { disk.steps.readFailure = failure }
    for fault in try oracle.check(disk.store, gateways.records) { complain(fault) }
  }

  // MARK: Lives

  private func start() throws {
    note("the process starts")
    process = try SimulatedProcess(self)
    for provider in lacking { process?.removeSender(provider) }
  }

  /// The process dies: its memory is gone; the disk and what the kernel was handed stay.
  func crash() {
    guard process != nil else { return }
    note("the process dies")
    end(inOrder: false)
  }

  private func end(inOrder: Bool) {
    process?.die(inOrder: inOrder)
    process = nil
    for connection in connections { connection.abandon() }
    disk.store.abandonQueue()
    restartMs = nowMs + Int64(roll(3) == 0 ? 0 : roll(5_000))
  }

  // MARK: Coming to rest

  /// Nothing goes wrong any more: every push has to end, and every lease with it.
  private func rest() throws {
    note("from now on nothing goes wrong")
    isCalm = true
    try heal()
    var steps = 0
    repeat {
      for _ in 0..<20 { try step() }
      steps += 20
      if steps == 2_000 { try heal() }
      try check()
    } while (oracle.openPushes > 0 || oracle.openLeases > 0 || process == nil) && steps < Self.calmStepsMax
      && verdict.faults.isEmpty
    guard verdict.faults.isEmpty else { return }
    if oracle.openPushes > 0 || oracle.openLeases > 0 {
      complain("\(oracle.openPushes) pushes and \(oracle.openLeases) leases have not ended")
      try describe()
    }
    for fault in try disk.store.verifyLedger(push: nil) { complain("verifyLedger: \(fault)") }
    try stopInOrder()
  }

  /// Notes all pushes and open deliveries.
  private func describe() throws {
    for push in try disk.store.pushes(app: app, campaignsOnly: false, before: nil, limit: 100) {
      note("\(push.id): \(push.state.name), \(push.counts), audience complete: \(push.audienceComplete)")
      for row in try disk.store.deliveries(of: push.id, state: nil, after: nil, limit: 100) {
        note(
          "  \(row.id): \(row.state.name), attempts \(row.attempts), not before \(row.notBefore.map { $0.milliseconds - wall.milliseconds } ?? -1)"
        )
      }
    }
  }

  private func heal() throws {
    (disk.steps.writeFailure, disk.steps.readFailure) = (nil, nil)
    gateways.faults.rules.removeAll()
    gateways.network.removeAll()
    lacking.removeAll()
    wallOffsetMs = 0
    if let process, process.isServing {
      for provider in setup.providers { try process.replaceSender(provider) }
    }
    try disk.store.clearStops(app: app)
    let store = disk.store
    for push in try store.integers("SELECT id FROM pushes WHERE state = 4", columns: 1) {
      try disk.store.resumePush(PushID(rawValue: push), now: wall)
    }
    for push in try disk.store.integers("SELECT id FROM pushes WHERE state = 1", columns: 1) {
      try disk.store.releasePush(PushID(rawValue: push), startAt: nil, now: wall)
    }
    process?.mailbox.post(.wake)
  }

  /// Stops the server as an operator does; every send has to have its outcome by then.
  private func stopInOrder() throws {
    process?.stop(withinMs: 10_000)
    var steps = 0
    while process != nil, steps < 1_000 {
      try step()
      steps += 1
    }
    if process != nil { complain("the process does not end") }
  }
}
