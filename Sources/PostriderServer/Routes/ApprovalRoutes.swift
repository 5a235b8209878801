internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// Pushes that wait for a second person: list them, approve one, decline one.
enum ApprovalRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/apps/{app}/approvals", .scopes([.send, .read])), name: "listApprovals",
      about: "Lists the pushes that wait until somebody other than their maker approves them, the oldest first.",
      query: Paging.query,
      answers: [
        Route.Answer(status: 200, about: "A page of pushes.", schema: Paging.schema("pushes", of: .named("Push")))
      ], action: .now(list)),
    Route(
      .post("/v1/apps/{app}/pushes/{push}/approve", .scopes([.send])), name: "approvePush",
      about: "Approves a push that waits for it: it starts at its time, or now. Not for whoever wrote it.",
      body: .object([
        .optional(
          "asked_at",
          .time("\"approval.asked_at\" of what was read: the push is not approved when it was changed since."))
      ]),
      answers: [ScheduledPushRoutes.pushAnswer], traits: .init(isAudited: true),
      action: .write { call, service async throws(Problem) in
        var asked: Timestamp?
        if let text = call["asked_at"]?.string {
          guard let read = TimeText.instant(text) else {
            throw Problem(
              .invalid,
              "asked_at: expected \"approval.asked_at\" of the push as it was read, found \"\(text.prefix(40))\"")
          }
          asked = read
        }
        return try await decide(.approve(asked: asked), call, service)
      }),
    Route(
      .post("/v1/apps/{app}/pushes/{push}/decline", .scopes([.send])), name: "declinePush",
      about:
        "Declines a push that waits for an approval: it is cancelled, and nothing was sent. Not for whoever wrote it.",
      body: .object([.optional("reason", .string("Why, for whoever wrote it.", max: reasonMax))]),
      answers: [ScheduledPushRoutes.pushAnswer], traits: .init(isAudited: true),
      action: .write { call, service async throws(Problem) in
        try await decide(.decline(reason: call["reason"]?.string), call, service)
      }),
  ]

  private static let reasonMax = 500

  /// What is asked, in the answer to whoever made the push too.
  static let asked: [Schema.Property] = [
    .required("devices", .integer(0...1_000_000_000, "Devices that it was for when they were counted.")),
    .required("above_devices", .integer(0...1_000_000_000, "The app's rule when they were counted.")),
    .required("expires_at", .time("When it fails unless it was approved.")),
  ]

  static let schema = Schema.object(
    [
      .required("state", .choice(Approval.State.allCases.map(\.name), "How far it is."))
    ] + asked + [
      .required(
        "recent_devices",
        .integer(
          0...1_000_000_000,
          "Devices of the app's campaigns of the hour before that nobody had to approve; they count along with a campaign's."
        )),
      .required("asked_at", .time("Since when it waits.")),
      .optional("decided_by", .named("Author")), .optional("decided_at", .time("When it was decided.")),
      .optional("reason", .string("Why it was declined.", max: 2_000)),
    ], "A second person's decision about a push to many devices.")

  // MARK: - Work

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let app = try service.app(call).app.id
    let limit = Paging.limit(call)
    let after: PushID? = try Paging.cursor(call)
    let pushes = try service.ask { store throws(StoreError) in
      let ids = try store.awaitedApprovals(app: app, after: after, limit: limit + 1)
      let found = try store.pushes(ids)
      return ids.compactMap { found[$0] }
    }
    var rows: [JSONValue] = []
    for push in pushes.prefix(limit) { rows.append(try ScheduledPushRoutes.json(push, service)) }
    var object: JSONObject = ["pushes": .array(rows)]
    if pushes.count > limit { object["next"] = .string(pushes[limit - 1].id.description) }
    return Reply(200, .object(object))
  }

  private static func decide(
    _ decision: ApprovalDecision, _ call: Call, _ service: Service
  ) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    guard let maker = call.maker else { throw Problem(.internalError, "a decision without a caller") }
    try await service.change { store throws(StoreError) in
      try store.decideApproval(push.id, decision, by: maker.text, now: call.now)
    }
    let decided = try ScheduledPushRoutes.json(try PushRoutes.push(call, service), service)
    return Reply(200, decided.object ?? [:], report: call.report)
  }

  /// The form of the API.
  static func json(_ approval: Approval, _ service: Service) throws(Problem) -> JSONValue {
    let asked = approval.request
    var object: JSONObject = [
      "state": .string(approval.state.name), "devices": .number(JSONNumber(asked.devices)),
      "recent_devices": .number(JSONNumber(asked.recent)), "above_devices": .number(JSONNumber(asked.above)),
      "asked_at": .string(TimeText.text(approval.askedAt)), "expires_at": .string(TimeText.text(asked.until)),
    ]
    if let person = approval.decidedBy { object["decided_by"] = try Maker(person).json(service) }
    if let instant = approval.decidedAt { object["decided_at"] = .string(TimeText.text(instant)) }
    if let reason = approval.reason { object["reason"] = .string(reason) }
    return .object(object)
  }
}
