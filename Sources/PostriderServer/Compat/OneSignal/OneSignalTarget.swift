internal import PushPayload
internal import PushStore
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
  /// The member that lists who is meant, and what it is in our own request.
  private var listed: (theirs: String, ours: String)?
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
    let texts = way[0] == "include_aliases" || way[0] == "filters" ? [] : try OneSignalTarget.texts(body, way[0])
    switch way[0] {
    case "included_segments": try read(segments: texts, platform, c)
    case "filters": try set(OneSignalFilters.filter(body["filters"] ?? .null), platform)
    case "include_aliases": try read(aliases: body["include_aliases"]?.object ?? [:], c)
    case "include_external_user_ids":
      set(people: texts, ("invalid_external_user_ids", nil))
      listed = (way[0], "to.users")
    case "include_ios_tokens", "include_android_reg_ids":
      let kind: JSONValue = way[0] == "include_ios_tokens" ? "ios" : "android"
      listed = (way[0], "to.tokens")
      to = ["tokens": .array(texts.map { ["type": kind, "token": .string($0)] })]
    default: try read(subscriptions: texts, way[0], c)
    }
  }

  /// What our own request's refusal says of whom it is for, by the vendor's members: `include_ios_tokens[0]`.
  func naming(_ problem: Problem) -> Problem {
    guard let listed else { return problem }
    var problem = problem
    for place in problem.report.findings.indices {
      let field = problem.report.findings[place].field
      guard field.hasPrefix(listed.ours) else { continue }
      let rest = field.dropFirst(listed.ours.count)
      problem.report.findings[place].field = listed.theirs + (rest.hasSuffix(".token") ? rest.dropLast(6) : rest)
    }
    return problem
  }

  private static func isAbsent(_ value: JSONValue?) -> Bool {
    guard let value else { return true }
    return value.isNull || value.array?.isEmpty == true
  }

  private static func texts(_ body: JSONValue, _ name: String) throws(Problem) -> [String] {
    guard let array = body[name]?.array, array.count <= listedMax else {
      throw OneSignalErrors.refusal(name, "expected an array of at most \(listedMax) texts")
    }
    return try texts(array, name)
  }

  private static func texts(_ array: [JSONValue], _ name: String) throws(Problem) -> [String] {
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

  private mutating func read(aliases: JSONObject, _ c: CompatCall) throws(Problem) {
    guard aliases.count == 1, let (label, values) = aliases.first, let array = values.array,
      array.count <= OneSignalTarget.listedMax
    else { throw OneSignalErrors.refusal("include_aliases", "expected one alias with its ids") }
    let ids = try OneSignalTarget.texts(array, "include_aliases.\(label.prefix(40))")
    if label == OneSignalAliases.externalID { return set(people: ids, ("invalid_aliases", label)) }
    let users = try OneSignalAliases.users(label, ids, c)
    let known = ids.filter { users[$0] != nil }
    set(people: known.compactMap { users[$0] }, ids: known, ("invalid_aliases", label))
    let missing = ids.filter { users[$0] == nil }
    if !missing.isEmpty { unknown["invalid_aliases"] = [label: .array(missing.map { .string($0) })] }
  }

  private mutating func read(subscriptions ids: [String], _ member: String, _ c: CompatCall) throws(Problem) {
    guard ids.count <= OneSignalTarget.subscriptionsMax else {
      throw OneSignalErrors.refusal(
        member, "expected at most \(OneSignalTarget.subscriptionsMax) ids, found \(ids.count)")
    }
    var missing: [String] = []
    for id in ids {
      if let device = try OneSignalSubscriptions.device(id, c) { devices.append(device) } else { missing.append(id) }
    }
    if !missing.isEmpty { unknown["invalid_player_ids"] = .array(missing.map { .string($0) }) }
    to = ["devices": .array(devices.map { .string($0.id.description) })]
  }

  // MARK: - Whether anyone is meant

  /// Whether finding out reads more than a few rows.
  var isSlow: Bool { filter != nil || people.count > 100 }

  /// Whether the request would reach a device now.
  func reachesSomebody(_ c: CompatCall) throws(Problem) -> Bool {
    if to["tokens"] != nil { return true }
    if to["devices"] != nil { return devices.contains { $0.state == .active && !$0.optOut.everything } }
    if to["users"] != nil {
      for user in people where try subscribed(user, c) > 0 { return true }
      return false
    }
    guard let filter else {
      return try c.ask { store throws(StoreError) in try store.lastDevice(app: c.app) } != nil
    }
    let read = try OneSignalTarget.segment(filter)
    return try !c.ask { store throws(StoreError) in
      try store.audience(read, app: c.app, after: nil, limit: 1, now: c.now)
    }.isEmpty
  }

  /// How many devices of a user take pushes; a page of them at most, more than anybody has.
  private func subscribed(_ user: String, _ c: CompatCall) throws(Problem) -> Int {
    try c.ask { store throws(StoreError) in
      try store.devices(
        app: c.app, filter: DeviceFilter(user: user, state: .active), after: nil, limit: StoreLimits.pageMax)
    }.count { !$0.optOut.everything }
  }

  /// How many devices it would reach now.
  func count(_ c: CompatCall) throws(Problem) -> Int {
    if let tokens = to["tokens"]?.array { return tokens.count }
    if to["devices"] != nil { return devices.count { $0.state == .active && !$0.optOut.everything } }
    if to["users"] != nil {
      var count = 0
      for user in Set(people) { count += try subscribed(user, c) }
      return count
    }
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
