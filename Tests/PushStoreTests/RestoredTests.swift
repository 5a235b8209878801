import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What a restored backup says of deliveries that the original server may have sent.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct RestoredTests {
  /// How a delivery of a restored push ends, and as what.
  enum Ending: String, Sendable, CaseIterable {
    case cancelled, expired, retired, retiredAfterRetry, noPayload, recalledAfterCancel, refused, accepted

    var state: DeliveryState {
      switch self {
      case .refused: .rejected
      case .accepted: .accepted
      default: .unknown
      }
    }
  }

  @Test(
    "A delivery that the original may have sent ends as unknown, unless a provider answers", arguments: Ending.allCases)
  func ends(ending: Ending) throws {
    let f = try StoreFixture()
    let device = try f.devices(1)[0]
    let push = try f.store.createPush(f.newPush(.devices([device]), expiresAt: f.now.adding(seconds: 60)), now: f.now)
      .id
    if ending == .retiredAfterRetry {
      let lease = try f.lease([.transactional(app: f.app, max: 1)])
      _ = try f.record([f.result(lease.deliveries[0], .retry(notBefore: f.now), status: 503, reason: "x")], lease)
    }
    #expect(try f.sql.settleRestored(since: f.now, isHolding: true)[.push] == 1)
    _ = try f.store.resumeHeld(app: nil, now: f.now)
    try end(ending, push, device, f)
    let row = try f.store.deliveries(of: push, state: nil, after: nil, limit: 1)[0]
    #expect(row.state == ending.state, "\(row)")
    let stored = try #require(try f.store.push(push))
    #expect(stored.counts.balances && stored.finishedAt != nil)
    #expect(stored.restoredAt == Timestamp(seconds: 1_800_000_000))
    #expect(try f.store.verifyLedger(push: nil) == [])
    let metric: SeriesMetric = ending == .refused ? .rejected : ending == .accepted ? .accepted : .unknown
    let points = try f.store.series(
      of: .app(f.app), from: Timestamp(milliseconds: 0), until: f.now.adding(seconds: 1), stepMs: 60_000, limit: 10)
    #expect(points.flatMap(\.counts.keys) == [metric])
  }

  private func end(_ ending: Ending, _ push: PushID, _ device: DeviceID, _ f: StoreFixture) throws {
    switch ending {
    case .cancelled:
      #expect(try f.store.cancelPush(push, now: f.now) == CancelSummary(stopped: 0, inFlight: 0, unknown: 1))
    case .expired:
      f.now = f.now.adding(seconds: 60)
      _ = try f.wait { f.store.startScheduled(now: f.now, limit: 10, completion: $0) }
    case .retired, .retiredAfterRetry:
      try f.store.setDeviceState(device, .retired, reason: "Unregistered", now: f.now)
      #expect(try f.lease([.transactional(app: f.app, max: 1), .due(max: 1)]).deliveries.isEmpty)
    case .noPayload, .recalledAfterCancel, .refused, .accepted:
      let lease = try f.lease([.transactional(app: f.app, max: 1)])
      let delivery = try #require(lease.deliveries.first)
      let result =
        switch ending {
        case .noPayload: f.result(delivery, .rejected, status: 0, reason: "no-payload")
        case .refused: f.result(delivery, .rejected, status: 400, reason: "BadTopic")
        case .accepted: f.result(delivery, .accepted(providerID: nil))
        default: f.result(delivery, .release(notBefore: f.now), status: 0, reason: "recalled")
        }
      if ending == .recalledAfterCancel { try f.store.cancelPush(push, now: f.now) }
      #expect(try f.record([result], lease).recorded == 1)
    }
  }

  @Test func whatEndedBeforeAndWhatIsCreatedAfterIsAsEver() throws {
    let f = try StoreFixture()
    try f.devices(4)
    let hook = NewWebhook(app: f.app, url: "https://example.com/", kinds: [.unknown], sealed: [1])
    let webhook = try f.store.createWebhook(hook, now: f.now).id
    let before = try f.campaign()
    try f.store.cancelPush(before, now: f.now)
    let mixed = try f.campaign()
    let lease = try f.lease([.push(mixed, max: 2)])
    _ = try f.record(
      [
        f.result(lease.deliveries[0], .accepted(providerID: nil)),
        f.result(lease.deliveries[1], .retry(notBefore: f.now), status: 503, reason: "x"),
      ], lease)
    let draft = try f.store.createPush(f.newPush(.all(kinds: []), pushClass: .campaign, draft: true), now: f.now).id
    _ = try f.sql.settleRestored(since: f.now, isHolding: false)
    let after = try f.campaign()
    try f.store.releasePush(draft, startAt: nil, now: f.now)
    while !(try f.extend(draft, 100).complete) {}
    #expect(try f.store.cancelPush(after, now: f.now).stopped == 4)
    #expect(try f.store.cancelPush(mixed, now: f.now) == CancelSummary(stopped: 0, inFlight: 0, unknown: 3))
    #expect(try f.store.cancelPush(draft, now: f.now).unknown == 4)
    #expect(try f.counts(before) == LedgerCounts(targeted: 4, cancelled: 4))
    #expect(try f.counts(mixed) == LedgerCounts(targeted: 4, accepted: 1, unknown: 3))
    #expect(try f.counts(after) == LedgerCounts(targeted: 4, cancelled: 4))
    for (push, state) in [(before, DeliveryState.cancelled), (draft, .unknown), (after, .cancelled)] {
      #expect(
        try f.store.deliveries(of: push, state: nil, after: nil, limit: 9).map(\.state)
          == Array(repeating: state, count: 4))
    }
    // Those of the webhooks' batches are what the counters say.
    #expect(try f.store.resumeHeld(app: nil, now: f.now).total == 0)
    let turn = try f.store.dueBatches(of: webhook, after: nil, busy: [], limit: 100, now: f.now)
    #expect(turn.batches.flatMap(\.notices).count == 7)
    #expect(try f.store.verifyLedger(push: nil) == [])
  }

  @Test(
    "A push that waits for its start does so again after it is resumed", arguments: [true, false], [60, -60] as [Int64])
  func waitsForItsStart(isRestored: Bool, seconds: Int64) throws {
    let f = try StoreFixture()
    try f.devices(2)
    let start = f.now.adding(seconds: 3_600)
    let new = f.newPush(.all(kinds: []), pushClass: .campaign, startAt: start)
    let push = try f.store.createPush(new, now: f.now).id
    if isRestored {
      _ = try f.sql.settleRestored(since: f.now, isHolding: true)
      #expect(try f.store.held(app: nil, after: nil, limit: 9).map(\.dueAt) == [start])
    } else {
      try f.store.pausePush(push)
    }
    f.now = start.adding(seconds: -seconds)
    _ = try f.wait { f.store.startScheduled(now: f.now, limit: 9, completion: $0) }
    if isRestored { _ = try f.store.resumeHeld(app: nil, now: f.now) } else { try f.store.resumePush(push, now: f.now) }
    #expect(try f.store.push(push)?.state == (seconds > 0 ? .scheduled : .sending))
    #expect(try f.store.push(push)?.startAt == start)
    #expect(try f.store.held(app: nil, after: nil, limit: 9).isEmpty)
    if seconds > 0 { #expect(try f.store.openWork(limit: 9) == OpenWork()) }
    f.now = max(start, f.now)
    _ = try f.wait { f.store.startScheduled(now: f.now, limit: 9, completion: $0) }
    while !(try f.extend(push, 100).complete) {}
    #expect(try f.lease([.push(push, max: 9)]).deliveries.count == 2)
    #expect(try f.store.verifyLedger(push: nil) == [])
  }
}
