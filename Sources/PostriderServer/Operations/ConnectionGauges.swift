internal import HTTPServer

/// The connections of the API, for `/metrics`.
struct ConnectionGauges: Sendable {
  private let counters: ConnectionCounters
  private let limits: HTTPLimits
  private let certificate: ServerCertificate?

  init(_ configuration: HTTPServerConfiguration) {
    counters = configuration.connections
    limits = configuration.limits
    certificate = configuration.certificate
  }

  var gauges: [Metrics.Gauge] {
    var rows: [(name: String, kind: Metrics.Gauge.Kind, help: String, value: Int)] = [
      ("postrider_http_connections", .gauge, "Open connections of the API.", counters.open),
      (
        "postrider_http_connections_max", .gauge, "Connections at once, without those kept for essential requests.",
        limits.maxConnections
      ),
      (
        "postrider_http_connections_evicted_total", .counter, "Connections closed to make room for others.",
        counters.evictedTotal
      ),
      (
        "postrider_http_connections_refused_total", .counter, "Connections turned away because there was no room.",
        counters.refusedTotal
      ),
    ]
    if let end = certificate?.expiresAt {
      rows.append(
        (
          "postrider_http_certificate_expires_at_seconds", .gauge, "When the certificate in use expires, since 1970.",
          Int(end)
        ))
    }
    return rows.map { Metrics.Gauge(name: $0.name, kind: $0.kind, help: $0.help, values: [("", $0.value)]) }
  }
}
