internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Live Activities: started, updated and ended as activities of ours, under the vendor's `activity_id`.
enum OneSignalActivities {
  private static let path = "/apps/{app_id}/live_activities/{activity_id}"

  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post, "/apps/{app_id}/activities/activity/{activity_type}", "StartLiveActivity",
      "Starts a Live Activity on a user's phones.",
      body: Schema(
        .map, "OneSignal's request.",
        example: [
          "name": "order", "event": "start", "activity_id": "order-17", "event_attributes": ["order": "17"],
          "event_updates": ["minutes": 25], "contents": ["en": "On its way"], "headings": ["en": "Order 17"],
          "include_aliases": ["external_id": ["ann"]],
        ]), start),
    OneSignalRoutes.route(
      .post, path + "/notifications", "UpdateLiveActivity", "Updates or ends a Live Activity.",
      body: Schema(
        .map, "OneSignal's request.",
        example: ["name": "order", "event": "update", "event_updates": ["minutes": 12]]), update),
    OneSignalRoutes.route(
      .post, path + "/token", "BeginLiveActivity", "Takes the push token of an activity that was started from here.",
      body: Schema(.map, "OneSignal's request.", example: ["push_token": "5c5c5c", "subscription_id": "b6b326d8"]),
      begin),
  ]

  private static let common: Set<String> = [
    "name", "event", "event_updates", "contents", "headings", "sound", "ios_sound", "stale_date", "priority",
    "ios_relevance_score", "ttl", "idempotency_key",
  ]
  private static let targets: Set<String> = [
    "include_aliases", "include_external_user_ids", "include_subscription_ids", "include_player_ids", "target_channel",
    "included_segments", "excluded_segments", "filters",
  ]

  // MARK: - Start

  @Sendable private static func start(_ c: CompatCall) async throws(Problem) -> Reply {
    try c.body.refuseOthers(than: common.union(targets).union(["activity_id", "event_attributes"]))
    guard try c.body.text("event") ?? "start" == "start" else {
      throw OneSignalErrors.refusal("event", "expected start")
    }
    guard let id = try c.body.text("activity_id"), !id.isEmpty else {
      throw OneSignalErrors.refusal("activity_id", "is required")
    }
    var request = try content(c.body)
    request["id"] = .string(id)
    request["attributes_type"] = .string(c.call.parameters[1])
    request["attributes"] = .object(try c.body.members("event_attributes") ?? [:])
    request["content_state"] = request["content_state"] ?? [:]
    request["to"] = ["user": .string(try user(c))]
    guard request["alert"] != nil else {
      throw OneSignalErrors.refusal("contents", "is required: Apple shows a started activity with an alert only")
    }
    let made = try await run(.startActivity, [], request, c)
    return Reply(200, ["notification_id": made])
  }

  /// The one user for whom it is started.
  private static func user(_ c: CompatCall) throws(Problem) -> String {
    let target = try OneSignalTarget(c)
    var users = Set(target.people)
    users.formUnion(target.devices.compactMap(\.user))
    guard target.filter == nil, target.to["all"] == nil, target.to["tokens"] == nil else {
      throw OneSignalErrors.refusal(
        "included_segments", "an activity is started for one user; many watch a channel, /v1/apps/{app}/channels")
    }
    guard users.count == 1, let user = users.first else {
      throw OneSignalErrors.refusal(
        "include_aliases", "an activity is started for one user here, found \(users.count); start one for each")
    }
    return user
  }

  // MARK: - Update and end

  @Sendable private static func update(_ c: CompatCall) async throws(Problem) -> Reply {
    try c.body.refuseOthers(than: common.union(["dismissal_date"]))
    let event = try c.body.text("event") ?? ""
    guard event == "update" || event == "end" else {
      throw OneSignalErrors.refusal("event", "expected update or end, found \"\(event.prefix(40))\"")
    }
    var request = try content(c.body)
    request["event"] = .string(event)
    if let time = try time("dismissal_date", c.body) { request["dismissal_date"] = time }
    let made = try await run(.updateActivity, [c.call.parameters[1]], request, c)
    return Reply(200, ["id": made])
  }

  @Sendable private static func begin(_ c: CompatCall) async throws(Problem) -> Reply {
    try c.body.refuseOthers(than: ["push_token", "subscription_id", "player_id"])
    guard let token = try c.body.text("push_token"), !token.isEmpty else {
      throw OneSignalErrors.refusal("push_token", "is required")
    }
    let name = c.call.parameters[1]
    let found = try c.ask { store throws(StoreError) in try store.activity(app: c.app, named: name) }
    guard let found else {
      throw Problem(
        .notFound,
        "activity_id: no activity was started under this id; one that the app starts itself is not known here")
    }
    let (older, newer) = (try c.body.text("player_id"), try c.body.text("subscription_id"))
    if let id = newer ?? older {
      let device = try OneSignalSubscriptions.found(id, c)
      guard device.user == found.user else {
        throw OneSignalErrors.refusal("subscription_id", "the activity is another user's")
      }
    }
    var request: JSONObject = ["token": .string(token)]
    // An app with keys for Apple's sandbox only is a development build.
    request["environment"] = .string(c.usualEnvironment(.iosLiveActivity).name)
    do throws(Problem) { try await c.run(.reportActivityToken, [name], .object(request)) } catch {
      throw error.kind == .conflict ? Problem(.invalid, error.detail) : error
    }
    return Reply(200, ["success": true])
  }

  // MARK: - Both

  /// Sends, and gives the id of the notification.
  private static func run(
    _ operation: NativeOperation, _ parameters: [String], _ request: JSONObject, _ c: CompatCall
  ) async throws(Problem) -> JSONValue {
    let key = try OneSignalPush.key(c)
    let answer: JSONValue
    do throws(Problem) {
      answer = try await c.run(operation, parameters, .object(request), idempotency: key)
    } catch {
      // An activity that has ended, or that no phone has reported, is a conflict to us, and to OneSignal a request that it
      // cannot take.
      throw error.kind == .conflict ? Problem(.invalid, error.detail) : error
    }
    guard let number = answer["id"]?.string.flatMap({ Int64($0) }) else {
      throw Problem(.internalError, "the store returned no push")
    }
    return .string(c.id(number, .push))
  }

  /// The members that starts and updates share, as our requests have them.
  private static func content(_ body: JSONValue) throws(Problem) -> JSONObject {
    var request = JSONObject()
    if let state = try body.members("event_updates") { request["content_state"] = .object(state) }
    var alert = JSONObject()
    for (theirs, ours) in [("headings", "title"), ("contents", "body")] {
      guard let texts = try body.members(theirs) else { continue }
      guard let text = texts["en"]?.string, texts.count == 1 else {
        throw OneSignalErrors.refusal(theirs, "a Live Activity has its texts in one language, as en")
      }
      alert[ours] = .string(text)
    }
    let (sound, older) = (try body.text("sound"), try body.text("ios_sound"))
    if let sound = sound ?? older { alert["sound"] = .string(sound) }
    if !alert.isEmpty { request["alert"] = .object(alert) }
    if let time = try time("stale_date", body) { request["stale_date"] = time }
    if let score = body["ios_relevance_score"], !score.isNull { request["relevance_score"] = score }
    if let priority = try body.whole("priority") {
      guard priority == 5 || priority == 10 else { throw OneSignalErrors.refusal("priority", "expected 5 or 10") }
      request["priority"] = OneSignalRoutes.number(priority)
    }
    if let ttl = try body.whole("ttl"), ttl > 0 { request["expires_in_seconds"] = OneSignalRoutes.number(ttl) }
    return request
  }

  /// Seconds since 1970 as a time of ours.
  private static func time(_ name: String, _ body: JSONValue) throws(Problem) -> JSONValue? {
    guard let seconds = try body.whole(name) else { return nil }
    guard (0...253_402_300_799).contains(seconds) else {
      throw OneSignalErrors.refusal(name, "expected seconds since 1970")
    }
    return .string(TimeText.text(Timestamp(seconds: Int64(seconds))))
  }
}
