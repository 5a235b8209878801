import APNs
import Delivery
import FCM
import GatewayPool
import ProviderEmulator
import PushStore
import StoreModel

/// One life of the server: the real pipeline and the real clients, on a simulated thread each.
///
/// `@unchecked Sendable`: a simulation has one thread.
final class SimulatedProcess: @unchecked Sendable {
  private enum Life {
    case running
    /// The pipeline was stopped and waits for what is on the wire.
    case stopping
    /// The pipeline has ended, the network thread ends.
    case ending
    case dead
  }

  private unowned let world: Simulation
  let mailbox = Mailbox()
  let loop = SimulatedLoop()
  let senders = SenderDirectory()
  private(set) var pools: [SimulatedPool] = []
  private let pipeline: Pipeline
  private var life = Life.running
  private var pipelineDueMs: Int64 = 0
  private var idleTurns = 0
  /// Sends without an answer, by their tag.
  private var outstanding: [UInt64: CountingSender] = [:]
  private let setup: SimulatedSetup

  init(_ world: Simulation) throws {
    self.world = world
    setup = world.setup
    var options = setup.delivery
    options.clock = { world.wall }
    options.monotonicMs = { world.nowMs }
    options.random = { world.random.next() }
    options.onEvent = { event in world.note("event: \(event)") }
    pipeline = Pipeline(store: world.disk.store, senders: senders, options: options, mailbox: mailbox)
    for provider in setup.providers { try replaceSender(provider) }
    pipeline.begin()
  }

  var isAlive: Bool { life != .dead }
  /// Whether requests of the API are accepted.
  var isServing: Bool { life == .running }

  // MARK: Steps

  func due(_ nowMs: Int64) -> Int64 {
    switch life {
    case .running, .stopping: return mailbox.hasEvents ? nowMs : max(pipelineDueMs, nowMs)
    case .ending, .dead: return .max
    }
  }

  /// The pipeline takes a turn, whether or not one is due.
  func turn() {
    guard life == .running || life == .stopping else { return }
    var events: [PipelineEvent] = []
    mailbox.take(into: &events, waitingMs: 0)
    let wait = pipeline.turn(events)
    // A thread that never rests although nothing happens takes a processor from the rest of the server.
    idleTurns = events.isEmpty && wait == 0 ? idleTurns + 1 : 0
    if idleTurns == 100 { world.complain("the pipeline took 100 turns without rest although nothing happened") }
    if pipeline.held > 2 * setup.delivery.window {
      world.complain(
        "\(pipeline.held) deliveries are leased and not answered, and the window is \(setup.delivery.window)")
    }
    if let wait { pipelineDueMs = world.nowMs + wait } else { endPipeline() }
  }

  func stop(withinMs milliseconds: Int64) {
    guard life == .running else { return }
    world.note("stop within \(milliseconds) ms")
    life = .stopping
    mailbox.post(.stop(deadlineMs: world.nowMs + milliseconds))
  }

  /// The pipeline is done: the network thread stops, and every send still gets its outcome.
  private func endPipeline() {
    world.note("the pipeline has ended")
    life = .ending
    for pool in pools { pool.worker.stop(.threadsEnded) }
  }

  /// Whether the network thread has nothing left to do.
  var hasEnded: Bool {
    life == .ending && !loop.hasTasks && pools.allSatisfy { $0.worker.isClosed }
  }

  /// The process is gone, in order or not.
  func die(inOrder: Bool) {
    if inOrder, !outstanding.isEmpty {
      world.complain("\(outstanding.count) sends had no outcome when the threads ended")
    }
    life = .dead
    pools = []
  }

  // MARK: Senders

  func replaceSender(_ provider: EmulatedProvider) throws {
    let old = senders.set(
      CountingSender(try sender(provider), self), app: world.app, provider: provider == .apns ? .apns : .fcm,
      environment: .production)
    old?.close(within: .seconds(5))
    mailbox.post(.wake)
  }

