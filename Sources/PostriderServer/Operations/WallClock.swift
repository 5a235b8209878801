internal import System

/// The time of day, injected in tests.
public struct WallClock: Sendable {
  /// Milliseconds since 1970-01-01 UTC.
  public let nowMs: @Sendable () -> Int64

  /// Milliseconds since an arbitrary instant; never steps.
  ///
  /// What the two differ by is a jump.
  let monotonicMs: @Sendable () -> Int64

  /// A clock that asks `nowMs`.
  public init(nowMs: @escaping @Sendable () -> Int64) {
    self.init(nowMs: nowMs) { SystemClock.monotonicMs() }
  }

  /// A clock that asks both.
  public init(nowMs: @escaping @Sendable () -> Int64, monotonicMs: @escaping @Sendable () -> Int64) {
    self.nowMs = nowMs
    self.monotonicMs = monotonicMs
  }

  /// The system's clock.
  public static let system = WallClock { SystemClock.wallMs() }
}
