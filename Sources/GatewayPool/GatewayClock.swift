internal import System

/// The two clocks of a sender, replaceable by tests.
package struct GatewayClock: Sendable {
  /// Time since one fixed, arbitrary instant; never steps.
  package var monotonic: @Sendable () -> Duration
  /// Seconds since 1970; may step in either direction.
  package var wall: @Sendable () -> Int64

  /// Takes two clocks.
  package init(monotonic: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Int64) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The system's clocks.
  package static let system = GatewayClock(
    monotonic: { .nanoseconds(SystemClock.monotonicNs()) },
    wall: { SystemClock.wallSeconds() })
}
