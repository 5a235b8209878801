internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Devices: registering one under its activation, or several, deleting it, and the state of an activation.
enum PowerAuthDevices {
  static let routes: [Route] =
    PowerAuthRoutes.route(
      [.post], "/push/device/create", "CreateDevice", "Registers a device with its activation.", body: body, create)
    + PowerAuthRoutes.route(
      [.post], "/push/device/create/multi", "CreateDeviceForActivations",
      "Registers a device with several activations.",
      body: Schema(
        .map, "The push server's request.",
        example: [
          "requestObject": [
            "appId": "mobile-bank", "token": "fMEO1bKqT0:APA91b", "platform": "fcm",
            "activationIds": ["49414e31-f3df-4cea-87e6-f214ca3b8412", "26c94bf8-f594-4bd8-9c51-93449926b644"],
          ]
        ]), createMulti)
    + PowerAuthRoutes.route(
      [.post, .delete], "/push/device/delete", "DeleteDevice", "Forgets the device with a token.", body: body, delete)
    // The name of the same operation in the push server's documentation.
    + PowerAuthRoutes.route(
      [.post, .delete], "/push/device/remove", "RemoveDevice", "Forgets the device with a token.", body: body, delete)
    + PowerAuthRoutes.route(
      [.post, .put], "/push/device/status/update", "UpdateDeviceStatus",
      "Changes the state of an activation; the PowerAuth server can call it.",
      body: Schema(
        .map, "A callback of the PowerAuth server, without an envelope.",
        example: ["activationId": "49414e31-f3df-4cea-87e6-f214ca3b8412", "activationStatus": "BLOCKED"]), updateStatus)

  private static let body = Schema(
    .map, "The push server's request.",
    example: [
      "requestObject": [
        "appId": "mobile-bank", "token": "fMEO1bKqT0:APA91b", "platform": "fcm",
        "activationId": "49414e31-f3df-4cea-87e6-f214ca3b8412",
      ]
    ])

  // MARK: - Registering

  private static let common: Set<String> = ["appId", "token", "platform", "environment", "userId"]

  @Sendable private static func create(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(envelope: c.body, known: common.union(["activationId", "activationStatus"]))
    _ = try PowerAuthApp(object, c)
    guard let text = try object.text("activationId"), !text.isEmpty else {
      throw PowerAuthErrors.refusal("activationId is missing")
    }
    let id = try PowerAuthActivations.id(text, object.field("activationId"))
    let address = try PowerAuthAddress(object)
    let state = try object.choice("activationStatus", PowerAuthActivations.states)
    if state == .removed {
      throw PowerAuthErrors.refusal("the activation is REMOVED, and its device is not registered")
    }
    let user = try object.userID("userId")
    try await PowerAuthLocks.with([id], c) { devices async throws(Problem) in
      try await create(id, address, state.map { $0 == .active }, user, known: devices.first, c)
    }
    return nil
  }

  private static func create(
    _ id: String, _ address: PowerAuthAddress, _ isActive: Bool?, _ user: String?, known: Device?, _ c: CompatCall
  ) async throws(Problem) {
    let sameToken = try c.ask { store throws(StoreError) in try store.device(app: c.app, token: address.token) }
    if known == nil, let sameToken, PowerAuthActivations(of: sameToken).ids.count > 1 {
      throw PowerAuthErrors.refusal(
        "the token has several activations; register it with POST /push/device/create/multi")
    }
    var activations = known.map { PowerAuthActivations(of: $0) } ?? PowerAuthActivations(ids: [id])
    if let isActive { activations.set(id, isActive: isActive) }
    if let user, let known { try requireOneUser(user, known, activations) }
    // An activation that is not known has the token of another one: another person may have the device now.
    let registration = try address.registration(
      c, name: known?.name ?? id, user: user ?? known?.user, activations, known: known ?? sameToken)
    try await c.register(registration)
  }

