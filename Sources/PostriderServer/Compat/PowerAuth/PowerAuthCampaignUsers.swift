internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// The users of campaigns.
enum PowerAuthCampaignUsers {
  static let routes: [Route] =
    PowerAuthRoutes.route(
      [.post, .put], PowerAuthCampaigns.path + "/user/add", "AddCampaignUsers", "Adds users to a campaign.",
      body: body
    ) { c async throws(Problem) in
      let added = try users(c)
      try await change(c) { users in
        let known = Set(users)
        return users + added.filter { !known.contains($0) }
      }
      return nil
    }
    + PowerAuthRoutes.route(
      [.post, .delete], PowerAuthCampaigns.path + "/user/delete", "DeleteCampaignUsers",
      "Removes users from a campaign.", body: body
    ) { c async throws(Problem) in
      let removed = Set(try users(c))
      try await change(c) { users in users.filter { !removed.contains($0) } }
      return nil
    }
    + PowerAuthRoutes.replying(
      [.get], PowerAuthCampaigns.path + "/user/list", "ListCampaignUsers", "Lists a campaign's users by pages.",
      query: [
        Route.Query(name: "page", schema: .integer(0...1_000_000, "The page, from 0.")),
        Route.Query(name: "size", schema: .integer(1...sizeMax, "Users of a page; 20 by default.")),
      ]
    ) { c throws(Problem) in try list(c) }

  private static let body = Schema(
    .map, "The push server's request.", example: ["requestObject": ["1234567890", "1234567891"]])
  private static let sizeMax = 2_000
  private static let sizeUsual = 20

  /// The users of a request, each once.
  private static func users(_ c: CompatCall) throws(Problem) -> [String] {
    let envelope = try CompatObject(c.body, "", known: ["requestObject"])
    guard let values = try envelope.elements("requestObject") else {
      throw PowerAuthErrors.refusal("requestObject is missing")
    }
    guard values.count <= StoreLimits.listedAudienceMax else { throw tooMany }
    var (users, seen): ([String], Set<String>) = ([], [])
    for (index, value) in values.enumerated() {
      let field = "requestObject[\(index)]"
      guard let user = value.string, (1...DeviceRoutes.userCharactersMax).contains(user.unicodeScalars.count) else {
        throw PowerAuthErrors.violation(field, "expected a text of 1 to \(DeviceRoutes.userCharactersMax) characters")
      }
      if seen.insert(user).inserted { users.append(user) }
    }
    return users
  }

  private static let tooMany = PowerAuthErrors.violation(
    "requestObject",
    "a campaign has at most \(StoreLimits.listedAudienceMax) users here; more are a segment of our own API, or several"
      + " campaigns")

  /// Campaigns change one after the other: a list is read, changed and written.
  private static func change(_ c: CompatCall, _ body: @Sendable ([String]) -> [String]) async throws(Problem) {
    let name = "campaign \(c.app) \(c.call.parameters[0])"
    try await c.service.exclusively([name], now: c.now) { () async throws(Problem) in
      let campaign = try PowerAuthCampaign(c)
      guard !campaign.isSent else { throw PowerAuthErrors.refusal("the campaign was sent; its users stay as they are") }
      let users = body(campaign.users)
      guard users != campaign.users else { return }
      guard users.count <= StoreLimits.listedAudienceMax else { throw tooMany }
      let audience: JSONValue =
        users.isEmpty ? PowerAuthCampaign.nobody : ["users": .array(users.map { .string($0) })]
      do throws(Problem) { try await c.run(.updatePush, [campaign.push.description], ["to": audience]) } catch {
        throw PowerAuthErrors.naming(PowerAuthErrors.ofRecord(error), body: "message")
      }
    }
  }

  private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    let campaign = try PowerAuthCampaign(c)
    let page = c.query["page"].flatMap { Int($0) } ?? 0
    let size = c.query["size"].flatMap { Int($0) } ?? sizeUsual
    let users = campaign.users.dropFirst(page * size).prefix(size)
    return PowerAuthRoutes.ok(
      ["campaignId": campaign.id, "users": .array(users.map { .string($0) })],
      more: ["page": PowerAuthRoutes.number(page), "size": PowerAuthRoutes.number(size)])
  }
}
