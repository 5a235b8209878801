/// What several statements ask about a row of `pushes`, each with what its columns become.
///
/// The counters move in SQL, so the rules are asked there, as `#finished(…)` and `#leasable(…)` (see ``StateSymbols``).
enum PushConditions {
  /// `#finished(waiting; in_flight; audience_complete)`: every delivery has its final state, and none will be added.
  static func finished(waiting: Substring, inFlight: Substring, isGathered: Substring) -> String {
    "(\(waiting) = 0 AND \(inFlight) = 0 AND (\(isGathered) = 1 OR state IN (#push.cancelled, #push.expired)))"
  }

  /// `#leasable(audience_complete; cursor; targeted)`: there may be something that can be sent before its retry, by this push alone.
  static func leasable(isGathered: Substring, cursor: Substring, targeted: Substring) -> String {
    """
    (\(isGathered) = 0 OR \(cursor) <> \(targeted) OR EXISTS (
      SELECT 1 FROM deliveries INDEXED BY deliveries_due
      WHERE state = #delivery.waiting AND not_before IS NOT NULL AND lane = -pushes.id))
    """
  }
}
