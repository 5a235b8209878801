internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Subscriptions: creating, changing, deleting, and whose they are.
enum OneSignalSubscriptions {
  private static let path = "/apps/{app_id}/subscriptions/{subscription_id}"

  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post, "/apps/{app_id}/users/by/{alias_label}/{alias_id}/subscriptions", "CreateSubscription",
      "Adds a subscription to a user.", body: body
    ) { c async throws(Problem) in
      let user = try OneSignalUsers.find(c)
      let request = try OneSignalSubscription(c.body["subscription"] ?? .null, "subscription")
      let ids = try await c.register([try request.registration(user: user.name, more: [:], c)])
      return Reply(201, ["subscription": OneSignalSubscription.json(try device(ids.first, c), c)])
    },
    OneSignalRoutes.route(.patch, path, "UpdateSubscription", "Changes a subscription.", body: body) {
      c async throws(Problem) in
      try await update(try found(c.call.parameters[1], c), c)
    },
    OneSignalRoutes.route(
      .patch, "/apps/{app_id}/subscriptions_by_token/{token_type}/{token}", "UpdateSubscriptionByToken",
      "Changes the subscription with a token.", body: body
    ) { c async throws(Problem) in
      _ = try OneSignalSubscription.kind(.string(c.call.parameters[1]), "token_type")
      let token = c.call.parameters[2]
      let device = try c.device(token: token)
      guard let device else { throw missing }
      return try await update(device, c)
    },
    OneSignalRoutes.route(.delete, path, "DeleteSubscription", "Forgets a subscription.") { c async throws(Problem) in
      try await c.run(.deleteDevice, [try found(c.call.parameters[1], c).id.description])
      return Reply(202, ["success": true])
    },
    OneSignalRoutes.route(
      .patch, path + "/owner", "TransferSubscription", "Gives a subscription to another user.", body: body
    ) { c async throws(Problem) in
      let identity = try OneSignalAliases.Identity(c.body["identity"])
      let device = try found(c.call.parameters[1], c)
      let name = try identity.name(c)
      try OneSignalAliases.check(identity.others, of: name, c)
      try await c.run(.updateDevice, [device.id.description], ["user": .string(name)])
      try await OneSignalAliases.set(identity.others, of: name, c)
      return try OneSignalAliases.ofOwner(try OneSignalSubscriptions.device(device.id, c), c)
    },
  ]

  private static let body = Schema(
    .map, "OneSignal's request.",
    example: ["subscription": ["type": "AndroidPush", "token": "fMEO1bKqT0:APA91b", "enabled": true]])
  private static let missing = Problem(.notFound, "Subscription not found")

  // MARK: - Finding

  /// The device of a subscription's id: one it was imported or created with is its name.
  static func device(_ id: String, _ c: CompatCall) throws(Problem) -> Device? {
    guard CompatID.isUUID(id) else { return nil }
    let device = try c.ask { store throws(StoreError) in
      if let number = c.number(id, .device) { return try store.device(DeviceID(rawValue: number)) }
      if let device = try store.device(app: c.app, named: id) { return device }
      return try store.device(app: c.app, named: id.lowercased())
    }
    return device?.app == c.app ? device : nil
  }

  static func found(_ id: String, _ c: CompatCall) throws(Problem) -> Device {
    guard let device = try device(id, c) else { throw missing }
    return device
  }

  static func device(_ id: DeviceID?, _ c: CompatCall) throws(Problem) -> Device {
    let device = try id.flatMap { id throws(Problem) in try c.ask { store throws(StoreError) in try store.device(id) } }
    guard let device else { throw Problem(.internalError, "the store returned no device") }
    return device
  }

  // MARK: - Changing

  private static func update(_ device: Device, _ c: CompatCall) async throws(Problem) -> Reply {
    let request = try OneSignalSubscription(c.body["subscription"] ?? .null, "subscription")
    if let kind = request.kind, kind.provider != device.kind.provider {
      throw OneSignalErrors.refusal("subscription.type", "a subscription keeps its type; create another one")
    }
    try await change(device, request, c)
    return Reply(200, ["subscription": OneSignalSubscription.json(try self.device(device.id, c), c)])
  }

  /// Changes a device; a new token, or another environment, is a registration under its name.
  static func change(
    _ device: Device, _ request: OneSignalSubscription, more: JSONObject = [:], _ c: CompatCall
  ) async throws(Problem) {
    var changes = request.changes
    for (name, value) in more {
      if name == "properties", let mine = changes[name]?.object, let theirs = value.object {
        changes[name] = .object(JSONObject(mine.map { ($0.key, $0.value) } + theirs.map { ($0.key, $0.value) }))
      } else {
        changes[name] = value
      }
    }
    // Checked before anything is written.
    try check(changes, device, c)
    let isMoved =
      request.token.map { $0 != device.token } ?? false || request.environment.map { $0 != device.environment } ?? false
    if isMoved {
      guard let name = device.name else {
        throw OneSignalErrors.refusal(
          "subscription.token",
          "this device was registered without a name, so its token is its identity; create another")
      }
      var body: JSONObject = [
        "type": .string(device.kind.name), "token": .string(request.token ?? device.token), "name": .string(name),
        "environment": .string((request.environment ?? device.environment).name),
      ]
      // A registration says all of these anew.
      let kept = [
        ("user", device.user), ("locale", device.locale), ("timezone", device.timezone),
        ("app_version", device.appVersion),
      ]
      for (name, text) in kept { if let text { body[name] = .string(text) } }
      try await c.register([.object(body)])
    }
    if !changes.isEmpty { try await c.run(.updateDevice, [device.id.description], .object(changes)) }
  }

  /// Whether a device can be changed like this.
  static func check(_ changes: JSONObject, _ device: Device, _ c: CompatCall) throws(Problem) {
    _ = try c.native(.updateDevice, [device.id.description], .object(changes))
    try checkProperties(changes["properties"])
  }

  /// Whether devices and users can have such properties.
  static func checkProperties(_ value: JSONValue?) throws(Problem) {
    var report = Report()
    _ = PropertyFields.read(value, at: "tags", takesNull: true, into: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
  }
}
