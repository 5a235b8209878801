internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Whom a request of OneSignal's is for: one of its ways of saying so, as the `to` of a push.
struct OneSignalTarget {
  /// The ways, by the members that make them.
  private static let ways: [[String]] = [
    ["included_segments", "excluded_segments"], ["filters"], ["include_aliases"], ["include_external_user_ids"],
    ["include_subscription_ids"], ["include_player_ids"], ["include_ios_tokens"], ["include_android_reg_ids"],
  ]
  /// OneSignal's own bound.
  private static let listedMax = 20_000
  private static let subscriptionsMax = 2_000

  private(set) var to: JSONValue = .null
  /// What was named and is not there, as the answer's `errors` have it.
  private(set) var unknown: JSONObject = [:]
  /// The member of `errors` for people who have no device to send to, with their alias inside where there is one.
  private(set) var peopleMember: (name: String, alias: String?)?
  /// The people, when the request names people, and the ids by which it names them.
  private(set) var people: [String] = []
  private(set) var peopleIDs: [String] = []
  /// The devices of the subscriptions, when the request names subscriptions.
  private(set) var devices: [Device] = []
  /// The list of who is meant, where there is one.
  private var listed: OneSignalList?
  /// Conditions of who is meant; nil where people or addresses are listed, and for everyone.
  private(set) var filter: JSONValue?

  init(_ c: CompatCall) throws(Problem) {
    let body = c.body
    try OneSignalUnknown.refuse(body.object ?? [:])
    let given = OneSignalTarget.ways.filter { way in way.contains { !OneSignalTarget.isAbsent(body[$0]) } }
    guard let way = given.first, !OneSignalTarget.isAbsent(body[way[0]]) else {
      throw Problem(.invalid, OneSignalErrors.noTarget)
    }
    guard given.count == 1 else {
      let names = given.flatMap { $0 }.filter { !OneSignalTarget.isAbsent(body[$0]) }.joined(separator: ", ")
      throw Problem(.invalid, "expected one way of saying who gets it, found \(names)")
    }
    for name in ["target_channel", "channel_for_external_user_ids"] {
      if let channel = try body.text(name), channel != "push" {
        throw OneSignalErrors.refusal(name, "only push is here, found \"\(channel.prefix(40))\"")
      }
    }
    let platform = try OneSignalTarget.platform(body, isFiltered: way[0] == "included_segments" || way[0] == "filters")
    switch way[0] {
    case "included_segments": try read(segments: OneSignalTarget.texts(body, way[0]), platform, c)
    case "filters": try set(OneSignalFilters.filter(body["filters"] ?? .null), platform)
    case "include_aliases": try read(aliases: body["include_aliases"]?.object ?? [:], c)
    case "include_external_user_ids": try read(people: way[0], c)
    case "include_ios_tokens": try read(tokens: way[0], .ios, "invalid_ios_tokens", c)
    case "include_android_reg_ids": try read(tokens: way[0], .android, "invalid_android_reg_ids", c)
    default: try read(subscriptions: way[0], c)
    }
  }

  /// What our own request's refusal says of whom it is for, by the vendor's members: `include_ios_tokens[0]`.
  func naming(_ problem: Problem) -> Problem {
    var problem = problem
    for index in problem.report.findings.indices {
      problem.report.findings[index].field = naming(problem.report.findings[index].field)
    }
    return problem
  }

  /// A field of our own request by the vendor's members.
  func naming(_ field: String) -> String { listed?.naming(field) ?? field }

  /// A finding of our own report with the vendor's members.
  func naming(_ finding: JSONValue) -> JSONValue {
    guard var members = finding.object, let field = members["field"]?.string else { return finding }
    members["field"] = .string(naming(field))
    return .object(members)
  }

  /// Whether everybody who was listed is nobody.
  var isEmpty: Bool { ["users", "devices", "tokens"].contains { to[$0]?.array?.isEmpty == true } }

  /// Whether the request names people.
  var isOfPeople: Bool { peopleMember != nil }

  private static func isAbsent(_ value: JSONValue?) -> Bool {
    guard let value else { return true }
    return value.isNull || value.array?.isEmpty == true
  }

