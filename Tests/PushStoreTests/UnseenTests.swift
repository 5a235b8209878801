import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Devices that were not seen for as long as their app's rule says are counted, then forgotten in steps, with a word in the audit log.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) final class UnseenTests {
  let fixture: StoreFixture
  static let day: Int64 = 86_400_000

  init() throws { fixture = try StoreFixture() }

  func register(_ token: String, user: String? = nil, kind: DeviceKind = .ios) throws {
    var registration = DeviceRegistration(app: fixture.app, token: token, kind: kind)
    registration.user = user
    _ = try fixture.store.registerDevices([registration], now: fixture.now)
  }

  func purge() throws -> PurgeSummary {
    try fixture.wait { fixture.store.purge(now: fixture.now, limit: 100, completion: $0) }
  }

  var tokens: Set<String> {
    get throws {
      let devices = try fixture.store.devices(app: fixture.app, filter: DeviceFilter(), after: nil, limit: 100)
      return Set(devices.map(\.token))
    }
  }

  func later(_ days: Int64) { fixture.now = fixture.now.adding(milliseconds: days * Self.day) }

  @Test func countsAndForgets() throws {
    try register("a1")
    try register("a2", user: "ann")
    try register("b1", user: "ben")
    try register("droid", kind: .android)
    later(40)
    try register("b2", user: "ben")
    try register("a3")
    let before = fixture.now.adding(milliseconds: -30 * Self.day)
    let found = try fixture.store.unseenDevices(app: fixture.app, before: before)
    // Ben's old phone is kept while the new one is seen.
    #expect(found.kinds == [.ios: 2, .android: 1])
    #expect(found.of == 6)
    #expect(found.oldest == fixture.now.adding(milliseconds: -40 * Self.day))
    #expect(try purge().devices == 0)
    _ = try fixture.store.changeRetention(app: fixture.app) { $0.unseenDays = 41 }
    #expect(try purge().devices == 0)
    _ = try fixture.store.changeRetention(app: fixture.app) { $0.unseenDays = 30 }
    let summary = try purge()
    #expect(summary.devices == 3 && summary.isDone)
    #expect(try tokens == ["b1", "b2", "a3"])
    #expect(try fixture.store.unseenDevices(app: fixture.app, before: before).count == 0)
    let entry = try #require(try fixture.store.audit(AuditFilter(), before: nil, limit: 1).first)
    #expect(entry.act == "forgetUnseenDevices")
    #expect(entry.target == "3 devices, not seen for 30 days")
    #expect(entry.key == nil)
    // Registering again is a new device.
    try register("a1")
    #expect(try tokens.contains("a1"))
    #expect(try fixture.store.verifyLedger(push: nil) == [])
  }

  @Test func keepsOtherApps() throws {
    let other = try fixture.store.createApp(name: "other", title: "Other", settings: [], now: fixture.now)
    try register("a1")
    _ = try fixture.store.registerDevices(
      [DeviceRegistration(app: other.id, token: "o1", kind: .ios)], now: fixture.now)
    _ = try fixture.store.changeRetention(app: other.id) { $0.unseenDays = 30 }
    later(31)
    #expect(try purge().devices == 1)
    #expect(try tokens == ["a1"])
  }

  @Test func goesOnWhereItEnded() throws {
    for count in 0..<6 {
      let registrations = (0..<1_000).map {
        DeviceRegistration(app: fixture.app, token: "t\(count * 1_000 + $0)", kind: .android)
      }
      _ = try fixture.store.registerDevices(registrations, now: fixture.now)
    }
    _ = try fixture.store.changeRetention(app: fixture.app) { $0.unseenDays = 30 }
    later(31)
    let first = try purge()
    #expect(first.devices == 5_000 && !first.isDone)
    let second = try purge()
    #expect(second.devices == 1_000 && second.isDone)
  }

  @Test(arguments: [29, 3_651]) func refusesDays(days: Int) throws {
    #expect(throws: StoreError.self) { try fixture.store.changeRetention(app: fixture.app) { $0.unseenDays = days } }
  }

  @Test func isForOneApp() throws {
    let error = #expect(throws: StoreError.self) { try fixture.store.changeRetention(app: nil) { $0.unseenDays = 90 } }
    #expect(error?.description.contains("set it for each app") == true)
  }
}
