internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/devices/{device}/timeline` and the same of a user: what happened, the newest first.
enum TimelineRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/devices/{device}/timeline", .scopes([.send, .read])), name: "getDeviceTimeline",
      about: "Lists what happened with a device, the newest first: \(about)", query: Paging.query, answers: [answer],
      action: .now { call, service throws(Problem) in
        let device = try DeviceRoutes.device(call, service)
        return try show(DeliveryFilter(device: device.id), try facts(of: device, service), call, service)
      }),
    Route(
      .get("/v1/apps/{app}/users/{user}/timeline", .scopes([.send, .read])), name: "getUserTimeline",
      about: "Lists what happened with a user and their devices, the newest first: \(about)", query: Paging.query,
      answers: [answer], action: .now(user)),
  ]

  private static let about =
    "registrations, pushes with their outcome, reports of the app, and settings. A page may hold less than limit although there is a"
    + " next."
  private static let answer = Route.Answer(status: 200, about: "A page.", schema: .named("Timeline"))
  /// Devices of a user whose own events are shown.
  private static let devicesMax = 100

  private static let kinds = [
    "first_registered", "registered", "token_replaced", "state_changed", "settings_changed", "user_created", "sent",
    "received", "opened", "action",
  ]

  static let schema = Schema.object(
    [
      .required(
        "events",
        .array(
          of: .object([
            .required("at", .time("When.")), .required("kind", .choice(kinds, "What happened.")),
            .optional("device", .string("The device.", max: 20)), .optional("push", .string("The push.", max: 20)),
            PushNumbers.property(),
            .optional("campaign", .string("The push's campaign.", max: 64)),
            .optional("title", .string("What the push says first.", min: 0, max: PushFinding.titleMax)),
            .optional("state", .string("The state of the delivery, or the device's new one.", max: 20)),
            .optional("reason", .string("Why it failed, or why the device's state changed.", max: 2_000)),
            .optional("action", .string("The button that was chosen.", max: StoreLimits.actionBytesMax)),
          ]), max: 100_000, "The newest first.")),
      .optional("next", .string("The cursor of the next page; absent on the last.", max: 40)),
    ], "What happened.")

  /// Something that happened.
  private struct Event {
    let at: Timestamp
    let json: JSONObject

    init(_ at: Timestamp, _ kind: String, _ more: JSONObject) {
      self.at = at
      var json: JSONObject = ["at": .string(TimeText.text(at)), "kind": .string(kind)]
      for (name, value) in more { json[name] = value }
      self.json = json
    }
  }

  // MARK: - Work

  @Sendable private static func user(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let name = call.parameters[1]
    let found = try service.ask { store throws(StoreError) -> (User, [Device])? in
      guard let user = try store.user(app: app, named: name) else { return nil }
      return (user, try store.devices(app: app, filter: DeviceFilter(user: name), after: nil, limit: devicesMax))
    }
    guard let (user, devices) = found else { throw Problem(.notFound, "this app has no user with that name") }
    var events = [Event(user.createdAt, "user_created", [:])]
    if user.updatedAt > user.createdAt { events.append(Event(user.updatedAt, "settings_changed", [:])) }
    for device in devices { events += try facts(of: device, service) }
    return try show(DeliveryFilter(user: name), events, call, service)
  }

  /// What is known of a device itself.
  private static func facts(of device: Device, _ service: Service) throws(Problem) -> [Event] {
    let id: JSONObject = ["device": .string(device.id.description)]
    var events = [Event(device.createdAt, "first_registered", id)]
    if device.registeredAt > device.createdAt { events.append(Event(device.registeredAt, "registered", id)) }
    if device.state != .active {
      var more = id
      more["state"] = .string(device.state.name)
      if let reason = device.stateReason { more["reason"] = .string(reason) }
      events.append(Event(device.stateAt, "state_changed", more))
    }
    for token in try service.ask({ store throws(StoreError) in try store.earlierTokens(of: device.id) }) {
      events.append(Event(token.replacedAt, "token_replaced", id))
    }
    return events
  }

  /// A page of deliveries as events, with the facts of the same stretch of time between them.
  private static func show(
    _ filter: DeliveryFilter, _ facts: [Event], _ call: Call, _ service: Service
  ) throws(Problem) -> Reply {
    let entry = try service.app(call)
    let app = entry.app.id
    let before: PushID? = try Paging.cursor(call)
    let page = try service.ask { store throws(StoreError) in
      try store.deliveries(app: app, filter: filter, before: before, limit: Paging.limit(call))
    }
    // Pages meet where a push was created: what is older than the last push of this one belongs to the next.
    let upper = try created(before, service)
    let lower = try created(page.next, service)
    var events = facts.filter { ($0.at < upper ?? .distantFuture) && ($0.at >= lower ?? .distantPast) }
    let pushes = try described(Set(page.rows.map(\.push)), service)
    for row in page.rows { events += self.events(of: row, entry.reason(of: row), pushes[row.push] ?? [:]) }
    events.sort { $0.at > $1.at }
    var object: JSONObject = ["events": .array(events.map { .object($0.json) })]
    if let next = page.next { object["next"] = .string(next.description) }
    return Reply(200, .object(object))
  }

  private static func created(_ push: PushID?, _ service: Service) throws(Problem) -> Timestamp? {
    guard let push else { return nil }
    return try service.ask { store throws(StoreError) in try store.push(push) }?.createdAt
  }

  private static func described(
    _ ids: Set<PushID>, _ service: Service
  ) throws(Problem) -> [PushID: JSONObject] {
    let (pushes, documents) = try service.ask { store throws(StoreError) in
      (try store.pushes(Array(ids)), try store.documents(of: Array(ids)))
    }
    var described: [PushID: JSONObject] = [:]
    for id in ids {
      var object: JSONObject = ["push": .string(id.description)]
      let push = pushes[id]
      if let push, push.number > 0 { object["push_number"] = .number(JSONNumber(push.number)) }
      if let name = push?.name { object["campaign"] = .string(name) }
      if let title = documents[id].flatMap(PushText.title) {
        object["title"] = .string(String(title.prefix(PushFinding.titleMax)))
      }
      described[id] = object
    }
    return described
  }

  private static func events(of row: DeliveryRecord, _ reason: String, _ push: JSONObject) -> [Event] {
    var more = push
    if let device = row.device { more["device"] = .string(device.description) }
    var sent = more
    sent["state"] = .string(row.state.name)
    if !reason.isEmpty { sent["reason"] = .string(reason) }
    var events = [Event(row.at, "sent", sent)]
    if let at = row.events.receivedAt { events.append(Event(at, "received", more)) }
    if let at = row.events.openedAt {
      events.append(Event(at, "opened", more))
      for action in row.events.actions {
        var chosen = more
        chosen["action"] = .string(action)
        events.append(Event(at, "action", chosen))
      }
    }
    return events
  }
}

extension Timestamp {
  fileprivate static let distantPast = Timestamp(milliseconds: .min)
  fileprivate static let distantFuture = Timestamp(milliseconds: .max)
}
