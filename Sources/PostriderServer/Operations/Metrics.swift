internal import Synchronization

/// What the server counts, as Prometheus text.
///
/// Labels come from fixed sets: routes, status classes, providers. Never from tokens, ids or provider reasons, which
/// are without bound.
final class Metrics: Sendable {
  /// Upper bounds of the duration histogram, in microseconds, with their label in seconds.
  private static let bounds: [(us: Int64, label: String)] = [
    (1_000, "0.001"), (5_000, "0.005"), (20_000, "0.02"), (100_000, "0.1"), (500_000, "0.5"), (2_000_000, "2"),
  ]
  private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]

  /// One line of numbers per route, so that counting takes no lock.
  private final class RouteCounters: Sendable {
    let name: String
    let byClass: Numbers
    let buckets: Numbers
    let totalUs = Atomic<Int64>(0)

    init(name: String) {
      self.name = name
      byClass = Numbers(count: Metrics.classes.count)
      buckets = Numbers(count: Metrics.bounds.count + 1)
    }
  }

  /// A fixed row of counters.
  private final class Numbers: Sendable {
    private final class Cell: Sendable { let value = Atomic<Int64>(0) }
    private let cells: [Cell]

    init(count: Int) { cells = (0..<count).map { _ in Cell() } }

    func increment(_ index: Int) { cells[index].value.add(1, ordering: .relaxed) }
    var values: [Int64] { cells.map { $0.value.load(ordering: .relaxed) } }
  }

  private let routes: [RouteCounters]

  /// Counters for routes by name; the last one is for requests that matched no route.
  init(routeNames: [String]) { routes = (routeNames + ["none"]).map(RouteCounters.init) }

  /// Counts an answered request.
  func count(route: Int?, status: Int, microseconds: Int64) {
    let counters = routes[route ?? routes.count - 1]
    counters.byClass.increment(max(0, min(Metrics.classes.count - 1, status / 100 - 1)))
    counters.buckets.increment(
      Metrics.bounds.firstIndex { microseconds <= $0.us } ?? Metrics.bounds.count)
    counters.totalUs.add(microseconds, ordering: .relaxed)
  }

  /// A number that others keep, read when the text is made.
  struct Gauge: Sendable {
    enum Kind: String, Sendable { case counter, gauge }
    let name: String
    let kind: Kind
    let help: String
    /// Pairs of labels (`provider="apns"`, or empty) and value.
    let values: [(labels: String, value: Int)]
  }

  /// The metrics in Prometheus' text format, version 0.0.4.
  func text(gauges: [Gauge]) -> String {
    var text = "# HELP postrider_http_requests_total Answered API requests.\n"
    text += "# TYPE postrider_http_requests_total counter\n"
    for route in routes {
      for (name, value) in zip(Metrics.classes, route.byClass.values) where value > 0 {
        text += "postrider_http_requests_total{route=\"\(route.name)\",status=\"\(name)\"} \(value)\n"
      }
    }
    text += "# HELP postrider_http_request_seconds Time from the complete request to its answer.\n"
    text += "# TYPE postrider_http_request_seconds histogram\n"
    for route in routes { text += histogram(route) }
    for gauge in gauges {
      text += "# HELP \(gauge.name) \(gauge.help)\n# TYPE \(gauge.name) \(gauge.kind.rawValue)\n"
      for (labels, value) in gauge.values {
        text += labels.isEmpty ? "\(gauge.name) \(value)\n" : "\(gauge.name){\(labels)} \(value)\n"
      }
    }
    return text
  }

  private func histogram(_ route: RouteCounters) -> String {
    let counts = route.buckets.values
    let total = counts.reduce(0, +)
    guard total > 0 else { return "" }
    var text = ""
    var sum: Int64 = 0
    for (bound, count) in zip(Metrics.bounds, counts) {
      sum += count
      text += "postrider_http_request_seconds_bucket{route=\"\(route.name)\",le=\"\(bound.label)\"} \(sum)\n"
    }
    text += "postrider_http_request_seconds_bucket{route=\"\(route.name)\",le=\"+Inf\"} \(total)\n"
    let seconds = Double(route.totalUs.load(ordering: .relaxed)) / 1_000_000
    text += "postrider_http_request_seconds_sum{route=\"\(route.name)\"} \(seconds)\n"
    text += "postrider_http_request_seconds_count{route=\"\(route.name)\"} \(total)\n"
    return text
  }
}
