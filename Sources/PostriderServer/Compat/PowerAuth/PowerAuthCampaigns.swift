internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Campaigns: a message that is sent to a list of users.
///
/// Each is a draft of ours, which is released once.
enum PowerAuthCampaigns {
  static let routes: [Route] =
    PowerAuthRoutes.route(
      [.post], "/push/campaign/create", "CreateCampaign", "Creates a campaign.",
      body: Schema(
        .map, "The push server's request.",
        example: ["requestObject": ["appId": "mobile-bank", "message": ["title": "News", "body": "There are some"]]]),
      create)
    + PowerAuthRoutes.route(
      [.post, .delete], path + "/delete", "DeleteCampaign", "Deletes a campaign that was not sent.", body: emptyBody,
      delete)
    + PowerAuthRoutes.route([.get], path + "/detail", "GetCampaign", "Shows a campaign.") { c throws(Problem) in
      json(try PowerAuthCampaign(c), c)
    }
    + PowerAuthRoutes.route(
      [.get], "/push/campaign/list", "ListCampaigns", "Lists campaigns, newest first.",
      query: [
        Route.Query(
          name: "all",
          schema: .choice(["true", "false"], "Whether those that were sent are listed too; false by default."))
      ]
    ) { c throws(Problem) in
      .array(try list(c, withSent: c.query["all"] == "true").map { json($0, c) })
    }
    + PowerAuthRoutes.route(
      [.post], "/push/campaign/send/live/{campaign}", "SendCampaign", "Sends a campaign to its users.", body: emptyBody,
      send)
    + PowerAuthRoutes.replying(
      [.post], "/push/campaign/send/test/{campaign}", "SendTestCampaign", "Sends a campaign's message to one user.",
      body: Schema(.map, "The push server's request.", example: ["requestObject": ["userId": "1234567890"]]), test)

  static let path = "/push/campaign/{campaign}"
  /// Clients send nothing, or an empty object.
  private static let emptyBody = Schema(.map, "Nothing, or an empty object.", example: [:])
  /// Campaigns that a list shows.
  private static let listMax = 200
  /// Pushes that are read for them: our own campaigns are among them.
  private static let readMax = 1_000

  private static func json(_ campaign: PowerAuthCampaign, _ c: CompatCall) -> JSONValue {
    [
      "id": campaign.id, "appId": .string(c.appID), "sent": .bool(campaign.isSent), "message": campaign.message,
    ]
  }

  @Sendable private static func create(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let object = try CompatObject(envelope: c.body, known: ["appId", "message"])
    _ = try PowerAuthApp(object, c)
    guard let body = object["message"] else { throw PowerAuthErrors.refusal("message is missing") }
    let field = object.field("message")
    let request: JSONObject = [
      "contract": PowerAuthMessage.contract, "campaign": .string(PowerAuthCampaign.newName()),
      "message": .object(try PowerAuthMessage.message(body, field)), "to": PowerAuthCampaign.nobody, "draft": true,
    ]
    let native = try c.native(.createPush, [], .object(request), idempotency: c.call.idempotency)
    do throws(Problem) {
      guard let scheduled = try await ScheduledPushRoutes.scheduled(native, c.entry, c.service),
        let id = ((try? JSON.parse(scheduled.json))?["id"]?.string).flatMap(PushID.init)
      else { throw Problem(.internalError, "a draft was not stored as one") }
      return ["id": PowerAuthRoutes.number(Int(id.rawValue))]
    } catch { throw PowerAuthErrors.naming(error, body: field) }
  }

  @Sendable private static func delete(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    try noMembers(c)
    guard let campaign = try PowerAuthCampaign.find(c) else { return ["deleted": false] }
    guard !campaign.isSent else {
      throw PowerAuthErrors.refusal("the campaign was sent, and a campaign that was sent is not deleted")
    }
    do throws(Problem) { try await c.run(.deletePush, [campaign.push.description]) } catch {
      throw PowerAuthErrors.ofRecord(error)
    }
    return ["deleted": true]
  }

  private static func noMembers(_ c: CompatCall) throws(Problem) {
    _ = try CompatObject(c.body, "", known: [])
  }

