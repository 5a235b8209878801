internal import HTTPServer
internal import PushPayload
internal import StoreModel
internal import WebPush
internal import WireJSON

/// `/v1/apps/{app}/events`: what devices report about the notifications they got.
enum EventRoutes {
  static let routes: [Route] = [
    Route(
      .post("/v1/apps/{app}/events", .scopes([.client, .send])), name: "reportEvents",
      about: "Takes reports of devices: received, opened, action. Each counts once, however often it is sent.",
      body: body, answers: [Route.Answer(status: 200, about: "The outcome of each report.", schema: answer)],
      traits: .init(repetition: .harmless, readsIdentity: true), action: .write(report))
  ]

  private static let event = Schema.object(
    [
      .required(
        "type",
        .choice(EventKind.allCases.map(\.name), "What happened; an action implies opened, opened implies received.")),
      .optional(
        "action",
        .string("The button's id; with the type action only.", max: StoreLimits.actionBytesMax, example: "reply")),
      .optional("at", .time("When, by the device's clock; now by default, and never after now.")),
      .optional("apns_id", .string("The apns-id that the notification came with.", min: 36, max: 36)),
      .optional(
        "message_name",
        .string("FCM's name of the message, whole or only the message's id as the device has it.", max: 250)),
      .optional("request_id", .string("Push Kit's id of the request that the notification came with.", max: 250)),
      .optional("delivery", .string("The delivery's id, as the API lists it.", max: 20)),
      .optional("device", .string("The device's id; with push or campaign.", max: 20)),
      .optional("token", .string("The device's token; with push or campaign.", max: DeviceToken.bytesMax)),
      .optional("push", .string("The push's id; with device or token.", max: 20)),
      .optional(
        "campaign", .string("The campaign's id, as collapse id or tag on the device; with device or token.", max: 64)),
    ], "One report. It names the notification by apns_id, message_name, request_id, delivery, or device and push.")
  private static let body = Schema.object([
    .required("events", .array(of: event, min: 1, max: StoreLimits.eventBatchMax, "The reports."))
  ])
  private static let answer = Schema.object([
    .required(
      "counts",
      .object(
        EventOutcome.allCases.map { .required($0.name, .integer(0...StoreLimits.eventBatchMax, about($0))) },
        "How many reports ended in which way.")),
    .required(
      "results",
      .array(
        of: .choice(EventOutcome.allCases.map(\.name), "The outcome of the report."), max: StoreLimits.eventBatchMax,
        "The outcome of each report, in order.")),
    .optional("report", .named("Report")),
  ])

  private static func about(_ outcome: EventOutcome) -> String {
    switch outcome {
    case .recorded: "Stored and counted."
    case .duplicate: "Reported before; not counted again."
    case .late: "About a delivery too old to be counted."
    case .unknown: "About a notification that this app did not send."
    }
  }

  // MARK: - Work

  @Sendable private static func report(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    let entry = try service.app(call)
    let principal = try IdentityCheck(call, entry.app, service).principal
    let events = try read(call["events"]?.array ?? [], entry)
    let outcomes = try await service.result { store, done in
      store.recordEvents(events, app: entry.app.id, principal: principal, now: call.now, completion: done)
    }
    return reply(outcomes, call.report)
  }

  private static func reply(_ outcomes: [EventOutcome], _ report: Report) -> Reply {
    var counts = JSONObject()
    for outcome in EventOutcome.allCases {
      counts.append(outcome.name, .number(JSONNumber(outcomes.count { $0 == outcome })))
    }
    let object: JSONObject = [
      "counts": .object(counts), "results": .array(outcomes.map { .string($0.name) }),
    ]
    return Reply(200, object, report: report)
  }

  private static func read(_ values: [JSONValue], _ entry: AppEntry) throws(Problem) -> [NewEvent] {
    var report = Report()
    var events: [NewEvent] = []
    events.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      var reader = EventReader(value: value, field: FieldPath(members: "events").element(index), report: report)
      if let event = reader.read(entry) { events.append(event) }
      report = reader.report
    }
    if report.hasErrors { throw Problem(.invalid, report: report) }
    return events
  }
}

