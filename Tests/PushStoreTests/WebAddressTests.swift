import Ledger
import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// A browser's subscription as a token: found by its endpoint, and bound to the key it was made for.
@Suite(.onBothEngines) struct WebAddressTests {
  static let endpoint = "https://push.example/send/abc"

  private let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func register(_ token: String, user: String? = nil, usual: String? = "K1") throws -> RegisteredDevice {
    var device = DeviceRegistration(app: fixture.app, token: token, kind: .web, user: user)
    device.usualServerKey = usual
    return try #require(try fixture.store.registerDevices([device], now: fixture.now).first)
  }

  @Test("A subscription remembers the key it was made for") func keys() throws {
    let id = try register("\(Self.endpoint) p a").id
    func token() throws -> String? { try fixture.store.device(id)?.token }
    #expect(try token() == "\(Self.endpoint) p a K1")
    // The app has another key meanwhile, and the page does not say which one it subscribed with.
    #expect(try register("\(Self.endpoint) p a", usual: "K2").created == false)
    #expect(try token() == "\(Self.endpoint) p a K1")
    // A subscription with new keys of its own is a new one.
    #expect(try register("\(Self.endpoint) q b", usual: "K2").id == id)
    #expect(try token() == "\(Self.endpoint) q b K2")
    #expect(try register("\(Self.endpoint) q b K3", usual: "K2").id == id)
    #expect(try token() == "\(Self.endpoint) q b K3")
    #expect(try register("\(Self.endpoint)d p a").id != id)
    #expect(try fixture.store.device(app: fixture.app, token: Self.endpoint)?.id == id)
    #expect(try fixture.store.device(app: fixture.app, token: "\(Self.endpoint) other keys")?.id == id)
    #expect(try fixture.store.device(app: fixture.app, token: "https://push.example/send/ab") == nil)
  }

  @Test("Only a browser's token has spaces") func shapes() throws {
    for (kind, token) in [(DeviceKind.web, "abc"), (.web, "a b"), (.web, "a b c d e"), (.android, "a b c")] {
      let device = DeviceRegistration(app: fixture.app, token: token, kind: kind)
      #expect(throws: StoreError.self) { try fixture.store.registerDevices([device], now: fixture.now) }
    }
  }

  @Test("A list with an address twice has it once, and a registered one is its device") func lists() throws {
    let id = try register("\(Self.endpoint) p a").id
    let other = "https://push.example/send/x"
    let addresses = ["\(Self.endpoint) p a K9", "\(Self.endpoint) q b", "\(other) p a", "\(other) q b"].map {
      DeviceAddress(token: $0, kind: .web)
    }
    let push = fixture.newPush(.addresses(addresses))
    let made = try fixture.store.createPush(push, now: fixture.now)
    #expect(try fixture.store.push(made.id)?.counts.targeted == 2)
    let rows = try fixture.store.deliveries(of: made.id, filter: DeliveryFilter(), after: nil, limit: 10).rows
    #expect(rows.map(\.device) == [id, nil])
  }

  @Test("Erasing a user finds an address with other keys at the same endpoint") func erasure() async throws {
    let made = try fixture.store.createPush(
      fixture.newPush(.addresses([DeviceAddress(token: "\(Self.endpoint) q b", kind: .web)])), now: fixture.now)
    _ = try register("\(Self.endpoint) p a", user: "ann")
    _ = try await fixture.erase("ann")
    let rows = try fixture.store.deliveries(of: made.id, filter: DeliveryFilter(), after: nil, limit: 10).rows
    #expect(rows.map(\.kind) == [nil])
  }

  @Test("Each device is on one platform", arguments: DeviceKind.allCases) func platforms(kind: DeviceKind) throws {
    let token = kind == .web ? "\(Self.endpoint) p a" : "token"
    let device = DeviceRegistration(app: fixture.app, token: token, kind: kind)
    _ = try fixture.store.registerDevices([device], now: fixture.now)
    for platform in DevicePlatform.allCases {
      let filter = SegmentFilter.condition(
        SegmentCondition(.column(.platform), .equal(.text(platform.rawValue))))
      let found = try fixture.store.countByKind(filter, app: fixture.app, now: fixture.now)
      #expect((found[kind] ?? 0) == (kind.platform == platform ? 1 : 0), "\(platform)")
    }
  }

  @Test("A file of version 28 gets the outcomes of browsers' push services, whatever it has used", .aboutTheFile)
  func migration()
    throws
  {
    let path = fixture.folder.path + "/28.db"
    do {
      let db = try Connection(path: path, access: .readWriteCreate)
      try Schema.migrate(db, migrations: Array(Schema.migrations.prefix(28)))
      try db.execute("INSERT INTO outcomes VALUES (7, 3, 0, 'x'), (8, 1, 400, 'BadTopic')")
    }
    let store = try SQLStore(path: path)
    store.close()
    let db = try Connection(path: path, access: .readOnly)
    #expect(try db.integer("PRAGMA user_version") == Int64(Schema.migrations.count))
    #expect(try db.integer("SELECT code FROM outcomes WHERE provider = 3 AND status = 201 AND reason = ''") == -2)
    #expect(OutcomeCode.accepted(.web) == -2)
    #expect(
      try db.integer("SELECT code FROM outcomes WHERE provider = 3 AND reason = 'other'") == OutcomeCode.other(.web))
    #expect(try db.integer("SELECT count(*) FROM outcomes WHERE provider < 4") == 9)
  }
}
