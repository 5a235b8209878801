import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Old rows go in small steps; counts, funnels and series stay, and the ledger balances after each.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) final class RetentionTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  func purge(limit: Int = 7) throws -> PurgeSummary {
    try fixture.wait { fixture.store.purge(now: fixture.now, limit: limit, completion: $0) }
  }

  /// Steps until there is nothing more to do; after each of them the ledger balances.
  func purgeAll() throws -> PurgeSummary {
    var total = PurgeSummary()
    for _ in 0..<1_000 {
      let step = try purge()
      #expect(step.deliveries <= 7)
      #expect(try fixture.store.verifyLedger(push: nil) == [])
      total.deliveries += step.deliveries
      total.events += step.events
      if step.isDone {
        total.isDone = true
        return total
      }
    }
    #expect(Bool(false), "it never ended")
    return total
  }

  func series(_ scope: SeriesScope) throws -> [SeriesPoint] {
    try fixture.store.series(
      of: scope, from: Timestamp(milliseconds: 0), until: Timestamp(milliseconds: .max), stepMs: 60_000, limit: 1_000)
  }

  func report(_ events: [NewEvent]) throws -> [EventOutcome] {
    try fixture.wait {
      fixture.store.recordEvents(events, app: fixture.app, principal: .trusted, now: fixture.now, completion: $0)
    }
  }

  /// A push of the class to 40 devices: some refused, half opened, some with a button; and one that was cancelled.
  func send(_ pushClass: PushClass) throws -> [PushID] {
    let devices = try fixture.devices(40)
    let new = fixture.newPush(.devices(devices), pushClass: pushClass)
    let push = try fixture.store.createPush(new, now: fixture.now).id
    let lease = try fixture.lease([.push(push, max: 40)])
    let results = lease.deliveries.enumerated().map { index, delivery in
      index % 5 == 0
        ? fixture.result(delivery, .rejected, status: 410, reason: "Unregistered")
        : fixture.result(delivery, .accepted(providerID: nil))
    }
    _ = try fixture.record(results, lease)
    fixture.now = fixture.now.adding(seconds: 100)
    for (index, delivery) in lease.deliveries.enumerated() where index % 5 != 0 {
      _ = try report([
        index % 2 == 0
          ? NewEvent(.opened, .delivery(delivery.id))
          : NewEvent(.action, action: "b\(index % 3)", .delivery(delivery.id))
      ])
    }
    let cancelled = try fixture.store.createPush(new, now: fixture.now).id
    fixture.now = fixture.now.adding(seconds: 100)
    try fixture.store.cancelPush(cancelled, now: fixture.now)
    return [push, cancelled]
  }

  @Test(arguments: [PushClass.campaign, .transactional])
  func numbersOutliveTheirRows(_ pushClass: PushClass) throws {
    let pushes = try send(pushClass)
    let before = try pushes.map { id in try fixture.store.push(id) }
    let funnel = try fixture.store.events(of: pushes[0])
    let refusals = try fixture.store.refusals(of: pushes[0], limit: 10)
    #expect(refusals == [RefusalCount(provider: .apns, status: 410, reason: "Unregistered", count: 8)])
    let told = try pushes.map { try series(.push($0)) }
    let whole = try series(.app(fixture.app))
    try fixture.store.setRetention(app: nil, RetentionPolicy(deliveriesDays: 90, eventsDays: 31))
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 0, events: 0))
    // First the reports go, then the deliveries.
    fixture.now = fixture.now.adding(seconds: 32 * 86_400)
    let first = try purgeAll()
    #expect(first.deliveries == 0)
    #expect(first.events > 0)
    #expect(try pushes.map { try series(.push($0)) } == told)
    fixture.now = fixture.now.adding(seconds: 60 * 86_400)
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 80, events: 0))
    #expect(try pushes.map { id in try fixture.store.push(id) } == before)
    #expect(try fixture.store.events(of: pushes[0]) == funnel)
    #expect(try fixture.store.refusals(of: pushes[0], limit: 10) == refusals)
    #expect(try pushes.map { try series(.push($0)) } == told)
    #expect(try series(.app(fixture.app)) == whole)
    for push in pushes {
      #expect(try fixture.store.deliveries(of: push, state: nil, after: nil, limit: 100) == [])
      #expect(try fixture.store.content(of: push) == nil)
    }
    #expect(try report([NewEvent(.opened, .delivery(DeliveryID(rawValue: pushes[0].rawValue)))]) == [.late])
    // Nothing more is found, also after a restart.
    try fixture.reopen()
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 0, events: 0))
  }

  /// A clock that was ahead for a while left pushes that look young; the old ones behind them go all the same.
  @Test func goesOnBehindAPushOfTheFuture() throws {
    _ = try fixture.devices(1)
    func sent() throws -> PushID {
      let push = try fixture.store.createPush(fixture.newPush(.users(["t-user0"])), now: fixture.now).id
      let lease = try fixture.lease([.push(push, max: 1)])
      _ = try fixture.record(lease.deliveries.map { fixture.result($0, .accepted(providerID: nil)) }, lease)
      return push
    }
    let present = fixture.now
    _ = try sent()
    fixture.now = present.adding(seconds: 365 * 86_400)
    for _ in 0..<3 { _ = try sent() }
    fixture.now = present
    let last = try sent()
    try fixture.store.setRetention(app: nil, RetentionPolicy(deliveriesDays: 1))
    fixture.now = present.adding(seconds: 2 * 86_400)
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 2, events: 0))
    #expect(try fixture.store.deliveries(of: last, state: nil, after: nil, limit: 1) == [])
    fixture.now = present.adding(seconds: 367 * 86_400)
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 3, events: 0))
  }

  @Test func anAppHasItsOwnTime() throws {
    let pushes = try send(.campaign)
    try fixture.store.setRetention(app: nil, RetentionPolicy(deliveriesDays: 1))
    try fixture.store.setRetention(app: fixture.app, RetentionPolicy(deliveriesDays: 365))
    fixture.now = fixture.now.adding(seconds: 300 * 86_400)
    #expect(try purgeAll().deliveries == 0)
    // What is null follows the server's.
    try fixture.store.setRetention(app: fixture.app, RetentionPolicy())
    #expect(try fixture.store.retention(app: fixture.app) == RetentionPolicy())
    #expect(try purgeAll().deliveries == 80)
    #expect(try fixture.store.push(pushes[0])?.counts.targeted == 40)
  }

  @Test func whatIsNotOverStays() throws {
    _ = try fixture.devices(20)
    let push = try fixture.campaign()
    _ = try fixture.lease([.push(push, max: 5)])
    try fixture.store.setRetention(app: nil, RetentionPolicy(deliveriesDays: 1))
    fixture.now = fixture.now.adding(seconds: 10 * 86_400)
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 0, events: 0))
    #expect(try fixture.store.deliveries(of: push, state: nil, after: nil, limit: 100).count == 20)
  }

  /// What a push said goes, and with it the request it was made from and the segment it was for; also when nobody got it.
  @Test func contentGoesWholly() throws {
    try fixture.devices(3)
    var new = fixture.newPush(.segment(.everyone, kinds: []), pushClass: .campaign)
    new.name = "c-1"
    new.request = Array("request".utf8)
    let sent = try fixture.store.createPush(new, now: fixture.now).id
    while !(try fixture.extend(sent, 100).complete) {}
    let lease = try fixture.lease([.push(sent, max: 10)])
    _ = try fixture.record(lease.deliveries.map { fixture.result($0, .accepted(providerID: nil)) }, lease)
    new.audience = .users(["nobody"])
    let empty = try fixture.store.createPush(new, now: fixture.now).id
    let scheduled = NewScheduledPush(app: fixture.app, pushClass: .campaign, request: [1, 2], dueAt: fixture.now)
    let failed = try fixture.store.addScheduledPush(scheduled, now: fixture.now).id
    try fixture.store.failScheduledPush(failed, problem: "no credentials", now: fixture.now)
    try fixture.store.setRetention(app: nil, RetentionPolicy(deliveriesDays: 1))
    fixture.now = fixture.now.adding(seconds: 2 * 86_400)
    #expect(try purgeAll() == PurgeSummary.done(deliveries: 3, events: 0))
    for push in [sent, empty, failed] {
      #expect(try fixture.store.content(of: push) == nil)
      #expect(try fixture.store.scheduledPush(of: push)?.request == [])
    }
    #expect(try fixture.store.scheduledPush(of: failed)?.problem == "no credentials")
    let segments = try fixture.sql.readers.read { (db) throws(StoreError) in
      try db.integer("SELECT count(*) FROM push_segments")
    }
    #expect(segments == 0)
  }

  @Test func limitsAreNamed() throws {
    for policy in [
      RetentionPolicy(deliveriesDays: 0), RetentionPolicy(deliveriesDays: 3_651), RetentionPolicy(eventsDays: 30),
    ] {
      #expect(throws: StoreError.self) { try fixture.store.setRetention(app: nil, policy) }
    }
    #expect(throws: StoreError.self) {
      try fixture.store.setRetention(app: AppID(rawValue: 99), RetentionPolicy(deliveriesDays: 9))
    }
  }
}

extension PurgeSummary {
  fileprivate static func done(deliveries: Int, events: Int) -> PurgeSummary {
    var summary = PurgeSummary()
    summary.deliveries = deliveries
    summary.events = events
    summary.isDone = true
    return summary
  }
}