  private static func texts(_ body: JSONValue, _ name: String) throws(Problem) -> [String] {
    guard let array = body[name]?.array, array.count <= listedMax else {
      throw OneSignalErrors.refusal(name, "expected an array of at most \(listedMax) texts")
    }
    let texts = array.compactMap(\.string)
    guard texts.count == array.count, texts.allSatisfy({ !$0.isEmpty }) else {
      throw OneSignalErrors.refusal(name, "expected texts, none of them empty")
    }
    return texts
  }

  // MARK: - Segments and filters

  /// The switches of “create notification”, with the devices of each.
  private static let switches: [(name: String, devices: JSONValue)] = [
    ("isIos", condition("platform", "eq", "ios")),
    ("isAndroid", all([condition("platform", "eq", "android"), condition("type", "neq", "hms")])),
    ("isHuawei", condition("type", "eq", "hms")), ("isAnyWeb", condition("platform", "eq", "web")),
  ]

  private static func condition(_ field: String, _ op: String, _ value: String) -> JSONValue {
    ["field": .string(field), "op": .string(op), "value": .string(value)]
  }

  private static func all(_ conditions: [JSONValue]) -> JSONValue {
    ["operator": "AND", "conditions": .array(conditions)]
  }

  /// A filter of the devices that the switches leave; nil for all of them.
  private static func platform(_ body: JSONValue, isFiltered: Bool) throws(Problem) -> JSONValue? {
    var given: [Bool?] = []
    for one in switches { given.append(try body.flag(one.name)) }
    // As soon as one is switched on, those that are not named are off.
    let isAnyOn = given.contains(true)
    let isOn = given.map { $0 ?? !isAnyOn }
    guard isOn.contains(false) else { return nil }
    guard isOn.contains(true) else { throw Problem(.invalid, noTarget) }
    guard isFiltered else {
      let name = zip(switches, given).first { $0.1 != nil }.map { $0.0.name } ?? switches[0].name
      throw OneSignalErrors.refusal(name, "goes with included_segments and filters only; list who is meant")
    }
    let left = zip(switches, isOn).filter { $0.1 }.map { $0.0.devices }
    return left.count == 1 ? left[0] : ["operator": "OR", "conditions": .array(left)]
  }

  private static let noTarget = OneSignalErrors.noTarget

  private mutating func read(segments names: [String], _ platform: JSONValue?, _ c: CompatCall) throws(Problem) {
    let (included, isEveryone) = try OneSignalSegments.filters(names, "included_segments", c)
    let excluded =
      try OneSignalTarget.isAbsent(c.body["excluded_segments"])
      ? []
      : OneSignalSegments.filters(OneSignalTarget.texts(c.body, "excluded_segments"), "excluded_segments", c).filters
    if isEveryone, excluded.isEmpty, platform == nil {
      to = ["all": true]
      return
    }
    var filter = included.count == 1 ? included[0] : ["operator": "OR", "conditions": .array(included)]
    if !excluded.isEmpty {
      filter = ["operator": "AND", "conditions": [filter, ["operator": "NOT", "conditions": .array(excluded)]]]
    }
    set(filter, platform)
  }

  private mutating func set(_ filter: JSONValue, _ platform: JSONValue?) {
    let whole = platform.map { Self.all([filter, $0]) } ?? filter
    self.filter = whole
    to = ["filter": whole]
  }

  // MARK: - People and subscriptions

  private mutating func set(people: [String], ids: [String]? = nil, _ member: (name: String, alias: String?)) {
    self.people = people
    peopleIDs = ids ?? people
    peopleMember = member
    to = ["users": .array(people.map { .string($0) })]
  }

  private mutating func read(people member: String, _ c: CompatCall) throws(Problem) {
    let list = try OneSignalList(
      c.body[member], theirs: member, ours: "to.users", max: OneSignalTarget.listedMax, read: OneSignalList.person)
    listed = list
    if !list.bad.isEmpty { unknown["invalid_external_user_ids"] = .array(list.bad) }
    set(people: list.texts, ("invalid_external_user_ids", nil))
  }

