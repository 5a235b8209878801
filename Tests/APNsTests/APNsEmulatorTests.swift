import GatewayPool
import GatewayTestSupport
import HTTP2
import ProviderEmulator
import PushPayload
import TLS
import TestSupport
import Testing

@testable import APNs

/// The client against the emulator of this project, which keeps Apple's rules.
@Suite(.timeLimit(.minutes(1))) struct APNsEmulatorTests {
  private struct Setup {
    let emulator: ProviderEmulator
    let harness: APNsHarness
    let key: APNs::APNsSigningKey

    init(_ scenario: Scenario = Scenario(), _ change: (inout APNsClientConfiguration) -> Void = { _ in }) throws {
      var configuration = EmulatorConfiguration()
      configuration.scenario = scenario
      let emulator = try ProviderEmulator(configuration)
      let credentials = emulator.credentials
      let key = try APNs::APNsSigningKey(
        p8: Array(credentials.signingKeyPEM.utf8), keyID: credentials.keyID, teamID: credentials.teamID)
      harness = try APNsHarness(
        port: emulator.ports.apns, trust: .pem(Array(emulator.authorityPEM.utf8)), credential: .token(key),
        change)
      self.emulator = emulator
      self.key = key
    }
  }

  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.utf8.count) + digits
  }

  private static func submit(_ harness: APNsHarness, _ numbers: Range<Int>) throws {
    var batch = APNsBatch(harness.template, capacity: numbers.count)
    for number in numbers {
      batch.append(tag: UInt64(number), token: token(number), id: APNsID(high: 0x4000, low: UInt64(number)))
    }
    try harness.client.submit(batch, to: harness.sink)
  }

  @Test func aCampaignArrivesOnceOnEveryDevice() async throws {
    let setup = try Setup()
    try Self.submit(setup.harness, 0..<3000)
    let outcomes = APNsHarness.byTag(await setup.harness.collector.wait(for: 3000), 3000)
    #expect(tally(outcomes) == ["accepted": 3000])
    #expect(setup.emulator.acceptedCount == 3000)
    #expect(setup.emulator.counters.connections[.apns, default: 0] <= 4)
    let device = try #require(setup.emulator.device(.apns, Self.token(1234)))
    #expect(device.acceptedCount == 1)
    #expect(device.receivedPushes.first?.payload == Array(#"{"aps":{"alert":"hi"}}"#.utf8))
  }

  @Test func aDeadTokenCarriesItsTime() async throws {
    var scenario = Scenario()
    var device = DeviceDescription(provider: .apns, token: Self.token(1))
    device.registration = .unregistered(sinceMs: 1_770_000_000_123)
    scenario.devices = [device]
    let setup = try Setup(scenario)
    let outcome = try await setup.harness.client.send(setup.harness.template.request, to: Self.token(1))
    guard case .rejected(let rejection) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(rejection.reason == .unregistered)
    #expect(rejection.status == 410)
    #expect(rejection.timestamp == 1_770_000_000_123)
    #expect(rejection.consequence == .retireDevice)
  }

  @Test func trap8TheEmulatorsClockMakesATokenExpireAndTheClientMintsOnce() async throws {
    let setup = try Setup()
    #expect(try await setup.harness.client.send(setup.harness.template.request, to: Self.token(1)).short == "accepted")
    // The gateway's clock runs ahead by more than an hour; the client's clock does not, so it finds out by the answer.
    setup.emulator.advanceClock(byMs: 3_650_000)
    let outcome = try await setup.harness.client.send(setup.harness.template.request, to: Self.token(1))
    #expect(outcome.short == "403 ExpiredProviderToken" || outcome.short == "accepted")
    #expect(setup.emulator.counters.requests[.apns] == 3, "one more try, and no loop")
  }

  @Test func trap3TheLimitThatFallsAfterARejectionIsFollowed() async throws {
    var scenario = Scenario()
    scenario.apns.streamsAfterRejection = 1
    var rule = FaultRule(name: "bad", effect: .refuse(Refusal("BadDeviceToken")))
    rule.every = 10
    scenario.rules = [rule]
    let setup = try Setup(scenario) { $0.limits.connectionsMax = 1 }
    try Self.submit(setup.harness, 0..<1000)
    let outcomes = APNsHarness.byTag(await setup.harness.collector.wait(for: 1000), 1000)
    #expect(tally(outcomes)["accepted"] == 1000 - (tally(outcomes)["400 BadDeviceToken"] ?? 0))
    #expect(setup.emulator.counters.connections[.apns] == 1)
  }

  /// Every transport fault at once, at random: each send has one outcome, and what the devices have got agrees with it.
  @Test(arguments: [UInt64(1), 2, 3]) func traps1And2OutcomesAgreeWithTheDevicesUnderFire(seed: UInt64) async throws {
    var scenario = Scenario()
    scenario.seed = seed
    scenario.rules = Self.fire
    var fault = ConnectionFault(opening: .goAway(GoAwayEffect()))
    fault.every = 4
    scenario.connections = [fault]
    scenario.latencies = [.apns: .uniform(0, 5)]
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
    let count = 2000
    for first in stride(from: 0, to: count, by: 200) { try Self.submit(setup.harness, first..<(first + 200)) }
    let outcomes = APNsHarness.byTag(await setup.harness.collector.wait(for: count, seconds: 40), count)
    for (number, outcome) in outcomes.enumerated() {
      let received = setup.emulator.device(.apns, Self.token(number))?.acceptedCount ?? 0
      switch outcome {
      case .accepted: #expect(received == 1, "seed \(seed), send \(number)")
      case .rejected: #expect(received == 0, "seed \(seed), send \(number): \(outcome.short)")
      case .failed(let failure) where failure.processing == .notProcessed:
        #expect(received == 0, "seed \(seed), send \(number): \(failure)")
      case .failed(let failure):
        #expect(failure.cause.rawValue != "test", "seed \(seed), send \(number): \(failure.detail)")
        #expect(received <= 1, "seed \(seed), send \(number): \(failure)")
      }
    }
    #expect(setup.harness.client.unfinished == 0)
    #expect(tally(outcomes)["accepted", default: 0] > count / 2, "seed \(seed): \(tally(outcomes))")
  }

  private static let fire: [FaultRule] = {
    let effects: [(String, Effect, Double)] = [
      ("leave", .goAway(GoAwayEffect()), 0.002),
      ("leave-unprocessed", .goAway(GoAwayEffect(processed: false)), 0.002),
      ("reset", .reset(code: 2), 0.01), ("refused", .reset(code: 7), 0.01), ("silence", .silence, 0.002),
      ("close", .close, 0.001), ("half-open", .halfOpen, 0.0005),
      ("unavailable", .refuse(Refusal("ServiceUnavailable")), 0.01),
      ("page", .answer(RawAnswer(status: 502, contentType: "text/html", body: Array("<html>".utf8))), 0.01),
    ]
    return effects.map { name, effect, share in
      var rule = FaultRule(name: name, effect: effect)
      rule.provider = .apns
      rule.share = share
      return rule
    }
  }()
}
