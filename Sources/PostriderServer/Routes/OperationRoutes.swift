internal import HTTPServer
internal import PushStore
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

  private static let status = Schema.object([.required("status", .choice(["ok"], "ok"))])
  /// How long the pipeline may have trouble with the store before the server is not ready, in milliseconds.
  private static let troubleMs: Int64 = 5_000
  private static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

  @Sendable private static func ready(_ call: Call, _ service: Service) async throws(Problem) -> Reply {
    try await service.result { store, done in store.checkReadiness(completion: done) }
    let now = Timestamp(milliseconds: service.clock.nowMs())
    if let trouble = service.health.storeTrouble(lastingMs: troubleMs, now: now) {
      throw Problem(.storeFailed, "nothing can be delivered: \(trouble.detail)")
    }
    return Reply(200, ["status": "ok"])
  }

  @Sendable private static func metrics(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let gauges =
      service.sending.gauges + service.webhooks.gauges + service.upkeep.gauges + service.connections.gauges
      + service.identityCounters.gauges + (service.tracer?.gauges ?? [])
    var reply = Reply(200, json: Array(service.metrics.text(gauges: gauges).utf8))
    reply.contentType = metricsType
    return reply
  }
}