  private mutating func read(
    tokens member: String, _ kind: DeviceKind, _ invalid: String, _ c: CompatCall
  ) throws(Problem) {
    let list = try OneSignalList(
      c.body[member], theirs: member, ours: "to.tokens", max: OneSignalTarget.listedMax
    ) { OneSignalList.token($0, kind) }
    listed = list
    if !list.bad.isEmpty { unknown[invalid] = .array(list.bad) }
    to = ["tokens": .array(list.texts.map { ["type": .string(kind.name), "token": .string($0)] })]
  }

  private mutating func read(aliases: JSONObject, _ c: CompatCall) throws(Problem) {
    guard aliases.count == 1, let (label, values) = aliases.first else {
      throw OneSignalErrors.refusal("include_aliases", "expected one alias with its ids")
    }
    var users: [String: String]?
    if label != OneSignalAliases.externalID {
      users = try OneSignalAliases.users(label, values.array?.compactMap(\.string) ?? [], c)
    }
    var ids: [String] = []
    let list = try OneSignalList(
      values, theirs: "include_aliases.\(label.prefix(40))", ours: "to.users", max: OneSignalTarget.listedMax
    ) { id in
      guard let name = users.map({ $0[id] }) ?? OneSignalList.person(id) else { return nil }
      ids.append(id)
      return name
    }
    listed = list
    if !list.bad.isEmpty { unknown["invalid_aliases"] = [label: .array(list.bad)] }
    set(people: list.texts, ids: ids, ("invalid_aliases", label))
  }

  private mutating func read(subscriptions member: String, _ c: CompatCall) throws(Problem) {
    let list = try OneSignalList(
      c.body[member], theirs: member, ours: "to.devices", max: OneSignalTarget.subscriptionsMax
    ) { id throws(Problem) in
      guard let device = try OneSignalSubscriptions.device(id, c) else { return nil }
      devices.append(device)
      return device.id.description
    }
    listed = list
    if !list.bad.isEmpty { unknown["invalid_player_ids"] = .array(list.bad) }
    to = ["devices": .array(list.texts.map { .string($0) })]
  }

  // MARK: - Whether anyone is meant

  /// Whether finding out reads more than a few rows.
  var isSlow: Bool { filter != nil || people.count > 100 }

  /// Whether the request would reach a device now.
  func reachesSomebody(_ c: CompatCall) throws(Problem) -> Bool {
    if to["tokens"] != nil { return true }
    if to["devices"] != nil { return devices.contains { $0.state == .active && !$0.optOut.everything } }
    if to["users"] != nil { return try subscribed(atMost: 1, c) > 0 }
    guard let filter else {
      return try c.ask { store throws(StoreError) in try store.lastDevice(app: c.app) } != nil
    }
    let read = try OneSignalTarget.segment(filter)
    return try !c.ask { store throws(StoreError) in
      try store.audience(read, app: c.app, after: nil, limit: 1, now: c.now)
    }.isEmpty
  }

  /// How many devices of the people take messages.
  private func subscribed(atMost: Int, _ c: CompatCall) throws(Problem) -> Int {
    let people = Set(people)
    return try c.ask { store throws(StoreError) in
      try store.countSubscribed(app: c.app, users: people, atMost: atMost)
    }
  }

  /// How many devices it would reach now.
  func count(_ c: CompatCall) throws(Problem) -> Int {
    if let tokens = to["tokens"]?.array { return tokens.count }
    if to["devices"] != nil { return devices.count { $0.state == .active && !$0.optOut.everything } }
    if to["users"] != nil { return try subscribed(atMost: .max, c) }
    guard let filter else { return try OneSignalTarget.count(.everyone, c) }
    let read = try OneSignalTarget.segment(filter)
    return try OneSignalTarget.count(read, c)
  }

  /// Devices of a segment that get messages; a Live Activity's token gets its own sends only.
  static func count(_ filter: SegmentFilter, _ c: CompatCall) throws(Problem) -> Int {
    let counts = try c.ask { store throws(StoreError) in try store.countByKind(filter, app: c.app, now: c.now) }
    return counts.reduce(0) { $0 + ($1.key.isLiveActivity ? 0 : $1.value) }
  }

  private static func segment(_ filter: JSONValue) throws(Problem) -> SegmentFilter {
    var report = Report()
    guard let read = SegmentLanguage.read(filter, at: FieldPath(), into: &report) else {
      throw Problem(.invalid, report: report)
    }
    return read
  }
}
