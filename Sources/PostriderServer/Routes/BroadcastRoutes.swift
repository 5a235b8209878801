internal import HTTPServer
internal import PushPayload
internal import PushRules
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/channels/{channel}/broadcasts`: what is sent to all who listen to a channel.
///
/// A broadcast is a push with one delivery, the channel's: it has its row in the ledger, is retried, reported to webhooks
/// and counted as any push.
enum BroadcastRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/channels/{channel}/broadcasts", .scopes([.send])), name: "createBroadcast",
      about: "Updates or ends the Live Activities that listen to a channel. It is durable before it is acknowledged.",
      body: .object(
        [
          .required("event", .choice(["update", "end"], "update changes the content, end ends it.")),
          .optional(
            "expires_in_seconds",
            .integer(
              0...storedSecondsMax,
              "How long APNs keeps it for devices that are away; 0, for those who listen now, by default.")),
        ] + LiveContent.broadcast),
      answers: [
        Route.Answer(status: 202, about: "The broadcast is stored and will be sent.", schema: .named("AcceptedPush"))
      ], traits: .init(repetition: .push), action: .write(create)),
    Route(
      .get("/v1/apps/{app}/channels/{channel}/broadcasts", .scopes([.send, .read])), name: "listBroadcasts",
      about: "Lists what was sent on a channel, newest first.", query: Paging.query,
      answers: [
        Route.Answer(
          status: 200, about: "A page of broadcasts.", schema: Paging.schema("broadcasts", of: .named("LiveSend")))
      ], action: .now(list)),
  ]

  /// The longest that APNs keeps a broadcast: eight hours (Apple, “Sending channel management requests to APNs”).
  private static let storedSecondsMax = 28_800
  /// How long a broadcast that is for now only is tried, in seconds: later it would tell those who listen of the past.
  private static let nowSeconds: Int64 = 300

  @Sendable private static func create(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let channel = try ChannelRoutes.channel(call, service)
    let entry = try service.app(call)
    _ = try ChannelAccess(of: channel, entry, service)
    var report = call.report
    let event = LiveEvent(name: call["event"]?.string ?? "") ?? .update
    var content = LiveContent(call.body, event: event, now: call.now, report: &report)
    let seconds = Int64(call["expires_in_seconds"]?.int ?? 0)
    if seconds > 0, channel.storage == .none {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "expires_in_seconds",
        message:
          "the channel stores nothing, so that its broadcasts are for now only; leave this out or send 0, or make"
          + " a channel with \"storage\": \"most-recent\"")
    }
    // The second has ten digits either way: what is checked is as long as what is sent.
    if !report.hasErrors { report.append(check(request(content, seconds, channel, call), channel, service)) }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    try await setSecond(of: &content, channel, call, service, &report)
    var push = push(request(content, seconds, channel, call), channel, call)
    push.live = LivePush(owner: .channel(channel.id), event: event)
    push.expiresAt = call.now.adding(seconds: seconds == 0 ? nowSeconds : seconds)
    push.idempotency = call.idempotency?.storeKey(call)
    let created = try await service.create([push], call)
    service.sending.wake()
    guard let first = created.first else { throw Problem(.internalError, "the store returned no push") }
    return PushRoutes.accepted(first, app: entry.app.name, report: report)
  }

  private static func request(
    _ content: LiveContent, _ seconds: Int64, _ channel: Channel, _ call: Call
  ) -> APNsRequest {
    APNsRequest(
      headers: APNsHeaders(
        pushType: .liveactivity, priority: content.priority,
        expiration: seconds == 0 ? .once : APNsExpiration(epochSeconds: call.now.seconds + seconds),
        channelID: channel.channelID), payload: APNsPayload(aps: content.aps).bytes)
  }

  /// Sets the time that devices compare: later than that of the broadcast before, so that of two in one second the second is
  /// not ignored where it arrives last; a time that the caller gives stays.
  private static func setSecond(
    of content: inout LiveContent, _ channel: Channel, _ call: Call, _ service: Service, _ report: inout Report
  ) async throws(Problem) {
    let given = call["timestamp"] == nil ? nil : content.aps.timestamp.map { Int64($0) }
    let taken = try await service.change { store throws(StoreError) in
      try store.takeSecond(of: channel.id, given: given, now: call.now)
    }
    content.set(second: taken.second)
    guard taken.isOlder else { return }
    report.add(
      rule: Schema.Rule.value, severity: .warning, field: "timestamp",
      message: "a broadcast before this one was of a later time, so that devices ignore this one; leave it out for now")
  }

  /// What Apple's rules say of a broadcast.
  private static func check(_ request: APNsRequest, _ channel: Channel, _ service: Service) -> Report {
    guard let broadcast = APNsBroadcast(bundleID: channel.bundleID, request: request) else { return Report() }
    var settings = RuleSettings()
    settings.channelStorage = channel.storage == .none ? .nothing : .mostRecent
    return service.rules.with(settings) { $0.check(broadcast) }
  }

  private static func push(_ request: APNsRequest, _ channel: Channel, _ call: Call) -> NewPush {
    // The sender makes the path of the topic, which a broadcast does not have.
    var headers = request.headers
    headers.topic = channel.bundleID
    let payload = RenderedPayload(
      kinds: [.iosBroadcast],
      headers: headers.fields.map { RenderedPayload.Header($0.name, $0.value) }, body: request.payload)
    let address = DeviceAddress(
      token: channel.channelID, kind: .iosBroadcast, environment: channel.environment)
    var push = NewPush(
      app: channel.app, audience: .addresses([address]), message: JSON.minified(call.body), payloads: [payload],
      salt: RandomReserve.shared.next())
    push.isUrgent = true
    return push
  }

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let channel = try ChannelRoutes.channel(call, service)
    let limit = Paging.limit(call)
    let before: PushID? = try Paging.cursor(call)
    let rows = try service.ask { store throws(StoreError) in
      try store.livePushes(of: .channel(channel.id), before: before, limit: limit + 1)
    }
    return Paging.page("broadcasts", rows, limit: limit, id: \.push.id, json: json)
  }

  /// A push with what it does.
  static func json(_ owned: OwnedPush) -> JSONValue {
    var object = PushRoutes.json(owned.push).object ?? [:]
    object["event"] = .string(owned.event.name)
    return .object(object)
  }
}
