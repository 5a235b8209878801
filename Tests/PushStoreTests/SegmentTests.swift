import SQLiteEngine
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What a segment says of a device, told by a second reader of the language that knows no SQL.
private struct Person {
  var device: DeviceRegistration
  var user: UserChange?
  var seenAt: Timestamp

  func values(_ name: String) -> [AttributeValue] {
    var values: [AttributeValue] = []
    let short = String(name.dropFirst("properties.".count))
    if name.hasPrefix("properties.") {
      values += (device.properties ?? []).filter { $0.name == short }.map(\.value)
      values += (user?.properties ?? []).filter { $0.name == short }.compactMap(\.value)
    } else if name == "tags" {
      values += ((device.tags ?? []) + (user?.tags ?? [])).map { .text($0) }
    } else {
      values += (user?.profile ?? []).filter { $0.name == name }.compactMap(\.value)
    }
    return values
  }

  func isIn(_ filter: SegmentFilter, now: Timestamp) -> Bool {
    switch filter {
    case .and(let parts): return parts.allSatisfy { isIn($0, now: now) }
    case .or(let parts): return parts.contains { isIn($0, now: now) }
    case .none(let parts): return !parts.contains { isIn($0, now: now) }
    case .condition(let condition):
      switch condition.field {
      case .attribute(let name):
        return Self.holds(condition.comparison, values(name), isSet: name == "tags", now)
      case .entitlements:
        let names = (user?.entitlements ?? []).map { AttributeValue.text($0.name) }
        return Self.holds(condition.comparison, names, isSet: true, now)
      case .column(let column): return Self.holds(condition.comparison, self.column(column), isSet: false, now)
      case .alias(let label):
        let ids = (user?.aliases ?? []).filter { $0.label == label }.compactMap(\.id)
        return Self.holds(condition.comparison, ids.map { .text($0) }, isSet: false, now)
      }
    }
  }

  private func column(_ column: SegmentColumn) -> [AttributeValue] {
    switch column {
    case .user, .externalID: device.user.map { [.text($0)] } ?? []
    case .locale: device.locale.map { [.text($0)] } ?? []
    case .type: [.text(device.kind.name)]
    case .platform: [.text(["ios", "web"].first { device.kind.name.contains($0) } ?? "android")]
    case .lastSeenAt, .registeredAt: [.time(seenAt)]
    default: []
    }
  }

  private static func holds(
    _ comparison: SegmentComparison, _ values: [AttributeValue], isSet: Bool, _ now: Timestamp
  ) -> Bool {
    func any(_ wanted: AttributeValue, _ test: (Double) -> Bool) -> Bool {
      values.contains { value in order(value, wanted).map(test) ?? false }
    }
    switch comparison {
    case .exists: return !values.isEmpty
    case .notExists: return values.isEmpty
    case .equal(let value): return values.contains(value)
    case .notEqual(let value): return (isSet || !values.isEmpty) && !values.contains(value)
    case .greater(let value): return any(value) { $0 > 0 }
    case .greaterOrEqual(let value): return any(value) { $0 >= 0 }
    case .less(let value): return any(value) { $0 < 0 }
    case .lessOrEqual(let value): return any(value) { $0 <= 0 }
    case .contains(let part): return contains(values, part, isSet)
    case .notContains(let part): return (isSet || !values.isEmpty) && !contains(values, part, isSet)
    case .within(let span): return within(values, span, now)
    case .notWithin(let span):
      let isInstant = values.contains { if case .time = $0 { true } else { false } }
      return isInstant && !within(values, span, now)
    }
  }

  private static func contains(_ values: [AttributeValue], _ part: String, _ isSet: Bool) -> Bool {
    values.contains { value in
      guard case .text(let text) = value else { return false }
      return isSet ? text == part : text.contains(part)
    }
  }

  private static func within(_ values: [AttributeValue], _ span: Int64, _ now: Timestamp) -> Bool {
    values.contains { value in
      guard case .time(let instant) = value else { return false }
      return instant >= now.adding(milliseconds: -span) && instant <= now
    }
  }

