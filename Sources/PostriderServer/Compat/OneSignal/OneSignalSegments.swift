internal import Basics
internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// Segments: those that OneSignal gives every app, and those that are saved here.
enum OneSignalSegments {
  private static let path = "/apps/{app_id}/segments"

  static let routes: [Route] = [
    OneSignalRoutes.route(
      .get, path, "GetSegments", "Lists segments.", query: [OneSignalRoutes.limit, OneSignalRoutes.offset], list),
    OneSignalRoutes.route(.post, path, "CreateSegment", "Saves a segment.", body: body, create),
    OneSignalRoutes.route(
      .get, path + "/{segment_id}", "GetSegment", "Shows a segment and how many devices are in it.",
      query: [Route.Query(name: "include-segment-detail", schema: .string("true or false.", max: 5))], pace: .long,
      show),
    OneSignalRoutes.route(.patch, path + "/{segment_id}", "UpdateSegment", "Changes a segment.", body: body, update),
    OneSignalRoutes.route(.delete, path + "/{segment_id}", "DeleteSegment", "Forgets a segment.") {
      c async throws(Problem) in
      try await c.run(.deleteSegment, [try saved(c).name])
      return Reply(200, ["success": true])
    },
  ]

  private static let body = Schema(
    .map, "OneSignal's request.",
    example: ["name": "Pros", "filters": [["field": "tag", "key": "plan", "relation": "=", "value": "pro"]]])

  /// OneSignal's names, in lower case, of everyone who gets pushes.
  static let everyone: Set<String> = [
    "all", "all users", "subscribed users", "total subscriptions", "all subscriptions",
  ]

  private static let week: JSONValue = "7d"
  /// The other segments that OneSignal gives every app, by name in lower case.
  private static let usual: [(name: String, filter: JSONValue)] = [
    ("active users", ["field": "last_seen_at", "op": "within", "value": week]),
    ("active subscriptions", ["field": "last_seen_at", "op": "within", "value": week]),
    ("inactive users", ["field": "last_seen_at", "op": "not_within", "value": week]),
    ("inactive subscriptions", ["field": "last_seen_at", "op": "not_within", "value": week]),
  ]

  // MARK: - Finding

  /// The conditions of segments, by OneSignal's names and by ours.
  ///
  /// A segment that is saved under one of OneSignal's own names is meant, and not everyone.
  static func filters(
    _ names: [String], _ member: String, _ c: CompatCall
  ) throws(Problem) -> (filters: [JSONValue], hasEveryone: Bool) {
    let all = try all(c)
    var (filters, hasEveryone): ([JSONValue], Bool) = ([], false)
    for name in names {
      let plain = name.lowercased()
      if let found = all.first(where: { $0.title == name }) ?? all.first(where: { $0.name == name }) {
        filters.append((try? JSON.parse(found.definition)) ?? .null)
      } else if everyone.contains(plain) {
        hasEveryone = true
        filters.append(SystemSegments.all[0].filter)
      } else if let usual = usual.first(where: { $0.name == plain }) {
        filters.append(usual.filter)
      } else if let system = SystemSegments.all.first(where: { $0.name == name }) {
        filters.append(system.filter)
      } else {
        throw OneSignalErrors.refusal(member, "the app has no segment \"\(name.prefix(100))\"")
      }
    }
    return (filters, hasEveryone)
  }

  private static func all(_ c: CompatCall) throws(Problem) -> [Segment] {
    try c.ask { store throws(StoreError) in try store.segments(app: c.app) }
  }

  private static func saved(_ c: CompatCall) throws(Problem) -> Segment {
    let id = c.call.parameters[1]
    if system(id, c) != nil { throw Problem(.invalid, "a segment that every app has cannot be changed") }
    guard let number = c.number(id, .segment), let segment = try all(c).first(where: { $0.id.rawValue == number })
    else { throw Problem(.notFound, "Segment not found") }
    return segment
  }

  private static func system(_ id: String, _ c: CompatCall) -> (title: String, filter: JSONValue)? {
    guard let number = c.number(id, .systemSegment), SystemSegments.all.indices.contains(Int(number)) else {
      return nil
    }
    return (SystemSegments.all[Int(number)].title, SystemSegments.all[Int(number)].filter)
  }

  // MARK: - Work

