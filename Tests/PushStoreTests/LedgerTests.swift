import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

@Suite(.onBothEngines) struct LedgerTests {
  @Test func aTransactionalPushGoesThroughItsStates() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)[0]
    let created = try f.store.createPush(f.newPush(.devices([device])), now: f.now)
    var expected = CreatedPush(id: created.id, replayed: false, targeted: 1)
    expected.number = 1
    #expect(created == expected)
    #expect(try f.counts(created.id) == LedgerCounts(targeted: 1, waiting: 1))
    #expect(try f.store.openWork(limit: 10).transactionalApps == [f.app])

    let lease = try f.lease([.transactional(app: f.app, max: 10)])
    let leased = LeasedDelivery(
      id: DeliveryID(rawValue: created.id.rawValue), push: created.id, device: device, attempt: 1, token: "t0",
      kind: .ios, environment: .production)
    #expect(lease.deliveries == [leased])
    #expect(try f.counts(created.id) == LedgerCounts(targeted: 1, inFlight: 1))
    #expect(try f.lease([.transactional(app: f.app, max: 10)]).deliveries.isEmpty)
    #expect(try f.store.openWork(limit: 10) == OpenWork())

    let summary = try f.record([f.result(leased, .accepted(providerID: nil))], lease)
    #expect(summary.recorded == 1 && summary.finished == [created.id])
    let push = try #require(try f.store.push(created.id))
    #expect(push.state == .sent && push.finishedAt == f.now)
    #expect(push.counts == LedgerCounts(targeted: 1, accepted: 1))
    let rows = try f.store.deliveries(of: created.id, state: nil, after: nil, limit: 10)
    #expect(rows.map(\.state) == [.accepted])
    #expect(rows[0].status == 200 && rows[0].provider == .apns && rows[0].attempts == 1 && rows[0].user == "t-user0")
    #expect(rows[0].providerID == APNsIDs(salt: 7).id(of: leased.id))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func anAudienceGrowsInChunksAndOnlyWithWhatWasThere() throws {
    let f = try StoreFixture()
    try f.devices(7)
    try f.devices(3, kind: .android, prefix: "a")
    let all = try f.store.createPush(f.newPush(.all(kinds: [.ios]), pushClass: .campaign), now: f.now).id
    try f.devices(5, prefix: "late")
    #expect(try f.extend(all, 4) == AudienceProgress(added: 4, complete: false))
    #expect(try f.store.openWork(limit: 10).campaigns.map(\.fresh) == [4])
    #expect(try f.extend(all, 4) == AudienceProgress(added: 3, complete: false))
    #expect(try f.extend(all, 4) == AudienceProgress(added: 0, complete: true))
    #expect(try f.extend(all, 4) == AudienceProgress(added: 0, complete: true))
    #expect(try f.counts(all) == LedgerCounts(targeted: 7, waiting: 7))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func anEmptyAudienceIsSentAtOnce() throws {
    let f = try StoreFixture()
    let all = try f.store.createPush(f.newPush(.all(kinds: []), pushClass: .campaign), now: f.now).id
    #expect(try f.store.push(all)?.state == .sent)
    try f.devices(2)
    let none = try f.store.createPush(f.newPush(.all(kinds: [.android]), pushClass: .campaign), now: f.now).id
    #expect(try f.extend(none, 10).complete)
    #expect(try f.store.push(none)?.state == .sent)
    let nobody = try f.store.createPush(f.newPush(.users(["nobody"])), now: f.now)
    #expect(try f.store.push(nobody.id)?.state == .sent && nobody.targeted == 0)
  }

  @Test func aRetryWaitsForItsMomentAndCountsTries() throws {
    let f = try StoreFixture()
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(1))), now: f.now).id
    let first = try f.lease([.transactional(app: f.app, max: 1)])
    let later = f.now.adding(seconds: 10)
    let retry = f.result(first.deliveries[0], .retry(notBefore: later), status: 503, reason: "ServiceUnavailable")
    #expect(try f.record([retry], first).recorded == 1)
    #expect(try f.counts(push) == LedgerCounts(targeted: 1, waiting: 1))
    #expect(try f.store.nextDue() == later)
    #expect(try f.lease([.due(max: 10)]).deliveries.isEmpty)
    f.now = later
    let second = try f.lease([.due(max: 10)])
    #expect(second.deliveries.map(\.attempt) == [2])
    let row = try f.store.deliveries(of: push, state: .inFlight, after: nil, limit: 10)
    #expect(row.map(\.reason) == ["ServiceUnavailable"] && row.map(\.attempts) == [1])
    #expect(try f.record([f.result(second.deliveries[0], .accepted(providerID: "m-1"))], second).finished == [push])
    #expect(try f.store.deliveries(of: push, state: .accepted, after: nil, limit: 10).map(\.providerID) == ["m-1"])
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aReleasedDeliveryKeepsItsTry() throws {
    let f = try StoreFixture()
    try f.store.createPush(f.newPush(.devices(try f.devices(1))), now: f.now)
    let first = try f.lease([.transactional(app: f.app, max: 1)])
    _ = try f.record([f.result(first.deliveries[0], .release(notBefore: f.now), status: 0, reason: "drained")], first)
    #expect(try f.lease([.due(max: 10)]).deliveries.map(\.attempt) == [1])
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aRunOfAcceptedNeighboursCountsOnlyThoseOnTheWire() throws {
    let f = try StoreFixture()
    try f.devices(10)
    let push = try f.campaign()
    let first = try f.lease([.push(push, max: 8)])
    let middle = first.deliveries[3]
    _ = try f.record([f.result(middle, .rejected, status: 400, reason: "x")], first)
    _ = try f.record(first.deliveries[4...5].map { f.result($0, .release(notBefore: f.now), status: 0) }, first)
    let second = try f.lease([.due(max: 10)])
    let rest = first.deliveries.filter { !(3...5).contains(Int($0.id.rawValue - push.rawValue)) }
    let all = (rest + [middle]).shuffled().map { f.result($0, .accepted(providerID: nil)) }
    let summary = try f.record(all, first)
    #expect(summary.recorded == 5 && summary.late == 1)
    let again = try f.record(second.deliveries.map { f.result($0, .accepted(providerID: nil)) }, second)
    #expect(again.recorded == 2 && again.late == 0)
    #expect(try f.counts(push) == LedgerCounts(targeted: 10, waiting: 2, accepted: 7, rejected: 1))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func cancellingEndsWhatWaitsAndLetsTheWireEnd() throws {
    let f = try StoreFixture()
    try f.devices(10)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 4)])
    _ = try f.record([f.result(lease.deliveries[0], .retry(notBefore: f.now), status: 500, reason: "x")], lease)
    try f.store.cancelPush(push, now: f.now)
    #expect(try f.counts(push) == LedgerCounts(targeted: 10, inFlight: 3, cancelled: 7))
    #expect(try f.lease([.push(push, max: 4), .due(max: 4)]).deliveries.isEmpty)
    let end = try f.record(
      [
        f.result(lease.deliveries[1], .accepted(providerID: nil)),
        f.result(lease.deliveries[2], .retry(notBefore: f.now), status: 500, reason: "x"),
        f.result(lease.deliveries[3], .unknown(notBefore: f.now), status: 0, reason: "timeout"),
      ], lease)
    #expect(end.recorded == 3 && end.finished == [push])
    #expect(try f.counts(push) == LedgerCounts(targeted: 10, accepted: 1, cancelled: 8, unknown: 1))
    #expect(try f.store.push(push)?.state == .cancelled)
    #expect(try f.store.deliveries(of: push, state: .cancelled, after: nil, limit: 100).count == 8)
    #expect(throws: StoreError.self) { try f.store.cancelPush(push, now: f.now) }
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func cancellingStopsGathering() throws {
    let f = try StoreFixture()
    try f.devices(10)
    let push = try f.store.createPush(f.newPush(.all(kinds: []), pushClass: .campaign), now: f.now).id
    _ = try f.extend(push, 4)
    try f.store.cancelPush(push, now: f.now)
    #expect(try f.extend(push, 4) == AudienceProgress(added: 0, complete: true))
    #expect(try f.counts(push) == LedgerCounts(targeted: 4, cancelled: 4))
    #expect(try f.store.push(push)?.finishedAt == f.now)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func whatIsWorthlessIsNeverLeased() throws {
    let f = try StoreFixture()
    try f.devices(6)
    let push = try f.campaign(expiresAt: f.now.adding(seconds: 5))
    let lease = try f.lease([.push(push, max: 2)])
    let retry = f.result(lease.deliveries[0], .retry(notBefore: f.now.adding(seconds: 1)), status: 500, reason: "x")
    _ = try f.record([retry], lease)
    f.now = f.now.adding(seconds: 5)
    #expect(try f.lease([.due(max: 5), .push(push, max: 5)]).deliveries.isEmpty)
    #expect(try f.counts(push) == LedgerCounts(targeted: 6, inFlight: 1, expired: 5))
    _ = try f.record([f.result(lease.deliveries[1], .accepted(providerID: nil))], lease)
    #expect(try f.counts(push) == LedgerCounts(targeted: 6, accepted: 1, expired: 5))
    #expect(try f.store.push(push)?.state == .expired)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aHeldPushIsNotLeasedAndGoesOn() throws {
    let f = try StoreFixture()
    try f.devices(4)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 2)])
    _ = try f.record([f.result(lease.deliveries[0], .retry(notBefore: f.now), status: 500, reason: "x")], lease)
    try f.store.pausePush(push)
    #expect(try f.store.openWork(limit: 10).campaigns.isEmpty)
    #expect(try f.lease([.push(push, max: 5), .due(max: 5)]).deliveries.isEmpty)
    try f.store.resumePush(push, now: f.now)
    #expect(try f.lease([.push(push, max: 5)]).deliveries.count == 2)
    #expect(try f.lease([.push(push, max: 5)]).deliveries.map(\.attempt) == [2])
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aScheduledPushStartsWhenDue() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)
    let start = f.now.adding(seconds: 60)
    let push = try f.store.createPush(f.newPush(.devices(device), startAt: start), now: f.now).id
    #expect(try f.store.push(push)?.state == .scheduled && f.store.nextDue() == start)
    #expect(try f.wait { f.store.startScheduled(now: f.now, limit: 10, completion: $0) }.isEmpty)
    f.now = start
    #expect(try f.wait { f.store.startScheduled(now: f.now, limit: 10, completion: $0) } == [push])
    #expect(try f.lease([.transactional(app: f.app, max: 5)]).deliveries.count == 1)
  }

  @Test func aDraftWaitsForItsRelease() throws {
    let f = try StoreFixture()
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(1)), draft: true), now: f.now).id
    #expect(try f.store.push(push)?.state == .draft && f.store.openWork(limit: 1) == OpenWork())
    try f.store.releasePush(push, startAt: nil, now: f.now)
    #expect(try f.lease([.transactional(app: f.app, max: 5)]).deliveries.count == 1)
    #expect(throws: StoreError.self) { try f.store.releasePush(push, startAt: nil, now: f.now) }
  }

  @Test func anIdempotencyKeyCreatesOnce() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)
    let key = IdempotencyKey(key: "k", fingerprint: [1])
    let first = try f.store.createPush(f.newPush(.devices(device), key: key), now: f.now)
    let again = try f.store.createPush(f.newPush(.devices(device), key: key), now: f.now)
    var expected = CreatedPush(id: first.id, replayed: true, targeted: 1)
    expected.number = first.number
    #expect(first.number == 1 && again == expected)
    let other = IdempotencyKey(key: "k", fingerprint: [2])
    let refusal = #expect(throws: StoreError.self) {
      try f.store.createPush(f.newPush(.devices(device), key: other), now: f.now)
    }
    #expect(refusal?.code == .idempotencyMismatch)
    #expect(try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 10).count == 1)
    #expect(try f.store.forgetIdempotencyKeys(before: f.now, limit: 10) == 0)
    #expect(try f.store.forgetIdempotencyKeys(before: f.now.adding(seconds: 1), limit: 10) == 1)
  }

  @Test func anAddressNeedsNoDevice() throws {
    let f = try StoreFixture()
    try f.devices(1)
    let known = DeviceAddress(token: "t0", kind: .ios)
    let other = DeviceAddress(token: "x y", kind: .androidFID, environment: .development)
    let push = try f.store.createPush(f.newPush(.addresses([known, other])), now: f.now).id
    let lease = try f.lease([.transactional(app: f.app, max: 5)])
    #expect(lease.deliveries.map(\.token) == ["t0", "x y"])
    #expect(lease.deliveries.map(\.kind) == [.ios, .androidFID])
    #expect(lease.deliveries.map { $0.device == nil } == [false, true])
    _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    #expect(try f.counts(push) == LedgerCounts(targeted: 2, accepted: 2))
  }

  @Test func devicesThatWentAwayAreNotSentTo() throws {
    let f = try StoreFixture()
    let devices = try f.devices(3)
    let push = try f.campaign()
    try f.store.setDeviceState(devices[0], .retired, reason: "Unregistered", now: f.now)
    #expect(try f.store.removeDevices([devices[1]]) == 1)
    let lease = try f.lease([.push(push, max: 10)])
    #expect(lease.deliveries.map(\.device) == [devices[2]])
    #expect(try f.counts(push) == LedgerCounts(targeted: 3, inFlight: 1, rejected: 2))
    let rows = try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 10)
    #expect(rows.map(\.reason) == ["device-retired", "device-removed"])
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test(arguments: [(.resend, 1, 0), (.leave, 0, 1)] as [(UnknownPolicy, Int, Int)])
  func anUnknownOutcomeFollowsThePolicy(policy: UnknownPolicy, waiting: Int, unknown: Int) throws {
    let f = try StoreFixture()
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(1)), policy: policy), now: f.now).id
    let lease = try f.lease([.transactional(app: f.app, max: 1)])
    _ = try f.record([f.result(lease.deliveries[0], .unknown(notBefore: f.now), status: 0, reason: "reset")], lease)
    #expect(try f.counts(push) == LedgerCounts(targeted: 1, waiting: waiting, unknown: unknown))
    let row = try f.store.deliveries(of: push, state: nil, after: nil, limit: 1)[0]
    #expect(row.unknowns == 1 && row.reason == "reset")
    #expect(try f.store.push(push)?.resent == waiting)
  }

  @Test func apnsIDsAreCanonicalAndHoldTheNumber() {
    let delivery = DeliveryID(rawValue: 0x1234_5678_9abc)
    func id(_ salt: UInt64, _ form: APNsIDs.Form) -> String { APNsIDs(salt: salt, form: form).id(of: delivery) }
    #expect(id(0xfedc_ba98_7654_3210, .salt) == "fedcba98-7654-8210-8000-123456789abc")
    #expect(id(0, .salt) == "00000000-0000-8000-8000-123456789abc")
    let keyed = id(0, .keyed)
    #expect(keyed.hasSuffix("-8000-123456789abc") && !keyed.hasPrefix("00000000") && keyed.utf8.count == 36)
    #expect(keyed.split(separator: "-")[2].hasPrefix("8"), "a UUID of version 8")
  }

  /// The value of the reference implementation's table for eight bytes, 0 to 7, and the key 0 to 15.
  @Test func apnsIDsAreHashedBySipHash() {
    let (key, second): (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
    #expect(APNsIDs.hash(0x0706_0504_0302_0100, key: key, second) == 0x93f5_f579_9a93_2462)
  }

  @Test func anAPNsIDSaysNothingOfTheNextOne() {
    let ids = APNsIDs(salt: 7)
    let all = (1...1_000).map { ids.bits(of: DeliveryID(rawValue: $0)) }
    #expect(Set(all.map(\.high)).count == 1_000)
    #expect(all.map(\.low) == (1...1_000).map { UInt64($0) | 1 << 63 })
    // Half of the 60 hidden bits differ from one number to the next.
    let changed = zip(all, all.dropFirst()).reduce(0) { $0 + ($1.0.high ^ $1.1.high).nonzeroBitCount }
    #expect((28_000...32_000).contains(changed), "\(changed)")
  }
}