  @Sendable private static func createMulti(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(envelope: c.body, known: common.union(["activationIds"]))
    _ = try PowerAuthApp(object, c)
    let ids = try self.ids(object)
    let address = try PowerAuthAddress(object)
    let user = try object.userID("userId")
    try await PowerAuthLocks.with(ids, c) { devices async throws(Problem) in
      try await create(ids, object, address, user, devices, c)
    }
    return nil
  }

  private static func create(
    _ ids: [String], _ object: CompatObject, _ address: PowerAuthAddress, _ user: String?, _ devices: [Device],
    _ c: CompatCall
  ) async throws(Problem) {
    // Activations that share a device have moved to this token together.
    let activations = devices.reduce(PowerAuthActivations(ids: ids)) { $0.union(PowerAuthActivations(of: $1)) }
    guard activations.ids.count <= PowerAuthActivations.idsMax else { throw tooMany(object) }
    let users = Set(devices.compactMap(\.user)).union(user.map { [$0] } ?? [])
    guard users.count < 2 else { throw otherUser }
    let sameToken = try c.ask { store throws(StoreError) in try store.device(app: c.app, token: address.token) }
    let known = devices.first { $0.token == address.token } ?? devices.first ?? sameToken
    let name = known?.name.flatMap { activations.ids.contains($0) ? $0 : nil } ?? activations.ids[0]
    let registration = try address.registration(c, name: name, user: users.first, activations, known: known)
    let kept = try await c.register(registration)
    let left = devices.map(\.id).filter { !kept.contains($0) }
    if !left.isEmpty { _ = try await c.change { store throws(StoreError) in try store.removeDevices(left) } }
  }

  private static func ids(_ object: CompatObject) throws(Problem) -> [String] {
    let name = "activationIds"
    guard let values = try object.elements(name) else {
      throw PowerAuthErrors.refusal("activationIds is missing")
    }
    guard !values.isEmpty else { throw PowerAuthErrors.refusal("activationIds is empty") }
    guard values.count <= PowerAuthActivations.idsMax else { throw tooMany(object) }
    var ids: [String] = []
    for (index, value) in values.enumerated() {
      let field = object.field("\(name)[\(index)]")
      guard let text = value.string else { throw PowerAuthErrors.violation(field, "expected a text") }
      let id = try PowerAuthActivations.id(text, field)
      if !ids.contains(id) { ids.append(id) }
    }
    return ids
  }

  private static func tooMany(_ object: CompatObject) -> Problem {
    PowerAuthErrors.violation(
      object.field("activationIds"), "a device has at most \(PowerAuthActivations.idsMax) activations here")
  }

  private static let otherUser = PowerAuthErrors.refusal(
    "a device has one user here, and the activations that share this one have several")

  private static func requireOneUser(
    _ user: String, _ device: Device, _ activations: PowerAuthActivations
  ) throws(Problem) {
    if activations.ids.count > 1, let known = device.user, known != user { throw otherUser }
  }

  // MARK: - Deleting

  @Sendable private static func delete(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(envelope: c.body, known: ["appId", "token"])
    _ = try PowerAuthApp(object, c)
    guard let token = try object.text("token"), !token.isEmpty else { throw PowerAuthAddress.noToken }
    if let device = try c.device(token: token) {
      _ = try await c.change { store throws(StoreError) in try store.removeDevices([device.id]) }
    }
    return nil
  }

  // MARK: - State

  /// Attributes that the PowerAuth server adds to its callbacks when it is set up to; they decide nothing here.
  private static let callback: Set<String> = [
    "type", "applicationId", "activationName", "activationFlags", "blockedReason", "deviceInfo", "platform", "protocol",
  ]

  @Sendable private static func updateStatus(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(
      c.body, "", known: callback.union(["activationId", "activationStatus", "userId"]))
    guard let text = try object.text("activationId"), !text.isEmpty else {
      throw PowerAuthErrors.refusal("activationId is missing")
    }
    let id = try PowerAuthActivations.id(text, "activationId")
    guard let state = try object.choice("activationStatus", PowerAuthActivations.states) else {
      throw PowerAuthErrors.unknowable(
        "only the PowerAuth server knows the state of an activation; send it as activationStatus")
    }
    let user = try object.userID("userId")
    try await PowerAuthLocks.with([id], c) { devices async throws(Problem) in
      guard let device = devices.first else { return }
      try await set(id, isActive: state == .active, user, device, c)
    }
    return nil
  }

