import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct PeopleTests {
  private func register(
    _ f: StoreFixture, _ token: String, name: String? = nil, user: String? = nil, properties: [Property]? = nil,
    tags: [String]? = nil, optOut: OptOutChange = .init()
  ) throws -> RegisteredDevice {
    var device = DeviceRegistration(app: f.app, token: token, kind: .ios, name: name, user: user)
    (device.properties, device.tags, device.optOut) = (properties, tags, optOut)
    return try f.store.registerDevices([device], now: f.now)[0]
  }

  static let values: [Property] = [
    Property("age", .integer(41)), Property("member", .bool(true)), Property("plan", .text("pro")),
    Property("score", .real(0.5)), Property("since", .time(Timestamp(milliseconds: 1_700_000_000_123))),
  ]

  @Test func propertiesKeepTheirTypes() throws {
    let f = try StoreFixture()
    let id = try register(f, "t", properties: Self.values, tags: ["vip", "beta", "vip"]).id
    let device = try #require(try f.store.device(id))
    #expect(device.properties == Self.values && device.tags == ["beta", "vip"])
    // Left out means kept, given means replaced.
    _ = try register(f, "t")
    #expect(try f.store.device(id)?.properties == Self.values)
    _ = try register(f, "t", properties: [Property("age", .text("old"))], tags: [])
    let after = try #require(try f.store.device(id))
    #expect(after.properties == [Property("age", .text("old"))] && after.tags.isEmpty)
  }

  @Test func aChangeTouchesWhatItNames() throws {
    let f = try StoreFixture()
    let id = try register(f, "t", user: "ann", properties: Self.values, tags: ["a"]).id
    var change = DeviceChange()
    change.locale = .set("de")
    change.properties = [
      PropertyChange("age", .integer(42)), PropertyChange("plan", nil), PropertyChange("x", .text("")),
    ]
    change.optOut = OptOutChange(categories: ["news"])
    try f.store.updateDevice(id, change, now: f.now)
    let device = try #require(try f.store.device(id))
    #expect(device.user == "ann" && device.locale == "de" && device.tags == ["a"])
    #expect(device.properties.map(\.name) == ["age", "member", "score", "since", "x"])
    #expect(device.properties[0].value == .integer(42) && device.optOut == OptOut(categories: ["news"]))
    #expect(throws: StoreError.self) { try f.store.updateDevice(DeviceID(rawValue: 99), change, now: f.now) }
  }

  @Test func usersAreMadeByTheirDevicesOrByAChange() throws {
    let f = try StoreFixture()
    _ = try register(f, "t1", user: "ann")
    f.now = f.now.adding(seconds: 60)
    _ = try register(f, "t2", user: "ann")
    let ann = try #require(try f.store.user(app: f.app, named: "ann"))
    #expect(ann.lastSeenAt == f.now && ann.firstSeenAt == f.now.adding(seconds: -60))
    var change = UserChange()
    change.profile = [PropertyChange("email", .text("ann@example.com"))]
    change.properties = Self.values.map { PropertyChange($0.name, $0.value) }
    change.entitlements = [PropertyChange("premium", .bool(true))]
    change.tags = ["vip"]
    let changed = try f.store.updateUser(app: f.app, named: "ann", change, now: f.now)
    #expect(changed.profile == ["email": "ann@example.com"] && changed.properties == Self.values)
    #expect(changed.entitlements == [Property("premium", .bool(true))] && changed.tags == ["vip"])
    let bob = try f.store.updateUser(app: f.app, named: "bob", UserChange(), now: f.now)
    #expect(bob.lastSeenAt == nil)
    #expect(try f.store.users(app: f.app, after: nil, limit: 10).map(\.name) == ["ann", "bob"])
    #expect(try f.store.users(app: f.app, after: ann.id, limit: 10) == [bob])
  }

  @Test func aTokenChangeKeepsHistory() throws {
    let f = try StoreFixture()
    let id = try register(f, "one", name: "phone", user: "ann").id
    f.now = f.now.adding(seconds: 1)
    _ = try register(f, "two", name: "phone", user: "ann")
    _ = try register(f, "two", name: "phone", user: "ann")
    #expect(try f.store.earlierTokens(of: id) == [EarlierToken(token: "one", replacedAt: f.now)])
    for index in 0..<30 { _ = try register(f, "n\(index)", name: "phone", user: "ann") }
    let tokens = try f.store.earlierTokens(of: id)
    #expect(tokens.count == StoreLimits.earlierTokensMax && tokens[0].token == "n28")
  }

  @Test func aTokenThatMovesTakesNothingAlong() throws {
    let f = try StoreFixture()
    let id = try register(f, "t", user: "ann", properties: Self.values, tags: ["vip"], optOut: .init(everything: true))
      .id
    #expect(try register(f, "t", user: "bob").id == id)
    let device = try #require(try f.store.device(id))
    #expect(device.user == "bob" && device.properties.isEmpty && device.tags.isEmpty && device.optOut == .none)
    // The first user of a device is no move: what was known before they signed in stays.
    let other = try register(f, "u", properties: Self.values).id
    _ = try register(f, "u", user: "ann")
    #expect(try f.store.device(other)?.properties == Self.values)
  }

  @Test func manyRegisterOneTokenAtOnce() async throws {
    let f = try StoreFixture()
    let (store, app, now) = (f.store, f.app, f.now)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<40 {
            let device = DeviceRegistration(
              app: app, token: "one", kind: .ios, name: round % 2 == 0 ? "n\(number)" : nil, user: "u\(round % 5)")
            #expect(throws: Never.self) { try store.registerDevices([device], now: now) }
          }
        }
      }
    }
    #expect(try store.countDevices(app: app, filter: DeviceFilter()) >= 1)
    let holders = try store.devices(app: app, filter: DeviceFilter(), after: nil, limit: 100).filter {
      $0.token == "one"
    }
    #expect(holders.count == 1)
    #expect(try store.users(app: app, after: nil, limit: 100).count == 5)
  }

  @Test func erasingLeavesNoByte() async throws {
    let f = try StoreFixture()
    let marks = ["Zanzibar-Ann", "token-of-ann-9137", "earlier-of-ann-55", "ann-property-771", "ann-mail@example.com"]
    _ = try f.devices(300)
    _ = try register(f, marks[2], name: "phone", user: marks[0])
    let id = try register(
      f, marks[1], name: "phone", user: marks[0], properties: [Property("p", .text(marks[3]))], tags: ["t-ann-31"]
    ).id
    var known = DeviceRegistration(app: f.app, token: marks[1], kind: .ios, name: "phone", user: marks[0])
    known.otherNames = ["other-of-ann-31"]
    _ = try f.store.registerDevices([known], now: f.now)
    var change = UserChange()
    change.profile = [PropertyChange("email", .text(marks[4]))]
    change.aliases = [AliasChange("crm", "crm-of-ann-4711")]
    _ = try f.store.updateUser(app: f.app, named: marks[0], change, now: f.now)
    var own = f.newPush(.users([marks[0]]))
    own.message = Array("dear Ann-message-4455".utf8)
    own.name = "campaign"
    own.request = Array(#"{"to":{"users":["\#(marks[0])"]},"message":{"title":"dear Ann-message-4455"}}"#.utf8)
    let sole = try f.store.createPush(own, now: f.now).id
    let message = InboxContent(
      type: .text, title: "T", summary: nil, body: "dear Ann-inbox-8812", url: nil, data: nil)
    _ = try f.store.addInboxMessage(
      NewInboxMessage(
        app: f.app, user: marks[0], name: "m-1", content: message, push: sole, expiresAt: f.now.adding(seconds: 60)),
      now: f.now)
    let all = try f.campaign()
    let direct = try f.store.createPush(
      f.newPush(.addresses([DeviceAddress(token: marks[2], kind: .ios)])), now: f.now
    ).id
    let others = SegmentFilter.or([
      .condition(SegmentCondition(.column(.user), .equal(.text(marks[0])))),
      .condition(SegmentCondition(.attribute("email"), .notEqual(.text(marks[4])))),
    ])
    var filtered = f.newPush(.segment(others, kinds: []), pushClass: .campaign)
    // As an earlier version kept a key.
    filtered.idempotency = IdempotencyKey(key: "1:welcome-\(marks[0])", fingerprint: [1])
    let segment = try f.store.createPush(filtered, now: f.now).id
    _ = try register(f, "stays", user: "bob")

    let proof = try await f.erase(marks[0])
    #expect(proof.left == 0 && proof.logEmptied == (f.database == nil))
    #expect(
      proof.counts.map { "\($0.table) \($0.act) \($0.rows)" } == [
        "deliveries emptied 3", "push_contents emptied 2", "push_plans redacted 0", "schedules redacted 0",
        "push_contents redacted 0", "segments redacted 0", "push_segments redacted 1", "idempotency redacted 1",
        "frequency removed 0", "device_attributes removed 2", "earlier_tokens removed 1",
        "device_names removed 1", "activity_devices removed 0", "live_pushes removed 0", "activities removed 0",
        "devices removed 1",
        "push_plans removed 0", "push_plans.problem emptied 0", "push_plans.approval_reason emptied 0",
        "schedules.problem emptied 0",
        "aliases removed 1", "inbox removed 1", "user_attributes removed 1", "users removed 1",
      ])
    #expect(try f.store.device(id) == nil && f.store.user(app: f.app, named: marks[0]) == nil)
    #expect(try f.store.push(sole)?.state == .cancelled && f.store.push(direct)?.state == .cancelled)
    #expect(try f.counts(all) == LedgerCounts(targeted: 301, waiting: 301))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
    for suffix in f.database == nil ? ["", "-wal"] : [] {
      let bytes = try Files.read(f.path + suffix)
      for mark in marks + [
        "t-ann-31", "dear Ann-message-4455", "dear Ann-inbox-8812", "crm-of-ann-4711", "other-of-ann-31",
      ] {
        #expect(!bytes.contains(Array(mark.utf8)), "\(mark) is left in the file\(suffix)")
      }
    }
    // The key still represents its push.
    filtered.idempotency?.digest = Traces().keyDigest("1:welcome-\(marks[0])")
    #expect(try f.store.createPush(filtered, now: f.now).id == segment)
    let lease = try f.lease([.push(all, max: 1_000)])
    #expect(lease.deliveries.count == 300)
    #expect(try f.counts(all) == LedgerCounts(targeted: 301, inFlight: 300, rejected: 1))
    await #expect(throws: StoreError.self) { try await f.erase(marks[0]) }
  }

  @Test func namesOfPropertiesAreLimited() throws {
    let f = try StoreFixture()
    for chunk in 0..<10 {
      let many = (0..<100).map { Property("p\(chunk * 100 + $0)", .bool(true)) }
      _ = try register(f, "t\(chunk)", properties: many)
    }
    let refusal = #expect(throws: StoreError.self) {
      try register(f, "more", properties: [Property("one-more", .bool(true))])
    }
    #expect(refusal?.message == "properties.one-more: the app has 1000 names of properties already")
    #expect(try f.store.device(app: f.app, token: "more") == nil)
    let tooMany = #expect(throws: StoreError.self) {
      try register(f, "x", properties: (0...100).map { Property("p\($0)", .bool(true)) })
    }
    #expect(tooMany?.message == "properties: 101, at most 100 are stored")
  }

  @Test(.aboutTheFile) func aVersionOneFileMovesForward() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/old.db"
    do {
      let db = try Connection(path: path, access: .readWriteCreate)
      try Schema.migrate(db, migrations: [Schema.migrations[0]])
      try db.execute(
        """
        INSERT INTO apps VALUES (1, 'demo', 'Demo', x'', 1, 1, NULL);
        INSERT INTO devices(app, token, kind, environment, user, properties, registered_at, state, state_at) VALUES
          (1, 'a', 1, 1, 'ann', CAST('{"plan":"pro","age":4,"on":true,"no":null,"x":1.5,"at":"2026-11-21T00:00:00.250Z",
            "deep":{"a":[1]}}' AS BLOB), 1000, 2, 1000),
          (1, 'b', 1, 1, 'ann', NULL, 3000, 2, 3000), (1, 'c', 4, 1, NULL, CAST('not json' AS BLOB), 2000, 2, 2000);
        """)
    }
    let store = try SQLStore(path: path)
    defer { store.close() }
    let app = AppID(rawValue: 1)
    let device = try #require(try store.device(app: app, token: "a"))
    #expect(
      device.properties == [
        Property("age", .integer(4)), Property("at", .time(Timestamp(milliseconds: 1_795_219_200_250))),
        Property("deep", .text(#"{"a":[1]}"#)), Property("on", .bool(true)), Property("plan", .text("pro")),
        Property("x", .real(1.5)),
      ])
    #expect(device.createdAt == Timestamp(milliseconds: 1000))
    let ann = try #require(try store.user(app: app, named: "ann"))
    #expect(ann.firstSeenAt == Timestamp(milliseconds: 1000) && ann.lastSeenAt == Timestamp(milliseconds: 3000))
  }
}

/// Leaves documents alone: the store does not read them, and these tests have none of others.
struct Traces: UserRedaction {
  let pseudonym = "erased-1"
  func request(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument? { nil }
  func values(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument? { nil }
  func segment(_ bytes: [UInt8], without user: UserIdentity) -> [UInt8]? { nil }
  func keyDigest(_ key: String) -> String { "#\(key.utf8.count)" }
}

extension StoreFixture {
  func erase(_ user: String) async throws -> UserErasure {
    try await store.eraseUser(app: app, named: user, redaction: Traces(), audit: nil, now: now)
  }
}

extension Array where Element == UInt8 {
  /// Whether the bytes stand somewhere inside.
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...count - part.count).contains { self[$0] == part[0] && self[$0..<$0 + part.count].elementsEqual(part) }
  }
}
