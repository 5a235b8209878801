internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Pushes that belong to no campaign: tests, and those that wait for one user.
enum AmbaSends {
  static let routes: [Route] =
    AmbaRoutes.both("/push/test", "/push/campaigns/test", "SendTestPush") { path, name in
      AmbaRoutes.route(
        .post, path, name, "Sends a message to one device.",
        body: Schema(
          .map, "Amba's request.", example: ["title": "Test", "body": "It works.", "app_user_id": "user-1"]), test)
    }
    + AmbaRoutes.both(
      "/users/{app_user_id}/push-schedule", "/users/{app_user_id}/push-schedule", "ScheduleUserPush"
    ) { path, name in
      AmbaRoutes.route(
        .post, path, name, "Sends a message to one user at a time.", .init(status: 201),
        body: Schema(
          .map, "Amba's request.",
          example: ["title": "Morning reminder", "body": "Check your goals.", "scheduled_at": "2031-05-01T13:00:00Z"]),
        schedule)
    }

  /// Our name of a user: Amba's `external_id`, or the id of this interface.
  private static func user(_ id: String, _ c: CompatCall) throws(Problem) -> String { try c.userName(ofID: id) ?? id }

  @Sendable private static func test(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(
      c.body, "", known: ["title", "body", "data", "app_user_id", "device_token", "provider"])
    let message = try AmbaCampaigns.message(object)
    let (id, token) = (try object.userID("app_user_id"), try object.text("device_token"))
    let provider = try object.choice("provider", [("apns", DeviceKind.ios), ("fcm", DeviceKind.android)])
    let to: JSONValue
    switch (id, token, provider) {
    case (let id?, nil, nil): to = ["user": .string(try user(id, c))]
    case (nil, let token?, let kind?):
      let known = try c.device(token: token)
      let environment = known?.environment ?? c.usualEnvironment(kind)
      to = [
        "token": [
          "type": .string(kind.name), "token": .string(token), "environment": .string(environment.name),
        ]
      ]
    default: throw Problem.ofMember("app_user_id", "expected app_user_id, or device_token and provider")
    }
    do throws(Problem) {
      let made = try await c.run(
        .testPush, [], ["contract": "amba", "message": .object(message), "to": to],
        idempotency: c.call.idempotency)
      guard let number = (made["id"]?.string).flatMap({ Int64($0) }) else {
        throw Problem(.internalError, "a test push has no id")
      }
      return ["id": .string(c.id(number, .push)), "status": "sending"]
    } catch { throw AmbaErrors.naming(error) }
  }

  @Sendable private static func schedule(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(c.body, "", known: AmbaTime.names.union(["title", "body", "data"]))
    guard let id = c.call.parameters.last, !id.isEmpty, id.unicodeScalars.count <= DeviceRoutes.userCharactersMax else {
      throw Problem.ofMember("app_user_id", "expected 1 to \(DeviceRoutes.userCharactersMax) characters")
    }
    let user = try user(id, c)
    let message = try AmbaCampaigns.message(object)
    guard let time = try AmbaTime.read(object, now: c.now) else {
      throw AmbaErrors.problem(.badTime, "scheduled_at: is required")
    }
    var request = time.native
    (request["contract"], request["message"]) = ("amba", .object(message))
    do throws(Problem) {
      let made = try await c.run(.scheduleForUser, [user, key(c)], .object(request))
      guard let number = (made["id"]?.string).flatMap({ Int64($0) }) else {
        throw Problem(.internalError, "a push that waits has no id")
      }
      var shown = message
      for (name, value) in time.members { shown[name] = value }
      shown["id"] = .string(c.id(number, .push))
      shown["app_user_id"] = .string(id)
      shown["data"] = message["data"] ?? [:]
      shown["status"] = "scheduled"
      shown["sent_at"] = .null
      shown["created_at"] = made["created_at"] ?? .null
      return .object(shown)
    } catch { throw AmbaErrors.naming(error) }
  }

  /// The name of a push among the user's: the same for a request that comes again with its key.
  private static func key(_ c: CompatCall) -> String {
    guard let header = c.call.idempotency else { return "amba-" + CompatID.random() }
    return "amba-" + IdempotencyHeader.digest(ofKey: header.storeKey(c.call).key)
  }
}
