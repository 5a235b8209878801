internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// Controls of a push while it is sent: pause, resume, cancel, throttle, watch.
enum PushControlRoutes {
  static let routes: [Route] = [
    act(
      "pause", "Holds a push; what is on the wire still ends.",
      { store, push, _ throws(StoreError) in try store.pausePush(push) }),
    act(
      "resume", "Resumes a paused push.",
      { store, push, now throws(StoreError) in try store.resumePush(push, now: now) }),
    Route(
      .post("/v1/apps/{app}/pushes/{push}/cancel", .scopes([.send])), name: "cancelPush",
      about:
        "Cancels a push: what was certainly not sent never is; the answer says how many deliveries could not be stopped.",
      answers: [
        Route.Answer(
          status: 200, about: "The push, and what cancelling it could stop.",
          schema: .object(
            PushRoutes.pushProperties + [
              .required(
                "stopped", .integer(0...1_000_000_000, "Deliveries that were certainly not sent and now never are.")),
              .required(
                "not_stopped",
                .integer(
                  0...1_000_000_000,
                  "Deliveries that may reach their device all the same: those that are being sent, and those that may have been"
                    + " processed before and are not sent again.")),
            ], "A cancelled push."))
      ], action: .write(cancel)),
    Route(
      .patch("/v1/apps/{app}/pushes/{push}", .scopes([.send])), name: "updatePush",
      about: "Changes a push: its throttle at any time, everything else while it is a draft or waits.",
      body: .push(editable), answers: [answer], action: .write(update)),
    Route(
      .get("/v1/apps/{app}/pushes/{push}/progress", .scopes([.send, .read])), name: "watchPush",
      about: "Streams the push as server-sent events whenever it changes, until it is finished.",
      answers: [
        Route.Answer(
          status: 200, about: "Events named progress, each with a push as JSON.",
          schema: .string("Server-sent events.", max: 1_000_000_000), contentType: eventsType)
      ], action: .now(watch)),
  ]

  private static let eventsType = "text/event-stream"
  private static let answer = Route.Answer(status: 200, about: "The push.", schema: .named("Push"))

  private static func act(
    _ verb: String, _ about: String,
    _ body: @escaping @Sendable (any Store, PushID, Timestamp) throws(StoreError) -> Void
  ) -> Route {
    Route(
      .post("/v1/apps/{app}/pushes/{push}/\(verb)", .scopes([.send])), name: "\(verb)Push", about: about,
      answers: [answer],
      action: .write { call, service async throws(Problem) in
        let push = try PushRoutes.push(call, service)
        try await service.change { store throws(StoreError) in try body(store, push.id, call.now) }
        service.sending.recheck(push.id)
        service.sending.wake()
        return Reply(200, try PushRoutes.json(try PushRoutes.push(call, service), service))
      })
  }

  @Sendable private static func cancel(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let summary = try await service.change { store throws(StoreError) in try store.cancelPush(push.id, now: call.now) }
    service.sending.recheck(push.id)
    service.sending.wake()
    var object = try PushRoutes.json(try PushRoutes.push(call, service), service).object ?? [:]
    object["stopped"] = .number(JSONNumber(summary.stopped))
    object["not_stopped"] = .number(JSONNumber(summary.notStopped))
    return Reply(200, .object(object))
  }

  /// Every member of the request that makes a push; null takes one away.
  static let editable = PushRoutes.properties.map { property in
    property.name == "throttle_per_minute"
      ? .nullable(
        property.name, .integer(1...100_000_000, "At most this many sends a minute; null lifts the limit."))
      : Schema.Property.nullable(property.name, property.schema)
  }

  @Sendable private static func update(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let isUnstarted = push.state == .draft || push.state == .planned
    if isUnstarted || (call.body.object ?? [:]).contains(where: { $0.key != "throttle_per_minute" }) {
      return try await ScheduledPushRoutes.edit(push, call, service)
    }
    if let throttle = call["throttle_per_minute"] {
      let now = Timestamp(milliseconds: service.clock.nowMs())
      try await service.change { store throws(StoreError) in
        try store.setThrottle(push.id, perMinute: throttle.int, now: now)
      }
      service.sending.wake()
    }
    return Reply(200, try PushRoutes.json(try PushRoutes.push(call, service), service))
  }

  @Sendable private static func watch(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    guard let stream = service.progress.watch(push.id) else {
      throw Problem(.busy, "too many pushes are watched; at most \(ProgressStreams.watchesMax) streams at once")
    }
    var reply = Reply(200, json: [])
    reply.contentType = eventsType
    reply.stream = stream
    return reply
  }
}