  func removeSender(_ provider: EmulatedProvider) {
    senders.set(nil, app: world.app, provider: provider == .apns ? .apns : .fcm, environment: .production)?
      .close(within: .seconds(5))
  }

  private func sender(_ provider: EmulatedProvider) throws -> any Sender {
    let keys = try ClientKeys.shared.get()
    let world = world
    let clock = GatewayClock(
      monotonic: { .milliseconds(world.nowMs) }, wall: { world.wall.seconds })
    func factory(_ credential: any PoolCredential) -> PoolFactory {
      { configuration, finished in
        let pool = SimulatedPool(world, self, provider, configuration, credential, finished)
        self.pools.append(pool)
        return [pool]
      }
    }
    switch provider {
    case .apns:
      var client = APNsClientConfiguration(gateway: .production(), credential: .token(keys.signingKey))
      client.limits = setup.limits(client.limits)
      client.timing = setup.timing
      client.queueCapacity = setup.queueCapacity
      client.clock = clock
      return APNsSender(APNsClient(client, pools: factory))
    case .fcm, .oauth:
      var client = FCMClientConfiguration(account: keys.account)
      client.limits = setup.limits(client.limits)
      client.timing = setup.timing
      client.queueCapacity = setup.queueCapacity
      client.clock = clock
      return FCMSender(FCMClient(client, exchange: SimulatedTokenExchange(world, self), pools: factory))
    case .web, .hms, .hmsOAuth: preconditionFailure("the simulated server has neither browsers nor Huawei phones")
    }
  }

  // MARK: One outcome per send

  fileprivate func submitted(_ batch: SendBatch, to sender: CountingSender) {
    for entry in batch.entries where outstanding.updateValue(sender, forKey: entry.tag) != nil {
      world.complain("a send was submitted again before its outcome")
    }
  }

  fileprivate func refused(_ batch: SendBatch) { for entry in batch.entries { outstanding[entry.tag] = nil } }

  fileprivate func answered(_ answers: [SendAnswer], of sender: CountingSender) {
    for answer in answers {
      world.note("answer: tag \(answer.tag): \(answer.outcome)")
      if outstanding.removeValue(forKey: answer.tag) !== sender {
        world.complain("a send had two outcomes, or one that nobody waits for")
      }
    }
  }
}

/// The private halves of what the gateways know.
private struct ClientKeys {
  let signingKey: APNs.APNsSigningKey
  let account: FCMServiceAccount

  static let shared = Result {
    let keys = try SimulatedGateways.Keys.shared.get().credentials
    let file = keys.serviceAccountJSON(tokenURI: "https://oauth2.googleapis.com/token")
    return ClientKeys(
      signingKey: try APNs.APNsSigningKey(
        p8: Array(keys.signingKeyPEM.utf8), keyID: keys.keyID, teamID: keys.teamID),
      account: try FCMServiceAccount(keyFile: Array(file.utf8)))
  }
}

/// Watches a sender: each send that it accepts has one outcome.
///
/// `@unchecked Sendable`: a simulation has one thread.
private final class CountingSender: Sender, @unchecked Sendable {
  private let sender: any Sender
  private unowned let process: SimulatedProcess

  init(_ sender: any Sender, _ process: SimulatedProcess) {
    self.sender = sender
    self.process = process
  }

  func submit(_ batch: SendBatch, to sink: any SendSink) -> Bool {
    process.submitted(batch, to: self)
    if sender.submit(batch, to: CountingSink(self, process, sink)) { return true }
    process.refused(batch)
    return false
  }

  func close(within limit: Duration) { sender.close(within: limit) }
}

/// `@unchecked Sendable`: a simulation has one thread.
private final class CountingSink: SendSink, @unchecked Sendable {
  private let sender: CountingSender
  private unowned let process: SimulatedProcess
  private let sink: any SendSink

  init(_ sender: CountingSender, _ process: SimulatedProcess, _ sink: any SendSink) {
    self.sender = sender
    self.process = process
    self.sink = sink
  }

  func receive(_ answers: [SendAnswer]) {
    process.answered(answers, of: sender)
    sink.receive(answers)
  }
}
