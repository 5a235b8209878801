import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Live Activities in the store: their budget, their addresses, their end.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct ActivityStoreTests {
  let fixture: StoreFixture
  var store: any Store { fixture.store }
  let now = Timestamp(seconds: 1_800_000_000)

  init() throws { fixture = try StoreFixture() }

  private func push(_ devices: [DeviceID], _ live: LivePush) throws -> PushID {
    var push = NewPush(
      app: fixture.app, audience: .devices(devices),
      payloads: [RenderedPayload(kinds: [.iosLiveActivity, .iosLiveActivityStart], body: Array("{}".utf8))], salt: 7)
    push.live = live
    return try store.createPush(push, now: now).id
  }

  private func device(_ token: String, _ kind: DeviceKind, user: String? = "ann") throws -> DeviceID {
    try store.registerDevices(
      [DeviceRegistration(app: fixture.app, token: token, kind: kind, user: user)], now: now)[0].id
  }

  @discardableResult
  private func start(_ name: String = "order", perHour: Int = 2, user: String? = "ann") throws -> Activity {
    let new = NewActivity(
      name: name, user: user, bundleID: "com.example.app", attributesType: "Order", channel: nil,
      urgentPerHour: perHour, startsUrgently: perHour > 0)
    _ = try push([try device("start", .iosLiveActivityStart)], LivePush(starting: new))
    return try #require(try store.activity(app: fixture.app, named: name))
  }

  @Test("The hour's budget counts the start, runs out, and is there again in the next hour") func budget() throws {
    let one = try start(perHour: 3)
    #expect(one.budget.left(at: now) == 2)
    let turns = try (0..<3).map { _ in try store.takeTurn(of: one.id, urgent: true, now: now) }
    #expect(turns.map(\.isUrgent) == [true, true, false] && turns.map(\.left) == [1, 0, 0])
    #expect(try store.takeTurn(of: one.id, urgent: false, now: now).left == 0)
    let later = LiveBudget.renewal(after: now)
    #expect(later > now && later.milliseconds - now.milliseconds <= 3_600_000)
    let next = try store.takeTurn(of: one.id, urgent: true, now: later)
    #expect(next.isUrgent && next.left == 2)
  }

  @Test("Each send has a later second than the one before, a minute ahead of the clock at most")
  func seconds() throws {
    let one = try start()
    let times = [now, now, now.adding(seconds: -60), now.adding(seconds: 60)]
    let seconds = try times.map { try store.takeTurn(of: one.id, urgent: false, now: $0).second }
    #expect(seconds == [now.seconds + 1, now.seconds + 2, now.seconds + 2, now.seconds + 60])
    // A burst stops where devices would take it for the far future, and its last ones share a second.
    let burst = try (0..<100).map { _ in
      try store.takeTurn(of: one.id, urgent: false, now: now.adding(seconds: 60)).second - now.seconds
    }
    #expect(burst == (61...120).map { $0 } + Array(repeating: 120, count: 40))
  }

  @Test("An activity that has ended takes nothing more, and nothing of a refused send is left") func ends() throws {
    let one = try start()
    let token = try device("aa", .iosLiveActivity)
    var end = LivePush(owner: .activity(one.id), event: .end)
    end.dismissalAt = now.adding(seconds: 60)
    let push = try push([token], end)
    let ended = try #require(try store.activity(app: fixture.app, named: "order"))
    #expect(ended.endedAt == now && ended.dismissalAt == now.adding(seconds: 60))
    #expect(throws: StoreError.self) { try store.takeTurn(of: one.id, urgent: true, now: now) }
    let count = try store.pushes(app: fixture.app, campaignsOnly: false, before: nil, limit: 10).count
    let error = #expect(throws: StoreError.self) {
      try self.push([token], LivePush(owner: .activity(one.id), event: .update))
    }
    #expect(error?.code == .conflict)
    #expect(try store.pushes(app: fixture.app, campaignsOnly: false, before: nil, limit: 10).count == count)
    let sends = try store.livePushes(of: .activity(one.id), before: nil, limit: 10)
    #expect(sends.map(\.event) == [.end, .start] && sends.first?.push.id == push)
  }

  @Test("An id is used once; a start under it again makes neither activity nor push") func unique() throws {
    try start()
    let error = #expect(throws: StoreError.self) { try start() }
    #expect(error?.code == .conflict)
    #expect(try store.pushes(app: fixture.app, campaignsOnly: false, before: nil, limit: 10).count == 1)
  }

  @Test("A user's pushes leave out tokens of activities, unless they are for them") func audience() throws {
    let phone = try device("ios", .ios)
    _ = try device("update", .iosLiveActivity)
    _ = try device("begin", .iosLiveActivityStart)
    func devices(_ kinds: [DeviceKind]) throws -> [DeviceID?] {
      let push = NewPush(
        app: fixture.app, audience: .users(["ann"]), payloads: [RenderedPayload(kinds: kinds, body: Array("{}".utf8))],
        salt: 7)
      let id = try store.createPush(push, now: now).id
      return try store.deliveries(of: id, state: .waiting, after: nil, limit: 10).map(\.device)
    }
    #expect(try devices([.ios]) == [phone])
    #expect(try devices([.iosLiveActivity]).count == 2)
  }

  @Test("Tokens are bounded, and go with their activity") func tokens() throws {
    let one = try start()
    for number in 0..<StoreLimits.devicesPerActivityMax {
      let id = try device("t\(number)", .iosLiveActivity)
      try store.addDevice(id, to: one.id)
      try store.addDevice(id, to: one.id)
    }
    let more = try device("more", .iosLiveActivity)
    #expect(throws: StoreError.self) { try store.addDevice(more, to: one.id) }
    #expect(try store.devices(of: one.id).count == StoreLimits.devicesPerActivityMax)
    try store.deleteActivity(one.id)
    #expect(try store.devices(of: one.id).isEmpty)
    #expect(try store.device(app: fixture.app, token: "t0") == nil && store.device(more) != nil)
    #expect(throws: StoreError.self) { try store.deleteActivity(one.id) }
  }

  @Test("Dead tokens go after a day, the activity after thirty, its pushes stay") func retention() throws {
    let one = try start()
    try store.addDevice(try device("t", .iosLiveActivity), to: one.id)
    func purge(_ days: Int64) throws {
      let instant = now.adding(seconds: days * 86_400 + 1)
      _ = try fixture.wait { store.purge(now: instant, limit: 100, completion: $0) }
    }
    try purge(0)
    #expect(try store.devices(of: one.id).count == 1)
    try purge(1)
    #expect(try store.devices(of: one.id).isEmpty && store.device(app: fixture.app, token: "t") == nil)
    #expect(try store.activity(app: fixture.app, named: "order") != nil)
    try purge(30)
    #expect(try store.activity(app: fixture.app, named: "order") == nil)
    #expect(try store.pushes(app: fixture.app, campaignsOnly: false, before: nil, limit: 10).count == 1)
  }

  @Test("Erasing a user leaves neither their activities nor tokens, and those of others stay") func erasure()
    async throws
  {
    let one = try start()
    try start("other", user: "bob")
    let token = try device("t", .iosLiveActivity)
    try store.addDevice(token, to: one.id)
    _ = try push([token], LivePush(owner: .activity(one.id), event: .update))
    let erased = try await fixture.erase("ann")
    #expect(erased.left == 0)
    #expect(try store.activity(app: fixture.app, named: "order") == nil)
    #expect(try store.activity(app: fixture.app, named: "other") != nil)
    for table in ["activity_devices", "live_pushes"] {
      let rows = try fixture.sql.readers.read { (db) throws(StoreError) in
        try db.integer("SELECT count(*) FROM \(table)")
      }
      #expect(rows == (table == "live_pushes" ? 1 : 0), "\(table)")
    }
  }
}
