import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

@Suite(.onBothEngines) struct LeaseTests {
  @Test func whatWasOnTheWireWhenANodeDiedIsNamedAndSentAgain() throws {
    let f = try StoreFixture()
    try f.devices(10)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 5)])
    _ = try f.record(lease.deliveries.prefix(2).map { f.result($0, .accepted(providerID: nil)) }, lease)
    try f.reopen()
    #expect(try f.counts(push) == LedgerCounts(targeted: 10, waiting: 5, inFlight: 3, accepted: 2))
    let summary = try f.recover("a")
    #expect(summary.leases == 1 && summary.requeued == 3 && summary.left == 0)
    #expect(try f.counts(push) == LedgerCounts(targeted: 10, waiting: 8, accepted: 2))
    #expect(try f.store.push(push)?.resent == 3)
    let named = try f.store.deliveries(of: push, state: .waiting, after: nil, limit: 100).filter { $0.unknowns == 1 }
    #expect(named.map(\.id) == lease.deliveries.dropFirst(2).map(\.id))
    let again = try f.lease([.due(max: 100)])
    #expect(Set(again.deliveries.map(\.id)) == Set(named.map(\.id)) && again.deliveries.allSatisfy { $0.attempt == 2 })
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func policyMayLeaveThemUnknown() throws {
    let f = try StoreFixture()
    try f.devices(3)
    let push = try f.campaign(policy: .leave)
    _ = try f.lease([.push(push, max: 5)])
    let summary = try f.recover("a")
    #expect(summary.requeued == 0 && summary.left == 3)
    #expect(try f.counts(push) == LedgerCounts(targeted: 3, unknown: 3))
    #expect(try f.store.push(push)?.state == .sent)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func anotherNodesLeaseLivesUntilItRunsOut() throws {
    let f = try StoreFixture()
    try f.devices(4)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 2)], node: "b", durationMs: 10_000)
    #expect(try f.recover("a").leases == 0)
    let until = f.now.adding(seconds: 20)
    try f.wait { f.store.renewLeases(node: "b", until: until, completion: $0) }
    f.now = f.now.adding(seconds: 15)
    #expect(try f.recover("a").leases == 0)
    f.now = f.now.adding(seconds: 5)
    #expect(try f.recover("a").leases == 1)
    // The slow node's answers come too late: they change nothing.
    let late = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil)) }, lease)
    #expect(late.late == 2 && late.recorded == 0)
    #expect(try f.counts(push) == LedgerCounts(targeted: 4, waiting: 4))
  }

  @Test func aLeaseThatNobodyKnowsOfRunsOut() throws {
    let f = try StoreFixture()
    try f.devices(4)
    let push = try f.campaign()
    let doubtful = try f.lease([.push(push, max: 2)], durationMs: 10_000)
    let known = try f.lease([.push(push, max: 2)], durationMs: 10_000)
    f.sql.doubtfulLeases.add(.init(id: doubtful.id, expiresAt: doubtful.expiresAt))
    // Another lease that has got the same number is not meant.
    f.sql.doubtfulLeases.add(.init(id: known.id, expiresAt: known.expiresAt.adding(seconds: 1)))
    let until = f.now.adding(seconds: 60)
    try f.wait { f.store.renewLeases(node: "a", until: until, completion: $0) }
    f.now = f.now.adding(seconds: 10)
    #expect(try f.recover(nil).requeued == 2)
    #expect(try f.counts(push) == LedgerCounts(targeted: 4, waiting: 2, inFlight: 2))
    // What has been ended is forgotten.
    #expect(f.sql.doubtfulLeases.condition.contains("id <> \(known.id.rawValue) "))
    #expect(!f.sql.doubtfulLeases.condition.contains("id <> \(doubtful.id.rawValue) "))
    let named = try f.store.deliveries(of: push, state: .waiting, after: nil, limit: 100)
    #expect(Set(named.map(\.id)) == Set(doubtful.deliveries.map(\.id)) && named.allSatisfy { $0.unknowns == 1 })
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aTryLeasedAgainElsewhereSurvivesTheDeathOfItsFirstLease() throws {
    let f = try StoreFixture()
    try f.devices(2)
    let push = try f.campaign()
    let first = try f.lease([.push(push, max: 2)], node: "a")
    _ = try f.record([f.result(first.deliveries[0], .retry(notBefore: f.now), status: 500, reason: "x")], first)
    let second = try f.lease([.due(max: 1)], node: "b")
    #expect(try f.recover("a").requeued == 1)
    #expect(try f.record([f.result(second.deliveries[0], .accepted(providerID: nil))], second).recorded == 1)
    #expect(try f.counts(push) == LedgerCounts(targeted: 2, waiting: 1, accepted: 1))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aResultCountsOnce() throws {
    let f = try StoreFixture()
    try f.devices(2)
    let push = try f.campaign()
    let lease = try f.lease([.push(push, max: 2)])
    let result = f.result(lease.deliveries[0], .accepted(providerID: nil))
    #expect(try f.record([result, result], lease).late == 1)
    #expect(try f.record([f.result(lease.deliveries[0], .rejected, status: 400, reason: "x")], lease).late == 1)
    #expect(try f.counts(push) == LedgerCounts(targeted: 2, inFlight: 1, accepted: 1))
  }

  /// Facts 1.6: a device is retired only if it registered before the moment the provider names.
  @Test(arguments: [(-1, .active), (0, .active), (1, .retired)] as [(Int64, DeviceState)])
  func aDeathNoticeIsOlderOrYounger(offset: Int64, expected: DeviceState) throws {
    let f = try StoreFixture()
    let device = try f.devices(1)[0]
    let push = try f.store.createPush(f.newPush(.devices([device])), now: f.now).id
    let lease = try f.lease([.transactional(app: f.app, max: 1)])
    let since = f.now.adding(milliseconds: offset)
    let gone = f.result(
      lease.deliveries[0], .rejected, status: 410, reason: "Unregistered", consequence: .retire(since: since))
    #expect(try f.record([gone], lease).retired == (expected == .retired ? 1 : 0))
    #expect(try f.store.device(device)?.state == expected)
    #expect(try f.counts(push) == LedgerCounts(targeted: 1, rejected: 1))
    _ = try f.store.registerDevices([DeviceRegistration(app: f.app, token: "t0", kind: .ios)], now: f.now)
    #expect(try f.store.device(device)?.state == .active)
  }
}
