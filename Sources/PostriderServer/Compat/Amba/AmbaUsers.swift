internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import TimeZones
internal import WireJSON

/// The user of an app on a phone: their profile and their push tokens.
///
/// A request has the app's key in `X-Api-Key`, and as the session in `Authorization` a token that the app's backend has signed.
enum AmbaUsers {
  static let routes: [Route] = [
    AmbaRoutes.route(
      .get, path, "GetMe", "Shows the user, and takes their time zone from the request when none is known.",
      .init(caller: .app)
    ) { c async throws(Problem) in
      let name = try me(c)
      guard let user = try c.user(named: name) else { throw missing }
      if let zone = headerZone(c), try timezone(of: user, c) == nil { try await set(zone, of: name, c) }
      return try json(name, c)
    },
    AmbaRoutes.route(.patch, path, "UpdateMe", "Changes the user.", .init(caller: .app), body: body, update),
    AmbaRoutes.route(
      .post, path + "/push-token", "RegisterPushToken", "Registers a device of the user.",
      .init(caller: .app, status: 201), body: tokenBody, register),
    AmbaRoutes.route(
      .delete, path + "/push-token", "DeletePushToken", "Forgets a device of the user.", .init(caller: .app),
      body: tokenBody,
      unregister),
  ]

  private static let path = "/client/users/me"
  private static let body = Schema(
    .map, "Amba's request.",
    example: ["display_name": "Ada", "properties": ["theme": "dark"], "timezone": "Europe/London"])
  private static let tokenBody = Schema(
    .map, "Amba's request.", example: ["token": "fMEO1bKqT0:APA91b", "platform": "android"])
  private static let missing = Problem(.notFound, "there is no record of the user yet; change it, or register a device")

  // Properties of our users that are members of their own here.
  private static let zoneProperty = "timezone"
  private static let pictureProperty = "avatar_url"

  /// The user of the session.
  private static func me(_ c: CompatCall) throws(Problem) -> String {
    let header = c.call.http.headers.valueBytes("Authorization")
    let token = header.flatMap { KeyRing.text($0, after: "bearer") }
    return try IdentityCheck.user(ofSession: token, c.call, c.entry.app, c.service)
  }

  // MARK: - Time zones

  /// The zone of a request's header, Amba's own before the common one; one that nobody knows says nothing.
  private static func headerZone(_ c: CompatCall) -> String? {
    let headers = c.call.http.headers
    guard let name = headers.first("X-Amba-Timezone") ?? headers.first("Time-Zone") else { return nil }
    return zone(name)
  }

  private static func zone(_ name: String) -> String? {
    var report = Report()
    return SendTime.readZone(name, zoneProperty, &report)?.name
  }

  private static func timezone(of user: User, _ c: CompatCall) throws(Problem) -> String? {
    if let zone = user.properties.first(where: { $0.name == zoneProperty }), case .text(let name) = zone.value {
      return name
    }
    return try devices(of: user.name, c).lazy.compactMap(\.timezone).first
  }

  /// Keeps a user's zone, for their devices of now and for those to come.
  private static func set(_ zone: String, of user: String, _ c: CompatCall) async throws(Problem) {
    try await c.run(.updateUser, [user], ["properties": [zoneProperty: .string(zone)]])
    for device in try devices(of: user, c) where device.timezone != zone {
      try await c.run(.updateDevice, [device.id.description], ["timezone": .string(zone)])
    }
  }

  private static func devices(of user: String, _ c: CompatCall) throws(Problem) -> [Device] {
    try c.ask { store throws(StoreError) in
      try store.devices(app: c.app, filter: DeviceFilter(user: user), after: nil, limit: StoreLimits.pageMax)
    }
  }

  // MARK: - The profile