/// Reads one report, whose shape was checked before.
private struct EventReader {
  let value: JSONValue
  let field: FieldPath
  var report: Report

  private static let names = ["apns_id", "message_name", "request_id", "delivery", "device", "token"]

  mutating func read(_ entry: AppEntry) -> NewEvent? {
    let kind = EventKind(name: value["type"]?.string ?? "") ?? .received
    let action = self.action(kind)
    let at = instant()
    guard let target = target(entry), !report.hasErrors else { return nil }
    return NewEvent(kind, action: action, target, at: at)
  }

  private mutating func refuse(_ name: String, _ message: String) {
    report.add(rule: Schema.Rule.value, severity: .error, field: field.member(name), message: message)
  }

  private mutating func action(_ kind: EventKind) -> String? {
    let action = value["action"]?.string
    if kind == .action, action == nil { refuse("action", "is required with the type \"action\", and missing") }
    if kind != .action, action != nil { refuse("action", "is only taken with the type \"action\"") }
    if let action, action.utf8.count > StoreLimits.actionBytesMax {
      refuse("action", "expected at most \(StoreLimits.actionBytesMax) bytes, found \(action.utf8.count)")
    }
    return action
  }

  private mutating func instant() -> Timestamp? {
    guard let text = value["at"]?.string else { return nil }
    guard let instant = TimeText.instant(text) else {
      refuse("at", "expected a date and time as in RFC 3339, such as 2026-11-20T12:00:00Z, found \"\(text)\"")
      return nil
    }
    return instant
  }

  private mutating func target(_ entry: AppEntry) -> EventTarget? {
    let named = Self.names.filter { value[$0] != nil }
    guard named.count == 1, let name = named.first, let text = value[name]?.string else {
      report.add(
        rule: "event-target", severity: .error, field: field,
        message:
          "expected exactly one of apns_id, message_name, request_id, delivery, device and token, found \(named.count)")
      return nil
    }
    if name != "device", name != "token" { refuseUnusedPush() }
    switch name {
    case "apns_id": return apnsID(text)
    case "message_name": return messageName(text, entry)
    case "request_id": return .messageName(text)
    case "delivery": return id(text, name).map { .delivery($0) }
    case "device": return id(text, name).flatMap { onDevice(.id($0)) }
    // Of a browser it is the endpoint, which is stored in one spelling.
    default: return onDevice(.token((try? WebPushEndpoint(text))?.url ?? text))
    }
  }

  private mutating func refuseUnusedPush() {
    for name in ["push", "campaign"] where value[name] != nil {
      refuse(name, "is only taken with \"device\" or \"token\"; the other names say which push it was")
    }
  }

  private mutating func id<Record>(_ text: String, _ name: String) -> RowID<Record>? {
    if let id = RowID<Record>(text) { return id }
    refuse(name, "expected an id as the API lists it, found \"\(text)\"")
    return nil
  }

  private mutating func apnsID(_ text: String) -> EventTarget? {
    if let id = APNsID(anyCase: text) { return .apnsID(high: id.high, low: id.low) }
    refuse("apns_id", "expected a UUID of 32 hexadecimal digits and four hyphens")
    return nil
  }

  /// The device has the last part of the name; the rest follows from the app's project.
  private mutating func messageName(_ text: String, _ entry: AppEntry) -> EventTarget? {
    if text.hasPrefix("projects/") { return .messageName(text) }
    return .messageName(entry.fcmProject.map { "projects/\($0)/messages/\(text)" } ?? text)
  }

  private mutating func onDevice(_ device: EventDevice) -> EventTarget? {
    switch (value["push"]?.string, value["campaign"]?.string) {
    case (let push?, nil): return id(push, "push").map { .device(device, .id($0)) }
    case (nil, let campaign?): return .device(device, .campaign(campaign))
    case (nil, nil):
      refuse("push", "is required with \"device\" or \"token\", unless \"campaign\" is given")
      return nil
    case (_?, _?):
      refuse("campaign", "expected either push or campaign, found both")
      return nil
    }
  }
}
