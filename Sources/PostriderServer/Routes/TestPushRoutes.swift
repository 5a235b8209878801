internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// A test push: to one device, without a campaign, so that it replaces nothing and is replaced by nothing.
enum TestPushRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/test-pushes", .scopes([.send])), name: "testPush",
      about: "Sends a message to one device: a user's newest, or the one with a token. It belongs to no campaign.",
      body: .push(
        [
          .required("to", target)
        ] + MessageFields.properties),
      answers: [
        Route.Answer(
          status: 202, about: "The push is stored and will be sent.",
          schema: .object([
            .required("id", .string("The push's id.", max: 20)),
            .required("targeted", .integer(0...1, "Devices targeted.")),
            .optional("device", .string("The device it goes to, when it is registered.", max: 20)),
            .optional("replayed", .boolean("True when this Idempotency-Key had made the push before.")),
            .optional("report", .named("Report")),
          ]))
      ], traits: .init(repetition: .push), action: .write(send))
  ]

  /// One device.
  static let target = Schema.object(
    [
      .optional("user", .string("A user: the active device that registered last.", max: 250)),
      .optional("device", .string("A device's id.", max: 20)),
      .optional("token", .named("Address")),
    ], "Whom it is for: exactly one of the members."
  ).strict
  private static let rule = "push-audience"

  @Sendable private static func send(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let key = call.idempotency?.storeKey(call)
    var report = call.report
    let (to, device) = try audience(call, entry, service, &report)
    var object = call.body.object ?? [:]
    object["to"] = to
    let body = try MessageFields.resolve(.object(object), app: entry.app.id, store: service.store)
    var composer = PushComposer(
      entry: entry, body: body.without("campaign"), now: call.now, store: service.store, rules: service.rules,
      report: report)
    var push = try composer.compose(idempotency: key)
    // A test is for the one who looks at the phone now: quiet hours and the cap are for the others. Opt-outs hold.
    push.isUrgent = true
    let created = try await service.create([push], call)
    guard let first = created.first else { throw Problem(.internalError, "the store returned no push") }
    service.sending.wake()
    var answer: JSONObject = [
      "id": .string(first.id.description), "targeted": .number(JSONNumber(first.targeted)),
    ]
    if let device { answer["device"] = .string(device.description) }
    if first.replayed { answer["replayed"] = true }
    var said = composer.report
    said.warn(of: first, entry)
    var reply = Reply(202, answer, report: said)
    reply.headers = [("Location", "/v1/apps/\(entry.app.name)/pushes/\(first.id)")]
    if first.replayed { reply.headers.append(StoredAnswer.header) }
    return reply
  }

  /// The audience of one device; nothing when the request names none.
  static func audience(
    _ call: Call, _ entry: AppEntry, _ service: Service, _ report: inout Report
  ) throws(Problem) -> (to: JSONValue?, device: DeviceID?) {
    guard let to = call["to"]?.object else { return (nil, nil) }
    let named = ["user", "device", "token"].filter { to[$0] != nil }
    guard named.count == 1, let name = named.first, let value = to[name] else {
      report.add(
        rule: rule, severity: .error, field: "to",
        message: "expected exactly one of \"user\", \"device\" and \"token\", found \(named.count)")
      throw Problem(.invalid, report: report)
    }
    switch name {
    case "token": return (["tokens": [value]], nil)
    case "device": return (["devices": [value]], DeviceID(value.string ?? ""))
    default:
      let user = value.string ?? ""
      guard let device = try newest(of: user, entry, service) else {
        report.add(
          rule: rule, severity: .error, field: "to.user",
          message: "the user has no active device that the app has credentials for")
        throw Problem(.invalid, report: report)
      }
      return (["devices": [.string(device.description)]], device)
    }
  }

  /// The device of a user that registered last: one that a credential reaches and that shows notifications, if there is one.
  private static func newest(of user: String, _ entry: AppEntry, _ service: Service) throws(Problem) -> DeviceID? {
    let filter = DeviceFilter(user: user, state: .active)
    let devices = try service.ask { store throws(StoreError) in
      try store.devices(app: entry.app.id, filter: filter, after: nil, limit: StoreLimits.pageMax)
    }
    func rank(_ device: Device) -> Int {
      (entry.reaches(KindInEnvironment(device.kind, device.environment)) ? 2 : 0) + (device.kind.isForCalls ? 0 : 1)
    }
    return devices.filter { entry.reaches($0.kind.provider) && !$0.kind.isLiveActivity }.max {
      (rank($0), $0.registeredAt, $0.id) < (rank($1), $1.registeredAt, $1.id)
    }?
    .id
  }
}

extension JSONValue {
  /// The object without a member.
  func without(_ name: String) -> JSONValue {
    var object = object ?? [:]
    object[name] = nil
    return .object(object)
  }
}
