internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// `/v1/nodes`: the servers that work on the database, for those who run them.
enum NodeRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/nodes", .scopes([.read])), name: "listNodes",
      about: "Lists the servers that work on the database, and what each does; one where the store is a file.",
      answers: [
        Route.Answer(
          status: 200, about: "The nodes, by name.",
          schema: .object([
            .required("nodes", .array(of: .named("Node"), max: nodesMax)),
            .required("at", .time("When this was true.")),
          ]))
      ], action: .now(list))
  ]

  /// Rows that an answer may have: nodes that live, and names that others had within a day.
  private static let nodesMax = 10_000
  /// More than a day, after which a node is not listed.
  private static let unseenMs = 0...100_000_000
  /// A century.
  private static let clockMs = -3_155_760_000_000...3_155_760_000_000
  private static let count = 0...Int.max
  private static let duties = [Duty.schedules, Duty.upkeep, Duty.webhooks].map(\.rawValue)

  static let schema = Schema.object(
    [
      .required("name", .string("Its name, unique among the servers of a database.", max: 128)),
      .required("current", .boolean("Whether it is the node that answers this request.")),
      .required("live", .boolean("Whether it was seen in the last 15 seconds; one that died is listed for a day.")),
      .required("version", .string("The program's version.", max: 100)),
      .required("started_at", .time("When it was started, by the database's clock.")),
      .required("seen_at", .time("When it was last seen, by the database's clock.")),
      .required("unseen_ms", .integer(unseenMs, "How long ago that was, in milliseconds.")),
      .optional(
        "clock_ahead_ms",
        .integer(
          clockMs,
          "How far its clock is at least ahead of the database's, in milliseconds, below zero when it is behind; a node sends"
            + " nothing beyond a second. Absent where the store is a file.")),
      .required("leases", .integer(count, "Leases that it has.")),
      .required("in_flight", .integer(count, "Deliveries that it has taken and that have no result yet.")),
      .required(
        "duties",
        .array(
          of: .choice(duties, "A duty."), max: duties.count, "What it does for all nodes now.")),
      .optional("problem", .string("Why it sends nothing; of the node that answers alone.", max: 2_000)),
    ], "A server that works on the database.")

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let nodeStatus = service.store.nodeStatus
    let (nodes, work) = try service.ask { store throws(StoreError) in
      (try store.nodes(), try store.nodeWork(now: service.now))
    }
    let rows =
      nodeStatus.isShared
      ? nodes.prefix(nodesMax).map { json($0, work[$0.name], nodeStatus) } : [alone(work, service)]
    return Reply(200, ["nodes": .array(rows), "at": .string(TimeText.text(service.now))])
  }

  private static func json(_ node: Node, _ work: NodeWork?, _ nodeStatus: NodeStatus) -> JSONValue {
    let isCurrent = node.name == nodeStatus.node
    var object: JSONObject = [
      "name": .string(node.name), "current": .bool(isCurrent), "live": .bool(node.isLive),
      "version": .string(node.version), "started_at": .string(TimeText.text(node.startedAt)),
      "seen_at": .string(TimeText.text(node.seenAt)), "unseen_ms": .number(JSONNumber(Int(node.unseenMs))),
    ]
    if let ahead = node.clockAheadMs { object["clock_ahead_ms"] = .number(JSONNumber(Int(ahead))) }
    append(work ?? NodeWork(), to: &object)
    if isCurrent, let trouble = nodeStatus.trouble { object["problem"] = .string(trouble.message) }
    return .object(object)
  }

  /// The server of a file: it lives, because it answers, and has every duty.
  private static func alone(_ work: [String: NodeWork], _ service: Service) -> JSONValue {
    let now = TimeText.text(service.now)
    var object: JSONObject = [
      "name": .string(service.node), "current": true, "live": true, "version": .string(service.version),
      "started_at": .string(TimeText.text(service.startedAt)), "seen_at": .string(now), "unseen_ms": 0,
    ]
    var work = work[service.node] ?? NodeWork()
    work.duties = duties
    append(work, to: &object)
    return .object(object)
  }

  private static func append(_ work: NodeWork, to object: inout JSONObject) {
    object["leases"] = .number(JSONNumber(work.leases))
    object["in_flight"] = .number(JSONNumber(work.inFlight))
    object["duties"] = .array(work.duties.filter(duties.contains).map { .string($0) })
  }
}
