import TestSupport
import Testing

@testable import Delivery
@testable import PushStore
@testable import StoreModel

/// What the pipeline takes for done.
@Suite(.timeLimit(.minutes(1))) struct WorkTests {
  @Test("A lane that sends at a rate is filled up when half of it is empty, any other as soon as there is room")
  func pacedLanesAreFilledInLargeSteps() {
    func bulk(_ rate: DeliveryOptions.Rate?, onWire: Int) -> Int? {
      let key = LaneKey(app: AppID(rawValue: 1), provider: .fcm, environment: .production)
      var lane = Lane(key: key, rate: rate, breaker: Breaker())
      lane.onWire = onWire
      // Half of these thousand is kept for transactional deliveries.
      lane.look(at: Timestamp(seconds: 1), free: 1_000, DeliveryOptions())
      guard case .open(let urgent, let bulk) = lane.state else { return nil }
      #expect(urgent == 1_000 - onWire)
      return bulk
    }
    for (onWire, room) in [(0, 500), (250, 250), (251, 0), (499, 0)] {
      #expect(bulk(.init(perSecond: 10_000), onWire: onWire) == room)
      #expect(bulk(nil, onWire: onWire) == 500 - onWire)
    }
  }

  @Test func aLeaseThatFindsNothingSaysNothingOfWhatItDidNotAskFor() throws {
    let f = try DeliveryFixture()
    let now = f.clock.now
    var options = DeliveryOptions()
    let clock = f.clock
    options.clock = { clock.now }
    options.monotonicMs = { clock.monotonicMs }
    f.senders.set(ScriptedSender(), app: f.app, provider: .apns, environment: .production)
    let pipeline = Pipeline(store: f.store, senders: f.senders, options: options, mailbox: Mailbox())
    let asked = pipeline.laneNumber(LaneKey(app: f.app, provider: .apns, environment: .production))
    // Without a sender nothing is leased for it.
    let other = pipeline.laneNumber(LaneKey(app: f.app, provider: .fcm, environment: .production))
    pipeline.lanes[other].lacksSender = true
    for number in [asked, other] { pipeline.lanes[number].due = now }
    let (slow, fast) = (Self.campaign(1, f.app, throttle: 1), Self.campaign(2, f.app, throttle: nil))
    pipeline.work.campaigns = [slow, fast]
    pipeline.throttles[slow.push] = RateLimit(perSecond: 1.0 / 60)
    pipeline.throttles[slow.push]?.take(1, at: now)
    pipeline.look(now)
    pipeline.lease(now)
    #expect(pipeline.leaseUnderWay)
    let empty = Lease(id: LeaseID(rawValue: 0), expiresAt: now, deliveries: [], settled: 0, parked: [:])
    pipeline.leased(.success(empty), urgent: false)
    #expect(pipeline.lanes[asked].due == nil)
    #expect(pipeline.lanes[other].due == now)
    #expect(pipeline.work.campaigns.map(\.push) == [slow.push])
  }

  private static func campaign(_ id: Int64, _ app: AppID, throttle: Int?) -> OpenCampaign {
    OpenCampaign(
      push: PushID(rawValue: id), app: app, audienceComplete: true, fresh: 10, throttlePerMinute: throttle,
      hasHeld: false)
  }
}
