internal import StoreModel

/// Whether the time is to be trusted with what cannot be undone: nothing is deleted for its age for a day after the clock
/// has jumped ahead, or until it is back.
///
/// A machine that slept looks the same, and so does a server that starts after more than a day; they delete a day later.
struct ClockDoubt: Sendable {
  private var wallMs: Int64
  private var monotonicMs: Int64
  /// How far the clock is ahead of where it should be, as far as is known.
  private var aheadMs: Int64 = 0
  /// By the monotonic clock.
  private var untilMs: Int64?

  /// What is more than this is a jump.
  private static let jumpMs: Int64 = 3_600_000
  /// How long a jump is doubted, and how long ago the last clean-up may have been at a start.
  private static let dayMs: Int64 = 86_400_000

  /// Begins with the clocks as they are, in milliseconds.
  ///
  /// - Parameter latest: when something was deleted last, by a clock that was not in doubt; nil for never.
  init(wallMs: Int64, monotonicMs: Int64, latest: Timestamp?) {
    (self.wallMs, self.monotonicMs) = (wallMs, monotonicMs)
    guard let latest, wallMs - latest.milliseconds > Self.dayMs else { return }
    aheadMs = wallMs - latest.milliseconds
    untilMs = monotonicMs + Self.dayMs
  }

  /// Takes note of the time; returns by how many milliseconds it has jumped ahead, when that is a reason to doubt it.
  mutating func step(wallMs: Int64, monotonicMs: Int64) -> Int64? {
    let jump = (wallMs - self.wallMs) - (monotonicMs - self.monotonicMs)
    (self.wallMs, self.monotonicMs) = (wallMs, monotonicMs)
    aheadMs = max(0, aheadMs + jump)
    if let untilMs, monotonicMs >= untilMs || aheadMs <= Self.jumpMs { (self.untilMs, aheadMs) = (nil, 0) }
    guard jump > Self.jumpMs else { return nil }
    untilMs = monotonicMs + Self.dayMs
    return jump
  }

  /// Whether the time is doubted now.
  var isDoubted: Bool { untilMs != nil }
}
