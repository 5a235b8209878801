internal import Delivery
internal import StoreModel

extension Sending {
  /// What an operator should know of the delivery, as log lines.
  static func write(_ event: DeliveryEvent, to log: Log) {
    switch event {
    case .recovered(let summary):
      log(
        summary.leases > 0 ? .warning : .debug, "recovered",
        ["leases": .int(summary.leases), "requeued": .int(summary.requeued), "left_unknown": .int(summary.left)])
    case .providerStopped(let stop):
      log(
        .error, "provider stopped",
        [
          "app": .text(stop.lane.app.description), "provider": .text(stop.lane.provider.name),
          "environment": .text(stop.lane.environment.name), "reason": .text(stop.reason),
          "refusals": .int(stop.refusals), "retry_at": .text(TimeText.text(stop.retryAt)),
        ])
    case .providerResumed(let lane):
      log(
        .info, "provider resumed",
        [
          "app": .text(lane.app.description), "provider": .text(lane.provider.name),
          "environment": .text(lane.environment.name),
        ])
    case .credentialDoubted(let lane, let reason): log(.error, "credential doubted", fields(lane, reason))
    case .retirementHalted(let app, let share):
      log(.error, "retirement halted", ["app": .text(app.description), "percent": .int(Int(share * 100))])
    case .retirementResumed(let app, let kept):
      log(.warning, "retirement resumed", ["app": .text(app.description), "kept": .int(kept)])
    case .gatewayUnreachable(let lane, let reason): log(.warning, "gateway unreachable", fields(lane, reason))
    case .gatewayReachable(let lane): log(.info, "gateway reachable", fields(lane, ""))
    case .pushFinished(let push): log(.debug, "push finished", ["push": .text(push.description)])
    case .storeTrouble(let error): log(.error, "store trouble", ["detail": .text(error.description)])
    case .storeRecovered: log(.info, "store recovered")
    case .nodeWaits(let error): log(.error, "node waits", ["detail": .text(error.description)])
    case .nodeWorks(let nodes): log(.info, "node works", ["live_nodes": .int(nodes)])
    case .clockFollowed(let changed):
      log(.warning, "the clock went back: what was written ahead of it follows", ["changed": .int(changed)])
    }
  }

  private static func fields(_ lane: LaneKey, _ reason: String) -> KeyValuePairs<String, LogValue> {
    [
      "app": .text(lane.app.description), "provider": .text(lane.provider.name),
      "environment": .text(lane.environment.name), "reason": .text(reason),
    ]
  }
}

extension DeliveryStatistics {
  /// The numbers for `/metrics`.
  var gauges: [Metrics.Gauge] {
    let rows: [(name: String, kind: Metrics.Gauge.Kind, help: String, value: Int)] = [
      ("postrider_deliveries_in_flight", .gauge, "Deliveries leased and not yet recorded.", inFlight),
      ("postrider_deliveries_on_wire", .gauge, "Deliveries handed to a provider and not yet answered.", onWire),
      ("postrider_deliveries_queued", .gauge, "Deliveries waiting for a provider's client.", queued),
      ("postrider_answers_unwritten", .gauge, "Answers that wait to be written.", unwritten),
      ("postrider_sends_total", .counter, "Sends handed to providers.", sent),
      ("postrider_deliveries_accepted_total", .counter, "Deliveries recorded as accepted.", accepted),
      ("postrider_deliveries_recorded_total", .counter, "Deliveries recorded, whatever the result.", recorded),
      ("postrider_devices_held_total", .counter, "Devices retired or quarantined.", devicesHeld),
    ]
    return rows.map { Metrics.Gauge(name: $0.name, kind: $0.kind, help: $0.help, values: [("", $0.value)]) }
  }
}
