import System

/// Nanoseconds on the system's monotonic clock.
func monotonicNow() -> Int64 { SystemClock.monotonicNs() }

extension Duration {
  /// The whole nanoseconds, saturating.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
  }
}
