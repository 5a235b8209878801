internal import HTTPServer
internal import StoreModel
internal import WireJSON

/// What operators ask: is it alive, is it ready, how is it doing, what can it do.
enum OperationRoutes {
  static let routes: [Route] = [
    Route(
      .get("/healthz", .open), name: "health", about: "Whether the process answers.",
      answers: [Route.Answer(status: 200, about: "It does.", schema: status)],
      action: .now { _, _ throws(Problem) in Reply(200, ["status": "ok"]) }),
    Route(
      .get("/readyz", .open), name: "ready",
      about:
        "Whether requests can be served: the store is whole, where it was opened, and takes a write, and deliveries are taken from it and recorded.",
      answers: [Route.Answer(status: 200, about: "They can.", schema: status)], action: .write(ready)),
    Route(
      .get("/metrics", .scopes([.read])), name: "metrics", about: "Numbers in Prometheus' text format.",
      answers: [
        Route.Answer(
          status: 200, about: "The numbers.", schema: .string("Prometheus text.", max: 1_000_000_000),
          contentType: metricsType)
      ], action: .now(metrics)),
    Route(
      .get("/openapi.json", .open), name: "openapi", about: "This document.",
      answers: [Route.Answer(status: 200, about: "The OpenAPI 3.1 document.", schema: Schema(.map))],
      action: .now { _, service throws(Problem) in
        Reply(200, OpenAPI(routes: RouteTable.routes, schemas: SchemaTable.all, version: service.version).document)
      }),
  ]

  private static let status = Schema.object([
    .required("status", .choice(["ok"], "ok")),
    .optional("node", .string("The server's name, where it is one of several on a database.", max: 128)),
  ])
  /// How long the pipeline may have trouble with the store before the server is not ready, in milliseconds.
  private static let troubleMs: Int64 = 5_000
  private static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

  @Sendable private static func ready(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    do throws(Problem) {
      try await service.result { store, done in store.checkReadiness(completion: done) }
    } catch {
      var problem = error
      problem.isForOperators = operates(call, service)
      throw problem
    }
    let now = Timestamp(milliseconds: service.clock.nowMs())
    if let trouble = service.health.storeTrouble(lastingMs: troubleMs, now: now) {
      let detail = operates(call, service) ? trouble.detail : "the database cannot be used; the server's log says why"
      throw Problem(.storeFailed, "nothing can be delivered: \(detail)")
    }
    let nodeStatus = service.store.nodeStatus
    return Reply(200, nodeStatus.isShared ? ["status": "ok", "node": .string(service.node)] : ["status": "ok"])
  }

  /// Which node this is, and how many there are; nothing where there can be no others.
  private static func nodeGauges(_ service: Service) -> [Metrics.Gauge] {
    let nodeStatus = service.store.nodeStatus
    guard nodeStatus.isShared else { return [] }
    let label = service.node.map { $0 == "\"" || $0 == "\\" || $0.isNewline ? "_" : $0 }
    return [
      Metrics.Gauge(
        name: "postrider_node", kind: .gauge, help: "Whether this node may send, by its name.",
        values: [("node=\"\(String(label))\"", nodeStatus.trouble == nil ? 1 : 0)]),
      Metrics.Gauge(
        name: "postrider_nodes_live", kind: .gauge, help: "Nodes of the database that live, this one included.",
        values: [("", nodeStatus.liveNodes)]),
    ]
  }

  /// Whether readiness is asked for with a key that reads all apps; nobody else learns which hosts and paths the server has.
  ///
  /// The address says nothing: a proxy on this machine that does not say for whom it asks looks like somebody who works on it.
  private static func operates(_ call: Call, _ service: Service) -> Bool {
    let caller = service.keys.lastKnown(call.http.headers.valueBytes("Authorization"), now: call.now)
    return caller.map { $0.app == nil && $0.scopes.satisfies([.read, .admin]) } ?? false
  }

  @Sendable private static func metrics(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let gauges =
      service.sending.gauges + service.webhooks.gauges + service.upkeep.gauges + service.connections.gauges
      + service.identityCounters.gauges + nodeGauges(service) + (service.tracer?.gauges ?? [])
    var reply = Reply(200, json: Array(service.metrics.text(gauges: gauges).utf8))
    reply.contentType = metricsType
    return reply
  }
}
