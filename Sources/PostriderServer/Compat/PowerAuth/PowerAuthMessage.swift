internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A message of a request, as the request of a push, and the devices that it is for.
struct PowerAuthMessage {
  /// The request of the push, without its audience.
  let request: JSONObject
  /// The field path of the body, for refusals.
  let bodyPath: String
  private let user: String
  private let activation: String?
  private let isPersonal: Bool

  /// The members of a body: the names that the contract reads, without those that are elsewhere in a request.
  static let bodyMembers: Set<String> = [
    "title", "titleLocKey", "titleLocArgs", "body", "bodyLocKey", "bodyLocArgs", "icon", "badge", "sound", "category",
    "collapseKey", "validUntil", "extras",
  ]

  init(_ value: JSONValue, _ path: String) throws(Problem) {
    guard !value.isNull else { throw PowerAuthErrors.refusal("the message is missing") }
    let object = try CompatObject(
      value, path, known: ["userId", "activationId", "priority", "attributes", "body"])
    guard let body = object["body"] else {
      throw PowerAuthErrors.refusal("the message has no body")
    }
    guard let user = try object.userID("userId") else {
      throw PowerAuthErrors.refusal("the message has no userId")
    }
    activation = try object.text("activationId").map { text throws(Problem) in
      try PowerAuthActivations.id(text, object.field("activationId"))
    }
    let priority = try object.choice("priority", [("HIGH", "HIGH"), ("NORMAL", "NORMAL")])
    let attributes = try object["attributes"].map { value throws(Problem) in
      try CompatObject(value, object.field("attributes"), known: ["silent", "personal", "encrypted"])
    }
    if try attributes?.flag("encrypted") == true {
      throw PowerAuthErrors.violation(
        object.field("attributes.encrypted"), "messages are not encrypted; leave it out")
    }
    isPersonal = try attributes?.flag("personal") ?? false
    self.user = user
    bodyPath = object.field("body")
    var message = try PowerAuthMessage.message(body, bodyPath)
    if try attributes?.flag("silent") == true { message["silent"] = true }
    if let priority { message["priority"] = .string(priority) }
    request = ["contract": PowerAuthMessage.contract, "message": .object(message)]
  }

  static let contract: JSONValue = "powerauth"

  /// The message of the contract that a body is; members that are null are absent.
  static func message(_ body: JSONValue, _ path: String) throws(Problem) -> JSONObject {
    let object = try CompatObject(body, path, known: bodyMembers)
    return JSONObject(object.members.filter { !$0.value.isNull }.map { ($0.key, $0.value) })
  }

  /// The active devices of the user, or of one activation of theirs; of a personal message those whose activation is active.
  func devices(_ c: CompatCall) throws(Problem) -> [Device] {
    var devices: [Device]
    if let activation {
      devices = try PowerAuthActivations.device(of: activation, user: user, c).map { [$0] } ?? []
      // Nobody else's device gets the message. Where devices must prove their users, one that has none could be anybody's.
      let isProven = try c.ask { store throws(StoreError) in try store.identity(app: c.app).mode == .required }
      devices.removeAll { $0.user != user && (isProven || $0.user != nil) }
    } else {
      devices = try c.ask { store throws(StoreError) in
        try store.devices(app: c.app, filter: DeviceFilter(user: user), after: nil, limit: StoreLimits.pageMax)
      }
    }
    return devices.filter { device in
      device.state == .active && PowerAuthMessage.kinds.contains(device.kind)
        && (!isPersonal || PowerAuthActivations(of: device).isActive(activation))
    }
  }

  /// Tokens of calls and Live Activities do not show messages.
  private static let kinds: [DeviceKind] = [.ios, .android, .androidFID, .hms]

  /// The push, composed and checked as `POST /v1/apps/{app}/pushes` does; nil when there is nobody to send it to.
  func push(to devices: [Device], _ c: CompatCall, idempotency: IdempotencyHeader?) throws(Problem) -> NewPush? {
    var whole = request
    whole["to"] = devices.isEmpty ? ["all": true] : PowerAuthMessage.audience(devices)
    do throws(Problem) {
      let call = try c.native(.createPush, [], .object(whole), idempotency: idempotency)
      var composer = PushComposer(
        entry: c.entry, body: call.body, now: c.now, store: c.service.store, rules: c.service.rules)
      guard !devices.isEmpty else {
        // Nobody gets it, and what is wrong with it is said all the same.
        try composer.checkMessage()
        return nil
      }
      return try composer.compose(idempotency: idempotency?.storeKey(call))
    } catch { throw PowerAuthErrors.naming(error, body: bodyPath) }
  }

  private static func audience(_ devices: [Device]) -> JSONValue {
    ["devices": .array(devices.map { .string($0.id.description) })]
  }
}
