internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WireJSON

/// `/v1/apps/{app}/pushes/{push}/resend-failed`: what ended without reaching a device is sent once more, in a push of its own.
enum FailedRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/pushes/{push}/resend-failed", .scopes([.send])), name: "resendFailed",
      about:
        "Sends a finished campaign once more to the devices whose deliveries ended without reaching them, by reason or state.",
      body: body,
      answers: [
        Route.Answer(status: 200, about: "What would be sent again; nothing was.", schema: .named("FailedDeliveries")),
        Route.Answer(
          status: 202, about: "The new push is stored and will be sent.", schema: .named("FailedDeliveries")),
      ], traits: .init(repetition: .push), action: .long(resend))
  ]

  /// States that no provider can have processed a delivery in.
  private static let states: [DeliveryState] = [.rejected, .expired, .cancelled]
  private static let reasonsMax = 20
  private static let pageRows = 1_000

  private static let body = Schema.object([
    .optional(
      "reasons",
      .array(
        of: .string("A reason, as deliveries have it.", max: StoreLimits.reasonBytesMax, example: "no-credential"),
        min: 1, max: reasonsMax)),
    .optional(
      "states",
      .array(of: .choice(states.map(\.name), "A state."), min: 1, max: states.count)),
    .optional("after", .string("Only deliveries after this one: \"next\" of the answer before.", max: 20)),
    .optional("preview", .boolean("Whether to count and send nothing.")),
  ])

  /// One schema for both answers, so that generated clients have one type.
  static let schema = Schema.object(
    [
      .required("deliveries", .integer(0...1_000_000_000, "Deliveries that ended so.")),
      .required("devices", .integer(0...StoreLimits.listedAudienceMax, "Devices that are sent to again.")),
      .required(
        "left_out",
        .integer(
          0...StoreLimits.listedAudienceMax,
          "Deliveries that may have arrived in an earlier attempt, are to addresses that are no registered device, or whose device"
            + " is gone or not active now.")),
      .optional("next", .string("\"after\" of the request that continues; absent when these are all.", max: 20)),
      .optional("id", .string("The new push's id; absent in a preview.", max: 20)),
      .optional("targeted", .integer(0...1_000_000_000, "Devices that the new push is for.")),
      .optional("waits_for_approval", .boolean("True when the new push waits until somebody else approves it.")),
      .optional("replayed", .boolean("True when this Idempotency-Key had made the push before.")),
      .optional("report", .named("Report")),
    ], "Deliveries of a push that ended without reaching their device, and the push that sends them again.")

  /// What was found, as the answer has it.
  private struct Failed {
    var deliveries = 0
    var devices: [DeviceID] = []
    var leftOut = 0
    var next: DeliveryID?

    var json: JSONObject {
      var object: JSONObject = [
        "deliveries": .number(JSONNumber(deliveries)), "devices": .number(JSONNumber(devices.count)),
        "left_out": .number(JSONNumber(leftOut)),
      ]
      if let next { object["next"] = .string(next.description) }
      return object
    }
  }

  // MARK: - Work

  @Sendable private static func resend(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let push = try PushRoutes.push(call, service)
    let entry = try service.app(call)
    let request = try ScheduledPushRoutes.request(ofEnded: push, service)
    guard push.restoredAt == nil else {
      throw Problem(
        .conflict,
        "push \(push.id) was restored from a backup: the original server may have sent any of it, so that nothing of it is"
          + " known not to have arrived")
    }
    let failed = try failed(of: push, call, service)
    if call["preview"]?.bool == true { return Reply(200, failed.json, report: call.report) }
    guard !failed.devices.isEmpty else {
      throw Problem(
        .conflict,
        "no delivery of push \(push.id) to a device that is active now ended so; \"preview\": true counts them")
    }
    var body = request.object ?? [:]
    body["to"] = ["devices": .array(failed.devices.map { .string($0.description) })]
    var report = call.report
    var again = try ScheduledPushBuilder(entry, service, now: call.now).check(.object(body), &report)
    body[ScheduledPushRoutes.origin] = .string(push.id.description)
    again.request = ScheduledPushBuilder.request(.object(body))
    again.idempotency = call.idempotency?.storeKey(call)
    let first: CreatedPush
    let needed = try await Approvals.needed(again, later: false, entry, service, now: call.now)
    if let needed {
      first = try await Approvals.keep(again, .object(body), needed, call, service)
    } else {
      guard let made = try await service.create([again], call).first else {
        throw Problem(.internalError, "the store returned no push")
      }
      first = made
      service.sending.wake()
    }
    var object = failed.json
    if needed != nil { object["waits_for_approval"] = true }
    object["id"] = .string(first.id.description)
    object["targeted"] = .number(JSONNumber(first.targeted))
    if first.replayed { object["replayed"] = true }
    var reply = Reply(202, object, report: report)
    reply.headers = [("Location", "/v1/apps/\(entry.app.name)/pushes/\(first.id)")]
    if first.replayed { reply.headers.append(StoredAnswer.header) }
    return reply
  }

  private static func failed(of push: Push, _ call: Call, _ service: Service) throws(Problem) -> Failed {
    let reasons = call["reasons"]?.array?.compactMap(\.string)
    let named = call["states"]?.array?.compactMap(\.string)
    guard reasons != nil || named != nil else {
      throw Problem(
        .invalid,
        "expected \"reasons\", \"states\" or both; GET …/funnel lists the reasons of a push with their counts")
    }
    let after = try call["after"]?.string.map { text throws(Problem) in
      guard let id = DeliveryID(text) else {
        throw Problem(.invalid, "after: expected \"next\" of an answer before")
      }
      return id
    }
    var rows: [DeliveryRecord] = []
    for state in states where named?.contains(state.name) ?? true {
      for reason in reasons.map({ $0.map(Optional.some) }) ?? [nil] {
        rows += try page(of: push, DeliveryFilter(state: state, reason: reason), after: after, service)
      }
    }
    rows.sort { $0.id < $1.id }
    var failed = Failed()
    if rows.count > StoreLimits.listedAudienceMax {
      rows.removeLast(rows.count - StoreLimits.listedAudienceMax)
      failed.next = rows.last?.id
    }
    failed.deliveries = rows.count
    for row in rows {
      guard isUnreached(row) else {
        failed.leftOut += 1
        continue
      }
      let device = try row.device.flatMap { id throws(Problem) in
        try service.ask { store throws(StoreError) in try store.device(id) }
      }
      if let device, device.state == .active { failed.devices.append(device.id) } else { failed.leftOut += 1 }
    }
    return failed
  }

  /// Whether no provider can have processed a delivery: also not in an attempt before the one that was refused.
  static func isUnreached(_ row: DeliveryRecord) -> Bool { states.contains(row.state) && row.unknowns == 0 }

  /// Deliveries in one state, for one reason: one more than a push can be for, so that it shows whether there are more.
  private static func page(
    of push: Push, _ filter: DeliveryFilter, after: DeliveryID?, _ service: Service
  ) throws(Problem) -> [DeliveryRecord] {
    var rows: [DeliveryRecord] = []
    var position = after
    while rows.count <= StoreLimits.listedAudienceMax {
      let found = try service.ask { store throws(StoreError) in
        try store.deliveries(of: push.id, filter: filter, after: position, limit: pageRows)
      }
      rows += found.rows
      guard let next = found.next else { break }
      position = next
    }
    return rows
  }
}
