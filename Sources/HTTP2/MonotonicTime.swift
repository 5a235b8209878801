internal import System

/// The monotonic clock, in nanoseconds from an arbitrary start.
enum MonotonicTime {
  /// Later than every other time.
  static let never = Int64.max

  /// The time now.
  static func now() -> Int64 { SystemClock.monotonicNs() }

  /// A duration in nanoseconds; negative ones count as none, and very long ones as 146 years.
  static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0 else { return 0 }
    guard seconds < 4_600_000_000 else { return 4_600_000_000_000_000_000 }
    return max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// The time `duration` from `start`, or ``never`` when that is beyond the clock.
  static func time(_ start: Int64, plus duration: Int64) -> Int64 {
    let (sum, overflow) = start.addingReportingOverflow(duration)
    return overflow ? never : sum
  }
}
