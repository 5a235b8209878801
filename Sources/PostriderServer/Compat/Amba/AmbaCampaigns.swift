internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Campaigns: created as drafts or for a time, changed and deleted until they are sent.
enum AmbaCampaigns {
  static let routes: [Route] =
    AmbaRoutes.both("/push", "/push/campaigns", "CreateCampaign") { path, name in
      AmbaRoutes.route(.post, path, name, "Creates a campaign.", .init(status: 201), body: body, create)
    }
    + AmbaRoutes.both("/push", "/push/campaigns", "ListCampaigns") { path, name in
      CompatVendor.amba.route(.get, path, name, "Lists campaigns, newest first.", .init(query: [limit, offset])) {
        c throws(Problem) in try list(c)
      }
    }
    + AmbaRoutes.both(one, campaign, "GetCampaign") { path, name in
      AmbaRoutes.route(.get, path, name, "Shows a campaign.") { c throws(Problem) in try AmbaCampaign(c).json }
    }
    + AmbaRoutes.both(one, campaign, "UpdateCampaign") { path, name in
      AmbaRoutes.route(
        .patch, path, name, "Changes a campaign that was not sent; a time schedules it.", body: body, update)
    }
    + AmbaRoutes.both(one, campaign, "DeleteCampaign") { path, name in
      AmbaRoutes.route(.delete, path, name, "Deletes a campaign that was not sent.", .init(status: 204), delete)
    }
    + AmbaRoutes.both(one + "/send", campaign + "/send", "SendCampaign") { path, name in
      AmbaRoutes.route(.post, path, name, "Sends a draft now.", body: emptyBody, send)
    }

  private static let one = "/push/{campaign_id}"
  private static let campaign = "/push/campaigns/{campaign_id}"
  private static let limit = Route.Query(
    name: "limit", schema: .integer(1...pageMax, "How many; \(pageDefault) by default."))
  private static let offset = Route.Query(name: "offset", schema: .integer(0...readMax, "How many are passed over."))
  private static let pageMax = 200
  private static let pageDefault = 50
  /// Campaigns that are looked at: those of our own API are among them.
  private static let readMax = 1_000

  private static let body = Schema(
    .map, "Amba's request.",
    example: [
      "name": "win-back-7d", "title": "Welcome back!", "body": "Your streak is waiting.", "data": ["screen": "home"],
    ])
  /// Clients send nothing, or an empty object.
  private static let emptyBody = Schema(.map, "Nothing, or an empty object.", example: [:])

  private static let known = AmbaTime.names.union(["name", "title", "body", "data", "segment_id"])

  // MARK: - Reading

  /// The content fields of a request, as fields of the contract.
  static func message(_ object: CompatObject, onto old: JSONObject = [:]) throws(Problem) -> JSONObject {
    var message = old
    for name in ["title", "body"] { if let text = try object.text(name) { message[name] = .string(text) } }
    if let data = object["data"] {
      guard data.object != nil else { throw Problem.ofMember("data", "expected an object") }
      message["data"] = data
    }
    for name in ["title", "body"] where message[name]?.string?.isEmpty ?? true {
      throw Problem.ofMember(name, "is required")
    }
    return message
  }

  /// Everyone, or the segment of a name.
  private static func audience(_ segment: JSONValue?) throws(Problem) -> JSONValue {
    guard let segment, !segment.isNull else { return ["all": true] }
    guard let name = segment.string, !name.isEmpty else {
      throw Problem.ofMember("segment_id", "expected the name of a segment, or null for everyone")
    }
    return ["segment": .string(name)]
  }

  private static func name(_ object: CompatObject) throws(Problem) -> String? {
    guard let name = try object.text("name") else { return nil }
    guard name.utf8.count <= nameBytesMax else {
      throw Problem.ofMember("name", "expected at most \(nameBytesMax) bytes")
    }
    return name
  }

  private static let nameBytesMax = 1_000

  // MARK: - Work

  @Sendable private static func create(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    if let known = try replayed(c) { return known.json }
    let object = try CompatObject(c.body, "", known: known)
    let message = try message(object)
    var own: JSONObject = ["name": try name(object).map { .string($0) } ?? message["title"] ?? ""]
    let time = try AmbaTime.read(object, now: c.now)
    var request: JSONObject = [
      "contract": "amba", "campaign": .string(AmbaCampaign.newID(c)), "message": .object(message),
      "to": try audience(object["segment_id"]),
    ]
    if let time {
      for (name, value) in time.members { own[name] = value }
      for (name, value) in time.native { request[name] = value }
    } else {
      request["draft"] = true
    }
    do throws(Problem) {
      if let shadow = c.call.shadow, time != nil {
        // What is found out is the same, and what is stored starts at no time.
        _ = try shadow.answer(.createPush, try c.native(.createPush, [], .object(request)), c.service)
        request = JSONObject(request.filter { !SendTime.names.contains($0.key) }.map { ($0.key, $0.value) })
        request["draft"] = true
      }
      let call = try c.native(.createPush, [], .object(request), idempotency: c.call.idempotency)
      request[AmbaCampaign.member] = AmbaCampaign.kept(own)
      guard
        let scheduled = try await ScheduledPushRoutes.scheduled(call.with(body: .object(request)), c.entry, c.service),
        let id = ((try? JSON.parse(scheduled.json))?["id"]?.string).flatMap(PushID.init)
      else { throw Problem(.internalError, "a campaign was not stored as one") }
      return try campaign(id, c).json
    } catch { throw AmbaErrors.naming(error) }
  }

