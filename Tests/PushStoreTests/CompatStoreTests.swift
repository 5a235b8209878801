import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What the interfaces of other vendors ask of the store.
@Suite(.onBothEngines) struct CompatStoreTests {
  @Test func anIdIsKeptWhileTheInterfaceIsOff() throws {
    let f = try StoreFixture()
    func change(_ app: AppID, _ id: String?) throws -> [String: String] {
      try f.store.updateApp(
        app, title: "T", settings: [], compat: [CompatChange(vendor: "v", newID: id)], now: f.now
      ).compat
    }
    #expect(try f.store.app(f.app)?.compat == [:])
    #expect(try change(f.app, nil) == [:])
    #expect(try change(f.app, "one") == ["v": "one"])
    #expect(try change(f.app, "two") == ["v": "one"])
    #expect(try change(f.app, nil) == [:])
    try f.reopen()
    #expect(try change(f.app, "three") == ["v": "one"])
    #expect(try f.store.app(named: "demo")?.compat == ["v": "one"] && f.store.apps().map(\.compat) == [["v": "one"]])
    // No two apps have one id, and a refused change changes nothing.
    let other = try f.store.createApp(name: "other", title: "O", settings: [], now: f.now)
    #expect(throws: StoreError.self) { try change(other.id, "one") }
    #expect(try f.store.app(other.id)?.title == "O")
    try f.store.deleteApp(f.app)
    #expect(try change(other.id, "one") == ["v": "one"])
  }

  @Test func pagesAreCountedFromTheStart() throws {
    let f = try StoreFixture()
    let devices = try f.devices(5)
    let other = try f.store.createApp(name: "other", title: "", settings: [], now: f.now).id
    var pushes: [PushID] = []
    for _ in 0..<5 { pushes.append(try f.store.createPush(f.newPush(.devices(devices)), now: f.now).id) }
    pushes.reverse()
    #expect(try f.store.countPushes(app: f.app) == 5 && f.store.countPushes(app: other) == 0)
    #expect(try f.store.pushes(app: f.app, offset: 0, limit: 2).map(\.id) == Array(pushes[..<2]))
    #expect(try f.store.pushes(app: f.app, offset: 3, limit: 9).map(\.id) == Array(pushes[3...]))
    #expect(try f.store.pushes(app: f.app, offset: 5, limit: 9).isEmpty)
    #expect(try f.store.devices(app: f.app, offset: 1, limit: 2).map(\.id) == Array(devices[1...2]))
    #expect(try f.store.devices(app: f.app, offset: 5, limit: 2).isEmpty)
    #expect(try f.store.devices(app: other, offset: 0, limit: 2).isEmpty)
  }

  @Test func devicesThatTakeMessagesAreCounted() throws {
    let f = try StoreFixture()
    func register(_ token: String, _ kind: DeviceKind, _ user: String, isOff: Bool = false) throws -> DeviceID {
      var device = DeviceRegistration(app: f.app, token: token, kind: kind, user: user)
      device.optOut = OptOutChange(everything: isOff)
      return try f.store.registerDevices([device], now: f.now)[0].id
    }
    // Each kind is a device of a user of its own: a Live Activity's token takes no messages.
    for kind in DeviceKind.allCases {
      _ = try register(kind == .web ? "https://push.example/t p a" : "t-\(kind.name)", kind, kind.name)
      let count = try f.store.countSubscribed(app: f.app, users: [kind.name], atMost: .max)
      #expect(count == (kind.isLiveActivity ? 0 : 1), "\(kind)")
    }
    _ = try register("a1", .android, "ann")
    _ = try register("a2", .android, "ann", isOff: true)
    let gone = try register("a3", .android, "ann")
    try f.store.setDeviceState(gone, .retired, reason: nil, now: f.now)
    _ = try register("b1", .ios, "bob")
    _ = try register("b2", .ios, "bob")
    let both: Set = ["ann", "bob", "nobody"]
    #expect(try f.store.countSubscribed(app: f.app, users: both, atMost: .max) == 3)
    #expect(try f.store.countSubscribed(app: f.app, users: both, atMost: 1) > 0)
    #expect(try f.store.countSubscribed(app: f.app, users: ["nobody"], atMost: .max) == 0)
    let other = try f.store.createApp(name: "other", title: "", settings: [], now: f.now).id
    #expect(try f.store.countSubscribed(app: other, users: both, atMost: .max) == 0)
  }

