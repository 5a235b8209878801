internal import PushStore

/// A clock that is set back.
extension Pipeline {
  /// Clocks are set right in small steps; what is less is no jump.
  private static let slackMs: Int64 = 1_000

  /// Waits end at moments of the clock, so one that is set back would stretch each of them by as much: they begin anew.
  ///
  /// One that jumps ahead ends them early, which is harmless: each is looked at again when it is over.
  func notice(_ now: Timestamp) {
    let hasJumped = now < lastTurn.adding(milliseconds: -Self.slackMs)
    lastTurn = now
    guard hasJumped else { return }
    (nextRenewal, nextScan, nextWaitingScan, nextChange, workIsOld) = (now, now, now, nil, true)
    parkRestUntil = now
    if heldUntil != nil { heldUntil = now }
    for number in lanes.indices {
      lanes[number].busyUntil = nil
      lanes[number].breaker.shorten(at: now)
    }
  }
}
