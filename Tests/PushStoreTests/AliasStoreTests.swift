import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Further ids: of users under labels, of devices without.
@Suite(.onBothEngines, .timeLimit(.minutes(1))) struct AliasStoreTests {
  let fixture: StoreFixture
  var store: any Store { fixture.store }

  init() throws { fixture = try StoreFixture() }

  @discardableResult
  private func set(_ user: String, _ changes: (String, String?)...) throws -> User {
    var change = UserChange()
    change.aliases = changes.map { AliasChange($0.0, $0.1) }
    return try store.updateUser(app: fixture.app, named: user, change, now: fixture.now)
  }

  private func find(_ label: String, _ id: String) throws -> String? {
    try store.user(app: fixture.app, alias: UserAlias(label, id))?.name
  }

  @discardableResult
  private func register(
    _ token: String, name: String? = nil, user: String? = nil, others: [String]? = nil, aliases: [UserAlias] = []
  ) throws -> DeviceID {
    var device = DeviceRegistration(app: fixture.app, token: token, kind: .ios, name: name, user: user)
    (device.otherNames, device.userAliases) = (others, aliases)
    return try store.registerDevices([device], now: fixture.now)[0].id
  }

  @Test("A user is found by each alias, one for a label") func users() throws {
    #expect(try set("ann", ("crm", "1"), ("shop", "a")).aliases == [UserAlias("crm", "1"), UserAlias("shop", "a")])
    #expect(try find("crm", "1") == "ann" && find("shop", "a") == "ann" && find("crm", "a") == nil)
    #expect(try set("ann", ("crm", "2"), ("shop", nil)).aliases == [UserAlias("crm", "2")])
    #expect(try find("crm", "1") == nil && find("crm", "2") == "ann" && find("shop", "a") == nil)
    try set("bob", ("crm", "3"))
    #expect(
      try store.users(app: fixture.app, label: "crm", ids: ["3", "2", "9"]) == ["2": "ann", "3": "bob"])
    let other = try store.createApp(name: "other", title: "", settings: [], now: fixture.now).id
    #expect(try store.user(app: other, alias: UserAlias("crm", "2")) == nil)
    try store.deleteApp(fixture.app)
    #expect(try store.users(app: fixture.app, label: "crm", ids: ["2", "3"]).isEmpty)
  }

  @Test("An alias that another user has is refused whole") func conflicts() throws {
    try set("ann", ("crm", "1"))
    let refusal = #expect(throws: StoreError.self) { try set("bob", ("shop", "b"), ("crm", "1")) }
    #expect(refusal?.code == .conflict && refusal?.message == "aliases.crm: another user has this id")
    #expect(try store.user(app: fixture.app, named: "bob") == nil && find("shop", "b") == nil)
    try set("ann", ("crm", "1"))
    #expect(throws: StoreError.self) { try set("ann", ("no label", "1")) }
    #expect(throws: StoreError.self) { try set("ann", ("crm", "")) }
    for number in 1..<StoreLimits.aliasesMax { try set("ann", ("l\(number)", "1")) }
    let tooMany = #expect(throws: StoreError.self) { try set("ann", ("one-more", "1")) }
    #expect(tooMany?.message == "aliases: 21, at most 20 are stored of a user")
  }

  @Test("A file moves an alias to the user that it names") func files() throws {
    try register("t1", user: "ann", aliases: [UserAlias("crm", "1")])
    try register("t1", user: "ann", aliases: [UserAlias("crm", "1")])
    #expect(try find("crm", "1") == "ann")
    try register("t2", user: "bob", aliases: [UserAlias("crm", "1")])
    #expect(try find("crm", "1") == "bob" && store.user(app: fixture.app, named: "ann")?.aliases == [])
  }

  @Test("A device is found by its further ids while it has them") func devices() throws {
    func find(_ name: String) throws -> DeviceID? { try store.device(app: fixture.app, otherName: name)?.id }
    let first = try register("t1", name: "a", user: "ann", others: ["a", "b"])
    #expect(try find("a") == first && find("b") == first && find("c") == nil)
    // Left out means kept.
    try register("t1", name: "a", user: "ann")
    #expect(try find("b") == first)
    try register("t1", name: "a", user: "ann", others: ["a", "c"])
    #expect(try find("b") == nil && find("c") == first)
    let second = try register("t2", others: ["c"])
    #expect(try find("c") == second && find("a") == first)
    // What is known of a device goes with its user.
    try register("t1", name: "a", user: "bob")
    #expect(try find("a") == nil)
    #expect(try store.removeDevices([second]) == 1)
    #expect(try find("c") == nil)
    #expect(throws: StoreError.self) { try register("t3", others: (0...20).map(String.init)) }
  }

  @Test("Activations that are a property become further ids", .aboutTheFile) func migration() throws {
    let folder = try TemporaryFolder()
    let db = try Connection(path: folder.path + "/old.db", access: .readWriteCreate)
    let index = try #require(Schema.migrations.firstIndex(of: Schema.aliases))
    try Schema.migrate(db, migrations: Array(Schema.migrations[..<index]))
    try db.execute(
      """
      INSERT INTO attribute_keys VALUES (1, 7, 1, 'properties.powerauth_activations', 1), (2, 7, 1, 'properties.plan', 1);
      INSERT INTO device_attributes VALUES (4, 1, ' act-1 act-2 '), (5, 1, ' act-3 '), (5, 2, 'act-9'), (6, 2, 'x y');
      """)
    try Schema.migrate(db, migrations: Array(Schema.migrations[...index]))
    let select = try db.prepare("SELECT app, name, device FROM device_names ORDER BY name")
    var rows: [String] = []
    while try select.step() { rows.append("\(select.int(0)) \(select.text(1)) \(select.int(2))") }
    #expect(rows == ["7 act-1 4", "7 act-2 4", "7 act-3 5"])
    // A search, not a walk over all rows.
    let plan = try db.prepare("EXPLAIN QUERY PLAN SELECT device FROM device_names WHERE app = 7 AND name = 'act-1'")
    #expect(try plan.step() && plan.text(3).contains("SEARCH"))
  }
}
