import PostgresEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// How often a server is asked: as often for many rows as for few.
@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct QuestionTests {
  /// A store with so many devices, users and pushes.
  private final class World {
    let f: StoreFixture
    let devices: [DeviceID]
    let users: [String]
    let tokens: [String]
    let pushes: [PushID]

    init(_ count: Int) throws {
      let f = try StoreFixture()
      self.f = f
      (users, tokens) = ((0..<count).map { "user\($0)" }, (0..<count).map { "t\($0)" })
      let registrations = (0..<count).map { number in
        var device = DeviceRegistration(
          app: f.app, token: "t\(number)", kind: .ios, name: "phone\(number)", user: "user\(number)")
        device.tags = ["a", "tag\(number)"]
        device.userAliases = [UserAlias("crm", "\(number)")]
        return device
      }
      let devices = try f.store.registerDevices(registrations, now: f.now).map(\.id)
      self.devices = devices
      pushes = try (0..<count).map { _ in
        try f.store.createPush(f.newPush(.devices([devices[0]])), now: f.now).id
      }
    }

    /// The connections that read and write.
    func questions() throws -> Int {
      let reads = try f.sql.readers.read { (db) throws(StoreError) in db.postgres?.questions ?? 0 }
      return try reads + f.sql.write { (context) throws(StoreError) in context.db.postgres?.questions ?? 0 }
    }
  }

  private struct Act: Sendable {
    let name: String
    let run: @Sendable (World) throws -> Int

    init(_ name: String, _ run: @escaping @Sendable (World) throws -> Int) { (self.name, self.run) = (name, run) }
  }

  private static func create(_ audience: Audience, _ world: World) throws -> Int {
    try world.f.store.createPush(world.f.newPush(audience, pushClass: .campaign), now: world.f.now).targeted
  }

  /// Each returns how many rows it has dealt with.
  private static let acts = [
    Act("devices") { try $0.f.store.devices(app: $0.f.app, filter: DeviceFilter(), after: nil, limit: 100).count },
    Act("users") { try $0.f.store.users(app: $0.f.app, after: nil, limit: 100).count },
    Act("users by name") { try $0.f.store.users(app: $0.f.app, named: Set($0.users)).count },
    Act("audience") { world in
      try world.f.store.audience(
        .everyone, app: world.f.app, after: nil, limit: 100, now: world.f.now
      ).count
    },
    Act("pushes") { try $0.f.store.pushes($0.pushes).count },
    Act("documents") { try $0.f.store.documents(of: $0.pushes).count },
    Act("numbers") { try $0.f.store.numbers(of: Set($0.pushes)).count },
    Act("sendable") { try $0.f.store.sendable($0.pushes).count },
    Act("devices of users") {
      try $0.f.store.countByKind(users: $0.users, app: $0.f.app, withOptedOut: true).values.reduce(0, +)
    },
    Act("kinds") { try $0.f.store.countByKind(devices: $0.devices, app: $0.f.app).values.reduce(0, +) },
    Act("required") { world in
      try world.f.store.requireDevices(world.devices, app: world.f.app)
      return world.devices.count
    },
    Act("a push to users") { try create(.users($0.users), $0) },
    Act("a push to devices") { try create(.devices($0.devices), $0) },
    Act("a push to tokens") { world in
      try create(.addresses(world.tokens.map { DeviceAddress(token: $0, kind: .ios) }), world)
    },
  ]

  @Test(arguments: acts.indices) func asManyForManyAsForFew(number: Int) throws {
    let act = Self.acts[number]
    var asked: [Int] = []
    for count in [3, 60] {
      let world = try World(count)
      // What is prepared or read once.
      _ = try act.run(world)
      let before = try world.questions()
      #expect(try act.run(world) == count, "\(act.name)")
      asked.append(try world.questions() - before)
    }
    #expect(asked[0] == asked[1], "\(act.name): \(asked)")
    #expect(Engine.current == .sqlite || asked[0] > 0)
  }

  @Test("Users whose names only look alike are two users of a list") func usersOfTheSameLook() throws {
    let f = try StoreFixture()
    let names = ["caf\u{e9}", "cafe\u{301}"]
    let devices = try f.store.registerDevices(
      names.enumerated().map { DeviceRegistration(app: f.app, token: "t\($0)", kind: .ios, user: $1) }, now: f.now
    ).map(\.id)
    let push = try f.store.createPush(f.newPush(.users(names)), now: f.now).id
    #expect(try f.lease([.push(push, max: 10)]).deliveries.map(\.device) == devices)
    let counts = try f.store.countByKind(users: names, app: f.app, withOptedOut: true)
    #expect(counts.values.reduce(0, +) == 2)
  }
}