  /// The campaign that a request with the same key has created.
  private static func replayed(_ c: CompatCall) throws(Problem) -> AmbaCampaign? {
    guard let key = c.call.idempotency?.storeKey(c.call) else { return nil }
    let known = try c.ask { store throws(StoreError) in try store.knownRequest(scope: c.app.rawValue, key: key) }
    guard case .push(let id) = known else { return nil }
    return try campaign(id, c)
  }

  private static func campaign(_ id: PushID, _ c: CompatCall) throws(Problem) -> AmbaCampaign {
    let push = try c.ask { store throws(StoreError) in try store.push(id) }
    guard let push, let campaign = try AmbaCampaign(push, c) else { throw AmbaCampaign.missing }
    return campaign
  }

  private static func list(_ c: CompatCall) throws(Problem) -> Reply {
    let pushes = try c.ask { store throws(StoreError) in
      try store.pushes(app: c.app, campaignsOnly: true, before: nil, limit: readMax)
    }
    // A campaign that was sent again is one, with the numbers of its newest push.
    var seen: Set<String> = []
    let own = pushes.filter { push in
      guard let name = push.name, c.number(name, .campaign) != nil else { return false }
      return seen.insert(name).inserted
    }
    let offset = c.query["offset"].flatMap { Int($0) } ?? 0
    let limit = c.query["limit"].flatMap { Int($0) } ?? pageDefault
    var shown: [JSONValue] = []
    for push in own.dropFirst(offset).prefix(limit) {
      if let campaign = try AmbaCampaign(push, c) { shown.append(campaign.json) }
    }
    return Reply(
      200,
      [
        "data": .array(shown), "total": AmbaRoutes.number(own.count), "offset": AmbaRoutes.number(offset),
        "limit": AmbaRoutes.number(limit),
      ])
  }

  @Sendable private static func update(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let campaign = try AmbaCampaign(c)
    try campaign.requireUnstarted()
    let object = try CompatObject(c.body, "", known: known)
    guard !object.members.isEmpty else { throw Problem(.invalid, "no field to change; name at least one") }
    var own = campaign.own
    if let name = try name(object) { own["name"] = .string(name) }
    var changes: JSONObject = ["message": .object(try message(object, onto: campaign.message))]
    if let segment = object.members["segment_id"] { changes["to"] = try audience(segment) }
    let time = try self.time(object, own, c)
    if let time {
      for name in AmbaTime.names { own[name] = nil }
      for (name, value) in time.members { own[name] = value }
    }
    changes[AmbaCampaign.member] = AmbaCampaign.kept(own)
    do throws(Problem) {
      var report = Report()
      try await ScheduledPushRoutes.change(
        campaign.push,
        ScheduledPushEdit(
          members: changes, start: c.call.shadow == nil ? time?.start(now: c.now) : nil, maker: c.call.maker,
          recheck: nil), c.entry, c.service, now: c.now, &report)
    } catch { throw AmbaCampaign.late(error) }
    return try self.campaign(campaign.push.id, c).json
  }

  /// The time that a change sets, nil when it names nothing of it; what else it does not name of the time stays.
  private static func time(_ object: CompatObject, _ own: JSONObject, _ c: CompatCall) throws(Problem) -> AmbaTime? {
    let named = object.members.filter { AmbaTime.names.contains($0.key) }
    guard !named.isEmpty else { return nil }
    var merged = own.filter { AmbaTime.names.contains($0.key) }.reduce(into: JSONObject()) { $0[$1.key] = $1.value }
    if let mode = object["delivery_mode"], mode != merged["delivery_mode"] { merged = [:] }
    for (name, value) in named { merged[name] = value }
    guard let time = try AmbaTime.read(try CompatObject(.object(merged), "", known: AmbaTime.names), now: c.now) else {
      throw AmbaErrors.problem(
        .badTime, "scheduled_at: a time is changed and not taken away; delete the campaign instead")
    }
    return time
  }

  @Sendable private static func delete(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    let campaign = try AmbaCampaign(c)
    try campaign.requireUnstarted()
    do throws(Problem) { try await c.run(.deletePush, [campaign.push.id.description]) } catch {
      throw AmbaCampaign.late(error)
    }
    return nil
  }

  @Sendable private static func send(_ c: CompatCall) async throws(Problem) -> JSONValue? {
    _ = try CompatObject(c.body, "", known: [])
    let campaign = try AmbaCampaign(c)
    switch campaign.push.state {
    case .draft: break
    case .planned:
      throw AmbaErrors.problem(.alreadyScheduled, "the campaign is scheduled; let it start, or delete it")
    default:
      guard campaign.status == .failed else { throw AmbaCampaign.alreadySent }
      do throws(Problem) { try await c.run(.resendPush, [campaign.push.id.description]) } catch {
        throw AmbaErrors.naming(error)
      }
      return try AmbaCampaign(c).json
    }
    do throws(Problem) { try await c.run(.sendPush, [campaign.push.id.description]) } catch { throw sending(error, c) }
    return try AmbaCampaign(c).json
  }

  /// A conflict is another request that came first, or missing credentials.
  private static func sending(_ problem: Problem, _ c: CompatCall) -> Problem {
    guard problem.kind == .conflict, let now = try? AmbaCampaign(c), now.push.state == .draft else {
      return AmbaCampaign.late(problem)
    }
    return AmbaErrors.naming(problem)
  }
}
