import Delivery
import PushStore
import StoreModel
import Synchronization
import TestSupport
import Testing

/// Credentials that change while pushes are under way, and credentials that cannot be opened.
@Suite(.timeLimit(.minutes(5))) struct ReplacedCredentialTests {
  /// What the sender of the old credential answers after it was replaced.
  enum LateAnswer: String, Sendable, CaseIterable {
    case badCredential, doubtfulCredential, unreachable

    var outcome: SendOutcome {
      switch self {
      case .badCredential:
        .rejected(SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential))
      case .doubtfulCredential:
        .rejected(SendRejection(status: 401, reason: "THIRD_PARTY_AUTH_ERROR", meaning: .doubtfulCredential))
      case .unreachable: .notProcessed(reason: "connect")
      }
    }
  }

  private static func isTrouble(_ event: DeliveryEvent) -> Bool {
    switch event {
    case .providerStopped, .credentialDoubted, .gatewayUnreachable: true
    default: false
    }
  }

  @Test(
    "What a replaced credential's sender answers does not count against the new credential",
    arguments: LateAnswer.allCases)
  func lateAnswer(answer: LateAnswer) throws {
    let f = try DeliveryFixture()
    let old = HeldSender()
    // More than the failures in a row that close a lane.
    try f.devices(2 * Breaker.failuresMax)
    try f.start(old)
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the sends") { old.count == 2 * Breaker.failuresMax }
    let new = ScriptedSender()
    f.senders.set(new, app: f.app, provider: .apns, environment: .production)
    old.answer(answer.outcome)
    try f.until("the results") { f.engine?.statistics.recorded == 2 * Breaker.failuresMax }
    #expect(try f.store.stops().isEmpty)
    #expect(!f.events.value.withLock { $0.contains(where: Self.isTrouble) })
    try f.until("the end", seconds: 60) {
      f.advance(seconds: 1)
      return try f.store.push(push)?.finishedAt != nil
    }
    let counts = try f.counts(push)
    #expect(answer == .doubtfulCredential ? counts.rejected == counts.targeted : counts.accepted == counts.targeted)
    #expect(!f.events.value.withLock { $0.contains(where: Self.isTrouble) })
    try f.checkLedger()
  }

  @Test(
    "What waits for a credential that cannot be opened is kept until it is saved again", arguments: [false, true])
  func unusableCredential(isOldAtStart: Bool) throws {
    let f = try DeliveryFixture()
    try f.devices(10)
    func withoutSender(_: inout DeliveryOptions) {
      f.senders.set(nil, app: f.app, provider: .apns, environment: .production, isUnusable: true)
    }
    let good = ScriptedSender()
    var push: PushID?
    if isOldAtStart {
      push = try f.push(.all(kinds: []), campaign: true)
      // Older than deliveries are tried before it is leased for the first time.
      f.clock.advance(milliseconds: 2 * GivingUp().apnsAgeMs)
    }
    try f.start(good, change: withoutSender)
    let id = try push ?? f.push(.all(kinds: []), campaign: true)
    try f.until("the first look") { f.engine?.statistics.recorded ?? 0 >= 10 }
    for _ in 0..<15 {
      f.advance(seconds: 3_600)
      try f.until("quiet") { f.engine?.statistics.inFlight == 0 && f.engine?.statistics.unwritten == 0 }
      #expect(try f.counts(id).waiting == 10)
    }
    // Two more looks at the store, after the last change.
    for _ in 0..<2 { try f.lookAtStore() }
    #expect(try f.counts(id).waiting == 10)
    f.senders.set(good, app: f.app, provider: .apns, environment: .production)
    try f.until("the end", seconds: 60) {
      f.advance(seconds: 1)
      return try f.store.push(id)?.finishedAt != nil
    }
    #expect(try f.counts(id).accepted == 10)
    try f.checkLedger()
  }

  @Test("The stop that an old credential caused ends with it, although it is still being written")
  func stopEndsWithItsCredential() throws {
    let f = try DeliveryFixture()
    let refusal = SendRejection(status: 403, reason: "InvalidProviderToken", meaning: .badCredential)
    try f.devices(3)
    try f.start(ScriptedSender { _, _ in .rejected(refusal) })
    let push = try f.push(.all(kinds: []), campaign: true)
    try f.until("the stop") { try !f.store.stops().isEmpty }
    f.senders.set(ScriptedSender(), app: f.app, provider: .apns, environment: .production)
    // What asked for the stops before this one was written has not seen it.
    f.engine?.resumeLanes(of: f.app)
    try f.until("the end of the stop") { try f.store.stops().isEmpty }
    // Less than a stop lasts.
    f.advance(seconds: 20)
    try f.untilFinished(push)
    #expect(try f.counts(push).accepted == 3)
    try f.checkLedger()
  }
}
