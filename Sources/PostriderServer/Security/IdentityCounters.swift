internal import Synchronization

/// How requests of apps on phones come where tokens are read: whoever requires tokens wants to know how many come without.
final class IdentityCounters: Sendable {
  private let verifiedTotal = Atomic(0)
  private let absentTotal = Atomic(0)
  private let refusedTotal = Atomic(0)

  func verified() { verifiedTotal.add(1, ordering: .relaxed) }
  func absent() { absentTotal.add(1, ordering: .relaxed) }
  func refused() { refusedTotal.add(1, ordering: .relaxed) }

  var gauges: [Metrics.Gauge] {
    [
      Metrics.Gauge(
        name: "postrider_identity_requests_total", kind: .counter,
        help: "Requests of client keys where identity tokens are read, by the outcome of the token.",
        values: [
          ("result=\"verified\"", verifiedTotal.load(ordering: .relaxed)),
          ("result=\"absent\"", absentTotal.load(ordering: .relaxed)),
          ("result=\"refused\"", refusedTotal.load(ordering: .relaxed)),
        ])
    ]
  }
}
