import Ledger
import StoreModel
import Testing

/// What a result makes of a delivery, for each change, each state of its push and each past of the delivery.
@Suite struct WireEndTests {
  private static let later = Timestamp(seconds: 100)

  private func end(
    _ change: DeliveryResult.Change, status: Int = 200, state: PushState = .sending, policy: UnknownPolicy = .resend,
    isRestored: Bool = false, isUncertain: Bool = false
  ) throws -> WireEnd {
    let result = DeliveryResult(
      lease: LeaseID(rawValue: 1), delivery: DeliveryID(rawValue: 7), push: PushID(rawValue: 5), attempt: 2,
      change: change, provider: .fcm, answer: (status, ""), at: Timestamp(seconds: 50))
    let fate = PushFate(
      app: AppID(rawValue: 3), state: state, policy: policy, pushClass: .campaign, isRestored: isRestored)
    return try WireEnd(result, fate: { fate }, isUncertain: { isUncertain })
  }

  @Test func anAnswerIsFinal() throws {
    let accepted = try end(.accepted(providerID: "projects/p/messages/1"), isUncertain: true)
    #expect(accepted.state == .accepted && accepted.counts && accepted.providerID == "projects/p/messages/1")
    #expect(accepted.metric == .accepted && accepted.queue == nil)
    #expect(try end(.rejected, status: 404, isUncertain: true).state == .rejected)
  }

  @Test(arguments: [
    (DeliveryResult.Change.rejected, DeliveryState.rejected), (.abandoned, .rejected), (.expired, .expired),
  ])
  func whatEndsWithoutAnAnswerIsUnknownWhenItMayHaveArrived(change: DeliveryResult.Change, certain: DeliveryState)
    throws
  {
    #expect(try end(change, status: 0).state == certain)
    #expect(try end(change, status: 0, isUncertain: true).state == .unknown)
    #expect(try end(change, status: 0, isRestored: true).state == .unknown)
  }

  @Test func aRetryWaitsInItsLaneUnlessItsPushIsOver() throws {
    let waiting = try end(.retry(notBefore: Self.later))
    let lane = LaneKey(app: AppID(rawValue: 3), provider: .fcm, environment: .production)
    #expect(waiting.state == .waiting && waiting.notBefore == Self.later && waiting.counts)
    #expect(waiting.queue == lane.queue(.campaign) && waiting.metric == nil)
    #expect(try !end(.release(notBefore: Self.later)).counts)
    #expect(try end(.retry(notBefore: Self.later), state: .expired).state == .expired)
    #expect(try end(.retry(notBefore: Self.later), state: .cancelled).state == .cancelled)
    #expect(try end(.retry(notBefore: Self.later), state: .cancelled, isUncertain: true).state == .unknown)
  }

  @Test(arguments: [
    (UnknownPolicy.resend, PushState.sending, DeliveryState.waiting), (.resend, .paused, .waiting),
    (.resend, .cancelled, .unknown), (.leave, .sending, .unknown),
  ])
  func whatIsLostFollowsThePolicy(policy: UnknownPolicy, state: PushState, becomes: DeliveryState) throws {
    let lost = try end(.unknown(notBefore: Self.later), state: state, policy: policy)
    #expect(lost.state == becomes && lost.isUnknown)
    #expect(try end(.unknown(notBefore: nil), state: state, policy: policy).state == .unknown)
  }

  /// A crash and a broken connection leave the same doubt, and one rule decides about it.
  @Test func aCrashMakesOfADeliveryWhatALostAnswerMakes() throws {
    for state in PushState.allCases {
      for policy in [UnknownPolicy.resend, .leave] {
        let fate = PushFate(
          app: AppID(rawValue: 3), state: state, policy: policy, pushClass: .campaign, isRestored: false)
        let lost = try end(.unknown(notBefore: Self.later), state: state, policy: policy)
        #expect((fate.resendQueue(nil) != nil) == (lost.state == .waiting), "\(state), \(policy)")
      }
    }
  }

  @Test func eachEndIsCountedOnce() throws {
    var delta = LedgerDelta()
    for change: DeliveryResult.Change in [
      .accepted(providerID: nil), .rejected, .expired, .retry(notBefore: Self.later), .unknown(notBefore: Self.later),
      .unknown(notBefore: nil),
    ] {
      delta.count(try end(change), at: Timestamp(seconds: 60))
    }
    #expect(delta.total == 6 && delta.waiting == 2 && delta.resent == 1 && delta.accepted == 1)
    #expect(delta.final.map(\.count).reduce(0, +) == 4 && delta.at == Timestamp(seconds: 60))
    #expect(!delta.isOnlyAccepted && LedgerDelta(accepted: 3, at: Self.later).isOnlyAccepted)
  }

  @Test func aCrashSendsAgainWhatThePolicyAllows() {
    func queue(_ state: PushState, _ policy: UnknownPolicy, _ address: DeviceAddress?) -> Int64? {
      PushFate(app: AppID(rawValue: 3), state: state, policy: policy, pushClass: .transactional, isRestored: false)
        .resendQueue(address)
    }
    let address = DeviceAddress(token: "t", kind: .android, environment: .production)
    let lane = LaneKey(app: AppID(rawValue: 3), provider: .fcm, environment: .production)
    #expect(queue(.sending, .resend, address) == lane.queue(.transactional))
    #expect(queue(.paused, .resend, nil) != nil)
    #expect(queue(.sending, .leave, address) == nil)
    #expect(queue(.cancelled, .resend, address) == nil && queue(.expired, .resend, address) == nil)
  }
}
