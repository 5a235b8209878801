import GatewayPool
import GatewayTestSupport
import HTTP2
import ProviderEmulator
import PushPayload
import TLS
import Testing
import WireJSON

@testable import FCM

/// The client against the emulator of this project, which keeps Google's rules.
@Suite(.timeLimit(.minutes(1))) struct FCMEmulatorTests {
  private final class Setup: FCMSink {
    let emulator: ProviderEmulator
    let client: FCMClient
    let threads: GatewayThreads
    let collector = OutcomeCollector<FCMResult>()
    let template = FCMTemplate(FCMRequestTemplate(message: ["notification": ["title": "hi"]]))

    init(_ scenario: Scenario = Scenario(), _ change: (inout FCMClientConfiguration) -> Void = { _ in }) throws {
      var configuration = EmulatorConfiguration()
      configuration.scenario = scenario
      emulator = try ProviderEmulator(configuration)
      let account = try FCMServiceAccount(
        keyFile: Array(emulator.credentials.serviceAccountJSON(tokenURI: emulator.ports.tokenURI).utf8))
      var client = FCMClientConfiguration(
        gateway: .custom(
          host: "127.0.0.1", port: emulator.ports.fcm, trust: .pem(Array(emulator.authorityPEM.utf8))),
        account: account)
      client.timing.queueTimeout = .seconds(10)
      client.timing.requestTimeout = .seconds(5)
      change(&client)
      threads = try GatewayThreads()
      self.client = try FCMClient(client, threads: threads)
    }

    deinit { threads.shutdown() }

    func receive(_ results: [FCMResult]) { collector.add(results) }

    func submit(_ numbers: Range<Int>) throws {
      var batch = FCMBatch(template, capacity: numbers.count)
      for number in numbers { batch.append(tag: UInt64(number), target: FCMEmulatorTests.token(number)) }
      try client.submit(batch, to: self)
    }

    func outcomes(_ count: Int, seconds: Int = 40) async -> [[FCMOutcome]] {
      var found = [[FCMOutcome]](repeating: [], count: count)
      for result in await collector.wait(for: count, seconds: seconds) { found[Int(result.tag)].append(result.outcome) }
      return found
    }
  }

  private static func token(_ number: Int) -> String {
    "fcm-\(number):APA91b" + String(repeating: "x", count: 130)
  }

  @Test func aCampaignArrivesOnceOnEveryDevice() async throws {
    let setup = try Setup()
    try setup.submit(0..<2000)
    for (number, outcomes) in await setup.outcomes(2000).enumerated() {
      guard outcomes.count == 1, case .accepted(let name) = outcomes[0] else {
        Issue.record("\(number): \(outcomes)")
        return
      }
      #expect(name.hasPrefix("projects/\(setup.emulator.credentials.projectID)/messages/"))
    }
    #expect(setup.emulator.acceptedCount == 2000)
  }

  @Test func anAccessTokenThatEndsEarlyIsReplaced() async throws {
    let setup = try Setup()
    try setup.submit(0..<10)
    _ = await setup.outcomes(10)
    // The gateway's clock runs ahead, so that it takes the client's token for expired.
    setup.emulator.advanceClock(byMs: 3_700_000)
    try setup.submit(10..<20)
    let outcomes = await setup.outcomes(20)
    #expect(setup.collector.all.count == 20)
    #expect(outcomes[10..<20].allSatisfy { if case .failed = $0[0] { false } else { true } })
  }

  @Test(arguments: [UInt64(1), 2, 3]) func outcomesAgreeWithTheDevicesUnderFire(seed: UInt64) async throws {
    var scenario = Scenario()
    scenario.seed = seed
    let effects: [(String, Effect, Double)] = [
      ("leave", .goAway(GoAwayEffect()), 0.002),
      ("leave-unprocessed", .goAway(GoAwayEffect(processed: false)), 0.002),
      ("reset", .reset(code: 2), 0.01), ("refused", .reset(code: 7), 0.01), ("silence", .silence, 0.002),
      ("close", .close, 0.001), ("unavailable", .refuse(Refusal("UNAVAILABLE")), 0.01),
      ("page", .answer(RawAnswer(status: 502, contentType: "text/html", body: Array("<html>".utf8))), 0.01),
    ]
    scenario.rules = effects.map { name, effect, share in
      var rule = FaultRule(name: name, effect: effect)
      rule.provider = .fcm
      rule.share = share
      return rule
    }
    let setup = try Setup(scenario) {
      $0.timing.queueTimeout = .seconds(30)
      $0.timing.requestTimeout = .milliseconds(400)
      $0.limits.streamsPerConnectionMax = 50
      $0.limits.busySilence = .milliseconds(150)
      $0.limits.pingTimeout = .milliseconds(150)
      $0.limits.connectFailuresMax = 20
      $0.limits.backoffBase = .milliseconds(5)
      $0.limits.connectInterval = .milliseconds(10)
    }
    let count = 1600
    for first in stride(from: 0, to: count, by: 200) { try setup.submit(first..<(first + 200)) }
    var accepted = 0
    for (number, outcomes) in await setup.outcomes(count).enumerated() {
      let received = setup.emulator.device(.fcm, Self.token(number))?.acceptedCount ?? 0
      guard outcomes.count == 1 else {
        Issue.record("seed \(seed), send \(number): \(outcomes.count) outcomes")
        continue
      }
      switch outcomes[0] {
      case .accepted:
        accepted += 1
        #expect(received == 1, "seed \(seed), send \(number)")
      case .rejected(let rejection): #expect(received == 0, "seed \(seed), send \(number): \(rejection)")
      case .failed(let failure):
        #expect(
          received <= (failure.processing == .notProcessed ? 0 : 1), "seed \(seed), send \(number): \(failure)")
      }
    }
    #expect(accepted > count / 2, "seed \(seed)")
  }
}
