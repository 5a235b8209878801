internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// Notifications that were created: one, all of them, canceling.
enum OneSignalViews {
  static let routes: [Route] = [
    OneSignalRoutes.route(
      .get, "/notifications/{notification_id}", "GetNotification", "Shows a notification and its counts.", pace: .long
    ) { c throws(Problem) in
      let push = try push(c.call.parameters[0], c)
      var object = try json(push, c)
      object["platform_delivery_stats"] = try platforms(push, c)
      return Reply(200, .object(object))
    },
    OneSignalRoutes.route(
      .get, "/notifications", "GetNotifications", "Lists notifications, newest first.",
      query: [
        OneSignalRoutes.limit, OneSignalRoutes.offset,
        Route.Query(name: "kind", schema: .integer(0...3, "1 for those of the API, which all are.")),
      ], pace: .long, list),
    OneSignalRoutes.route(
      .delete, "/notifications/{notification_id}", "CancelNotification", "Stops a notification that is not sent."
    ) { c async throws(Problem) in
      let push = try push(c.call.parameters[0], c)
      guard !push.state.isOver else {
        throw Problem(.invalid, "Notification has already been sent to all recipients")
      }
      try await c.run(.cancelPush, [push.id.description])
      return Reply(200, ["success": true])
    },
  ]

  private static let limitMax = 50

  static func push(_ id: String, _ c: CompatCall) throws(Problem) -> Push {
    if let number = c.number(id, .push) {
      let push = try c.ask { store throws(StoreError) in try store.push(PushID(rawValue: number)) }
      if let push, push.app == c.app { return push }
    }
    throw Problem(.notFound, OneSignalErrors.noNotification)
  }

  @Sendable private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    let (offset, limit) = OneSignalRoutes.page(c, limitMax: limitMax)
    let isOfOthers = c.query["kind"].map { $0 != "1" } ?? false
    let (total, pushes) = try c.ask { store throws(StoreError) in
      isOfOthers
        ? (0, []) : (try store.countPushes(app: c.app), try store.pushes(app: c.app, offset: offset, limit: limit))
    }
    var shown: [JSONValue] = []
    for push in pushes { shown.append(.object(try json(push, c))) }
    return Reply(
      200,
      [
        "total_count": OneSignalRoutes.number(total), "offset": OneSignalRoutes.number(offset),
        "limit": OneSignalRoutes.number(limit), "notifications": .array(shown),
      ])
  }

  private static func json(_ push: Push, _ c: CompatCall) throws(Problem) -> JSONObject {
    var object = JSONObject()
    for (name, value) in try message(push, c) where OneSignalFields.ofMessage.contains(name) {
      // OneSignal's own clients read a text here, though they send texts by language.
      object[name] = name == "android_group_message" ? value["en"] ?? value : value
    }
    object["id"] = .string(c.id(push.id.rawValue, .push))
    object[CompatCall.appMember] = .string(c.appID)
    let counts = push.counts
    object["successful"] = OneSignalRoutes.number(counts.accepted)
    object["failed"] = OneSignalRoutes.number(counts.rejected)
    object["errored"] = OneSignalRoutes.number(counts.unknown + counts.expired)
    object["remaining"] = OneSignalRoutes.number(counts.waiting + counts.inFlight)
    object["converted"] = OneSignalRoutes.number(push.events.opened)
    object["received"] = OneSignalRoutes.number(push.events.received)
    object["queued_at"] = OneSignalRoutes.seconds(push.createdAt)
    object["send_after"] = OneSignalRoutes.seconds(push.startAt)
    object["completed_at"] = OneSignalRoutes.seconds(push.finishedAt)
    object["canceled"] = .bool(push.state == .cancelled)
    object["throttle_rate_per_minute"] = push.throttlePerMinute.map(OneSignalRoutes.number) ?? .null
    return object
  }

  /// The message's fields; those of a push of another contract are not OneSignal's.
  private static func message(_ push: Push, _ c: CompatCall) throws(Problem) -> JSONObject {
    let (content, scheduled) = try c.ask { store throws(StoreError) in
      (try store.content(of: push.id), try store.scheduledPush(of: push.id))
    }
    if let request = scheduled.flatMap({ try? JSON.parse($0.request) }), let message = request["message"]?.object {
      return message
    }
    let message = content.flatMap { try? JSON.parse($0.message) }?.object ?? [:]
    return message["contents"] != nil || message["headings"] != nil || message["data"] != nil ? message : [:]
  }

  private static func platforms(_ push: Push, _ c: CompatCall) throws(Problem) -> JSONValue {
    let counts = try c.ask { store throws(StoreError) in try store.countByProvider(push: push.id) }
    var object = JSONObject()
    for (provider, name) in [(Provider.apns, "ios"), (.fcm, "android"), (.web, "chrome_web_push"), (.hms, "huawei")] {
      guard let states = counts[provider] else { continue }
      object[name] = [
        "successful": OneSignalRoutes.number(states[.accepted] ?? 0),
        "failed": OneSignalRoutes.number(states[.rejected] ?? 0),
        "errored": OneSignalRoutes.number((states[.unknown] ?? 0) + (states[.expired] ?? 0)),
      ]
    }
    return .object(object)
  }
}
