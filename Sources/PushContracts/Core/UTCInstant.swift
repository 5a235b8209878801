internal import Basics

/// A point in time as whole seconds since 1970-01-01 00:00:00 UTC, with its RFC 3339 text.
public struct UTCInstant: Sendable, Hashable, Comparable {
  /// Seconds since 1970-01-01 UTC.
  public var seconds: Int64

  /// A point in time.
  public init(seconds: Int64) { self.seconds = seconds }

  /// Reads RFC 3339 (ISO 8601) such as `2030-01-02T03:04:05Z`, with an offset or a fraction, which is cut off.
  ///
  /// - Returns: nil for anything else, also for days that no calendar has.
  public init?(_ text: String) {
    guard let time = RFC3339Time(text, accepting: [.space, .compactOffset]) else { return nil }
    seconds = time.seconds
  }

  /// `2030-01-02T03:04:05Z`.
  public var text: String { RFC3339Time.text(seconds: seconds) }

  /// Orders by time.
  public static func < (a: UTCInstant, b: UTCInstant) -> Bool { a.seconds < b.seconds }
}
