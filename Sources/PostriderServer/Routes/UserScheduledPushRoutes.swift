internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// User-scheduled pushes, each under a key of the caller's: a reminder that can be moved and canceled.
enum UserScheduledPushRoutes {
  static let routes: [Route] = [
    Route(
      .put("/v1/apps/{app}/users/{user}/scheduled/{name}", .scopes([.send])), name: "scheduleForUser",
      about: "Schedules a push for a user under a name of yours; one that waits under it is replaced.",
      body: .push(
        [
          .optional("expires_in_seconds", .integer(1...31_536_000, "Never sent after this time from its start."))
        ] + MessageFields.properties + SendTime.properties.filter { $0.name != SendTime.undo }),
      answers: [Route.Answer(status: 200, about: "The push that waits.", schema: .named("Push"))], action: .write(put)),
    Route(
      .get("/v1/apps/{app}/users/{user}/scheduled", .scopes([.send, .read])), name: "listScheduledForUser",
      about: "Lists the pushes that wait for a user, by name; at most \(listMax).",
      answers: [
        Route.Answer(
          status: 200, about: "What waits.",
          schema: .object([.required("scheduled", .array(of: .named("Push"), max: listMax))]))
      ], action: .now(list)),
    Route(
      .delete("/v1/apps/{app}/users/{user}/scheduled/{name}", .scopes([.send])), name: "cancelForUser",
      about: "Cancels the push that waits for a user under a name.",
      answers: [Route.Answer(status: 204, about: "It will not be sent.")], action: .write(cancel)),
  ]

  private static let listMax = 1_000
  private static let nameMax = 200
  private static let userMax = 250

  @Sendable private static func put(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let name = try pushName(call)
    var report = call.report
    let time = SendTime.read(call.body, now: call.now, report: &report)
    if time.dueAt(now: call.now) == nil && !report.hasErrors {
      report.add(
        rule: SendTime.rule, severity: .error, field: "send_at", message: "give \"send_at\" or \"send_at_local\"")
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    var body = call.body.object ?? [:]
    body["campaign"] = nil
    body["to"] = ["users": [.string(name.user)]]
    let builder = ScheduledPushBuilder(try service.app(call), service, now: call.now)
    let scheduled = try builder.scheduled(
      .object(body), time, userPushName: name, idempotency: nil, &report)
    let (push, stored) = try await service.change { store throws(StoreError) in
      let id = try store.addScheduledPush(scheduled, now: call.now).id
      return (try store.push(id), try store.scheduledPush(of: id))
    }
    guard let push, let stored else { throw Problem(.conflict, "the push was deleted at once") }
    return Reply(200, ScheduledPushRoutes.json(push, stored).object ?? [:], report: report)
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let user = call.parameters[1]
    let rows = try service.ask { store throws(StoreError) in
      let found = try store.userScheduledPushes(app: app, user: user, after: nil, limit: listMax)
      let pushes = try store.pushes(found.map(\.push))
      return found.compactMap { scheduled in pushes[scheduled.push].map { ScheduledPushRoutes.json($0, scheduled) } }
    }
    return Reply(200, ["scheduled": .array(rows)])
  }

  @Sendable private static func cancel(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let name = try pushName(call)
    guard let scheduled = try service.ask({ store throws(StoreError) in try store.userScheduledPush(app: app, name) })
    else {
      throw Problem(.notFound, "nothing waits for this user under that name")
    }
    _ = try await service.change { store throws(StoreError) in try store.cancelPush(scheduled.push, now: call.now) }
    return .noContent
  }

  private static func pushName(_ call: Call) throws(Problem) -> UserPushName {
    let (user, name) = (call.parameters[1], call.parameters[2])
    guard !user.isEmpty, user.unicodeScalars.count <= userMax, !name.isEmpty, name.unicodeScalars.count <= nameMax
    else {
      throw Problem(
        .invalid, "the path: expected a user of 1 to \(userMax) and a name of 1 to \(nameMax) characters")
    }
    return UserPushName(user: user, key: name)
  }
}