  @Sendable private static func create(_ c: CompatCall) async throws(Problem) -> Reply {
    try c.body.refuseOthers(than: ["name", "filters"])
    guard let title = c.body["name"]?.string, !title.isEmpty else {
      throw OneSignalErrors.refusal("name", "is required")
    }
    let filter = try OneSignalFilters.filter(c.body["filters"] ?? .null)
    if try all(c).contains(where: { $0.title == title }) || isUsual(title) {
      throw Problem(.conflict, "a segment named \"\(title.prefix(100))\" exists")
    }
    let name = self.name(title)
    try await c.run(.createSegment, [], ["name": .string(name), "title": .string(title), "filter": filter])
    guard let made = try all(c).first(where: { $0.name == name }) else {
      throw Problem(.internalError, "the store returned no segment")
    }
    return Reply(201, ["success": true, "id": .string(c.id(made.id.rawValue, .segment))])
  }

  private static func isUsual(_ title: String) -> Bool {
    let plain = title.lowercased()
    return everyone.contains(plain) || usual.contains { $0.name == plain }
  }

  /// Our name of a segment: the title, or what is left of it in addresses, with a mark of the title.
  private static func name(_ title: String) -> String {
    if AppRoutes.isPlainName(title), title.utf8.count <= 100 { return title }
    let plain = title.utf8.prefix(80).map { byte in
      AppRoutes.isPlainName(String(UnicodeScalar(byte))) && byte < 0x80 ? byte : UInt8(ascii: "-")
    }
    return String(decoding: plain, as: UTF8.self) + "-" + Hex.encode(SHA256.digest(title).prefix(4))
  }

  @Sendable private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    let (offset, limit) = OneSignalRoutes.page(c, limitMax: 300)
    var shown: [JSONValue] = []
    for (index, segment) in SystemSegments.all.enumerated() {
      shown.append(
        json(
          id: c.id(Int64(index), .systemSegment), segment.title, c.entry.app.createdAt, c.entry.app.createdAt, c, true))
    }
    for segment in try all(c) {
      let id = c.id(segment.id.rawValue, .segment)
      shown.append(json(id: id, segment.title, segment.createdAt, segment.updatedAt, c, false))
    }
    return Reply(
      200,
      [
        "total_count": OneSignalRoutes.number(shown.count), "offset": OneSignalRoutes.number(offset),
        "limit": OneSignalRoutes.number(limit), "segments": .array(Array(shown.dropFirst(offset).prefix(limit))),
      ])
  }

  private static func json(
    id: String, _ title: String, _ createdAt: Timestamp, _ updatedAt: Timestamp, _ c: CompatCall, _ isSystem: Bool
  ) -> JSONValue {
    [
      "id": .string(id), "name": .string(title), "created_at": .string(TimeText.text(createdAt)),
      "updated_at": .string(TimeText.text(updatedAt)), CompatCall.appMember: .string(c.appID),
      "read_only": .bool(isSystem), "is_active": true,
    ]
  }

  @Sendable private static func show(_ c: CompatCall) throws(Problem) -> Reply {
    let id = c.call.parameters[1]
    let title: String
    let definition: JSONValue
    var (createdAt, source) = (c.entry.app.createdAt, "default")
    if let system = system(id, c) {
      (title, definition) = system
    } else {
      let segment = try saved(c)
      (title, definition, createdAt) = (
        segment.title, (try? JSON.parse(segment.definition)) ?? .null, segment.createdAt
      )
    }
    var report = Report()
    guard let filter = SegmentLanguage.read(definition, at: FieldPath(), into: &report) else {
      throw Problem(.internalError, "the segment cannot be read")
    }
    let count = try OneSignalTarget.count(filter, c)
    return Reply(
      200,
      [
        "subscriber_count": OneSignalRoutes.number(count),
        "payload": [
          "id": .string(id), "name": .string(title), "created_at": OneSignalRoutes.seconds(createdAt),
          "source": .string(source),
        ],
      ])
  }

  @Sendable private static func update(_ c: CompatCall) async throws(Problem) -> Reply {
    let segment = try saved(c)
    try c.body.refuseOthers(than: ["name", "filters"])
    var changes = JSONObject()
    if let title = try c.body.text("name"), title != segment.title {
      if try all(c).contains(where: { $0.title == title }) || isUsual(title) {
        throw Problem(.conflict, "a segment named \"\(title.prefix(100))\" exists")
      }
      changes["title"] = .string(title)
    }
    if let filters = c.body["filters"] { changes["filter"] = try OneSignalFilters.filter(filters) }
    try await c.run(.updateSegment, [segment.name], .object(changes))
    return Reply(200, ["success": true, "id": .string(c.call.parameters[1])])
  }
}