  @Sendable private static func update(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let name = try me(c)
    // Amba passes over members that it does not know.
    let object = try CompatObject(c.body, "", known: Set((c.body.object ?? [:]).map(\.key)))
    var (change, properties) = (JSONObject(), JSONObject())
    if let value = object.members["display_name"] { change["display_name"] = value }
    if let given = object["properties"] {
      guard let members = given.object else { throw Problem.ofMember("properties", "expected an object") }
      for (name, value) in members {
        guard name != zoneProperty, name != pictureProperty else {
          throw Problem.ofMember("properties.\(name)", "is a member beside properties")
        }
        properties[name] = value
      }
    }
    if let value = object.members[pictureProperty] { properties[pictureProperty] = value }
    var zone: String?
    if let value = object.members[zoneProperty] {
      guard let text = value.string, let known = self.zone(text) else {
        throw AmbaErrors.problem(.badZone, "timezone: expected the name of an IANA time zone, such as Europe/London")
      }
      zone = known
      properties[zoneProperty] = .string(known)
    }
    if !properties.isEmpty || object["properties"] != nil { change["properties"] = .object(properties) }
    guard !change.isEmpty else {
      throw Problem(.invalid, "expected at least one of display_name, avatar_url, properties and timezone")
    }
    try await c.run(.updateUser, [name], .object(change))
    if let zone { try await set(zone, of: name, c) }
    return try json(name, c)
  }

  private static func json(_ name: String, _ c: CompatCall) throws(Problem) -> JSONValue {
    guard let user = try c.user(named: name) else { throw missing }
    var properties = PropertyFields.json(user.properties).object ?? [:]
    let picture = properties[pictureProperty] ?? .null
    (properties[pictureProperty], properties[zoneProperty]) = (nil, nil)
    func profile(_ name: String) -> JSONValue { user.profile[name].map { .string($0) } ?? .null }
    return [
      "id": .string(c.id(user.id.rawValue, .user)), "external_id": .string(user.name), "anonymous_id": .null,
      "email": profile("email"), "phone": profile("phone"), "display_name": profile("display_name"),
      "avatar_url": picture, "auth_providers": [], "properties": .object(properties),
      "timezone": try timezone(of: user, c).map { .string($0) } ?? .null,
      "first_seen_at": AmbaRoutes.time(user.firstSeenAt), "last_seen_at": AmbaRoutes.time(user.lastSeenAt),
      "created_at": AmbaRoutes.time(user.createdAt), "updated_at": AmbaRoutes.time(user.updatedAt),
    ]
  }

  // MARK: - Push tokens

  @Sendable private static func register(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let name = try me(c)
    let object = try CompatObject(c.body, "", known: ["token", "platform"])
    guard let token = try object.text("token"), !token.isEmpty else { throw Problem.ofMember("token", "is required") }
    let kinds = [("ios", DeviceKind.ios), ("android", DeviceKind.android)]
    guard let kind = try object.choice("platform", kinds) else { throw Problem.ofMember("platform", "is required") }
    do throws(Problem) {
      var more = JSONObject()
      let known = try c.user(named: name).flatMap { user throws(Problem) in try timezone(of: user, c) }
      // What the user has said is not overwritten by what the phone says.
      if let zone = known ?? headerZone(c) { more["timezone"] = .string(zone) }
      let device = try await c.register(user: name, kind, token: token, more: more, isApp: true)
      guard let device, let user = try c.user(named: name) else {
        throw Problem(.internalError, "the store returned no device")
      }
      return [
        "id": .string(c.id(device.id.rawValue, .device)), "app_user_id": .string(c.id(user.id.rawValue, .user)),
        "token": .string(token), "platform": .string(kind.name), "provider": .string(kind.provider.name),
        "is_active": .bool(device.state == .active), "created_at": AmbaRoutes.time(device.createdAt),
      ]
    } catch {
      throw error.kind.status >= 500 ? AmbaErrors.naming(error, as: .notRegistered) : error
    }
  }

  /// Another user's token is nobody's, so that nothing is learned from the answer.
  @Sendable private static func unregister(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let name = try me(c)
    let object = try CompatObject(c.body, "", known: ["token", "platform"])
    guard let token = try object.text("token"), !token.isEmpty else { throw Problem.ofMember("token", "is required") }
    if let device = try c.device(token: token), device.user == name {
      try await c.run(.deleteDevice, [device.id.description])
    }
    return ["token": .string(token), "is_active": false]
  }
}
