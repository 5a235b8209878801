/// What several statements ask about a row of `pushes`, each with what its columns become.
///
/// The counters move in SQL, so the rules are asked there, as `#finished(…)` and the others (see ``StateSymbols``).
enum PushConditions {
  /// `#finished(waiting; in_flight; audience_complete)`: every delivery has its final state, and none will be added.
  @Sendable static func finished(_ values: [Substring]) -> String? {
    guard values.count == 3 else { return nil }
    let (waiting, inFlight, isMaterialized) = (values[0], values[1], values[2])
    return
      "(\(waiting) = 0 AND \(inFlight) = 0 AND (\(isMaterialized) = 1 OR state IN (#push.cancelled, #push.expired)))"
  }

  /// `#leasable(audience_complete; cursor; targeted)`: there may be something that can be sent before its retry, by this push alone.
  @Sendable static func leasable(_ values: [Substring]) -> String? {
    guard values.count == 3 else { return nil }
    let (isMaterialized, cursor, targeted) = (values[0], values[1], values[2])
    return """
      (\(isMaterialized) = 0 OR \(cursor) <> \(targeted) OR EXISTS (
        SELECT 1 FROM deliveries INDEXED BY deliveries_due
        WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane = -pushes.id))
      """
  }

  /// `#leased(delivery; push; cursor)`: the first try of a delivery has been leased (``AudienceExtent/hasLeased(_:)``).
  @Sendable static func leased(_ values: [Substring]) -> String? {
    guard values.count == 3 else { return nil }
    return "\(values[0]) < \(values[1]) + \(values[2])"
  }
}
