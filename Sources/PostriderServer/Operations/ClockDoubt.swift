internal import PushStore

/// Whether the time is to be trusted with what cannot be undone: nothing is deleted for its age for a day after the clock
/// has jumped ahead.
///
/// A server that was away for more than a day looks the same when it starts; it deletes a day later.
struct ClockDoubt: Sendable {
  private var wallMs: Int64
  private var monotonicMs: Int64
  /// By the monotonic clock.
  private var untilMs: Int64?

  /// What is more than this is a jump.
  private static let jumpMs: Int64 = 3_600_000
  /// How long a jump is doubted, and how far ahead of the last run a start may be.
  private static let dayMs: Int64 = 86_400_000

  /// Begins with a clock as it is.
  ///
  /// - Parameter latest: the latest time that an earlier run has noted; nil when there is none.
  init(_ clock: WallClock, latest: Timestamp?) {
    (wallMs, monotonicMs) = (clock.nowMs(), clock.monotonicMs())
    if let latest, wallMs - latest.milliseconds > Self.dayMs { untilMs = monotonicMs + Self.dayMs }
  }

  /// Takes note of the time; returns by how much it has jumped, in milliseconds, when that is a reason to doubt it.
  mutating func step(_ clock: WallClock) -> Int64? {
    let (lastWall, lastMonotonic) = (wallMs, monotonicMs)
    (wallMs, monotonicMs) = (clock.nowMs(), clock.monotonicMs())
    let jump = (wallMs - lastWall) - (monotonicMs - lastMonotonic)
    if let untilMs, monotonicMs >= untilMs || jump < -Self.jumpMs { self.untilMs = nil }
    guard jump > Self.jumpMs else { return nil }
    untilMs = monotonicMs + Self.dayMs
    return jump
  }

  /// Whether the time is doubted now.
  var isDoubted: Bool { untilMs != nil }
}
