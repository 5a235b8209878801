import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Lanes: what waits for one is found without looking at the others, and what is held is written once.
@Suite(.onBothEngines) struct LaneTests {
  @Test func laneNumbersAreReadAsTheyAreWritten() {
    for app in [Int64(1), 7, 1 << 50] {
      for provider in Provider.allCases {
        for environment in DeviceEnvironment.allCases {
          let lane = LaneKey(app: AppID(rawValue: app), provider: provider, environment: environment)
          #expect(LaneKey(number: lane.number) == lane && lane.number > 0)
          #expect(lane.queues.count == 2 && lane.queues.allSatisfy { LaneKey(number: $0) == lane && $0 > 0 })
        }
      }
    }
    for number in [Int64(0), -5, 64, 64 + 3, .min] { #expect(LaneKey(number: number) == nil) }
  }

  /// A campaign over iPhones and Android phones in turn.
  private func mixed(_ f: StoreFixture, _ pairs: Int) throws -> PushID {
    for number in 0..<pairs {
      try f.devices(1, prefix: "i\(number)-")
      try f.devices(1, kind: .android, prefix: "a\(number)-")
    }
    return try f.campaign()
  }

  private func lanes(_ f: StoreFixture) throws -> [LaneKey] { try f.store.waitingWork().lanes.map(\.lane) }

  @Test func aClosedLaneIsPassedByAndItsDeliveriesWaitThere() throws {
    let f = try StoreFixture()
    let push = try mixed(f, 10)
    let lease = try f.lease([.push(push, max: 100)], closed: [.iPhones])
    #expect(lease.deliveries.map(\.kind) == Array(repeating: .android, count: 10))
    #expect(lease.parked == [push: 10] && lease.settled == 10)
    #expect(try f.counts(push) == LedgerCounts(targeted: 20, waiting: 10, inFlight: 10))
    #expect(try f.store.waitingWork().lanes == [.init(lane: .iPhones, at: f.now)])
    #expect(try f.lease([.due(.android, max: 100)]).settled == 0)
    let some = try f.lease([.due(.iPhones, max: 4)])
    #expect(some.deliveries.map(\.attempt) == [1, 1, 1, 1] && some.deliveries.allSatisfy { $0.kind == .ios })
    let rest = try f.lease([.due(.iPhones, max: 100)])
    for lease in [lease, some, rest] {
      _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    }
    #expect(try f.counts(push) == LedgerCounts(targeted: 20, accepted: 20))
    #expect(try f.store.push(push)?.state == .sent)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func transactionalPushesOfAClosedLaneMakeRoomForTheOthers() throws {
    let f = try StoreFixture()
    let phones = try f.devices(6)
    let robots = try f.devices(2, kind: .android, prefix: "a")
    for device in phones + robots { try f.store.createPush(f.newPush(.devices([device])), now: f.now) }
    let lease = try f.lease([.transactional(app: f.app, max: 8)], closed: [.iPhones, .sandbox])
    #expect(lease.deliveries.compactMap(\.device) == robots)
    #expect(try f.store.openWork(limit: 10).transactionalApps.isEmpty)
    #expect(try f.lease([.due(.iPhones, max: 10)]).deliveries.compactMap(\.device) == phones)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  /// How deliveries come to wait in their lane.
  enum Wait: CaseIterable { case parked, retried, released, recovered }

  @Test("What a person waits for goes before what a campaign has put aside", arguments: Wait.allCases)
  func transactionalPushesOvertakeInTheirLane(_ wait: Wait) throws {
    let f = try StoreFixture()
    let devices = try f.devices(20)
    let campaign = try f.campaign()
    let closed: Set<LaneKey> = wait == .parked ? [.iPhones] : []
    func putAside(_ pick: LeaseRequest.Pick) throws {
      let lease = try f.lease([pick], closed: closed)
      switch wait {
      case .parked: #expect(lease.deliveries.isEmpty)
      case .recovered: _ = try f.recover("a")
      case .retried:
        let results = lease.deliveries.map { f.result($0, .retry(notBefore: f.now), status: 503, reason: "x") }
        _ = try f.record(results, lease)
      case .released: _ = try f.record(lease.deliveries.map { f.result($0, .release(notBefore: f.now)) }, lease)
      }
    }
    try putAside(.push(campaign, max: 20))
    let ask = { try f.store.createPush(f.newPush(.devices([devices[7]])), now: f.now).id }
    let single = try ask()
    try putAside(.transactional(app: f.app, max: 10))
    #expect(try f.store.waitingWork().lanes == [.init(lane: .iPhones, at: f.now)])
    for (max, pushes) in [(1, [single]), (100, Array(repeating: campaign, count: 20))] {
      let lease = try f.lease([.due(max: max)])
      #expect(lease.deliveries.map(\.push) == pushes)
      _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    }
    // Given up are both, too.
    let late = try ask()
    try putAside(.transactional(app: f.app, max: 10))
    let lease = try f.lease([.overdue(.iPhones, before: f.now, reason: "gone", max: 10)])
    #expect(lease.settled == 1)
    // What may have been processed is never called rejected.
    let given = wait == .recovered ? LedgerCounts(targeted: 1, unknown: 1) : LedgerCounts(targeted: 1, rejected: 1)
    #expect(try f.counts(late) == given)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test("Probes are the earliest of both classes, so one that always fails is not always among them")
  func probesAreTakenByTime() throws {
    let f = try StoreFixture()
    let devices = try f.devices(20)
    let campaign = try f.campaign()
    #expect(try f.lease([.push(campaign, max: 20)], closed: [.iPhones]).deliveries.isEmpty)
    let single = try f.store.createPush(f.newPush(.devices([devices[0]])), now: f.now).id
    let first = try f.lease([.transactional(app: f.app, max: 1)])
    let later = f.now.adding(milliseconds: 1)
    _ = try f.record(first.deliveries.map { f.result($0, .release(notBefore: later)) }, first)
    f.now = later
    #expect(try f.lease([.due(.iPhones, max: 8, byTime: true)]).deliveries.allSatisfy { $0.push == campaign })
    #expect(try f.lease([.due(.iPhones, max: 8)]).deliveries.map(\.push).first == single)
    #expect(try f.lease([.due(.iPhones, max: 8, byTime: true)]).deliveries.count == 5)
  }

  @Test func whatIsRecordedWaitsInTheLaneItWasSentBy() throws {
    let f = try StoreFixture()
    let push = try mixed(f, 2)
    let lease = try f.lease([.push(push, max: 100)])
    let later = f.now.adding(seconds: 5)
    _ = try f.record(
      lease.deliveries.map { f.result($0, .release(notBefore: $0.kind == .ios ? later : f.now)) }, lease)
    #expect(
      try f.store.waitingWork().lanes == [.init(lane: .iPhones, at: later), .init(lane: .android, at: f.now)])
    // A crash loses no lane.
    let again = try f.lease([.due(.android, max: 100)])
    #expect(again.deliveries.count == 2)
    #expect(try f.recover("a").requeued == 2)
    #expect(try lanes(f) == [.iPhones, .android])
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aDeviceThatChangedItsEnvironmentMovesToItsLane() throws {
    let f = try StoreFixture()
    try f.devices(1)
    let push = try f.campaign()
    _ = try f.lease([.push(push, max: 1)], closed: [.iPhones])
    let moved = DeviceRegistration(app: f.app, token: "t0", kind: .ios, environment: .development)
    _ = try f.store.registerDevices([moved], now: f.now)
    #expect(try f.lease([.due(.iPhones, max: 1)], closed: [.sandbox]).deliveries.isEmpty)
    #expect(try lanes(f) == [.sandbox])
    #expect(try f.lease([.due(.sandbox, max: 1)], closed: [.iPhones]).deliveries.map(\.environment) == [.development])
  }

  @Test("A paused push is put aside once, and goes on where it was", arguments: [0, 30] as [Int64])
  func whatIsHeldIsWrittenOnce(seconds: Int64) throws {
    let f = try StoreFixture()
    try f.devices(50)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 50)])
    let due = f.now.adding(seconds: seconds)
    _ = try f.record(
      lease.deliveries.enumerated().map { index, delivery in
        f.result(delivery, .retry(notBefore: index < 10 ? due : f.now), status: 503, reason: "x")
      }, lease)
    try f.store.pausePush(push)
    let first = try f.lease([.due(max: 100)])
    #expect(first.deliveries.isEmpty && first.settled == (seconds == 0 ? 50 : 40))
    #expect(try f.lease([.due(max: 100)]).settled == 0)
    #expect(try lanes(f) == (seconds == 0 ? [] : [.iPhones]))
    try f.reopen()
    #expect(try f.store.openWork(limit: 10).campaigns.isEmpty)
    try f.store.resumePush(push, now: f.now)
    let campaign = try #require(try f.store.openWork(limit: 10).campaigns.first)
    #expect(campaign.hasHeld && campaign.fresh == 0)
    var again: [LeasedDelivery] = []
    for _ in 0..<3 { again += try f.lease([.push(push, max: 20)]).deliveries }
    #expect(again.count == first.settled && again.allSatisfy { $0.attempt == 2 })
    #expect(try f.store.openWork(limit: 10).campaigns.isEmpty)
    #expect(try f.counts(push) == LedgerCounts(targeted: 50, waiting: 50 - again.count, inFlight: again.count))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func whatIsHeldGoesBackToItsLaneWhenThatIsClosedOrItIsNotDue() throws {
    let f = try StoreFixture()
    let push = try mixed(f, 3)
    let lease = try f.lease([.push(push, max: 6)])
    _ = try f.record(lease.deliveries.map { f.result($0, .release(notBefore: f.now)) }, lease)
    try f.store.pausePush(push)
    _ = try f.lease([.due(.iPhones, max: 10), .due(.android, max: 10)])
    // The clock was set back before it was resumed.
    f.now = f.now.adding(seconds: -60)
    try f.store.resumePush(push, now: f.now)
    #expect(try f.lease([.push(push, max: 2)]).deliveries.isEmpty)
    f.now = f.now.adding(seconds: 60)
    let open = try f.lease([.push(push, max: 10)], closed: [.iPhones])
    #expect(open.deliveries.count == 2 && open.deliveries.allSatisfy { $0.kind == .android })
    #expect(try f.store.openWork(limit: 10).campaigns.isEmpty)
    #expect(Set(try lanes(f)) == [.iPhones, .android])
    #expect(try f.lease([.due(.iPhones, max: 10), .due(.android, max: 10)]).deliveries.count == 4)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func theTimeThatAPushWasPausedIsNotTimeThatItsLaneWasAway() throws {
    let f = try StoreFixture()
    try f.devices(3)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 3)])
    _ = try f.record(lease.deliveries.map { f.result($0, .release(notBefore: f.now)) }, lease)
    try f.store.pausePush(push)
    #expect(try f.lease([.due(max: 10)]).settled == 3)
    let paused = f.now
    f.now = f.now.adding(seconds: 7 * 3_600)
    try f.store.resumePush(push, now: f.now)
    #expect(try f.lease([.push(push, max: 10)], closed: [.iPhones]).deliveries.isEmpty)
    #expect(try f.store.waitingWork().lanes == [.init(lane: .iPhones, at: f.now)])
    #expect(try f.lease([.overdue(.iPhones, before: paused, reason: "connect", max: 10)]).settled == 0)
    #expect(try f.lease([.due(max: 10)]).deliveries.count == 3)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func whatWaitedInItsLaneWhileItsPushWasPausedIsNotGivenUp() throws {
    let f = try StoreFixture()
    try f.devices(2)
    let push = try f.campaign()
    _ = try f.lease([.push(push, max: 2)], closed: [.iPhones])
    try f.store.pausePush(push)
    f.now = f.now.adding(seconds: 7 * 3_600)
    try f.store.resumePush(push, now: f.now)
    let resumed = f.now
    let pick = { LeaseRequest.Pick.overdue(.iPhones, before: $0, reason: "connect", max: 9) }
    _ = try f.lease([pick(f.now.adding(seconds: -6 * 3_600))])
    #expect(try f.store.waitingWork().lanes == [.init(lane: .iPhones, at: resumed)])
    f.now = f.now.adding(seconds: 6 * 3_600)
    _ = try f.lease([pick(resumed)])
    #expect(try f.counts(push) == LedgerCounts(targeted: 2, rejected: 2))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func whatIsHeldIsSentAlthoughTheAudienceCompletesAfterTheResume() throws {
    let f = try StoreFixture()
    try f.devices(2)
    // They belong to the audience's range and are not meant.
    try f.devices(2, kind: .android, prefix: "a")
    let push = try f.store.createPush(f.newPush(.all(kinds: [.ios]), pushClass: .campaign), now: f.now).id
    #expect(try f.extend(push, 2) == AudienceProgress(added: 2, complete: false))
    let lease = try f.lease([.push(push, max: 2)])
    _ = try f.record(lease.deliveries.map { f.result($0, .release(notBefore: f.now)) }, lease)
    try f.store.pausePush(push)
    #expect(try f.lease([.due(max: 10)]).settled == 2)
    try f.store.resumePush(push, now: f.now)
    while !(try f.extend(push, 10).complete) {}
    #expect(try f.store.openWork(limit: 10).campaigns.map(\.push) == [push])
    let again = try f.lease([.push(push, max: 10)])
    #expect(again.deliveries.count == 2)
    _ = try f.record(again.deliveries.map { f.result($0, .accepted(providerID: nil)) }, again)
    #expect(try f.store.push(push)?.state == .sent)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func whatWaitedTooLongForItsLaneIsRejectedWithItsReason() throws {
    let f = try StoreFixture()
    try f.devices(3)
    let push = try f.campaign()
    _ = try f.lease([.push(push, max: 3)], closed: [.iPhones])
    let pick = { LeaseRequest.Pick.overdue(.iPhones, before: $0, reason: "connect", max: 2) }
    #expect(try f.lease([pick(f.now.adding(seconds: -1))]).settled == 0)
    #expect(try f.lease([pick(f.now)]).settled == 2)
    #expect(try f.counts(push) == LedgerCounts(targeted: 3, waiting: 1, rejected: 2))
    #expect(try f.lease([pick(f.now)]).settled == 1)
    let rows = try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 10)
    #expect(rows.map(\.reason) == ["connect", "connect", "connect"] && rows.allSatisfy { $0.provider == .apns })
    #expect(try f.store.push(push)?.state == .sent)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test("What waits expires when its push does, whatever holds it", arguments: [true, false])
  func expires(isPaused: Bool) throws {
    let f = try StoreFixture()
    try f.devices(4)
    let end = f.now.adding(seconds: 60)
    let push = try f.campaign(expiresAt: end)
    let lease = try f.lease([.push(push, max: 2)])
    if isPaused { try f.store.pausePush(push) }
    #expect(try f.store.waitingWork().nextChange == end)
    f.now = end
    #expect(try f.wait { f.store.startScheduled(now: f.now, limit: 10, completion: $0) }.isEmpty)
    #expect(try f.counts(push) == LedgerCounts(targeted: 4, inFlight: 2, expired: 2))
    #expect(try f.store.waitingWork().nextChange == nil)
    _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    #expect(try f.counts(push) == LedgerCounts(targeted: 4, accepted: 2, expired: 2))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  /// What is on the wire when its push expires is not called expired before it is answered.
  @Test func whatIsOnTheWireDoesNotExpire() throws {
    let f = try StoreFixture()
    try f.devices(1)
    let push = try f.campaign(expiresAt: f.now.adding(seconds: 60))
    let lease = try f.lease([.push(push, max: 1)])
    f.now = f.now.adding(seconds: 61)
    _ = try f.wait { f.store.startScheduled(now: f.now, limit: 10, completion: $0) }
    #expect(try f.store.push(push)?.state == .sending)
    _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    #expect(try f.store.push(push)?.state == .sent)
  }

  @Test func stopsAreKeptByLaneAndEndWithTheirApp() throws {
    let f = try StoreFixture()
    func stop(_ lane: LaneKey, _ refusals: Int, _ reason: String = "invalid_grant") -> LaneStop {
      LaneStop(lane: lane, reason: reason, since: f.now, refusals: refusals, retryAt: f.now.adding(seconds: 60))
    }
    func set(_ lane: LaneKey, _ stop: LaneStop?) throws {
      try f.wait { f.store.setStop(of: lane, stop, completion: $0) }
    }
    try set(.android, stop(.android, 1))
    try set(.android, stop(.android, 2))
    try set(.iPhones, stop(.iPhones, 1, "InvalidProviderToken"))
    let gone = LaneKey(app: AppID(rawValue: 99), provider: .fcm, environment: .production)
    try set(gone, stop(gone, 1))
    try f.reopen()
    #expect(try f.store.stops() == [stop(.iPhones, 1, "InvalidProviderToken"), stop(.android, 2)])
    let app = try #require(try f.store.app(f.app))
    #expect(try f.store.apps() == [app] && app.stops.count == 2)
    #expect(
      app.stopReason == "apns refused the credential: InvalidProviderToken; fcm refused the credential: invalid_grant")
    try set(.iPhones, nil)
    #expect(try f.store.app(f.app)?.stopReason == "fcm refused the credential: invalid_grant")
    try f.store.clearStops(app: f.app)
    #expect(try f.store.app(f.app)?.stopReason == nil)
    try set(.android, stop(.android, 1))
    try f.store.deleteApp(f.app)
    #expect(try f.store.stops().isEmpty)
  }

  @Test func theCampaignsOfOneAppDoNotHideTheOthers() throws {
    let f = try StoreFixture()
    try f.devices(1)
    for _ in 0..<120 { _ = try f.campaign() }
    let other = try f.store.createApp(name: "other", title: "", settings: [], now: f.now).id
    _ = try f.store.registerDevices([DeviceRegistration(app: other, token: "o", kind: .ios)], now: f.now)
    var new = f.newPush(.all(kinds: []), pushClass: .campaign)
    new.app = other
    let id = try f.store.createPush(new, now: f.now).id
    let work = try f.store.openWork(limit: 1_000)
    #expect(work.campaigns.count == 101 && work.campaigns.last?.push == id)
  }
}
