internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A subscription in OneSignal's requests and answers: a device of ours.
struct OneSignalSubscription {
  /// What is said of the device beside its type and token, as our own requests have it.
  private(set) var changes = JSONObject()
  let kind: DeviceKind?
  let token: String?
  /// Where it is in the request, for refusals.
  let path: String
  private(set) var environment: DeviceEnvironment?
  /// The keys of a browser's subscription, whose token is its endpoint.
  private(set) var browserKeys = JSONObject()

  static let types: [(name: String, number: Int, kind: DeviceKind)] = [
    ("iOSPush", 0, .ios), ("AndroidPush", 1, .android), ("HuaweiPush", 13, .hms), ("ChromePush", 5, .web),
    ("FirefoxPush", 8, .web), ("SafariPush", 17, .web),
  ]
  /// What is kept of a device as a property, by OneSignal's names.
  private static let properties = [
    ("device_model", "device_model"), ("device_os", "os_version"), ("sdk", "sdk"), ("net_type", "net_type"),
    ("carrier", "carrier"), ("rooted", "rooted"), ("session_count", "session_count"), ("session_time", "session_time"),
  ]
  private static let subscribed = 1
  private static let unsubscribed = -2

  /// Reads a subscription; what it has and we do not keep is refused.
  init(_ value: JSONValue, _ path: String) throws(Problem) {
    guard let object = value.object else { throw OneSignalErrors.refusal(path, "expected an object") }
    let member = value
    self.path = path
    kind = try OneSignalSubscription.kind(object["type"], path)
    token = try value.text("token", in: path)
    var properties = JSONObject()
    for (name, value) in object where !value.isNull {
      switch name {
      case "type", "token", "id", CompatCall.appMember: continue
      case "web_auth": browserKeys["auth"] = value
      case "web_p256": browserKeys["p256dh"] = value
      case "enabled": changes["opt_out"] = .bool(try member.flag(name, in: path) == false)
      case "notification_types":
        let number = try member.whole(name, in: path) ?? OneSignalSubscription.subscribed
        if object["enabled"]?.isNull ?? true { changes["opt_out"] = .bool(number <= 0) }
      case "app_version": changes[name] = value
      case "test_type": environment = try member.whole(name, in: path) == 1 ? .development : .production
      default:
        guard let row = OneSignalSubscription.properties.first(where: { $0.0 == name }) else {
          throw OneSignalErrors.refusal("\(path).\(name.prefix(40))", "is not stored here; leave it out")
        }
        properties[row.1] = value
      }
    }
    if !properties.isEmpty { changes["properties"] = .object(properties) }
  }

  static func kind(_ value: JSONValue?, _ path: String) throws(Problem) -> DeviceKind? {
    guard let value, !value.isNull else { return nil }
    if let row = types.first(where: { .string($0.name) == value || value.int == $0.number }) { return row.kind }
    let names = types.map(\.name).joined(separator: ", ")
    throw OneSignalErrors.refusal(
      "\(path).type", "\"\((value.string ?? value.number?.text ?? "").prefix(40))\" is not here; there are \(names)")
  }

  static func type(_ device: Device) -> (name: String, number: Int) {
    switch (device.kind.provider, device.kind.platform) {
    case (.hms, _): ("HuaweiPush", 13)
    case (_, .ios): ("iOSPush", 0)
    case (_, .android): ("AndroidPush", 1)
    case (_, .web): browser(device.token)
    }
  }

  /// The browser by its push service; Chrome's is that of most others, too.
  private static func browser(_ token: String) -> (name: String, number: Int) {
    let host = token.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
    if host.hasSuffix(".mozilla.com") { return ("FirefoxPush", 8) }
    return host.hasSuffix(".push.apple.com") ? ("SafariPush", 17) : ("ChromePush", 5)
  }

  /// The registration of the device.
  ///
  /// One that is known by its token keeps its name, which may be its id, and what the request does not name: without its user it
  /// would be another person's, who has refused nothing.
  func registration(user: String?, more: JSONObject, _ c: CompatCall) throws(Problem) -> JSONValue {
    guard let kind, let token, !token.isEmpty else {
      throw OneSignalErrors.refusal("\(path).\(kind == nil ? "type" : "token")", "is required")
    }
    let known = try c.device(token: token)
    var body: JSONObject = ["type": .string(kind.name)]
    if kind.form == .subscription, WebAddress(token) == nil {
      guard browserKeys.count == 2 else {
        throw OneSignalErrors.refusal(path, "web_auth and web_p256 are required for a browser")
      }
      body["endpoint"] = .string(token)
      for (name, value) in browserKeys { body[name] = value }
    } else {
      body["token"] = .string(token)
    }
    if let name = known == nil ? CompatID.random() : known?.name { body["name"] = .string(name) }
    if let environment { body["environment"] = .string(environment.name) }
    let kept = [
      ("user", user ?? known?.user), ("locale", known?.locale), ("timezone", known?.timezone),
      ("app_version", known?.appVersion),
    ]
    for (name, text) in kept { if let text { body[name] = .string(text) } }
    for (name, value) in more { body[name] = value }
    for (name, value) in changes { body[name] = value }
    return .object(body)
  }

  // MARK: - Showing

  /// The subscription's id: the one it was imported or created with, else one that follows from the device's number.
  static func id(_ device: Device, _ c: CompatCall) -> String { id(device, c.idSeed) }

  /// The same, outside of a request.
  static func id(_ device: Device, _ seed: String) -> String {
    if let name = device.name, CompatID.isUUID(name) { return name }
    return CompatID.of(device.id.rawValue, .device, app: seed)
  }

  static func json(_ device: Device, _ c: CompatCall) -> JSONValue {
    let isOn = device.state == .active && !device.optOut.everything
    var object: JSONObject = [
      "id": .string(id(device, c)), CompatCall.appMember: .string(c.appID),
      "type": .string(type(device).name), "token": .string(WebAddress.identity(of: device.token)),
      "enabled": .bool(isOn),
      "notification_types": OneSignalRoutes.number(isOn ? subscribed : unsubscribed),
      "test_type": OneSignalRoutes.number(device.environment == .development ? 1 : 0),
    ]
    if let version = device.appVersion { object["app_version"] = .string(version) }
    let kept = PropertyFields.json(device.properties)
    for (name, property) in properties { if let value = kept[property] { object[name] = value } }
    return .object(object)
  }

  /// The properties of a device that are no member of their own.
  static func tags(_ device: Device) -> JSONObject {
    var tags = JSONObject()
    for (name, value) in PropertyFields.json(device.properties).object ?? [:]
    where !properties.contains(where: { $0.1 == name }) { tags[name] = OneSignalTags.text(value) }
    return tags
  }
}
