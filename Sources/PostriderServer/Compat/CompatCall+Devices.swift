internal import PushPayload
internal import PushStore
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
      registrations.append(try DeviceRoutes.registration(body, app: app))
    }
    return registrations
  }

  @discardableResult
  func register(_ registrations: [DeviceRegistration]) async throws(Problem) -> [DeviceID] {
    guard !registrations.isEmpty else { return [] }
    return try await change { store throws(StoreError) in try store.registerDevices(registrations, now: now).map(\.id) }
  }
}
