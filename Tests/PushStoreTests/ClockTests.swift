import Ledger
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What a clock that was ahead has written, once it is right again.
@Suite(.onBothEngines, .timeLimit(.minutes(5))) struct ClockTests {
  /// 83 years, as after a jump to the end of a date's range.
  static let ahead: Int64 = 83 * 365 * 86_400

  let f: StoreFixture

  init() throws { f = try StoreFixture() }

  /// Lets the store follow the clock; returns how much it changed.
  @discardableResult
  func follow(latest: Timestamp? = nil) throws -> Int {
    var page: ClockPage? = .begin(latest: latest ?? f.now)
    var changed = 0
    while let next = page {
      let step = try f.wait { f.store.followClock(next, now: f.now, completion: $0) }
      changed += step.changed
      page = step.next
    }
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
    return changed
  }

  func jump(_ seconds: Int64) { f.now = f.now.adding(seconds: seconds) }

  func rows(_ push: PushID) throws -> [DeliveryRecord] {
    try f.store.deliveries(of: push, state: nil, after: nil, limit: 100)
  }

  @Test(
    "A retry waits as long as it was to wait, from now on, also after a restart", arguments: [false, true],
    [false, true])
  func retries(isPaused: Bool, restarts: Bool) throws {
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(3))), now: f.now).id
    let lease = try f.lease([.push(push, max: 3)])
    jump(Self.ahead)
    // Noted while it was ahead: what a restart knows of it.
    try follow()
    let again = lease.deliveries.map { f.result($0, .retry(notBefore: f.now.adding(seconds: 30)), status: 503) }
    _ = try f.record(again, lease)
    if isPaused {
      try f.store.pausePush(push)
      jump(31)
      _ = try f.lease([.due(max: 3)])
      jump(-31)
    }
    let latest = f.now
    jump(-Self.ahead)
    if restarts { try f.reopen() }
    let changed = try follow(latest: restarts ? f.now : latest)
    #expect(changed >= 3, "\(changed)")
    #expect(try rows(push).allSatisfy { $0.notBefore == f.now.adding(seconds: 30) && $0.at == f.now })
    if isPaused { try f.store.resumePush(push, now: f.now) }
    jump(30)
    let picks: [LeaseRequest.Pick] = [.push(push, max: 3), .due(max: 3)]
    #expect(try f.lease(picks).deliveries.map(\.attempt) == [2, 2, 2])
    #expect(try follow() == 0, "what is right is left")
  }

  @Test("Quiet hours of a clock that was ahead hold nothing back") func quietHours() throws {
    // It is 8:00, and quiet from 20:00 to 6:00.
    try f.store.setSuppressionRules(.init(quietHours: .init(from: 1200, to: 360, zone: "UTC")), app: f.app)
    let ahead = Self.ahead + 13 * 3_600
    jump(ahead)
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(2))), now: f.now).id
    #expect(try f.lease([.push(push, max: 2)]).deliveries.isEmpty)
    let latest = f.now
    jump(-ahead)
    try follow(latest: latest)
    #expect(try f.lease([.due(max: 2)]).deliveries.count == 2)
  }

  /// A push to one device in Vienna that waits for a time there, in seconds of a wall clock.
  private func startForVienna(at clock: Int64) throws -> PushID {
    let device = DeviceRegistration(app: f.app, token: "t", kind: .ios, timezone: "Europe/Vienna")
    let id = try f.store.registerDevices([device], now: f.now)[0].id
    let local = LocalStart(clock: clock, zone: "UTC")
    let new = NewScheduledPush(app: f.app, pushClass: .transactional, request: [], dueAt: local.first, local: local)
    let push = try f.store.addScheduledPush(new, now: f.now).id
    let scheduled = try #require(try f.store.scheduledPush(of: push))
    try f.wait {
      f.store.startScheduledPush(scheduled, as: f.newPush(.devices([id])), atOnce: false, now: f.now, completion: $0)
    }
    return push
  }

  @Test("A delivery for a local time keeps it") func localTime() throws {
    jump(Self.ahead)
    let push = try startForVienna(at: f.now.seconds + 7 * 86_400)
    let asked = try #require(try rows(push).first?.notBefore)
    var latest = f.now
    jump(-Self.ahead)
    try follow(latest: latest)
    #expect(try rows(push).first?.notBefore == asked)
    // Tried too early by a clock that was ahead still further, it comes at its local time.
    jump(Self.ahead + 8 * 86_400)
    let lease = try f.lease([.due(max: 1)])
    let again = lease.deliveries.map { f.result($0, .retry(notBefore: f.now.adding(seconds: 30)), status: 503) }
    #expect(try f.record(again, lease).recorded == 1)
    latest = f.now
    jump(-Self.ahead - 8 * 86_400)
    try follow(latest: latest)
    #expect(try rows(push).first?.notBefore == asked)
  }

  @Test(
    "What a clock that was ahead took before its local time waits for it, however it comes back",
    arguments: [false, true], [false, true])
  func takenBeforeItsLocalTime(retries: Bool, isPaused: Bool) throws {
    let push = try startForVienna(at: f.now.seconds + 7 * 86_400)
    let asked = try #require(try rows(push).first?.notBefore)
    jump(8 * 86_400)
    let lease = try f.lease([.due(max: 1)])
    let latest = f.now
    jump(-8 * 86_400)
    let change: DeliveryResult.Change =
      retries ? .retry(notBefore: f.now.adding(seconds: 30)) : .release(notBefore: f.now)
    #expect(try f.record(lease.deliveries.map { f.result($0, change, status: 503) }, lease).recorded == 1)
    if isPaused { try f.store.pausePush(push) }
    try follow(latest: latest)
    jump(60)
    #expect(try f.lease([.due(max: 1)]).deliveries.isEmpty)
    if isPaused {
      try f.store.resumePush(push, now: f.now)
      #expect(try f.lease([.push(push, max: 1), .due(max: 1)]).deliveries.isEmpty)
    }
    #expect(try rows(push).first?.notBefore == asked)
    f.now = asked
    #expect(try f.lease([.push(push, max: 1), .due(max: 1)]).deliveries.count == 1)
  }

  @Test("A push that was sent, paused and resumed goes on at once; one that has not begun waits for its start")
  func pausedPushes() throws {
    let devices = try f.devices(2)
    jump(Self.ahead)
    let sent = try f.store.createPush(f.newPush(.devices(devices)), now: f.now).id
    let start = f.now.adding(seconds: 600)
    let scheduled = try f.store.createPush(f.newPush(.devices(devices), startAt: start), now: f.now).id
    for push in [sent, scheduled] { try f.store.pausePush(push) }
    let latest = f.now
    jump(-Self.ahead)
    try follow(latest: latest)
    for push in [sent, scheduled] { try f.store.resumePush(push, now: f.now) }
    #expect(try f.store.push(sent)?.state == .sending)
    #expect(try f.store.push(scheduled)?.state == .scheduled && f.store.push(scheduled)?.startAt == start)
    #expect(try f.lease([.push(sent, max: 9)]).deliveries.count == 2)
  }

  @Test("Who a device belongs to does not depend on the clock", arguments: [3_600, ahead, -86_400]) func hands(
    jumped: Int64
  ) throws {
    func register(_ user: String) throws -> DeviceID {
      let device = DeviceRegistration(app: f.app, token: "t", kind: .ios, user: user)
      return try f.store.registerDevices([device], now: f.now)[0].id
    }
    func push(_ user: String) throws -> PushID {
      try f.store.createPush(f.newPush(.users([user])), now: f.now).id
    }
    func scheduled(_ user: String) throws -> PushID {
      let new = NewScheduledPush(app: f.app, pushClass: .transactional, request: [], dueAt: f.now.adding(seconds: 60))
      let id = try f.store.addScheduledPush(new, now: f.now).id
      let scheduled = try #require(try f.store.scheduledPush(of: id))
      try f.wait {
        f.store.startScheduledPush(scheduled, as: f.newPush(.users([user])), atOnce: false, now: f.now, completion: $0)
      }
      return id
    }
    _ = try register("ann")
    let anns = [try push("ann"), try scheduled("ann")]
    let latest = f.now
    jump(jumped)
    let device = try register("bob")
    let bobs = [try push("bob"), try scheduled("bob")]
    jump(-jumped)
    // Before the store has followed, and after it.
    let soon = try push("bob")
    try follow(latest: max(latest, latest.adding(seconds: jumped)))
    let late = try push("bob")
    let all = anns + bobs + [soon, late]
    let lease = try f.lease(all.map { .push($0, max: 1) })
    #expect(
      lease.deliveries.map(\.push) == bobs + [soon, late], "what is Ann's does not reach Bob, what is Bob's does")
    for id in anns { #expect(try rows(id).map(\.reason) == [LocalReason.deviceMoved]) }
    // A provider's word that is older than the registration does not retire it, a newer one does.
    let old = f.result(
      lease.deliveries[0], .rejected, status: 410, reason: "Unregistered",
      consequence: .retire(since: f.now.adding(seconds: min(jumped, 0) - 60)))
    #expect(try f.record([old], lease).retired == (jumped > 60 ? 1 : 0))
    guard jumped <= 60 else { return }
    let gone = f.result(
      lease.deliveries[1], .rejected, status: 410, reason: "Unregistered", consequence: .retire(since: f.now))
    #expect(try f.record([gone], lease).retired == 1)
    #expect(try f.store.device(device)?.state == .retired)
  }

  @Test("A frequency cap forgets what is dated years ahead") func frequencyCap() throws {
    try f.store.setSuppressionRules(.init(frequencyCap: .init(pushes: 1, windowMs: 86_400_000)), app: f.app)
    let device = try f.devices(1)
    jump(Self.ahead)
    let first = try f.store.createPush(f.newPush(.devices(device)), now: f.now).id
    #expect(try f.lease([.push(first, max: 1)]).deliveries.count == 1)
    jump(-Self.ahead)
    let second = try f.store.createPush(f.newPush(.devices(device)), now: f.now).id
    #expect(try f.lease([.push(second, max: 1)]).deliveries.count == 1)
  }

  @Test("A webhook is asked again at once") func webhooks() throws {
    let new = NewWebhook(app: f.app, url: "https://example.com/", kinds: Set(NoticeKind.allCases), sealed: [1])
    let webhook = try f.store.createWebhook(new, now: f.now).id
    _ = try f.store.createPush(f.newPush(.users(["nobody"])), now: f.now)
    func due() throws -> [WebhookBatchID] {
      try f.store.dueBatches(of: webhook, after: nil, busy: [], limit: 4, now: f.now).batches.map(\.id)
    }
    let batch = try #require(try due().first)
    jump(Self.ahead)
    let failure = WebhookResult(batch, .again(f.now.adding(seconds: 60), failure: "no"))
    try f.wait { f.store.settleBatches([failure], now: f.now, completion: $0) }
    let latest = f.now
    jump(-Self.ahead)
    #expect(try due().isEmpty)
    try follow(latest: latest)
    #expect(try due() == [batch])
  }

  @Test("Page by page, whatever the number, and interrupted without harm") func pages() throws {
    let push = try f.store.createPush(f.newPush(.devices(try f.devices(5_000))), now: f.now).id
    jump(Self.ahead)
    try follow()
    let lease = try f.lease([.push(push, max: 5_000)], closed: [.iPhones])
    #expect(lease.deliveries.isEmpty)
    jump(-Self.ahead)
    let first = try f.wait { f.store.followClock(.begin(latest: f.now), now: f.now, completion: $0) }
    let next = try #require(first.next)
    _ = try f.wait { f.store.followClock(next, now: f.now, completion: $0) }
    try f.reopen()
    #expect(try follow() >= 5_000, "a store that was closed in between begins anew")
    #expect(try rows(push).allSatisfy { $0.notBefore == f.now })
    #expect(try follow() == 0)
  }
}
