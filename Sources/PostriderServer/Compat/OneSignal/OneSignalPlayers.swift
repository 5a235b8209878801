internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Players, the older name of subscriptions: devices with their own tags.
enum OneSignalPlayers {
  static let routes: [Route] = [
    OneSignalRoutes.route(.post, "/players", "AddDevice", "Registers a device.", body: body) {
      c async throws(Problem) in
      let (request, more) = try read(c.body)
      let user = try c.body.text("external_user_id")
      let registrations: [DeviceRegistration]
      do throws(Problem) {
        registrations = try c.registrations([request.registration(user: user, more: more, c)])
      } catch { throw named(error) }
      let ids = try await c.register(registrations)
      let device = try OneSignalSubscriptions.device(ids.first, c)
      return Reply(200, ["success": true, "id": .string(OneSignalSubscription.id(device, c))])
    },
    OneSignalRoutes.route(.get, "/players/{player_id}", "ViewDevice", "Shows a device.") { c throws(Problem) in
      Reply(200, json(try OneSignalSubscriptions.found(c.call.parameters[0], c), c))
    },
    OneSignalRoutes.route(.put, "/players/{player_id}", "EditDevice", "Changes a device.", body: body) {
      c async throws(Problem) in
      var (request, more) = try read(c.body)
      if let user = try c.body.text("external_user_id") { more["user"] = user.isEmpty ? .null : .string(user) }
      try await OneSignalSubscriptions.change(
        OneSignalSubscriptions.found(c.call.parameters[0], c), request, more: more, c)
      return Reply(200, ["success": true])
    },
    OneSignalRoutes.route(.delete, "/players/{player_id}", "DeleteDevice", "Forgets a device.") {
      c async throws(Problem) in
      let device = try OneSignalSubscriptions.found(c.call.parameters[0], c)
      try await c.run(.deleteDevice, [device.id.description])
      return Reply(200, ["success": true])
    },
    OneSignalRoutes.route(
      .get, "/players", "ViewDevices", "Lists devices.", query: [OneSignalRoutes.limit, OneSignalRoutes.offset],
      pace: .long, list),
  ]

  private static let body = Schema(
    .map, "OneSignal's request.",
    example: ["device_type": 1, "identifier": "fMEO1bKqT0:APA91b", "language": "en", "tags": ["plan": "pro"]])
  private static let limitMax = 300

  /// The members by OneSignal's older names; what is left is read as that of a subscription.
  private static func read(_ body: JSONValue) throws(Problem) -> (OneSignalSubscription, JSONObject) {
    var (subscription, more, properties) = (JSONObject(), JSONObject(), JSONObject())
    for (name, value) in body.object ?? [:] where !value.isNull {
      switch name {
      case "device_type": subscription["type"] = value
      case "identifier": subscription["token"] = value
      case "game_version": subscription["app_version"] = value
      case "language": more["locale"] = value
      case "timezone_id": more["timezone"] = try OneSignalZone.read(value, name)
      case "timezone": if more["timezone"] == nil { more["timezone"] = .string(try zone(value)) }
      case "external_user_id": continue
      case "tags": for (tag, value) in try OneSignalTags.changes(value) { properties[tag] = value }
      case "country": properties[name] = value
      default: subscription[name] = value
      }
    }
    let request: OneSignalSubscription
    do throws(Problem) { request = try OneSignalSubscription(.object(subscription), "player") } catch {
      throw named(error)
    }
    if !properties.isEmpty {
      // Both have properties; those of the subscription are the device's own.
      for (name, value) in request.changes["properties"]?.object ?? [:] { properties[name] = value }
      more["properties"] = .object(properties)
    }
    return (request, more)
  }

  /// The members as players have them.
  private static func named(_ problem: Problem) -> Problem {
    var problem = problem
    let names = [
      "player.type": "device_type", "player.token": "identifier", "token": "identifier",
      "player.app_version": "game_version", "app_version": "game_version", "user": "external_user_id",
      "locale": "language",
    ]
    for index in problem.report.findings.indices {
      let field = problem.report.findings[index].field
      problem.report.findings[index].field = names[field] ?? field
    }
    return problem
  }

  /// An offset in seconds as a zone without daylight saving; the database of zones counts them westward.
  private static func zone(_ value: JSONValue) throws(Problem) -> String {
    guard let seconds = value.int, seconds % 3_600 == 0, (-12...14).contains(seconds / 3_600) else {
      throw OneSignalErrors.refusal("timezone", "expected whole hours as seconds from UTC; give timezone_id instead")
    }
    let hours = seconds / 3_600
    return hours == 0 ? "Etc/UTC" : "Etc/GMT\(hours > 0 ? "-" : "+")\(abs(hours))"
  }

  @Sendable private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    let (offset, limit) = OneSignalRoutes.page(c, limitMax: limitMax)
    let (total, devices) = try c.ask { store throws(StoreError) in
      (
        try store.countDevices(app: c.app, filter: DeviceFilter()),
        try store.devices(app: c.app, offset: offset, limit: limit)
      )
    }
    return Reply(
      200,
      [
        "total_count": OneSignalRoutes.number(total), "offset": OneSignalRoutes.number(offset),
        "limit": OneSignalRoutes.number(limit), "players": .array(devices.map { json($0, c) }),
      ])
  }

  private static func json(_ device: Device, _ c: CompatCall) -> JSONValue {
    var object = OneSignalSubscription.json(device, c).object ?? [:]
    for (name, other) in [("token", "identifier"), ("app_version", "game_version")] {
      object[other] = object[name] ?? .null
      object[name] = nil
    }
    for name in ["type", "enabled"] { object[name] = nil }
    object["device_type"] = OneSignalRoutes.number(OneSignalSubscription.type(device).number)
    object["language"] = device.locale.map { .string($0) } ?? .null
    object["timezone_id"] = device.timezone.map { .string($0) } ?? .null
    object["tags"] = .object(OneSignalSubscription.tags(device))
    object["last_active"] = OneSignalRoutes.seconds(device.registeredAt)
    object["created_at"] = OneSignalRoutes.seconds(device.createdAt)
    object["invalid_identifier"] = .bool(device.state != .active)
    object["external_user_id"] = device.user.map { .string($0) } ?? .null
    return .object(object)
  }
}
