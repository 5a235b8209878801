import Ledger
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct SuppressionTests {
  private func register(
    _ f: StoreFixture, _ token: String, user: String? = nil, zone: String? = nil, optOut: OptOutChange = .init()
  ) throws -> DeviceID {
    var device = DeviceRegistration(app: f.app, token: token, kind: .ios, user: user, timezone: zone)
    device.optOut = optOut
    return try f.store.registerDevices([device], now: f.now)[0].id
  }

  private func push(
    _ f: StoreFixture, _ audience: Audience, category: String? = nil, urgent: Bool = false, expiresAt: Timestamp? = nil
  ) throws -> PushID {
    var new = f.newPush(audience, expiresAt: expiresAt)
    new.category = category
    new.isUrgent = urgent
    return try f.store.createPush(new, now: f.now).id
  }

  /// The devices that a lease of one push holds, and the outcome of the others.
  private func send(_ f: StoreFixture, _ push: PushID) throws -> (sent: [DeviceID], reasons: [String]) {
    let lease = try f.lease([.push(push, max: 1_000)])
    let rows = try f.store.deliveries(of: push, state: .rejected, after: nil, limit: 1_000)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
    #expect(try f.counts(push).balances)
    return (lease.deliveries.compactMap(\.device), rows.map(\.reason))
  }

  /// One change: what is refused stays as it was, clock and all, and what is sent at once has none.
  @Test func whatIsSentAtOnceWaitsForNoClock() throws {
    let f = try StoreFixture()
    _ = try f.devices(3)
    let clock = LocalStart(clock: f.now.seconds + 86_400, zone: "Europe/Vienna")
    let new = NewScheduledPush(
      app: f.app, pushClass: .campaign, request: [123, 125], dueAt: clock.first, local: clock)
    let id = try f.store.addScheduledPush(new, now: f.now).id
    let known = try #require(try f.store.scheduledPush(of: id))
    func start(_ scheduled: ScheduledPush) throws {
      try f.wait {
        f.store.startScheduledPush(scheduled, as: f.newPush(.all(kinds: [])), atOnce: true, now: f.now, completion: $0)
      }
    }
    // Changed between reading and sending: what was read is not sent.
    try f.store.editScheduledPush(
      id, from: try #require(try f.store.scheduledPush(of: id)).request, pushClass: .campaign, name: nil,
      request: [91, 93],
      start: nil)
    // A writer who read it before that edit finds out.
    #expect(throws: StoreError.self) {
      try f.store.editScheduledPush(
        id, from: [123, 125, 32], pushClass: .campaign, name: nil, request: [91], start: nil)
    }
    #expect(try f.store.scheduledPush(of: id)?.request == [91, 93])
    #expect(throws: StoreError.self) { try start(known) }
    let changed = try #require(try f.store.scheduledPush(of: id))
    #expect(changed.local == clock && changed.dueAt == clock.first)
    try start(changed)
    #expect(try f.store.scheduledPush(of: id)?.local == nil && f.store.scheduledPush(of: id)?.dueAt == nil)
    while !(try f.extend(id, 10).complete) {}
    #expect(try f.lease([.push(id, max: 10)]).deliveries.count == 3)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func whatIsNotWantedIsNotSent() throws {
    let f = try StoreFixture()
    let plain = try register(f, "plain", user: "ann")
    let out = try register(f, "out", optOut: .init(everything: true))
    let news = try register(f, "news", optOut: .init(categories: ["news"]))
    let users = try register(f, "users", user: "bob")
    var change = UserChange()
    change.optOut = .init(categories: ["news", "offers"])
    _ = try f.store.updateUser(app: f.app, named: "bob", change, now: f.now)
    let later = try register(f, "later", user: "bob")
    let all = [plain, out, news, users, later]
    let refused = "suppressed-opt-out"
    var got = try send(f, try push(f, .devices(all), category: "news", urgent: true))
    #expect(got.sent == [plain] && got.reasons == [refused, refused, refused, refused])
    got = try send(f, try push(f, .devices(all), category: "offers"))
    #expect(got.sent == [plain, news] && got.reasons.count == 3)
    got = try send(f, try push(f, .devices(all)))
    #expect(got.sent == [plain, news, users, later] && got.reasons == [refused])
    change.optOut = .init(everything: true, categories: [])
    _ = try f.store.updateUser(app: f.app, named: "bob", change, now: f.now)
    #expect(try send(f, try push(f, .devices(all))).sent == [plain, news])
    change.optOut = .init(everything: false)
    _ = try f.store.updateUser(app: f.app, named: "bob", change, now: f.now)
    var back = DeviceChange()
    back.optOut = .init(everything: false)
    try f.store.updateDevice(out, back, now: f.now)
    #expect(try send(f, try push(f, .devices(all), category: "offers")).sent == all)
  }

  @Test func aDeviceThatMovedIsNotSentWhatWasItsFormerUsers() throws {
    let f = try StoreFixture()
    let id = try register(f, "t", user: "ann")
    let anns = try push(f, .users(["ann"]))
    let all = try f.campaign()
    f.now = f.now.adding(seconds: 1)
    #expect(try register(f, "t", user: "bob") == id)
    let bobs = try push(f, .users(["bob"]))
    #expect(try send(f, anns).reasons == ["device-moved"])
    #expect(try f.store.push(anns)?.state == .sent)
    #expect(try send(f, bobs).sent == [id])
    #expect(try send(f, all).sent == [id])
  }

  /// Whose the devices of a user are is asked when a plan starts; a list of devices stands as it was written.
  @Test func aMoveBeforeAPlanStartsCountsForListsOfDevicesOnly() throws {
    let f = try StoreFixture()
    let id = try register(f, "t", user: "ann")
    func scheduled() throws -> PushID {
      let new = NewScheduledPush(app: f.app, pushClass: .transactional, request: [], dueAt: f.now.adding(seconds: 60))
      return try f.store.addScheduledPush(new, now: f.now).id
    }
    let (bobs, listed) = (try scheduled(), try scheduled())
    f.now = f.now.adding(seconds: 1)
    #expect(try register(f, "t", user: "bob") == id)
    f.now = f.now.adding(seconds: 59)
    for (scheduled, audience) in [(bobs, Audience.users(["bob"])), (listed, .devices([id]))] {
      let known = try #require(try f.store.scheduledPush(of: scheduled))
      try f.wait {
        f.store.startScheduledPush(known, as: f.newPush(audience), atOnce: false, now: f.now, completion: $0)
      }
    }
    #expect(try send(f, bobs).sent == [id])
    #expect(try send(f, listed).reasons == ["device-moved"])
  }

  @Test func aLeaseTellsThatItGotOnWithoutSending() throws {
    let f = try StoreFixture()
    let out = try register(f, "out", optOut: .init(everything: true))
    f.now = Timestamp(seconds: 1_800_052_200)
    let quiet = try register(f, "quiet", zone: "Europe/Vienna")
    try f.store.setSuppressionRules(.init(quietHours: .init(from: 1320, to: 480)), app: f.app)
    let id = try push(f, .devices([out, quiet]))
    let first = try f.lease([.push(id, max: 10)])
    #expect(first.deliveries.isEmpty && first.settled == 2)
    let second = try f.lease([.push(id, max: 10), .due(max: 10)])
    #expect(second.deliveries.isEmpty && second.settled == 0)
  }

  @Test func whatAThrottleHeldUpIsNotLetGoAtOnce() throws {
    let f = try StoreFixture()
    f.now = Timestamp(seconds: 1_800_052_200)
    let over = Timestamp(seconds: 1_800_082_800)
    let devices = try (0..<30).map { try register(f, "t\($0)", zone: "Europe/Vienna") }
    try f.store.setSuppressionRules(.init(quietHours: .init(from: 1320, to: 480)), app: f.app)
    var new = f.newPush(.devices(devices))
    new.throttlePerMinute = 10
    let id = try f.store.createPush(new, now: f.now).id
    for _ in 0..<3 { #expect(try f.lease([.push(id, max: 10)]).settled == 10) }
    for index in 0..<30 {
      f.now = over.adding(seconds: Int64(index) * 6)
      #expect(try f.lease([.due(max: 100)]).deliveries.count == 1)
    }
    // What the next quiet hours catch keeps its distance.
    let late = try f.store.createPush(new, now: f.now).id
    f.now = Timestamp(seconds: 1_800_052_200 + 86_400)
    for _ in 0..<3 { _ = try f.lease([.push(late, max: 10)]) }
    try f.store.setSuppressionRules(.init(quietHours: .init(from: 479, to: 482)), app: f.app)
    f.now = over.adding(seconds: 86_400)
    #expect(try f.lease([.due(max: 100)]).settled == 1)
    f.now = over.adding(seconds: 86_400 + 119)
    #expect(try f.lease([.due(max: 100)]).deliveries.isEmpty)
    for index in 0..<30 {
      f.now = over.adding(seconds: 86_400 + 120 + Int64(index) * 6)
      #expect(try f.lease([.due(max: 100)]).deliveries.count == 1, "\(index)")
    }
    #expect(try f.counts(late).waiting == 0)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test("A device that is named twice takes one place under a cap of one, and gets one push") func namedTwiceUnderACap()
    throws
  {
    let f = try StoreFixture()
    let phone = try register(f, "phone", user: "ann")
    try f.store.setSuppressionRules(.init(frequencyCap: .init(pushes: 1, windowMs: 60_000)), app: f.app)
    for audience in [Audience.devices([phone, phone]), .users(["ann", "ann"])] {
      f.now = f.now.adding(seconds: 61)
      let id = try push(f, audience)
      #expect(try send(f, id).sent == [phone])
      #expect(try f.counts(id).targeted == 1)
      #expect(try send(f, try push(f, audience)).reasons == ["suppressed-frequency-cap"])
    }
  }

  @Test func aUserGetsSoManyPushesAndNoMore() throws {
    let f = try StoreFixture()
    let phone = try register(f, "phone", user: "ann")
    let tablet = try register(f, "tablet", user: "ann")
    let alone = try register(f, "alone")
    try f.store.setSuppressionRules(.init(frequencyCap: .init(pushes: 2, windowMs: 60_000)), app: f.app)
    let all = [phone, tablet, alone]
    for _ in 0..<2 { #expect(try send(f, try push(f, .devices(all))).sent == all) }
    let third = try send(f, try push(f, .devices(all)))
    #expect(third.sent.isEmpty && third.reasons == [String](repeating: "suppressed-frequency-cap", count: 3))
    #expect(try send(f, try push(f, .devices(all), urgent: true)).sent == all)
    f.now = f.now.adding(seconds: 61)
    #expect(try send(f, try push(f, .devices(all))).sent == all)
    // A try that is repeated counts once.
    try f.store.setSuppressionRules(.init(frequencyCap: .init(pushes: 1, windowMs: 60_000)), app: f.app)
    f.now = f.now.adding(seconds: 61)
    let again = try push(f, .devices([alone]))
    let lease = try f.lease([.push(again, max: 10)])
    _ = try f.record([f.result(lease.deliveries[0], .retry(notBefore: f.now), status: 503, reason: "x")], lease)
    #expect(try f.lease([.due(max: 10)]).deliveries.compactMap(\.device) == [alone])
  }

  /// A moment in UTC, the hours, and when they are over; nil when they are not on.
  ///
  /// 2027-01-15 is a day without a change of clocks.
  static let quiet: [(at: Int64, from: Int, to: Int, zone: String, over: Int64?)] = [
    // 23:30 in Vienna, 22 to 8: over at 08:00 the next day, which is 07:00 UTC.
    (1_800_052_200, 1320, 480, "Europe/Vienna", 1_800_082_800), (1_800_052_200, 1320, 480, "America/New_York", nil),
    // 03:30 in Vienna: over the same day.
    (1_799_980_200, 1320, 480, "Europe/Vienna", 1_799_996_400), (1_799_996_400, 1320, 480, "Europe/Vienna", nil),
    // A nap past noon.
    (1_800_014_400, 780, 840, "Europe/Vienna", 1_800_018_000),
    (1_800_052_200, 1320, 480, "Nowhere/Else", 1_800_086_400),
    // The night of the change to summer time in Vienna, 2027-03-28: 08:00 there is 06:00 UTC.
    (1_806_184_800, 1320, 480, "Europe/Vienna", 1_806_213_600),
  ]

  @Test(arguments: quiet) func quietHoursFollowTheDevicesClock(
    _ row: (at: Int64, from: Int, to: Int, zone: String, over: Int64?)
  ) {
    let hours = QuietHours(from: row.from, to: row.to)
    let end = hours.end(at: Timestamp(seconds: row.at), timezone: row.zone)
    #expect(end == row.over.map { Timestamp(seconds: $0) })
  }

  @Test func quietHoursHoldAndLoseNothing() throws {
    let f = try StoreFixture()
    f.now = Timestamp(seconds: 1_800_052_200)
    let vienna = try register(f, "v", zone: "Europe/Vienna")
    let york = try register(f, "y", zone: "America/New_York")
    let unknown = try register(f, "u")
    try f.store.setSuppressionRules(
      .init(quietHours: .init(from: 1320, to: 480, zone: "Europe/Vienna")), app: f.app)
    let all = [vienna, york, unknown]
    let held = try push(f, .devices(all))
    let expiring = try push(f, .devices([vienna]), expiresAt: f.now.adding(seconds: 600))
    #expect(try send(f, held).sent == [york])
    #expect(try send(f, expiring).sent.isEmpty)
    #expect(try f.counts(held) == LedgerCounts(targeted: 3, waiting: 2, inFlight: 1))
    #expect(try send(f, try push(f, .devices(all), urgent: true)).sent == all)
    #expect(try f.store.nextDue() == f.now.adding(seconds: 600))
    f.now = f.now.adding(seconds: 600)
    #expect(try f.lease([.due(max: 10)]).deliveries.isEmpty)
    #expect(try f.store.push(expiring)?.state == .expired)
    try f.reopen()
    f.now = Timestamp(seconds: 1_800_082_800)
    #expect(try f.lease([.due(max: 10)]).deliveries.compactMap(\.device) == [vienna, unknown])
    #expect(try f.counts(held) == LedgerCounts(targeted: 3, inFlight: 3))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
    // A push that is cancelled while it is held ends there.
    f.now = Timestamp(seconds: 1_800_052_200 + 86_400)
    let cancelled = try push(f, .devices([vienna]))
    _ = try send(f, cancelled)
    try f.store.cancelPush(cancelled, now: f.now)
    #expect(try f.counts(cancelled) == LedgerCounts(targeted: 1, cancelled: 1))
  }
}
