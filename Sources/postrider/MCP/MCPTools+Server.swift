import WireJSON

/// Tools that read what a server has.
extension MCPTool {
  private static let count = MCPShape.integer(0...1_000_000_000)
  static let app = MCPField.optional(
    "app", .text(max: 100, form: .name), "The app's name; by default the configured one.")
  private static let push = MCPField.required("push", .text(max: 19, form: .id), "The push's id.")
  private static let limit = MCPField.optional("limit", .integer(1...100), "The most rows; 20 by default.")
  private static let cursor = MCPField.optional("cursor", .text(max: 100), "“next” of the page before.")
  private static let next = MCPField.optional("next", .text(max: 100), "Continues with this cursor; absent at the end.")

  /// Whom a push is for.
  ///
  /// Addresses are none of them, so that no token passes through a model.
  static let audience = MCPField.required(
    "to",
    .members([
      .optional("all", .flag, "Every active device of the app."),
      .optional("segment", .text(max: 100, form: .name), "A segment's name; list_segments lists them."),
      .optional(
        "filter", .object,
        "The condition of a segment, such as {\"field\": \"tags\", \"op\": \"contains\", \"value\": \"vip\"}."),
      .optional("users", .list(.text(max: 250), max: 1_000), "Users."),
      .optional(
        "exclude_segments", .list(.text(max: 100, form: .name), max: 20),
        "Segments whose devices do not get it; with all, segment or filter."),
    ]), "Whom: exactly one of the members, and segments that are left out.")

  private static let pushMembers = [
    "id", "number", "campaign", "status", "state", "counts", "events", "audience_complete", "created_at", "start_at",
    "send_at", "finished_at", "problem",
  ]
  private static let deliveryMembers = [
    "id", "device", "user", "type", "state", "provider", "status", "reason", "explanation", "attempts", "at",
    "received_at", "opened_at",
  ]

  static let server: [MCPTool] = [
    MCPTool(
      name: "list_apps", title: "List apps", about: "Lists the apps of the Postrider server.", effect: .reads,
      input: [],
      output: [
        .required("apps", .list(.object, max: 10_000), "Name, title, contract; “stopped” where a provider refused.")
      ]
    ) { desk, _ throws(MCPStop) in
      let apps = try apps(desk)
      let names = ["name", "title", "contract", "created_at", "stopped"]
      return ["apps": .array(apps.map { .object(MCPText.members(names, of: $0)) })]
    },
    MCPTool(
      name: "list_segments", title: "List segments",
      about: "Lists the segments of an app, which count_audience and draft_push take.",
      effect: .reads, input: [app],
      output: [.required("segments", .list(.object, max: 10_000), "Name, title, whether every app has it.")]
    ) { desk, call throws(MCPStop) in
      let segments = try desk.ask("GET", "\(desk.app(call))/segments")["segments"]?.array ?? []
      return ["segments": .array(segments.map { .object(MCPText.members(["name", "title", "system"], of: $0)) })]
    },
    MCPTool(
      name: "list_pushes", title: "List pushes",
      about: "Lists the pushes of an app, the newest first, with the states of their deliveries.",
      effect: .reads, input: [app, limit, cursor],
      output: [.required("pushes", .list(.object, max: 100), "Id, status, counts of deliveries, times."), next]
    ) { desk, call throws(MCPStop) in
      let page = try desk.ask("GET", "\(desk.app(call))/pushes\(paging(call))")
      return rows("pushes", pushMembers, of: page)
    },
    MCPTool(
      name: "get_push", title: "Show a push's results",
      about: "Shows one push: its message, its counts, and why deliveries were rejected, with each reason explained.",
      effect: .reads, input: [app, push],
      output: [
        .required("push", .object, "The push."), .optional("message", .object, "What it said."),
        .required("reasons", .list(.object, max: 200), "Rejected deliveries by reason, explained."),
        .required("open_rate", .any, "Opened of accepted; null while none is accepted."),
      ]
    ) { desk, call throws(MCPStop) in
      let path = "\(try desk.app(call))/pushes/\(call["push"]?.string ?? "")"
      let (push, funnel) = (try desk.ask("GET", path), try desk.ask("GET", "\(path)/funnel"))
      var result: JSONObject = ["push": .object(MCPText.members(pushMembers, of: push))]
      if let message = push["request"]?["message"], message.object != nil {
        result.append("message", MCPText.bounded(message))
      }
      result.append("reasons", MCPText.bounded(funnel["reasons"] ?? []))
      result.append("open_rate", funnel["open_rate"] ?? .null)
      return result
    },
    MCPTool(
      name: "list_deliveries", title: "List a push's deliveries",
      about:
        "Lists the deliveries of a push, device by device; with state “rejected” its failures. No device tokens are shown.",
      effect: .reads,
      input: [
        app, push,
        .optional(
          "state", .choice(["waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"]),
          "Only deliveries in this state."),
        limit, cursor,
      ],
      output: [
        .required("deliveries", .list(.object, max: 100), "Device id, user, state, reason and what it means."), next,
      ]
    ) { desk, call throws(MCPStop) in
      let state = call["state"]?.string.map { "&state=\($0)" } ?? ""
      let path = "\(try desk.app(call))/pushes/\(call["push"]?.string ?? "")/deliveries"
      return rows("deliveries", deliveryMembers, of: try desk.ask("GET", path + paging(call) + state))
    },
    MCPTool(
      name: "count_audience", title: "Count an audience",
      about: "Counts the active devices that a push would go to now, by kind, and sends nothing.", effect: .reads,
      input: [app, audience],
      output: [.required("total", count, "Active devices."), .required("devices", .object, "By kind.")]
    ) { desk, call throws(MCPStop) in
      let count = try MCPSending.count(call["to"] ?? .null, try desk.app(call), desk)
      return ["total": .number(JSONNumber(count.total)), "devices": count.devices]
    },
  ]

  /// The apps that the key may see: a key for one app may not list them, but it has its own.
  private static func apps(_ desk: MCPDesk) throws(MCPStop) -> [JSONValue] {
    do throws(MCPAPIFailure) { return try desk.request("GET", "/v1/apps")["apps"]?.array ?? [] } catch {
      guard desk.app != nil, let path = try? desk.app(MCPCall(arguments: [:])), let own = try? desk.ask("GET", path)
      else { throw .refused(error.text) }
      return [own]
    }
  }

  private static func rows(_ name: String, _ members: [String], of page: JSONValue) -> JSONObject {
    let rows = (page[name]?.array ?? []).prefix(100)
    var result: JSONObject = [name: .array(rows.map { .object(MCPText.members(members, of: $0)) })]
    if let next = page["next"]?.string { result.append("next", .string(next)) }
    return result
  }

  private static func paging(_ call: MCPCall) -> String {
    "?limit=\(call["limit"]?.int ?? 20)" + (call["cursor"]?.string.map { "&cursor=\(MCPSending.encoded($0))" } ?? "")
  }
}
