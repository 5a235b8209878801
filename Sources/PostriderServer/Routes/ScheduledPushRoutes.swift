internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import TimeZones
internal import WireJSON

/// Drafts and pushes that wait: release, schedule, take back, delete; and sending a campaign again.
enum ScheduledPushRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/pushes/{push}/send", .scopes([.send])), name: "sendPush",
      about: "Sends a draft, or a push that waits, now.", answers: [pushAnswer], action: .write(sendNow)),
    Route(
      .post("/v1/apps/{app}/pushes/{push}/schedule", .scopes([.send])), name: "schedulePush",
      about: "Gives a draft a time, or a push that waits another one.", body: .push(SendTime.properties),
      answers: [pushAnswer], action: .write(schedule)),
    Route(
      .post("/v1/apps/{app}/pushes/{push}/unschedule", .scopes([.send])), name: "unschedulePush",
      about: "Makes a push that waits a draft again.", answers: [pushAnswer], action: .write(unschedule)),
    Route(
      .post("/v1/apps/{app}/pushes/{push}/resend", .scopes([.send])), name: "resendPush",
      about: "Sends a finished campaign once more, to its audience of now; it replaces what is in the tray.",
      answers: [
        Route.Answer(
          status: 202, about: "The new push is stored and will be sent.",
          schema: .named("AcceptedPush"))
      ], traits: .init(repetition: .push), action: .write(resend)),
    Route(
      .delete("/v1/apps/{app}/pushes/{push}", .scopes([.send])), name: "deletePush",
      about: "Deletes a draft or a push that waits.", answers: [Route.Answer(status: 204, about: "It is deleted.")],
      action: .write(delete)),
  ]

  static let pushAnswer = Route.Answer(status: 200, about: "The push.", schema: .named("Push"))

  // MARK: - Creating

  /// Keeps a push that is a draft or waits; nil when the request is to be sent now.
  static func scheduled(_ call: Call, _ entry: AppEntry, _ service: Service) async throws(Problem) -> Reply? {
    guard SendTime.names.contains(where: { call[$0] != nil }) else { return nil }
    var report = call.report
    let time = SendTime.read(call.body, now: call.now, report: &report)
    if report.hasErrors { throw Problem(.invalid, report: report) }
    if time == .now { return nil }
    let builder = ScheduledPushBuilder(entry, service, now: call.now)
    let push = try builder.check(call.body, &report)
    try builder.requireDevices(of: push)
    var scheduled = try builder.scheduled(
      push, call.body, time, userPushName: nil, idempotency: call.idempotency?.storeKey(call), &report)
    scheduled.maker = call.maker?.text
    if time != .draft {
      scheduled.approval = try await Approvals.needed(push, later: true, entry, service, now: call.now)
      if scheduled.approval != nil {
        scheduled.request = try ScheduledPushRoutes.frozen(scheduled.request, entry, service)
      }
    }
    let created = try await service.change { [scheduled] store throws(StoreError) in
      try store.addScheduledPush(scheduled, now: call.now)
    }
    return PushRoutes.accepted(created, app: entry.app.name, report: report, waitsFor: scheduled.approval)
  }

  private static func frozen(_ request: [UInt8], _ entry: AppEntry, _ service: Service) throws(Problem) -> [UInt8] {
    guard let body = try? JSON.parse(request) else { return request }
    return JSON.minified(try Approvals.frozen(body, entry.app.id, service))
  }

  // MARK: - Before the start

  /// Replaces members of what a draft or waiting push is made from; the whole is composed and checked again.
  static func edit(_ push: Push, _ call: Call, _ service: Service) async throws(Problem) -> Reply {
    var report = call.report
    let edit = ScheduledPushEdit(
      members: call.body.object ?? [:], start: nil, maker: call.maker, recheck: call.company.recheck)
    try await change(push, edit, service.app(call), service, now: call.now, &report)
    return Reply(200, try json(try PushRoutes.push(call, service), service).object ?? [:], report: report)
  }

  /// The same, and its start time with it, unless that stays.
  static func change(
    _ push: Push, _ edit: ScheduledPushEdit, _ entry: AppEntry, _ service: Service, now: Timestamp,
    _ report: inout Report
  ) async throws(Problem) {
    let said = report
    var tries = 0
    while true {
      let scheduled = try scheduled(of: push, service)
      // Whoever asked for a change of exactly what they have seen: that is the plan that was read now.
      try await edit.recheck?()
      do throws(Problem) {
        return try await change(scheduled, push, edit, entry, service, now: now, &report)
      } catch {
        // Of two edits at once, the later one is made to what the earlier one left.
        tries += 1
        guard error.kind == .conflict, tries < 5, try Self.scheduled(of: push, service).request != scheduled.request
        else {
          throw error
        }
        report = said
      }
    }
  }

  private static func change(
    _ scheduled: ScheduledPush, _ push: Push, _ edit: ScheduledPushEdit, _ entry: AppEntry, _ service: Service,
    now: Timestamp,
    _ report: inout Report
  ) async throws(Problem) {
    var object = (try? JSON.parse(scheduled.request))?.object ?? [:]
    for (name, value) in edit.members { object[name] = value.isNull ? JSONValue?.none : value }
    var body = JSONValue.object(object)
    let builder = ScheduledPushBuilder(entry, service, now: now)
    let composed = try builder.check(body, &report)
    if edit.members["to"] != nil { try builder.requireDevices(of: composed) }
    let needed =
      push.state == .planned || edit.start != nil
      ? try await Approvals.needed(composed, later: true, entry, service, now: now) : nil
    if needed != nil { body = try Approvals.frozen(body, entry.app.id, service) }
    if let local = edit.start.map(\.local) ?? scheduled.local {
      try ScheduledPushBuilder.check(throttle: composed.throttlePerMinute, .local(local), &report)
    }
    try await service.change { [body] store throws(StoreError) in
      try store.editScheduledPush(
        push.id, from: scheduled.request, pushClass: composed.pushClass, name: composed.name,
        request: ScheduledPushBuilder.request(body), start: edit.start)
      // Whoever wrote it last is its maker: the one before has not seen what it says now.
      try store.setMaker(of: push.id, edit.maker?.text)
      if let needed { try store.askApproval(push.id, needed, now: now) }
    }
  }

  @Sendable private static func sendNow(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let scheduled = try scheduled(of: push, service)
    let entry = try service.app(call)
    let composed = try ScheduledPushBuilder(entry, service, now: call.now).push(scheduled.withoutLocal)
    if scheduled.approval?.state == .waiting {
      throw Problem(.conflict, "push \(push.id) waits for an approval; it starts when somebody else approves it")
    }
    if let needed = try await Approvals.needed(
      composed, later: false, of: scheduled, entry, service, now: call.now)
    {
      try await ask(needed, push, scheduled, start: ScheduledStart(dueAt: call.now, local: nil), call, service)
      return Reply(200, try json(try PushRoutes.push(call, service), service))
    }
    _ = try await service.result { store, done in
      store.startScheduledPush(scheduled, as: composed, atOnce: true, now: call.now, completion: done)
    }
    service.sending.wake()
    return Reply(200, try json(try PushRoutes.push(call, service), service))
  }

  @Sendable private static func schedule(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let scheduled = try scheduled(of: push, service)
    var report = call.report
    let time = SendTime.read(call.body, now: call.now, report: &report)
    guard let start = time.start(now: call.now) else {
      if !report.hasErrors {
        report.add(
          rule: SendTime.rule, severity: .error, field: "send_at", message: "give \"send_at\" or \"send_at_local\"")
      }
      throw Problem(.invalid, report: report)
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    let throttle = (try? JSON.parse(scheduled.request))?["throttle_per_minute"]?.int
    try ScheduledPushBuilder.check(throttle: throttle, time, &report)
    let entry = try service.app(call)
    // A time is part of what is approved.
    let needed =
      entry.settings.approval == nil
      ? nil
      : try await Approvals.needed(
        ScheduledPushBuilder(entry, service, now: call.now).push(scheduled.withoutLocal), later: true, entry, service,
        now: call.now)
    if let needed {
      try await ask(needed, push, scheduled, start: start, call, service)
    } else {
      try await service.change { store throws(StoreError) in try store.schedulePush(push.id, start) }
    }
    return Reply(200, try json(try PushRoutes.push(call, service), service).object ?? [:], report: report)
  }

  /// Has a push wait for its start and for an approval.
  private static func ask(
    _ needed: ApprovalRequest, _ push: Push, _ scheduled: ScheduledPush, start: ScheduledStart, _ call: Call,
    _ service: Service
  ) async throws(Problem) {
    let request = try frozen(scheduled.request, service.app(call), service)
    try await service.change { store throws(StoreError) in
      try store.editScheduledPush(
        push.id, from: scheduled.request, pushClass: push.pushClass, name: push.name, request: request, start: nil)
      try store.schedulePush(push.id, start)
      try store.askApproval(push.id, needed, now: call.now)
    }
  }

  @Sendable private static func unschedule(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    try await service.change { store throws(StoreError) in try store.unschedulePush(push.id) }
    return Reply(200, try json(try PushRoutes.push(call, service), service))
  }

  @Sendable private static func delete(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    try await service.change { store throws(StoreError) in try store.deleteScheduledPush(push.id) }
    return .noContent
  }

  // MARK: - After the end

  @Sendable private static func resend(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let entry = try service.app(call)
    let body = try request(ofEnded: push, service)
    var report = call.report
    var again = try ScheduledPushBuilder(entry, service, now: call.now).check(body, &report)
    again.request = ScheduledPushBuilder.request(body)
    again.idempotency = call.idempotency?.storeKey(call)
    let new = again
    if let needed = try await Approvals.needed(new, later: false, entry, service, now: call.now) {
      let kept = try await Approvals.keep(new, body, needed, call, service)
      return PushRoutes.accepted(kept, app: entry.app.name, report: report, waitsFor: needed)
    }
    let created = try await service.create([new], call)
    guard let first = created.first else { throw Problem(.internalError, "the store returned no push") }
    service.sending.wake()
    return PushRoutes.accepted(first, app: entry.app.name, report: report)
  }

  /// The member of a kept request that names the push whose failed deliveries it sends again.
  static let origin = "resend_of"

  /// What a campaign that is over was made from.
  static func request(ofEnded push: Push, _ service: Service) throws(Problem) -> JSONValue {
    guard push.state.isOver else {
      throw Problem(.conflict, "push \(push.id) is not over (\(push.state.name)); send it, or wait for its end")
    }
    guard push.name != nil,
      let scheduled = try service.ask({ store throws(StoreError) in try store.scheduledPush(of: push.id) })
    else {
      throw Problem(.conflict, "push \(push.id) has no campaign; only campaigns are sent again")
    }
    guard !scheduled.request.isEmpty else {
      throw Problem(.conflict, "what push \(push.id) was made from is no longer stored; make it anew")
    }
    guard let body = try? JSON.parse(scheduled.request) else {
      throw Problem(.internalError, "the request of push \(push.id) cannot be read")
    }
    return body.without(origin)
  }

  // MARK: - Showing

  private static func scheduled(of push: Push, _ service: Service) throws(Problem) -> ScheduledPush {
    guard push.state == .draft || push.state == .planned,
      let scheduled = try service.ask({ store throws(StoreError) in try store.scheduledPush(of: push.id) })
    else { throw Problem(.conflict, "push \(push.id) has started (\(push.state.name)); read the push again") }
    return scheduled
  }

  /// The push with what is kept of it beside its ledger.
  static func json(_ push: Push, _ service: Service) throws(Problem) -> JSONValue {
    let scheduled = try service.ask { store throws(StoreError) in try store.scheduledPush(of: push.id) }
    let names = try AuthorText.names([push.author], service)
    guard let scheduled else { return PushRoutes.json(push, names) }
    var object = json(push, scheduled, names).object ?? [:]
    // A push that was cancelled while it waited has nothing to be decided any more.
    if let approval = scheduled.approval, approval.state != .waiting || scheduled.dueAt != nil {
      object["approval"] = try ApprovalRoutes.json(approval, service)
    }
    if let maker = scheduled.maker { object["maker"] = try Maker(maker).json(service) }
    return .object(object)
  }

  static func json(_ push: Push, _ scheduled: ScheduledPush, _ names: [Author: String] = [:]) -> JSONValue {
    var object = PushRoutes.json(push, names).object ?? [:]
    if let instant = scheduled.dueAt {
      object["send_at"] = .string(TimeText.text(instant))
      if scheduled.isUndoable, scheduled.approval?.state != .waiting {
        object["undo_until"] = .string(TimeText.text(instant))
      }
    }
    if let local = scheduled.local {
      switch local.day {
      case nil: object["send_at_local"] = .string(CivilTime(secondsOfClock: local.clock).description)
      case .time(let seconds):
        object[SendTime.timeOfDay] = .string(String(CivilTime(secondsOfClock: Int64(seconds)).description.suffix(8)))
      case .lastActive: object[SendTime.lastActive] = true
      }
      if local.day != .lastActive { object["timezone"] = .string(local.zone) }
    }
    if let userPushName = scheduled.userPushName {
      object["user"] = .string(userPushName.user)
      object["key"] = .string(userPushName.key)
    }
    if let schedule = scheduled.schedule { object["schedule"] = .string(schedule.description) }
    if let problem = scheduled.problem { object["problem"] = .string(problem) }
    let request = try? JSON.parse(scheduled.request)
    object[origin] = request?[origin]
    object["request"] = request?.without(origin)
    return .object(object)
  }
}

/// A change of a draft or of a push that waits.
struct ScheduledPushEdit: Sendable {
  /// The members of the request that are replaced; null removes one.
  let members: JSONObject
  /// When it starts; nil leaves that as it is.
  let start: ScheduledStart?
  let maker: Maker?
  /// Throws when the push is not as the caller says that it is (`If-Match`); nil for a caller who does not say.
  let recheck: (@Sendable () async throws(Problem) -> Void)?
}
