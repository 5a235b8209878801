internal import Glibc

/// The operating system's clocks.
package enum SystemClock {
  /// Nanoseconds since an arbitrary instant; never steps.
  package static func monotonicNs() -> Int64 {
    let time = read(CLOCK_MONOTONIC)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Milliseconds since an arbitrary instant; never steps.
  package static func monotonicMs() -> Int64 { milliseconds(read(CLOCK_MONOTONIC)) }

  /// Milliseconds since an arbitrary instant; never steps, and goes on while the machine is suspended.
  package static func elapsedMs() -> Int64 { milliseconds(read(CLOCK_BOOTTIME)) }

  /// Milliseconds since 1970-01-01 UTC; may step in either direction.
  package static func wallMs() -> Int64 { milliseconds(read(CLOCK_REALTIME)) }

  /// Seconds since 1970-01-01 UTC; may step in either direction.
  package static func wallSeconds() -> Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
  }

  private static func milliseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
