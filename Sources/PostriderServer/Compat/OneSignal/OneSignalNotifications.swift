internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Creating notifications, and counting whom one would reach.
enum OneSignalNotifications {
  static let routes: [Route] = [
    OneSignalRoutes.route(
      .post("/notifications", .scopes([.compat])), "CreateNotification", "Sends a message, now or later.", body: body,
      .write(create)),
    OneSignalRoutes.route(
      .post, "/notifications/count-unsaved", "EstimateNotificationRecipients", "Counts whom a message would reach.",
      body: body, pace: .long
    ) { c throws(Problem) in
      Reply(200, ["count": OneSignalRoutes.number(try OneSignalTarget(c).count(c))])
    },
  ]

  private static let body = Schema(
    .map, "OneSignal's request.",
    example: ["included_segments": ["Subscribed Users"], "contents": ["en": "Half price"]])

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let c = try CompatCall(call, service, .oneSignal)
    if let reply = try replayed(c) { return reply }
    let push = try OneSignalPush(c)
    guard push.target.isSlow else { return try await send(push, c) }
    return try await service.longWork.run { () async throws(Problem) in try await send(push, c) }
  }

  private static func send(_ push: OneSignalPush, _ c: CompatCall) async throws(Problem) -> Reply {
    // People are looked up once, where the push is made; a shadowed request makes none.
    let isLookedUpLater = !push.isScheduled && push.target.isOfPeople && c.call.shadow == nil
    if !push.isScheduled, !isLookedUpLater {
      let isReached = try push.target.reachesSomebody(c)
      guard isReached else { return nobody(push) }
    }
    if push.target.isEmpty { return nobody(push) }
    do throws(Problem) {
      let native = try c.native(
        .createPush, [], .object(push.request), idempotency: push.idempotency, needsSubscriber: isLookedUpLater)
      return reply(to: push, try await c.answer(.createPush, native), c)
    } catch {
      if error.kind == .nobody { return nobody(push) }
      // Missing credentials are a conflict to us, and to OneSignal a request that cannot be taken.
      throw error.kind == .conflict ? Problem(.invalid, error.detail) : push.target.naming(error)
    }
  }

  /// The answer to a request whose key has made a push before; nothing else of it is looked at.
  private static func replayed(_ c: CompatCall) throws(Problem) -> Reply? {
    guard let header = try OneSignalPush.key(c) else { return nil }
    let key = header.storeKey(c.call)
    let known = try c.ask { store throws(StoreError) in try store.knownRequest(scope: c.app.rawValue, key: key) }
    guard case .push(let id) = known else { return nil }
    var reply = Reply(200, ["id": .string(c.id(id.rawValue, .push)), "external_id": .string(header.text)])
    reply.headers = [StoredAnswer.header]
    return reply
  }

  private static func nobody(_ push: OneSignalPush) -> Reply {
    let unknown = push.target.unknown
    return Reply(
      200, ["id": "", "errors": unknown.isEmpty ? [.string(OneSignalErrors.noSubscribers)] : .object(unknown)])
  }

  private static func reply(to push: OneSignalPush, _ reply: Reply, _ c: CompatCall) -> Reply {
    let made = (try? JSON.parse(reply.json)) ?? .null
    var object: JSONObject = ["id": .string((made["id"]?.string).flatMap { Int64($0) }.map { c.id($0, .push) } ?? "")]
    if let key = push.idempotency { object["external_id"] = .string(key.text) }
    var (errors, unreached, findings): (JSONObject, [JSONValue], [JSONValue]) = (
      push.target.unknown, [], c.call.report.json.array ?? []
    )
    for finding in made["report"]?.array ?? [] {
      guard finding["rule"] == "push-user-unreached" else {
        findings.append(push.target.naming(finding))
        continue
      }
      let digits = (finding["field"]?.string ?? "").filter(\.isNumber)
      if let index = Int(digits), push.target.peopleIDs.indices.contains(index) {
        unreached.append(.string(push.target.peopleIDs[index]))
      }
    }
    if !unreached.isEmpty, let (member, alias) = push.target.peopleMember {
      var inside = errors[member]?.object ?? [:]
      if let alias { inside[alias] = .array((inside[alias]?.array ?? []) + unreached) }
      errors[member] = alias == nil ? .array(unreached) : .object(inside)
    }
    // The record of a shadowed request has them.
    if c.call.shadow == nil {
      UnknownMembers.log(UnknownMembers.paths(findings), .oneSignal, "onesignalCreateNotification", c.service.log)
    }
    if !errors.isEmpty { object["errors"] = .object(errors) }
    if !findings.isEmpty { object["report"] = .array(findings) }
    var answer = Reply(200, .object(object))
    answer.headers = reply.headers.filter { $0.name == StoredAnswer.header.name }
    return answer
  }
}
