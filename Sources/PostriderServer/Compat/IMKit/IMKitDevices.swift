internal import Basics
internal import HTTPServer
internal import PushPayload
internal import Signing
internal import StoreModel
internal import WireJSON

/// The devices of clients.
enum IMKitDevices {
  static let routes: [Route] = [
    IMKitRoutes.route(
      .post, "/me/subscribe", "Subscribe", "Registers a client's device.", .init(caller: .app),
      body: Schema(
        .map, "IMKit's request.",
        example: ["type": "fcm", "token": "fMEO1bKqT0:APA91b", "deviceId": "pixel-8-uuid-002"]), subscribe),
    IMKitRoutes.route(
      .post, "/me/unsubscribe", "Unsubscribe", "Forgets a client's device.", .init(caller: .app),
      body: Schema(.map, "IMKit's request.", example: ["type": "fcm", "deviceId": "pixel-8-uuid-002"]), unsubscribe),
  ]

  private static let kinds: [(name: String, value: DeviceKind?)] = [
    ("ios", .ios), ("android", .android), ("fcm", .android), ("ios-voip", .iosVoIP), ("web", nil),
  ]

  /// Our name of a client's device.
  ///
  /// It has a mark of the client in it: apps choose their ids, so that one is no proof of whose the device is, and nobody takes
  /// another client's device by its id.
  private static func name(_ object: CompatObject, _ kind: DeviceKind, of client: String) throws(Problem) -> String {
    guard let id = try object.text("deviceId"), !id.isEmpty else { throw needed("deviceId") }
    guard id.unicodeScalars.count <= deviceIDCharactersMax else {
      throw Problem.ofMember("deviceId", "expected at most \(deviceIDCharactersMax) characters")
    }
    return "\(kind.name):\(Hex.encode(SHA256.digest(client).prefix(8))):\(id)"
  }

  private static let deviceIDCharactersMax = 150

  private static func needed(_ name: String) -> Problem { IMKitErrors.missing("\(name) is required") }

  private static func kind(_ object: CompatObject) throws(Problem) -> DeviceKind {
    guard let found = try object.choice("type", kinds) else { throw needed("type") }
    guard let kind = found else {
      throw Problem.ofMember(
        "type",
        "IMKit's own subscriptions of browsers are not here, and web push is: register them with"
          + " POST /v1/apps/{app}/devices and the type web; here there are ios, ios-voip and fcm")
    }
    return kind
  }

  @Sendable private static func subscribe(_ c: CompatCall) async throws(Problem) -> JSONValue {
    let object = try CompatObject(c.body, "", known: ["type", "token", "deviceId", "clientId"])
    let client = try IMKitCaller.client(c, named: object.userID("clientId"))
    let kind = try kind(object)
    guard let token = try object.text("token"), !token.isEmpty else { throw needed("token") }
    let name = try name(object, kind, of: client)
    try await c.register(
      user: client, kind, token: token, more: ["name": .string(name)], isApp: !IMKitCaller.isBackend(c))
    return [:]
  }

  @Sendable private static func unsubscribe(_ c: CompatCall) async throws(Problem) -> JSONValue {
    let object = try CompatObject(c.body, "", known: ["type", "deviceId", "clientId", "token"])
    let client = try IMKitCaller.client(c, named: object.userID("clientId"))
    let name = try name(object, try kind(object), of: client)
    let device = try c.ask { store throws(StoreError) in try store.device(app: c.app, named: name) }
    guard let device, device.user == client else { return ["n": 0, "ok": 1] }
    try await c.run(.deleteDevice, [device.id.description])
    return ["n": 1, "ok": 1]
  }
}
