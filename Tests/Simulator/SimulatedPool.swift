import FCM
import GatewayPool
import HTTP2
import ProviderEmulator

/// What a network thread works on: tasks in order, and timers.
final class SimulatedLoop {
  private var tasks: [() -> Void] = []
  private var timers: [(dueMs: Int64, task: () -> Void)] = []

  func add(_ task: @escaping () -> Void) { tasks.append(task) }

  func add(at dueMs: Int64, _ task: @escaping () -> Void) { timers.append((dueMs, task)) }

  var hasTasks: Bool { !tasks.isEmpty }

  func due(_ nowMs: Int64) -> Int64? { tasks.isEmpty ? timers.map(\.dueMs).min() : nowMs }

  func step(_ nowMs: Int64) {
    for timer in timers where timer.dueMs <= nowMs { tasks.append(timer.task) }
    timers.removeAll { $0.dueMs <= nowMs }
    if !tasks.isEmpty { tasks.removeFirst()() }
  }
}

/// A real pool with simulated connections, on the simulated network thread of its process.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class SimulatedPool: PoolDriver, PoolTransport, @unchecked Sendable {
  let provider: EmulatedProvider
  let wantedHeaders: [String]
  private unowned let world: Simulation
  private weak let process: SimulatedProcess?
  private var connections: [PoolMachine.ConnectionID: SimulatedConnection] = [:]
  private var madeWorker: PoolWorker?
  private(set) var dueMs: Int64?
  /// Whether the end of a drain was reported.
  private(set) var isDone = false

  init(
    _ world: Simulation, _ process: SimulatedProcess, _ provider: EmulatedProvider, _ configuration: PoolConfiguration,
    _ credential: any PoolCredential, _ finished: @escaping @Sendable (Int) -> Void
  ) {
    self.world = world
    self.process = process
    self.provider = provider
    wantedHeaders = configuration.wantedHeaders
    madeWorker = PoolWorker(
      transport: self, configuration: configuration, credential: credential, seed: world.random.next(),
      finished: finished)
  }

  var worker: PoolWorker {
    guard let madeWorker else { preconditionFailure("a pool has a worker from its beginning on") }
    return madeWorker
  }

  /// The timer's time has come.
  func step() {
    dueMs = nil
    worker.timePassed()
  }

  func forget(_ id: PoolMachine.ConnectionID) { connections[id] = nil }

  // MARK: PoolDriver

  func submit(_ run: any PoolBatch) -> Bool {
    guard let process, process.isAlive else { return false }
    process.loop.add { self.worker.submit(run) }
    return true
  }

  func wake() { process?.loop.add { self.worker.wake() } }

  func drain(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
    guard let process, process.isAlive else { return done() }
    process.loop.add {
      self.worker.drain(within: limit) {
        self.isDone = true
        done()
      }
    }
  }

  func statistics(_ body: @escaping @Sendable (PoolStatistics) -> Void) { body(worker.statistics) }

  // MARK: PoolTransport

  func open(_ id: PoolMachine.ConnectionID, attempt: Int, limits: PoolLimits) {
    let connection = SimulatedConnection(
      world, self, id: id, connectMs: limits.connectTimeout.milliseconds,
      pingTimeoutMs: limits.pingTimeout.milliseconds,
      streamLimit: limits.streamsPerConnectionMax)
    connections[id] = connection
    world.connections.append(connection)
  }

  func submit(_ requests: consuming HTTP2RequestBatch, on id: PoolMachine.ConnectionID) {
    guard let connection = connections[id] else { return world.complain("requests for a connection that is gone") }
    connection.submit(requests)
  }

  func ping(_ id: PoolMachine.ConnectionID) { connections[id]?.ping() }

  func close(_ id: PoolMachine.ConnectionID) { connections[id]?.close() }

  func wake(at time: Duration, now: Duration) {
    let time = max(time.milliseconds, world.nowMs + 1)
    dueMs = min(dueMs ?? time, time)
  }
}

/// The way to the simulated token endpoint.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class SimulatedTokenExchange: FCMTokenExchange, @unchecked Sendable {
  private unowned let world: Simulation
  private weak let process: SimulatedProcess?

  init(_ world: Simulation, _ process: SimulatedProcess) {
    self.world = world
    self.process = process
  }

  func exchange(_ body: [UInt8], _ done: @escaping @Sendable (FCMTokenAnswer) -> Void) {
    let world = world
    process?.loop.add(at: world.nowMs + Int64(world.roll(200))) {
      let isDown = world.gateways.network[.oauth] ?? .good != .good
      let answer = isDown ? nil : world.gateways.token(body, world)
      done(answer.map { FCMTokenAnswer(status: $0.status, body: $0.body) } ?? .unreachable("no answer"))
    }
  }

  func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    process?.loop.add(at: world.nowMs + max(delay.milliseconds, 1), body)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up.
  var milliseconds: Int64 {
    components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