  /// Below, at or above zero; nil when the two are of different types.
  private static func order(_ left: AttributeValue, _ right: AttributeValue) -> Double? {
    switch (left, right) {
    case (.text(let a), .text(let b)): a == b ? 0 : a < b ? -1 : 1
    case (.integer(let a), .integer(let b)): Double(a - b)
    case (.integer(let a), .real(let b)): Double(a) - b
    case (.real(let a), .integer(let b)): a - Double(b)
    case (.real(let a), .real(let b)): a - b
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    case (.time(let a), .time(let b)): Double(a.milliseconds - b.milliseconds)
    default: nil
    }
  }
}

@Suite(.onBothEngines, .timeLimit(.minutes(2))) struct SegmentTests {
  private static let texts = ["pro", "free", "prosaic", ""]

  private func value(_ random: inout SeededRandom, _ now: Timestamp) -> AttributeValue {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .integer(Int64.random(in: 0..<5, using: &random))
    case 1: .real(Double(Int.random(in: 0..<5, using: &random)) + 0.5)
    case 2: .bool(Bool.random(using: &random))
    case 3: .time(now.adding(seconds: -86_400 * Int64.random(in: 0..<20, using: &random)))
    default: .text(Self.texts.randomElement(using: &random) ?? "")
    }
  }

  private func people(_ f: StoreFixture, _ random: inout SeededRandom) throws -> [DeviceID: Person] {
    var people: [DeviceID: Person] = [:]
    var users: [String: UserChange] = [:]
    let now = f.now
    for number in 0..<120 {
      let kind = DeviceKind.allCases.randomElement(using: &random) ?? .ios
      var device = DeviceRegistration(
        app: f.app, token: kind == .web ? "https://push.example/t\(number) p a" : "t\(number)", kind: kind)
      device.user = number % 3 == 0 ? nil : "u\(number)"
      device.locale = ["de", "en", nil].randomElement(using: &random) ?? nil
      device.tags = ["a", "b"].filter { _ in Bool.random(using: &random) }
      device.properties = ["p", "q"].filter { _ in Bool.random(using: &random) }
        .map { Property($0, value(&random, now)) }
      if let name = device.user, Bool.random(using: &random) {
        var change = UserChange()
        change.properties = [PropertyChange("p", value(&random, now))]
        change.tags = ["b"]
        change.profile = [PropertyChange("email", .text("\(name)@pro.example"))]
        if Bool.random(using: &random) { change.entitlements = [PropertyChange("premium", .bool(true))] }
        change.aliases = ["crm", "shop"].filter { _ in Bool.random(using: &random) }
          .map { AliasChange($0, number % 4 == 0 ? "pro-\(number)" : "\(number)") }
        users[name] = change
        _ = try f.store.updateUser(app: f.app, named: name, change, now: now)
      }
      let seenAt = now.adding(seconds: -86_400 * Int64.random(in: 0..<20, using: &random))
      let id = try f.store.registerDevices([device], now: seenAt)[0].id
      people[id] = Person(device: device, user: device.user.flatMap { users[$0] }, seenAt: seenAt)
    }
    return people
  }

  private func condition(_ random: inout SeededRandom, _ now: Timestamp) -> SegmentFilter {
    let comparisons: [SegmentComparison] = [
      .equal(value(&random, now)), .notEqual(value(&random, now)), .greater(value(&random, now)),
      .greaterOrEqual(value(&random, now)), .less(value(&random, now)), .lessOrEqual(value(&random, now)),
      .contains("pro"), .notContains("pro"), .exists, .notExists, .within(milliseconds: 7 * 86_400_000),
      .notWithin(milliseconds: 7 * 86_400_000),
    ]
    let comparison = comparisons.randomElement(using: &random) ?? .exists
    let fields: [SegmentField] = ["properties.p", "properties.q", "properties.unknown", "email"].map { .attribute($0) }
    switch Int.random(in: 0..<11, using: &random) {
    case 10:
      let ids: [SegmentComparison] = [
        .equal(.text("pro-4")), .notEqual(.text("1")), .contains("pro"), .notContains("pro"), .exists, .notExists,
      ]
      let label = ["crm", "shop", "unknown"].randomElement(using: &random) ?? "crm"
      return .condition(.init(.alias(label), ids.randomElement(using: &random) ?? .exists))
    case 0:
      let set: [SegmentComparison] = [.contains("a"), .notContains("b"), .equal(.text("b")), .exists, .notExists]
      return .condition(.init(.attribute("tags"), set.randomElement(using: &random) ?? .exists))
    case 1:
      let set: [SegmentComparison] = [.contains("premium"), .notContains("premium"), .exists, .notExists]
      return .condition(.init(.entitlements, set.randomElement(using: &random) ?? .exists))
    case 2:
      return .condition(.init(.column(.lastSeenAt), .within(milliseconds: 5 * 86_400_000)))
    case 3:
      let texts: [SegmentComparison] = [.equal(.text("de")), .notEqual(.text("de")), .exists, .notContains("e")]
      return .condition(.init(.column(.locale), texts.randomElement(using: &random) ?? .exists))
    case 4: return .condition(.init(.column(.type), .notEqual(.text("ios-voip"))))
    case 5: return .condition(.init(.column(.platform), .equal(.text("ios"))))
    case 6: return .condition(.init(.column(.user), .greater(.text("u5"))))
    default: return .condition(.init(fields.randomElement(using: &random) ?? .entitlements, comparison))
    }
  }

  private func filter(_ random: inout SeededRandom, _ now: Timestamp, depth: Int) -> SegmentFilter {
    if depth == 0 || Int.random(in: 0..<3, using: &random) == 0 { return condition(&random, now) }
    let parts = (0..<Int.random(in: 0..<4, using: &random)).map { _ in filter(&random, now, depth: depth - 1) }
    return [.and(parts), .or(parts), .none(parts)].randomElement(using: &random) ?? .and(parts)
  }

  @Test func everyFilterSaysWhatASecondReaderSays() throws {
    var random = SeededRandom.fromEnvironment()
    let seed = random.seed
    let f = try StoreFixture()
    let people = try people(f, &random)
    for round in 0..<400 {
      let filter = filter(&random, f.now, depth: 3)
      // No push goes to the tokens of Live Activities, which are counted apart.
      let all = people.filter { $0.value.isIn(filter, now: f.now) }
      let expected = all.filter { !$0.value.device.kind.isLiveActivity }.map(\.key).sorted()
      let found = try f.store.count(filter, app: f.app, sample: 200, now: f.now)
      #expect(found.sample.map(\.id) == expected, "seed \(seed) round \(round): \(filter)")
      #expect(found.devices == expected.count && found.activityTokens == all.count - expected.count)
      #expect(SegmentCoding.decode(SegmentCoding.encode(filter)) == filter)
    }
  }

  @Test func aPushGathersItsSegmentChunkByChunk() throws {
    let f = try StoreFixture()
    let ids = try f.devices(50)
    for (number, id) in ids.enumerated() where number % 3 == 0 {
      var change = DeviceChange()
      change.tags = ["third"]
      try f.store.updateDevice(id, change, now: f.now)
    }
    let filter = SegmentFilter.condition(.init(.attribute("tags"), .contains("third")))
    let push = try f.store.createPush(f.newPush(.segment(filter, kinds: [.ios]), pushClass: .campaign), now: f.now).id
    try f.reopen()
    var steps = 0
    while !(try f.extend(push, 7).complete) { steps += 1 }
    #expect(steps == 7)
    #expect(try f.counts(push) == LedgerCounts(targeted: 17, waiting: 17))
    #expect(
      try f.lease([.push(push, max: 100)]).deliveries.compactMap(\.device)
        == ids.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
    let nobody = try f.store.createPush(f.newPush(.segment(.or([]), kinds: []), pushClass: .campaign), now: f.now).id
    while !(try f.extend(nobody, 20).complete) {}
    #expect(try f.store.push(nobody)?.state == .sent && f.counts(nobody) == LedgerCounts(targeted: 0))
  }

  /// More keys than one piece has: the pieces together are the whole, in order.
  @Test func countsInPieces() throws {
    let f = try StoreFixture()
    var expected: [DeviceID] = []
    for (gap, end) in [(0, 1), (19_990, 2), (40_000, 3), (1_000_000, 4)] {
      if let database = f.database {
        let sequence = "devices_id_seq"
        try database.run(
          "SELECT setval('\(sequence)', greatest((SELECT last_value FROM \(sequence)), \(gap), 1))")
      } else {
        let db = try Connection(path: f.path, access: .readWrite)
        try db.execute("UPDATE sqlite_sequence SET seq = max(seq, \(gap)) WHERE name = 'devices'")
      }
      let new = (0..<60).map { number in
        var device = DeviceRegistration(
          app: f.app, token: "\(end)-\(number)", kind: number % 3 == 0 ? .android : .ios, user: "u\(end)-\(number)")
        device.properties = [Property("n", .integer(Int64(number)))]
        return device
      }
      let ids = try f.store.registerDevices(new, now: f.now).map(\.id)
      expected += ids.enumerated().filter { $0.offset < 40 }.map(\.element)
    }
    let filter = SegmentFilter.and([
      .condition(.init(.attribute("properties.n"), .less(.integer(40)))),
      .condition(.init(.column(.lastSeenAt), .within(milliseconds: 1_000))),
    ])
    for sample in [0, 1, 40, 50, 200] {
      let count = try f.store.count(filter, app: f.app, sample: sample, now: f.now)
      #expect(count.devices == 160)
      #expect(count.sample.map(\.id) == Array(expected.prefix(sample)), "sample \(sample)")
    }
    #expect(try f.store.countByKind(filter, app: f.app, now: f.now) == [.ios: 104, .android: 56])
    var members: [AudienceMember] = []
    while true {
      let page = try f.store.audience(
        filter, app: f.app, after: members.last?.recipient.device, limit: 33, now: f.now)
      if page.isEmpty { break }
      members += page
    }
    #expect(members.compactMap(\.recipient.device) == expected)
    #expect(members[0].recipient.properties == [Property("n", .integer(0))] && members[0].kind == .android)
    #expect(try f.store.lastDevice(app: f.app)?.rawValue == 1_000_060)
  }

  @Test func segmentsAreSavedUnderTheirNames() throws {
    let f = try StoreFixture()
    let saved = try f.store.createSegment(app: f.app, name: "vip", title: "VIP", definition: [1], now: f.now)
    #expect(try f.store.segment(app: f.app, named: "vip") == saved)
    #expect(throws: StoreError.self) {
      try f.store.createSegment(app: f.app, name: "vip", title: "", definition: [1], now: f.now)
    }
    let changed = try f.store.updateSegment(saved.id, title: nil, definition: [2], now: f.now.adding(seconds: 1))
    #expect(changed.title == "VIP" && changed.definition == [2] && changed.updatedAt > saved.updatedAt)
    #expect(try f.store.segments(app: f.app) == [changed])
    try f.store.deleteSegment(saved.id)
    #expect(throws: StoreError.self) { try f.store.deleteSegment(saved.id) }
  }

  @Test func filtersHaveAnEnd() throws {
    let f = try StoreFixture()
    let one = SegmentFilter.condition(.init(.entitlements, .exists))
    let wide = SegmentFilter.and([SegmentFilter](repeating: one, count: 51))
    let deep = (0..<8).reduce(one) { inner, _ in .or([inner]) }
    for filter in [wide, deep] {
      #expect(throws: StoreError.self) { try f.store.count(filter, app: f.app, sample: 0, now: f.now) }
      #expect(throws: StoreError.self) { try f.store.createPush(f.newPush(.segment(filter, kinds: [])), now: f.now) }
    }
  }
}
