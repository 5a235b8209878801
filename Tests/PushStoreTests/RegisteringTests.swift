import TestEngines
import TestSupport
import Testing

@testable import StoreModel

/// Several registrations in one command, which a server reads for together.
@Suite(.onBothEngines, .timeLimit(.minutes(3))) struct RegisteringTests {
  /// The first two are two texts, though they look alike.
  private static let endings = ["\u{e9}", "e\u{301}", "2", "3", "4", "5", "6", "7", "8"]

  /// Registrations over few tokens, names and users, so that they meet in one command in every way.
  private static func registration(_ app: AppID, _ now: Timestamp, _ random: inout SeededRandom) -> DeviceRegistration {
    let isBrowser = Int.random(in: 0..<4, using: &random) == 0
    func some(_ prefix: String, _ count: Int) -> String? {
      Bool.random(using: &random) ? prefix + endings[Int.random(in: 0..<count, using: &random)] : nil
    }
    let index = Int.random(in: 0..<9, using: &random)
    let keys = ["", " p a", " q b"][Int.random(in: 1..<3, using: &random)]
    var device = DeviceRegistration(
      app: app, token: isBrowser ? "https://push.example/send/\(index)\(keys)" : "t\(index)",
      kind: isBrowser ? .web : .ios,
      name: some(isBrowser ? "browser" : "phone", 6), user: some("user", 5))
    device.usualServerKey = isBrowser ? "K" : nil
    device.locale = some("de-", 9)
    device.tags = some("tag", 3).map { [$0, "all"] }
    device.properties = some("plan", 3).map { [Property("plan", .text($0))] }
    device.otherNames = some("other", 3).map { [$0] }
    if device.user != nil, let id = some("alias", 4) { device.userAliases = [UserAlias("crm", id)] }
    device.optOut = OptOutChange(everything: some("", 2).map { $0.utf8.count == 2 })
    if Int.random(in: 0..<4, using: &random) == 0 {
      device.source = .file
      let ago = Int64.random(in: -5...400, using: &random)
      device.history = DeviceHistory(registeredAt: Bool.random(using: &random) ? now.adding(seconds: -ago) : nil)
    }
    return device
  }

  @Test("Together they do what they do one by one", arguments: 1...6)
  func together(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (together, alone) = (try StoreFixture(), try StoreFixture())
    // The keys of one store by those of the other: some are left out where they are taken ahead.
    var keys: [DeviceID: DeviceID] = [:]
    for _ in 0..<25 {
      let count = Int.random(in: 1...14, using: &random)
      let devices = (0..<count).map { _ in Self.registration(together.app, together.now, &random) }
      let some = try together.store.registerDevices(devices, now: together.now)
      for (one, device) in zip(some, devices) {
        let other = try alone.store.registerDevices([device], now: alone.now)[0]
        if one.created { keys[one.id] = other.id }
        #expect(keys[one.id] == other.id && one.created == other.created && one.isOlder == other.isOlder)
      }
      let (these, those) = (try State(together), try State(alone))
      #expect(these.users == those.users)
      #expect(these.devices == those.devices)
      #expect(these.ids.map { keys[$0] } == those.ids)
      for fixture in [together, alone] { fixture.now = fixture.now.adding(seconds: 60) }
    }
  }

  /// What is kept, without keys.
  private struct State {
    let ids: [DeviceID]
    var devices: [String] = []
    var users: [String] = []

    init(_ fixture: StoreFixture) throws {
      let all = try fixture.store.devices(app: fixture.app, filter: DeviceFilter(), after: nil, limit: 100)
      ids = all.map(\.id)
      for device in all {
        let earlier = try fixture.store.earlierTokens(of: device.id).map(\.token)
        let texts = [device.name, device.user, device.locale].map { Array(($0 ?? "-").utf8) }
        devices.append(
          """
          \(device.token) \(texts) \(device.kind.name) \(device.tags) \(device.properties) \(device.optOut) \(earlier) \
          \(device.createdAt) \(device.registeredAt) \(device.state)
          """)
      }
      for ending in endings.prefix(5) {
        guard let user = try fixture.store.user(app: fixture.app, named: "user" + ending) else { continue }
        let times = [user.firstSeenAt, user.lastSeenAt].compactMap { $0 }
        users.append("\(Array(user.name.utf8)) \(user.createdAt) \(times) \(user.optOut) \(user.aliases)")
      }
    }
  }

  @Test("A command that is refused in its middle has registered nothing, and its keys are not needed again")
  func refusal() throws {
    let f = try StoreFixture()
    _ = try f.store.registerDevices(
      [DeviceRegistration(app: f.app, token: "v", kind: .iosVoIP, name: "n")], now: f.now)
    let new = (0..<20).map { DeviceRegistration(app: f.app, token: "t\($0)", kind: .ios, user: "u\($0)") }
    let wrong = DeviceRegistration(app: f.app, token: "t99", kind: .ios, name: "n")
    #expect(throws: StoreError.self) { try f.store.registerDevices(new + [wrong], now: f.now) }
    #expect(try f.store.countDevices(app: f.app, filter: DeviceFilter()) == 1)
    #expect(try f.store.user(app: f.app, named: "u0") == nil)
    let made = try f.store.registerDevices(new, now: f.now)
    #expect(Set(made.map(\.id)).count == 20 && made.map(\.id) == made.map(\.id).sorted())
    #expect(try f.store.countDevices(app: f.app, filter: DeviceFilter()) == 21)
  }
}
