internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Users, found by any of their aliases.
enum OneSignalUsers {
  private static let path = "/apps/{app_id}/users/by/{alias_label}/{alias_id}"

  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post, "/apps/{app_id}/users", "CreateUser", "Creates a user with subscriptions, or adds to one.", body: body,
      create),
    OneSignalRoutes.route(.get, path, "GetUser", "Shows a user with their subscriptions.") { c throws(Problem) in
      Reply(200, .object(try json(find(c), c)))
    },
    OneSignalRoutes.route(.patch, path, "UpdateUser", "Changes a user.", body: body) { c async throws(Problem) in
      let user = try find(c)
      try c.body.refuseOthers(than: ["properties"])
      try await apply(try Properties(c.body), to: user.name, c)
      let shown = try json(find(c), c)
      return Reply(202, ["properties": shown["properties"] ?? [:]])
    },
    OneSignalRoutes.route(
      .delete, path, "DeleteUser", "Forgets a user with their subscriptions.", pace: .long
    ) { c async throws(Problem) in
      let user = try find(c)
      try await c.run(.deleteUser, [user.name])
      return Reply(200, ["identity": .object(OneSignalAliases.identity(user, c))])
    },
    OneSignalRoutes.route(
      .put, "/apps/{app_id}/users/{external_id}", "EditTags", "Changes a user's tags, as older clients do.", body: body
    ) { c async throws(Problem) in
      guard let tags = try c.body.members("tags") else { throw OneSignalErrors.refusal("tags", "is required") }
      let changes = try OneSignalTags.changes(.object(tags))
      try await c.run(.updateUser, [c.call.parameters[1]], ["properties": .object(changes)])
      return Reply(200, ["success": true])
    },
  ]

  private static let body = Schema(
    .map, "OneSignal's request.", example: ["properties": ["language": "en", "tags": ["plan": "pro"]]])

  // MARK: - Finding

  /// The user of the path's alias.
  static func find(_ c: CompatCall) throws(Problem) -> User {
    guard let user = try OneSignalAliases.user(c.call.parameters[1], c.call.parameters[2], c) else { throw missing }
    return user
  }

  static func named(_ name: String, _ c: CompatCall) throws(Problem) -> User {
    guard let user = try c.user(named: name) else { throw missing }
    return user
  }

  private static let missing = Problem(.notFound, "User not found")

  // MARK: - Properties

  /// What a request says of a user: their own properties, and what their devices get.
  struct Properties {
    private(set) var ofUser = JSONObject()
    private(set) var ofDevices = JSONObject()

    init(_ body: JSONValue) throws(Problem) {
      for (name, value) in try body.members("properties") ?? [:] where !value.isNull {
        switch name {
        case "tags": for (tag, value) in try OneSignalTags.changes(value) { ofUser[tag] = value }
        case "language": ofDevices["locale"] = value
        case "timezone_id": ofDevices["timezone"] = try OneSignalZone.read(value, "properties.timezone_id")
        case "country": ofUser[name] = value
        default:
          throw OneSignalErrors.refusal(
            "properties.\(name.prefix(40))", "is not stored here; there are tags, language, timezone_id and country")
        }
      }
      try OneSignalSubscriptions.checkProperties(.object(ofUser))
    }
  }

  /// Whether devices can be changed like this; checked before anything is written.
  private static func check(_ properties: Properties, _ c: CompatCall) throws(Problem) {
    _ = try c.native(.updateDevice, [DeviceID(rawValue: 0).description], .object(properties.ofDevices))
  }

  private static func apply(_ properties: Properties, to user: String, _ c: CompatCall) async throws(Problem) {
    try check(properties, c)
    try await c.run(.updateUser, [user], properties.ofUser.isEmpty ? [:] : ["properties": .object(properties.ofUser)])
    guard !properties.ofDevices.isEmpty else { return }
    for device in try devices(of: user, c) {
      try await c.run(.updateDevice, [device.id.description], .object(properties.ofDevices))
    }
  }

  @Sendable private static func create(_ c: CompatCall) async throws(Problem) -> Reply {
    try c.body.refuseOthers(than: ["identity", "properties", "subscriptions"])
    let identity = try OneSignalAliases.Identity(c.body["identity"])
    let name = try identity.name(c)
    let properties = try Properties(c.body)
    var registrations: [DeviceRegistration] = []
    for (index, value) in try (c.body.elements("subscriptions") ?? []).enumerated() {
      let path = "subscriptions[\(index)]"
      let body = try OneSignalSubscription(value, path).registration(user: name, more: properties.ofDevices, c)
      do throws(Problem) { registrations += try c.registrations([body]) } catch {
        throw error.inside(path)
      }
    }
    let known = try c.ask { store throws(StoreError) in try store.user(app: c.app, named: name) }
    try check(properties, c)
    try OneSignalAliases.check(identity.others, of: name, c)
    try await c.register(registrations)
    try await apply(properties, to: name, c)
    try await OneSignalAliases.set(identity.others, of: name, c)
    let user = try c.ask { store throws(StoreError) in try store.user(app: c.app, named: name) }
    guard let user else { throw Problem(.internalError, "the store returned no user") }
    return Reply(known == nil ? 201 : 200, .object(try json(user, c)))
  }

  // MARK: - Showing

  static func devices(of user: String, _ c: CompatCall) throws(Problem) -> [Device] {
    try c.ask { store throws(StoreError) in
      try store.devices(app: c.app, filter: DeviceFilter(user: user), after: nil, limit: StoreLimits.pageMax)
    }
  }

  private static func json(_ user: User, _ c: CompatCall) throws(Problem) -> JSONObject {
    let devices = try devices(of: user.name, c)
    var (properties, tags) = (JSONObject(), JSONObject())
    for (name, value) in PropertyFields.json(user.properties).object ?? [:] {
      if name == "country" {
        properties[name] = OneSignalTags.text(value)
      } else {
        tags[name] = OneSignalTags.text(value)
      }
    }
    properties["tags"] = .object(tags)
    if let locale = devices.lazy.compactMap(\.locale).first { properties["language"] = .string(locale) }
    if let zone = devices.lazy.compactMap(\.timezone).first { properties["timezone_id"] = .string(zone) }
    if let time = user.firstSeenAt { properties["first_active"] = OneSignalRoutes.seconds(time) }
    if let time = user.lastSeenAt { properties["last_active"] = OneSignalRoutes.seconds(time) }
    return [
      "identity": .object(OneSignalAliases.identity(user, c)), "properties": .object(properties),
      "subscriptions": .array(devices.map { OneSignalSubscription.json($0, c) }),
    ]
  }
}