  /// A push that needs a subscriber is made for any, and none is made, nor a number or key taken, for people without one.
  @Test func nothingIsMadeForNobody() throws {
    let f = try StoreFixture()
    for (token, user, isOff) in [("a1", "ann", true), ("b1", "bob", true), ("b2", "bob", false)] {
      var device = DeviceRegistration(app: f.app, token: token, kind: .android, user: user)
      device.optOut = OptOutChange(everything: isOff)
      _ = try f.store.registerDevices([device], now: f.now)
    }
    let key = { (users: [String]) in IdempotencyKey(key: users.joined(), fingerprint: [1]) }
    let make = { (users: [String], needs: Bool) throws in
      var push = f.newPush(.users(users))
      push.needsSubscriber = needs
      push.idempotency = key(users)
      return try f.store.createPush(push, now: f.now)
    }
    for users in [["ann"], ["eve"], ["ann", "eve"]] {
      let made = try make(users, true)
      #expect(!made.isCreated && made.targeted == 0, "\(users)")
      #expect(try f.store.knownRequest(scope: f.app.rawValue, key: key(users)) == nil)
    }
    #expect(try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 9).isEmpty)
    let made = try make(["ann", "bob"], true)
    #expect(made.isCreated && made.targeted == 3)
    #expect(try f.store.push(made.id)?.number == 1)
    #expect(try make(["ann"], false).targeted == 1)
  }

  @Test func outcomesAreCountedByProvider() throws {
    let f = try StoreFixture()
    _ = try (f.devices(2), f.devices(1, kind: .android, prefix: "a"))
    let push = try f.campaign()
    #expect(try f.store.countByProvider(push: push) == [:])
    let lease = try f.lease([.push(push, max: 3)])
    let results = lease.deliveries.enumerated().map { index, delivery in
      f.result(
        delivery, index == 1 ? .rejected : .accepted(providerID: nil), status: index == 1 ? 410 : 200,
        reason: index == 1 ? "Unregistered" : "")
    }
    _ = try f.record(results, lease)
    #expect(
      try f.store.countByProvider(push: push) == [.apns: [.accepted: 1, .rejected: 1], .fcm: [.accepted: 1]])
  }

  @Test func whatWasNotSentIsCountedAtTheProviderOfItsDevice() throws {
    let f = try StoreFixture()
    let out = try f.devices(2, kind: .android, prefix: "a")[0]
    let push = try f.campaign()
    var change = DeviceChange()
    change.optOut = .init(everything: true)
    try f.store.updateDevice(out, change, now: f.now)
    let lease = try f.lease([.push(push, max: 2)])
    #expect(lease.deliveries.count == 1)
    _ = try f.record(lease.deliveries.map { f.result($0, .accepted(providerID: nil), status: 200, reason: "") }, lease)
    #expect(try f.store.countByProvider(push: push) == [.fcm: [.accepted: 1, .rejected: 1]])
  }

  @Test func usersAreReadByTheirNames() throws {
    let f = try StoreFixture()
    for name in ["ann", "bob"] {
      var change = UserChange()
      change.properties = [PropertyChange("plan", .text("of \(name)"))]
      _ = try f.store.updateUser(app: f.app, named: name, change, now: f.now)
    }
    let other = try f.store.createApp(name: "other", title: "", settings: [], now: f.now).id
    let users = try f.store.users(app: f.app, named: ["ann", "bob", "eve"])
    #expect(Set(users.keys) == ["ann", "bob"])
    for (name, user) in users {
      #expect(user.name == name && user.properties == [Property("plan", .text("of \(name)"))])
      #expect(try f.store.user(app: f.app, named: name) == user)
    }
    #expect(try f.store.users(app: other, named: ["ann"]).isEmpty && f.store.users(app: f.app, named: []).isEmpty)
  }

  @Test(.aboutTheFile) func devicesOfAUserAreFoundByTheUser() throws {
    let f = try StoreFixture()
    let filter = DeviceFilter(user: "ann", state: .active)
    for sql in [
      "\(WriterContext.Audience.devicesOfUser)",
      "SELECT id FROM devices WHERE app = ?1 AND id > ?2\(filter.condition) ORDER BY id LIMIT ?3",
    ] {
      let plan = try f.sql.readers.read { (db) throws(StoreError) in
        let select = try db.prepareOnce("EXPLAIN QUERY PLAN " + sql)
        var lines: [String] = []
        while try select.step() { lines.append(select.text(3)) }
        return lines
      }
      #expect(plan.count == 1 && plan[0].contains("devices_by_user"), "\(sql): \(plan)")
    }
  }
}
