internal import PushStore
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

/// Moments as the API writes them: `2026-11-20T12:00:00.000Z` (RFC 3339, UTC, milliseconds).
enum TimeText {
  static func text(_ moment: Timestamp) -> String { text(ms: moment.milliseconds) }

  static func text(ms: Int64) -> String {
    let (day, rest) = ms.floored(by: 86_400_000)
    let (year, month, dayOfMonth) = civil(daysSince1970: day)
    let seconds = rest / 1_000
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(dayOfMonth, 2))T\(pad(seconds / 3_600, 2)):"
      + "\(pad(seconds / 60 % 60, 2)):\(pad(seconds % 60, 2)).\(pad(rest % 1_000, 3))Z"
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// Days to year, month, day: eras of 400 years that begin on 1 March (Howard Hinnant, "chrono-compatible low-level
  /// date algorithms").
  private static func civil(daysSince1970 days: Int64) -> (Int64, Int64, Int64) {
    let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension Int64 {
  /// Quotient and remainder, the remainder never negative.
  fileprivate func floored(by divisor: Int64) -> (Int64, Int64) {
    let remainder = ((self % divisor) + divisor) % divisor
    return ((self - remainder) / divisor, remainder)
  }
}
