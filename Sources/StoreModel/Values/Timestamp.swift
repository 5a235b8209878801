/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
///
/// The store never reads a clock: every operation takes the time as a parameter.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970 in UTC.
  public let milliseconds: Int64

  /// Wraps a number of milliseconds.
  @inlinable public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Wraps a number of seconds.
  @inlinable public init(seconds: Int64) { self.milliseconds = seconds * 1000 }

  /// Whole seconds, rounded down.
  @inlinable public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

  /// The timestamp `milliseconds` later.
  @inlinable public func adding(milliseconds: Int64) -> Timestamp {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    return Timestamp(milliseconds: overflow ? .max : sum)
  }

  /// The timestamp `seconds` later.
  @inlinable public func adding(seconds: Int64) -> Timestamp {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return adding(milliseconds: overflow ? .max : product)
  }

  /// Earlier is less.
  @inlinable public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
