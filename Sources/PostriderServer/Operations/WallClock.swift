internal import System

/// The time of day, told by the caller in tests.
public struct WallClock: Sendable {
  /// Milliseconds since 1970-01-01 UTC.
  public let nowMs: @Sendable () -> Int64

  /// A clock that asks `nowMs`.
  public init(nowMs: @escaping @Sendable () -> Int64) { self.nowMs = nowMs }

  /// The system's clock.
  public static let system = WallClock { SystemClock.wallMs() }
}
