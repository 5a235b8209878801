import GatewayPool
import GatewayTestSupport
import HTTP2
import PushPayload
import Synchronization
import TestSupport
import Testing

@testable import APNs

/// However a client ends, every send that was submitted has one outcome.
@Suite(.timeLimit(.minutes(1))) struct APNsShutdownTests {
  private func silent(_ change: (inout APNsClientConfiguration) -> Void = { _ in }) throws -> (
    ScriptedServer, APNsHarness
  ) {
    let server = try ScriptedServer(answer: { _, _, _ in })
    return (server, try APNsHarness(port: server.port, change))
  }

  @Test func aDrainReturnsAfterTheLastOutcome() async throws {
    for round in 0..<10 {
      let (server, harness) = try silent { $0.limits.streamsBeforeFirstAcceptance = round % 2 == 0 ? 1 : nil }
      try harness.submit(50)
      #expect(await eventually { !server.log.requests.isEmpty })
      await harness.client.drain(within: .milliseconds(50))
      let outcomes = harness.collector.all
      #expect(outcomes.count == 50 && harness.client.unfinished == 0, "\(outcomes.count)")
      #expect(Set(tally(outcomes.map(\.outcome)).keys).isSubset(of: ["closed unknown", "closed not_processed"]))
      #expect(await eventually { server.log.ended == server.log.connections.count })
    }
  }

  @Test func severalDrainsAllReturnAfterTheLastOutcome() async throws {
    let (server, harness) = try silent()
    try harness.submit(10)
    #expect(await eventually { server.log.requests.count == 1 })
    await withTaskGroup(of: Int.self) { group in
      for limit in [300, 60_000, 100] {
        group.addTask {
          await harness.client.drain(within: .milliseconds(limit))
          return harness.collector.all.count
        }
      }
      for await count in group { #expect(count == 10) }
    }
  }

  @Test func theEndOfTheThreadsEndsEverySend() async throws {
    let (server, harness) = try silent { $0.limits.streamsBeforeFirstAcceptance = 1 }
    try harness.submit(10)
    #expect(await eventually { server.log.requests.count == 1 })
    harness.threads.shutdown()
    let outcomes = APNsHarness.byTag(harness.collector.all, 10)
    #expect(tally(outcomes) == ["closed unknown": 1, "closed not_processed": 9])
    #expect(harness.client.unfinished == 0)
    try harness.submit(5, first: 10)
    #expect(harness.collector.all.count == 15)
    await harness.client.drain(within: .seconds(60))
  }

  @Test func theEndOfTheThreadsEndsSendsWithoutAConnection() async throws {
    let server = try ScriptedServer(behavior: { _ in
      var behavior = HTTP2ConnectionBehavior()
      behavior.opening = .silence
      return behavior
    })
    let harness = try APNsHarness(port: server.port)
    try harness.submit(10)
    #expect(await eventually { server.log.connections.count == 1 })
    harness.threads.shutdown()
    #expect(tally(APNsHarness.byTag(harness.collector.all, 10)) == ["closed not_processed": 10])
  }

  /// A client that nobody holds any more ends what it has and closes its connections.
  @Test func aClientThatIsDroppedCloses() async throws {
    let server = try ScriptedServer { request, _, _ in
      request.responder.respond(status: 200, after: .milliseconds(100))
    }
    let collector = OutcomeCollector<APNsResult>()
    let threads = try {
      let harness = try APNsHarness(port: server.port)
      let configuration = APNsClientConfiguration(
        gateway: .custom(host: "127.0.0.1", port: server.port, trust: ScriptedServer.trust),
        credential: .token(try #require(APNsHarness.signingKey)))
      let threads = try GatewayThreads()
      let client = try APNsClient(configuration, threads: threads)
      var batch = APNsBatch(harness.template, capacity: 20)
      for number in 0..<20 {
        batch.append(tag: UInt64(number), token: APNsHarness.token(number), id: APNsID(high: 7, low: UInt64(number)))
      }
      try client.submit(batch, to: APNsHarness.CollectingSink(collector))
      return threads
    }()
    #expect(tally(APNsHarness.byTag(await collector.wait(for: 20), 20)) == ["accepted": 20])
    #expect(await eventually { server.log.ended == server.log.connections.count })
    threads.shutdown()
  }

  /// Servers that misbehave at random, and an end at a random time.
  @Test(arguments: 0..<12) func inAnyWeatherEverySendHasOneOutcome(round: Int) async throws {
    let seed = SeededRandom.fromEnvironment().seed &+ UInt64(round)
    let random = Mutex(SeededRandom(seed: seed))
    let roll: @Sendable (Int) -> Int = { sides in random.withLock { Int.random(in: 0..<sides, using: &$0) } }
    let server = try ScriptedServer { request, _, _ in
      switch roll(60) {
      case 0: request.connection.closeAbruptly()
      case 1: request.connection.goAway(lastStreamID: request.streamID / 2 | 1)
      case 2: request.connection.writeRaw([0, 0, 1, 0, 0, 0, 0, 0x7F, 0xFF, 1])
      case 3: request.reset(.refusedStream)
      case 4: request.connection.fallSilent()
      case 5..<8: break
      default: request.responder.respond(status: 200, after: .milliseconds(roll(20)))
      }
    }
    let harness = try APNsHarness(port: server.port, threadCount: 2) {
      $0.limits.streamsBeforeFirstAcceptance = round % 2 == 0 ? 1 : nil
      $0.limits.busySilence = .milliseconds(100)
      $0.limits.pingTimeout = .milliseconds(100)
      $0.limits.backoffBase = .milliseconds(5)
      $0.timing.requestTimeout = .milliseconds(400)
      $0.timing.queueTimeout = .seconds(2)
    }
    for part in 0..<20 {
      try harness.submit(50, first: part * 50)
      try await Task.sleep(for: .milliseconds(roll(10)))
    }
    if roll(2) == 0 {
      await harness.client.drain(within: .milliseconds(roll(400)))
    } else {
      harness.threads.shutdown()
    }
    let results = harness.collector.all
    #expect(results.count == 1000 && Set(results.map(\.tag)).count == 1000, "POSTRIDER_SEED=\(seed): \(results.count)")
    #expect(harness.client.unfinished == 0, "POSTRIDER_SEED=\(seed)")
    try await Task.sleep(for: .milliseconds(20))
    #expect(harness.collector.all.count == 1000, "POSTRIDER_SEED=\(seed)")
  }
}
