internal import HTTPServer
internal import StoreModel
internal import Synchronization

/// Deletes expired records: deliveries and reports by the retention policy, devices that were not seen for as long as their
/// app's rule says, idempotency keys after 30 days.
///
/// In small steps, at bulk priority, and only by a clock that is not in doubt (``ClockDoubt``).
final class Upkeep: Sendable {
  private struct State: Sendable {
    var isBusy = false
    var nextAt = Timestamp(milliseconds: 0)
    var ticks = 0
    /// How often somebody has asked to look at once.
    var wakes = 0
    var deliveries = 0
    var events = 0
    var devices = 0
    var doubt: ClockDoubt
  }

  /// Rows deleted in one step: a few milliseconds of the store.
  private static let stepRows = 2_000
  private static let periodMs: Int32 = 200
  /// How long nothing is looked for after everything was deleted, in milliseconds.
  private static let restMs: Int64 = 600_000
  /// Idempotency keys are looked at every so many ticks (five seconds), so many at a time: eighty million in a day.
  private static let keysTicks = 25
  private static let keysLimit = 5_000
  /// How long an idempotency key is remembered, in milliseconds: 30 days.
  static let keysMs: Int64 = 30 * 86_400_000

  private let store: any Store
  private let clock: WallClock
  private let log: Log
  private let state: Mutex<State>
  private let thread = Mutex<PeriodicThread?>(nil)
  private let duty: DutyKeeper

  init(store: any Store, clock: WallClock, log: Log) throws(HTTPServerError) {
    let doubt = ClockDoubt(
      wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), latest: (try? store.latestPurge()) ?? nil)
    if doubt.isDoubted {
      log(.info, "more than a day has passed since the last clean-up: nothing is deleted for its age for a day")
    }
    state = Mutex(State(doubt: doubt))
    self.store = store
    duty = DutyKeeper(.upkeep, store)
    self.clock = clock
    self.log = log
    let ticker = try PeriodicThread(periodMs: Upkeep.periodMs) { [weak self] in self?.tick() }
    thread.withLock { $0 = ticker }
  }

  /// Ends.
  func stop() { thread.withLock { $0.take() }?.stop() }

  /// A policy changed: looks at once.
  func wake() {
    state.withLock { state in
      state.wakes += 1
      state.nextAt = Timestamp(milliseconds: 0)
    }
  }

  /// Whether there was nothing more to delete, so that nothing is looked for until its time or ``wake()``.
  var isResting: Bool {
    let now = Timestamp(milliseconds: clock.nowMs())
    return state.withLock { !$0.isBusy && now < $0.nextAt }
  }

  /// The numbers for `/metrics`.
  var gauges: [Metrics.Gauge] {
    let (deliveries, events, devices) = state.withLock { ($0.deliveries, $0.events, $0.devices) }
    return [
      Metrics.Gauge(
        name: "postrider_rows_purged_total", kind: .counter, help: "Rows deleted because their time was over.",
        values: [
          ("table=\"deliveries\"", deliveries), ("table=\"events\"", events), ("table=\"devices\"", devices),
        ])
    ]
  }

  /// Whether the time is one to delete by.
  private func trusts(_ now: Timestamp) -> Bool {
    let (jump, isDoubted) = state.withLock { state in
      (state.doubt.step(wallMs: now.milliseconds, monotonicMs: clock.monotonicMs()), state.doubt.isDoubted)
    }
    if let jump {
      log(
        .warning, "the clock jumped ahead: nothing is deleted for its age for a day",
        ["hours": .int(Int(jump / 3_600_000))])
    }
    return !isDoubted
  }

  private func tick() {
    let now = Timestamp(milliseconds: clock.nowMs())
    guard trusts(now), (try? duty.right(now: now)) ?? nil != nil else { return }
    let isKeyTick = state.withLock { state in
      state.ticks += 1
      return state.ticks % Upkeep.keysTicks == 0
    }
    if isKeyTick {
      // What could not be forgotten now is met again in the next round.
      _ = try? store.forgetIdempotencyKeys(
        before: now.adding(milliseconds: -Upkeep.keysMs), limit: Upkeep.keysLimit)
    }
    let wakes: Int? = state.withLock { state in
      // A clock that stepped back must not stop upkeep for long.
      guard !state.isBusy, state.nextAt <= now || state.nextAt > now.adding(milliseconds: Upkeep.restMs) else {
        return nil
      }
      state.isBusy = true
      return state.wakes
    }
    guard let wakes else { return }
    store.purge(now: now, limit: Upkeep.stepRows) { [weak self] in self?.purged($0, now, wakes) }
  }

  /// What was asked for while it deleted may concern more than it saw.
  private func purged(_ result: Result<PurgeSummary, StoreError>, _ now: Timestamp, _ wakes: Int) {
    var rest: Int64 = 0
    switch result {
    case .success(let summary):
      state.withLock { state in
        state.deliveries += summary.deliveries
        state.events += summary.events
        state.devices += summary.devices
      }
      if summary.isDone { rest = Upkeep.restMs }
    case .failure(let error):
      log(.error, "upkeep failed", ["detail": .text(error.description)])
      rest = Upkeep.restMs
    }
    state.withLock { state in
      if state.wakes == wakes { state.nextAt = now.adding(milliseconds: rest) }
      state.isBusy = false
    }
  }
}