  private static func set(
    _ id: String, isActive: Bool, _ user: String?, _ device: Device, _ c: CompatCall
  ) async throws(Problem) {
    var activations = PowerAuthActivations(of: device)
    activations.set(id, isActive: isActive)
    var change: JSONObject = [
      "properties": .object(JSONObject(activations.properties.map { ($0.name, $0.value ?? .null) }))
    ]
    if let user, user != device.user {
      try requireOneUser(user, device, activations)
      change["user"] = .string(user)
    }
    do throws(Problem) { try await c.run(.updateDevice, [device.id.description], .object(change)) } catch {
      throw PowerAuthErrors.ofRecord(error)
    }
  }
}

/// The token of a request, and where it is from.
private struct PowerAuthAddress {
  let token: String
  let kind: DeviceKind
  let environment: DeviceEnvironment?

  static let noToken = PowerAuthErrors.refusal("token is missing or empty")

  /// The names of versions from 2.0, and the older ones.
  private static let platforms: [(name: String, value: DeviceKind)] = [
    ("apns", .ios), ("fcm", .android), ("hms", .hms), ("ios", .ios), ("android", .android), ("huawei", .hms),
  ]

  init(_ object: CompatObject) throws(Problem) {
    guard let kind = try object.choice("platform", PowerAuthAddress.platforms) else {
      throw PowerAuthErrors.refusal("platform is missing")
    }
    guard let token = try object.text("token"), !token.isEmpty else { throw PowerAuthAddress.noToken }
    let environments = DeviceEnvironment.allCases.map { ($0.name, $0) }
    environment = try object.choice("environment", environments)
    guard environment == nil || kind.provider.hasEnvironments else {
      throw PowerAuthErrors.refusal("environment goes with the platform apns only")
    }
    // Devices are found by what is stored, which is one of the spellings of the token.
    var report = Report()
    self.token = TokenField.read(token, kind: kind, field: object.field("token"), report: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    self.kind = kind
  }

  /// The registration; what is known of the device by other ways stays, except with another activation or another user.
  func registration(
    _ c: CompatCall, name: String, user: String?, _ activations: PowerAuthActivations, known: Device?
  ) throws(Problem) -> [DeviceRegistration] {
    var body: JSONObject = ["type": .string(kind.name), "token": .string(token), "name": .string(name)]
    body["environment"] = .string((environment ?? usual(c, known)).name)
    if let user { body["user"] = .string(user) }
    var properties = JSONObject()
    let hadOthers = known.map { device in
      let ids = PowerAuthActivations(of: device).ids
      return !ids.isEmpty && !ids.contains(where: activations.ids.contains)
    }
    if let known, hadOthers == false, known.user == nil || known.user == user {
      properties = PropertyFields.json(known.properties).object ?? [:]
    } else {
      body["tags"] = []
    }
    for (name, value) in activations.properties { properties[name] = value }
    body["properties"] = .object(properties)
    do throws(Problem) { return try c.registrations([.object(body)]) } catch {
      throw PowerAuthAddress.named(error)
    }
  }

  /// Without an environment in the request: the one that the token came with before, else the one that the app has
  /// credentials for.
  private func usual(_ c: CompatCall, _ known: Device?) -> DeviceEnvironment {
    if let known, known.token == token { return known.environment }
    return c.usualEnvironment(kind)
  }

  /// The problem with the fields as the caller has them.
  private static func named(_ problem: Problem) -> Problem {
    var problem = problem
    problem.report.findings = problem.report.findings.map { finding in
      var finding = finding
      finding.field = "requestObject.\(finding.field)"
      return finding
    }
    return Problem(problem.kind, report: problem.report)
  }
}
