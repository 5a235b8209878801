internal import HTTPServer
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// One start, update or end of a Live Activity: checked, counted against its budget, and made a push.
struct ActivitySend {
  private let call: Call
  private let service: Service
  private let entry: AppEntry

  init(_ call: Call, _ service: Service) throws(Problem) {
    self.call = call
    self.service = service
    entry = try service.app(call)
    guard entry.reaches(.apns) else {
      throw Problem(
        .conflict,
        "the app \"\(entry.app.name)\" has no APNs credential; set it with PUT /v1/apps/\(entry.app.name)/credentials")
    }
  }

  /// What a send says, before it is known with which priority and second it goes.
  private struct Draft {
    var content: LiveContent
    let bundleID: String
    let event: LiveEvent
    let expiresAt: Timestamp?

    func request() -> APNsRequest {
      APNsRequest.liveActivity(
        bundleID: bundleID, content.aps, urgency: content.priority == .immediate ? .immediate : .powerAware,
        options: APNsSendOptions(expiration: expiresAt.map { APNsExpiration(epochSeconds: $0.seconds) }))
    }
  }

  private var expiresAt: Timestamp? { call["expires_in_seconds"]?.int.map { call.now.adding(seconds: Int64($0)) } }

  // MARK: - Start

  func start() async throws(Problem) -> Reply {
    var report = call.report
    let name = call["id"]?.string ?? ""
    if !AppRoutes.isPlainName(name) {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "id",
        message: "expected letters, digits, - _ and . only, because the id is used in URLs")
    }
    let (devices, user) = try devices(&report)
    let channel = try channel(&report)
    let bundleID = call["topic"]?.string ?? entry.topic ?? ""
    if !entry.topics.contains(bundleID) {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "topic",
        message: "expected one of the topics of the app's credentials: \(entry.topics.joined(separator: ", "))")
    }
    var content = LiveContent(call.body, event: .start, now: call.now, report: &report)
    content.start(
      type: call["attributes_type"]?.string ?? "", attributes: call["attributes"]?.object ?? [:],
      channel: channel?.channelID)
    if channel == nil { LiveContent.compare(call["attributes"]?.object ?? [:], with: name, report: &report) }
    let perHour = call["urgent_per_hour"]?.int ?? ActivityRoutes.urgentDefault
    let isUrgent = content.priority == .immediate && perHour > 0
    if content.priority == .immediate, !isUrgent { lower(&content, perHour: perHour, &report) }
    let draft = Draft(content: content, bundleID: bundleID, event: .start, expiresAt: expiresAt)
    try check(draft, &report)
    let new = NewActivity(
      name: name, user: user, bundleID: bundleID, attributesType: call["attributes_type"]?.string ?? "",
      channel: channel?.id, urgentPerHour: perHour, startsUrgently: isUrgent)
    var live = LivePush(starting: new)
    live.staleAt = draft.content.staleAt
    return try await send(
      draft, to: devices, kind: .iosLiveActivityStart, live, left: perHour - (isUrgent ? 1 : 0), report)
  }

  /// The devices with a push-to-start token, and whose they are.
  private func devices(_ report: inout Report) throws(Problem) -> (devices: [DeviceID], user: String?) {
    let to = call["to"]?.object ?? [:]
    let named = ["user", "device"].filter { to[$0] != nil }
    guard named.count == 1, let name = named.first, let text = to[name]?.string else {
      report.add(
        rule: "push-audience", severity: .error, field: "to",
        message: "expected exactly one of \"user\" and \"device\", found \(named.count)")
      throw Problem(.invalid, report: report)
    }
    let app = entry.app.id
    let found: [Device] = try service.ask { store throws(StoreError) in
      if name == "user" {
        let filter = DeviceFilter(kinds: [.iosLiveActivityStart], user: text, state: .active)
        return try store.devices(app: app, filter: filter, after: nil, limit: StoreLimits.pageMax).filter(starts)
      }
      guard let id = DeviceID(text), let device = try store.device(id), device.app == app else { return [] }
      return device.kind == .iosLiveActivityStart && device.state == .active ? [device] : []
    }
    if found.isEmpty {
      report.add(
        rule: "push-audience", severity: .error, field: "to.\(name)",
        message:
          "there is no active device with a push-to-start token here; the app registers it as a device of the type"
          + " ios-live-activity-start (docs/api.md, Live Activities)")
    }
    return (found.map(\.id), name == "user" ? text : found.first?.user)
  }

  /// Whether a device's token starts activities of this type: the app has a token for each of its types, and may say for which.
  private func starts(_ device: Device) -> Bool {
    let said = device.properties.first { $0.name == "attributes_type" }?.value
    return said == nil || said == .text(call["attributes_type"]?.string ?? "")
  }

  private func channel(_ report: inout Report) throws(Problem) -> Channel? {
    guard let text = call["channel"]?.string else { return nil }
    let app = entry.app.id
    let found = try ChannelID(text).map { id throws(Problem) in
      try service.ask { store throws(StoreError) in try store.channel(id) }
    }
    if let channel = found ?? nil, channel.app == app { return channel }
    report.add(
      rule: Schema.Rule.value, severity: .error, field: "channel",
      message: "this app has no channel with that id; GET /v1/apps/{app}/channels lists them")
    return nil
  }

  // MARK: - Update and end

  func update(_ one: Activity) async throws(Problem) -> Reply {
    try refuseRepetition()
    if let channel = one.channel {
      throw Problem(
        .conflict,
        "the activity listens to channel \(channel); broadcast with POST"
          + " /v1/apps/\(entry.app.name)/channels/\(channel)/broadcasts")
    }
    guard one.endedAt == nil else {
      throw Problem(.conflict, "the activity has ended; start another one under an id of its own")
    }
    let devices = try service.ask { store throws(StoreError) in
      try store.devices(of: one.id).filter { $0.state == .active && $0.kind == .iosLiveActivity }
    }
    guard !devices.isEmpty else {
      throw Problem(
        .conflict,
        "no phone has a live token of this activity; the app reports it with POST"
          + " /v1/apps/\(entry.app.name)/activities/\(one.name)/tokens once the activity has started")
    }
    var report = call.report
    let event: LiveEvent = call["event"]?.string == "end" ? .end : .update
    var draft = Draft(
      content: LiveContent(call.body, event: event, now: call.now, report: &report), bundleID: one.bundleID,
      event: event, expiresAt: expiresAt)
    // What is refused costs nothing of the budget.
    try check(draft, &report)
    let isUrgent = draft.content.priority == .immediate
    let refuses = call["over_budget"]?.string == "refuse"
    if isUrgent, refuses, one.budget.left(at: call.now) == 0 { throw usedUp(one) }
    let turn = try await service.change { store throws(StoreError) in
      try store.takeTurn(of: one.id, urgent: isUrgent, now: call.now)
    }
    if isUrgent, !turn.isUrgent {
      if refuses { throw usedUp(one) }
      lower(&draft.content, perHour: one.budget.perHour, &report)
    }
    draft.content.set(second: turn.second)
    var live = LivePush(owner: .activity(one.id), event: event)
    (live.staleAt, live.dismissalAt) = (draft.content.staleAt, draft.content.dismissalAt)
    return try await send(draft, to: devices.map(\.id), kind: .iosLiveActivity, live, left: turn.left, report)
  }

  /// A request that came before takes no further turn: the dispatcher answers what fails from the push that it made.
  private func refuseRepetition() throws(Problem) {
    guard let key = call.idempotency?.storeKey(call) else { return }
    let scope = entry.app.id.rawValue
    let known = try service.ask { store throws(StoreError) in try store.knownRequest(scope: scope, key: key) }
    if known != nil { throw Problem(.conflict, "this Idempotency-Key was used before") }
  }

  private func usedUp(_ one: Activity) -> Problem {
    let renewal = LiveBudget.renewal(after: call.now)
    return Problem(
      .tooMany,
      "the activity's \(one.budget.perHour) urgent sends of this hour are used up until \(TimeText.text(renewal)); send with"
        + " \"priority\": 5, or leave out \"over_budget\"",
      headers: [("Retry-After", String(max(1, renewal.seconds - call.now.seconds)))])
  }

  private func lower(_ content: inout LiveContent, perHour: Int, _ report: inout Report) {
    content.lowerPriority()
    report.add(
      rule: Schema.Rule.value, severity: .warning, field: "priority",
      message:
        "the activity's \(perHour) urgent sends of this hour are used up, so this one goes with priority 5: it comes"
        + " when the phone's power allows; send less with 10, or start with a larger \"urgent_per_hour\"")
  }

  // MARK: - Both

  /// What Apple's rules say.
  private func check(_ draft: Draft, _ report: inout Report) throws(Problem) {
    if !report.hasErrors {
      var settings = RuleSettings()
      let credential = entry.credentials[.apns] ?? entry.credentials[.apnsSandbox]
      settings.authentication = credential.flatMap { RuleSettings.Authentication(rawValue: $0.kind) }
      report.append(service.rules.with(settings) { $0.check(draft.request()) })
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
  }

  private func send(
    _ draft: Draft, to devices: [DeviceID], kind: DeviceKind, _ live: LivePush, left: Int, _ report: Report
  ) async throws(Problem) -> Reply {
    let request = draft.request()
    let payload = RenderedPayload(
      kinds: [kind], headers: request.headers.fields.map { RenderedPayload.Header($0.name, $0.value) },
      body: request.payload)
    var push = NewPush(
      app: entry.app.id, audience: .devices(devices), message: JSON.minified(call.body), payloads: [payload],
      salt: RandomReserve.shared.next())
    push.live = live
    push.isUrgent = true
    push.expiresAt = draft.expiresAt
    let lacked = LackedCredentials(entry: entry, field: draft.event == .start ? "to" : "")
    push.lackedLanes = lacked.lanes
    push.idempotency = call.idempotency?.storeKey(call)
    let all = try await service.create([push], call)
    service.sending.wake()
    guard let created = all.first else { throw Problem(.internalError, "the store returned no push") }
    var report = report
    lacked.warn(ofTargets: created.unreachable, .rejected, into: &report)
    var reply = PushRoutes.accepted(created, app: entry.app.name, report: report)
    guard !created.replayed, var object = (try? JSON.parse(reply.json))?.object else { return reply }
    object["priority"] = .number(JSONNumber(draft.content.priority == .immediate ? 10 : 5))
    object["urgent_left"] = .number(JSONNumber(left))
    reply.json = JSON.minified(.object(object))
    return reply
  }
}
