internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Registering devices by a vendor's request.
extension CompatCall {
  /// The device with a token, in any of the spellings that Apple's have; the request may not say whose it is.
  func device(token: String) throws(Problem) -> Device? {
    try ask { store throws(StoreError) in
      if let device = try store.device(app: app, token: token) { return device }
      var report = Report()
      let plain = TokenField.read(token, kind: .ios, field: "token", report: &report)
      return report.hasErrors ? nil : try store.device(app: app, token: plain)
    }
  }

  /// Registers devices, all or none, as `POST /v1/apps/{app}/devices` would each.
  @discardableResult
  func register(_ bodies: [JSONValue]) async throws(Problem) -> [DeviceID] {
    try await register(try registrations(bodies))
  }

  /// The registrations, each checked as a body of our own.
  func registrations(_ bodies: [JSONValue]) throws(Problem) -> [DeviceRegistration] {
    var registrations: [DeviceRegistration] = []
    for body in bodies {
      var report = Report()
      DeviceRoutes.body.check(body, schemas: SchemaTable.byName, into: &report)
      if report.hasErrors { throw Problem(.invalid, report: report) }
      registrations.append(try DeviceRoutes.registration(body, entry))
    }
    return registrations
  }

  @discardableResult
  func register(_ registrations: [DeviceRegistration]) async throws(Problem) -> [DeviceID] {
    guard !registrations.isEmpty else { return [] }
    return try await change { store throws(StoreError) in try store.registerDevices(registrations, now: now).map(\.id) }
  }
}

extension CompatCall {
  /// Registers the device of a user, whose app or backend asks for it.
  /// - Parameter isApp: whether the request is an app's: it changes no other user's device then.
  @discardableResult
  func register(
    user: String, _ kind: DeviceKind, token: String, more: JSONObject, isApp: Bool
  ) async throws(Problem) -> Device? {
    let known = try device(token: token)
    var body: JSONObject = ["type": .string(kind.name), "token": .string(token), "user": .string(user)]
    body["environment"] = .string((known?.environment ?? usualEnvironment(kind)).name)
    // A device that changes hands keeps nothing of its former user.
    if let known, known.user != user {
      body["properties"] = [:]
      body["tags"] = []
    }
    for (name, value) in more { body[name] = value }
    var registrations = try self.registrations([.object(body)])
    if isApp {
      for index in registrations.indices {
        registrations[index].principal = .client(user: user)
        registrations[index].otherNames = nil
      }
    }
    // Under the device's name another backend knows the former user; one that gives no name of its own starts anew.
    let former = more["name"] == nil ? known.flatMap { $0.user == nil || $0.user == user ? nil : $0 } : nil
    let id: DeviceID?
    do throws(StoreError) {
      id = try await service.store.change { [registrations] store throws(StoreError) in
        if let former, let now = try store.device(former.id), now.user == former.user, now.token == former.token {
          _ = try store.removeDevices([former.id])
        }
        return try store.registerDevices(registrations, now: now).first?.id
      }
    } catch {
      guard error.code == .notPermitted else { throw Problem(error) }
      throw Problem(.identityMismatch, "the device belongs to another user; register it with its current push token")
    }
    return try ask { store throws(StoreError) in try id.flatMap { (id) throws(StoreError) in try store.device(id) } }
  }

  /// The environment of a token that comes without one: the one that the app has credentials for.
  func usualEnvironment(_ kind: DeviceKind) -> DeviceEnvironment {
    let isSandboxOnly = entry.credentials[.apns] == nil && entry.credentials[.apnsSandbox] != nil
    return kind.provider.hasEnvironments && isSandboxOnly ? .development : .production
  }
}
