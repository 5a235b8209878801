internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Custom pushes to clients, our users.
enum IMKitPush {
  static let routes: [Route] = [
    CompatVendor.imKit.route(
      .post, "/push/push2clients", "PushToClients", "Sends a message to clients.", body: body
    ) { c async throws(Problem) in
      let request = try IMKitPush.request(c)
      do throws(Problem) {
        _ = try await c.createPush(request, idempotency: c.call.idempotency)
        return IMKitRoutes.ok([:])
      } catch { throw IMKitErrors.naming(error) }
    }
  ]

  private static let body = Schema(
    .map, "IMKit's request.",
    example: [
      "clients": ["user001", "user002"], "payload": ["alert": "Half price today", "badge": 1, "sound": "default"],
    ])

  /// The payload's members that are fields of the contract; a room makes the type, and may be muted.
  private static let fields = [
    "type", "alert", "badge", "sound", "title", "body", "icon", "collapseKey", "room",
  ]

  private static func request(_ c: CompatCall) throws(Problem) -> JSONObject {
    let object = try CompatObject(c.body, "", known: ["clients", "payload"])
    guard let clients = try object.elements("clients"), let value = object["payload"] else {
      throw IMKitErrors.missing("clients and payload are required")
    }
    let payload = try CompatObject(value, "payload", known: Set(fields + ["expiry", "topic"]))
    var message = JSONObject()
    for name in fields { if let value = payload[name] { message[name] = value } }
    try checkTexts(payload)
    var request: JSONObject = ["contract": "imkit", "to": ["users": .array(clients)]]
    if let seconds = try secondsLeft(payload, c) {
      message["timeToLive"] = .number(JSONNumber(seconds))
      request["expires_in_seconds"] = .number(JSONNumber(seconds))
    }
    if let topic = try payload.text("topic") { request["topic"] = .string(topic) }
    if let room = try room(payload) { request["category"] = .string(try IMKitRooms.category(of: room)) }
    request["message"] = .object(message)
    return request
  }

  /// The contract has one text for both platforms, IMKit's request one for each.
  private static func checkTexts(_ payload: CompatObject) throws(Problem) {
    guard let alert = payload["alert"]?.string, let body = payload["body"]?.string,
      !alert.utf8.elementsEqual(body.utf8)
    else { return }
    throw Problem.ofMember(
      "payload.alert",
      "one text goes to both platforms, and body is another one; give them the same text, or one of them")
  }

  /// The room that a push is about, as the contract writes it into the type of a chat event.
  private static func room(_ payload: CompatObject) throws(Problem) -> String? {
    let prefix = "chatroom_chat:"
    let (room, type) = (try payload.text("room"), try payload.text("type"))
    return room ?? type.flatMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
  }

  private static func secondsLeft(_ payload: CompatObject, _ c: CompatCall) throws(Problem) -> Int? {
    guard let value = payload["expiry"] else { return nil }
    let field = payload.field("expiry")
    guard let expiry = value.int else {
      throw Problem.ofMember(field, "expected a time in whole seconds since 1970")
    }
    let now = Int(c.now.seconds)
    guard expiry > now else { throw Problem.ofMember(field, "has passed; leave it out, or give a later time") }
    guard expiry <= now + secondsMax else {
      throw Problem.ofMember(field, "is more than 28 days ahead; give an earlier time in seconds since 1970")
    }
    return expiry - now
  }

  /// How long a push waits for a device at most: what FCM takes.
  private static let secondsMax = 2_419_200
}
