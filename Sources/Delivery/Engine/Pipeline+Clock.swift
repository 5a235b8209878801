internal import StoreModel

/// A clock that jumps.
extension Pipeline {
  /// Clocks are set right in small steps; what is less is no jump.
  private static let slackMs: Int64 = 5_000
  /// How often the store records the time, in milliseconds.
  private static let noteMs: Int64 = 60_000

  /// Restarts timers that were computed from the wall clock after a jump.
  ///
  /// A clock that is set back would extend each of them by the jump. One that jumps ahead ends them early, which is
  /// harmless: each condition is checked again. The store records the jump immediately, so that what is written from
  /// then on can be corrected when the clock is right again, also after a restart.
  func notice(_ now: Timestamp) {
    let (latest, latestMs) = (lastTurn, lastTurnMs)
    (lastTurn, lastTurnMs) = (now, options.monotonicMs())
    func jump() -> Int64 { lastTurn.milliseconds - latest.milliseconds - (lastTurnMs - latestMs) }
    guard abs(jump()) > Self.slackMs else { return }
    // Read again: the process may have been suspended between the two readings.
    (lastTurn, lastTurnMs) = (options.clock(), options.monotonicMs())
    let jump = jump()
    guard abs(jump) > Self.slackMs else { return }
    evenSinceMs = lastTurnMs
    clockPage = .begin(latest: max(latest, now))
    guard jump < 0 else { return }
    (nextRenewal, nextScan, nextWaitingScan, nextChange, workIsOld) = (now, now, now, nil, true)
    parkRestUntil = now
    if heldUntil != nil { heldUntil = now }
    for number in lanes.indices { lanes[number].follow(jumpMs: jump) }
  }

  /// Whether so much time has certainly passed: nothing is abandoned for its age by a clock that jumped, nor by one
  /// that has been observed for less than that time.
  func hasPassed(_ ageMs: Int64) -> Bool { lastTurnMs - evenSinceMs >= ageMs }

  /// Since when the clock has been observed without a jump, by that clock.
  var evenSince: Timestamp { lastTurn.adding(milliseconds: evenSinceMs - lastTurnMs) }

  /// Records the time in the store when something is about to be dated.
  func noteClock(_ now: Timestamp) {
    if clockPage == nil, clockUnderWay == nil, now >= nextClockNote { clockPage = .begin(latest: now) }
  }

  /// Lets the store follow the clock, a page at a time.
  func followClock(_ now: Timestamp) {
    guard clockUnderWay == nil, let page = clockPage else { return }
    (clockPage, clockUnderWay) = (nil, page)
    nextClockNote = now.adding(milliseconds: Self.noteMs)
    let mailbox = mailbox
    store.followClock(page, now: now) { mailbox.post(.clockFollowed($0)) }
  }

  func clockFollowed(_ result: Result<ClockStep, StoreError>) {
    let page = clockUnderWay
    clockUnderWay = nil
    switch result {
    case .success(let step):
      clockChanges += step.changed
      // A jump that came meanwhile begins anew.
      if let next = step.next { return clockPage = clockPage ?? next }
      guard clockChanges > 0 else { return }
      options.onEvent?(.clockFollowed(changed: clockChanges))
      (clockChanges, workIsOld, waitingIsOld) = (0, true, true)
    case .failure(let error):
      // Tried again as it was: a page that begins says what time the clock had shown.
      clockPage = clockPage ?? page
      hold(error)
    }
  }
}