  private static func list(_ c: CompatCall, withSent: Bool) throws(Problem) -> [PowerAuthCampaign] {
    let pushes = try c.ask { store throws(StoreError) in
      try store.pushes(app: c.app, campaignsOnly: true, before: nil, limit: readMax)
    }
    var campaigns: [PowerAuthCampaign] = []
    for push in pushes where campaigns.count < listMax {
      guard let campaign = try PowerAuthCampaign(push, c), withSent || !campaign.isSent else { continue }
      campaigns.append(campaign)
    }
    return campaigns
  }

  @Sendable private static func send(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    try noMembers(c)
    let campaign = try PowerAuthCampaign(c)
    guard !campaign.isSent else {
      throw PowerAuthErrors.refusal("the campaign was sent; create another one to send the message again")
    }
    do throws(Problem) { try await c.run(.sendPush, [campaign.push.description]) } catch {
      throw PowerAuthErrors.naming(PowerAuthErrors.ofRecord(error), body: "message")
    }
    return nil
  }

  @Sendable private static func test(_ c: CompatCall) async throws(Problem) -> Reply {
    let campaign = try PowerAuthCampaign(c)
    let object = try CompatObject(envelope: c.body, known: ["userId"])
    guard let user = object["userId"] else { throw PowerAuthErrors.refusal("userId is missing") }
    let message = try PowerAuthMessage(["userId": user, "body": campaign.message], "requestObject")
    let devices = try message.devices(c)
    guard let push = try message.push(to: devices, c, idempotency: c.call.idempotency) else {
      return PowerAuthRoutes.ok()
    }
    if let shadow = c.call.shadow {
      try shadow.note(push, Report(), c.entry, c.service)
      return PowerAuthRoutes.ok()
    }
    do throws(Problem) {
      try await Approvals.refuse([push], c.entry, c.service, now: c.call.now)
      _ = try await c.service.create([push], c.call)
    } catch { throw PowerAuthErrors.ofRecord(error) }
    c.service.sending.wake()
    return PowerAuthRoutes.ok()
  }
}

/// A campaign: a push whose name says that it was created here.
struct PowerAuthCampaign: Sendable {
  let push: PushID
  let isSent: Bool
  let message: JSONValue
  /// Whom it is for; none any more when retention has removed the request of a push that was sent.
  let users: [String]

  private static let prefix = "powerauth-"

  /// The name of a new one.
  ///
  /// The contract writes no name into the payload.
  static func newName() -> String { prefix + CompatID.random() }

  /// The audience of a campaign without users: no device lacks the time of its registration.
  static let nobody: JSONValue = ["filter": ["field": "registered_at", "op": "not_exists"]]

  static let missing = PowerAuthErrors.refusal("there is no campaign with this id")

  /// The campaign of the path.
  init(_ c: CompatCall) throws(Problem) {
    guard let campaign = try PowerAuthCampaign.find(c) else { throw PowerAuthCampaign.missing }
    self = campaign
  }

  /// Nil for a push that is none.
  init?(_ push: Push, _ c: CompatCall) throws(Problem) {
    guard push.app == c.app, push.name?.hasPrefix(PowerAuthCampaign.prefix) == true else { return nil }
    let scheduled = try c.ask { store throws(StoreError) in try store.scheduledPush(of: push.id) }
    let request = scheduled.flatMap { try? JSON.parse($0.request) } ?? .null
    if let message = request["message"] {
      self.message = message
    } else {
      let content = try c.ask { store throws(StoreError) in try store.content(of: push.id) }
      message = content.flatMap { try? JSON.parse($0.message) } ?? .null
    }
    self.push = push.id
    isSent = push.state != .draft && push.state != .planned
    users = request["to"]?["users"]?.array?.compactMap(\.string) ?? []
  }

  /// The campaign of the path; nil for a number of another app, of a push that is none, and of nothing.
  static func find(_ c: CompatCall) throws(Problem) -> PowerAuthCampaign? {
    guard let id = PushID(c.call.parameters[0]) else { return nil }
    let push = try c.ask { store throws(StoreError) in try store.push(id) }
    return try push.flatMap { push throws(Problem) in try PowerAuthCampaign(push, c) }
  }

  /// A number, as the push server answers.
  var id: JSONValue { PowerAuthRoutes.number(Int(push.rawValue)) }
}
