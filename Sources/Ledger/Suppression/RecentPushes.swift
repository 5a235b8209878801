package import StoreModel

/// The pushes that somebody received lately, for a frequency cap.
///
/// A push counts once for a user, however many devices receive it.
package struct RecentPushes: Sendable {
  private var recent: [(push: Int64, at: Int64)]

  /// Reads what ``bytes`` writes.
  package init(_ bytes: [UInt8] = []) {
    recent = stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map {
      (Self.number(bytes, $0), Self.number(bytes, $0 + 8))
    }
  }

  /// 16 bytes for each, little-endian: its number, and when it was counted.
  package var bytes: [UInt8] { recent.flatMap { Self.bytes($0.push) + Self.bytes($0.at) } }

  /// What counting a push against a cap comes to.
  package enum Count: Sendable {
    /// The push has been counted before.
    case counted
    /// It is counted now, which is to be kept.
    case added
    case capReached
  }

  /// Counts a push.
  package mutating func count(_ push: PushID, against cap: FrequencyCap, _ now: Timestamp) -> Count {
    if recent.contains(where: { $0.push == push.rawValue }) { return .counted }
    // What is dated after now by more than the time that counts was written by a clock that was ahead.
    recent.removeAll { $0.at <= now.milliseconds - cap.windowMs || $0.at > now.milliseconds + cap.windowMs }
    guard recent.count < cap.pushes else { return .capReached }
    recent.append((push.rawValue, now.milliseconds))
    return .added
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) }
  }

  private static func number(_ bytes: [UInt8], _ start: Int) -> Int64 {
    (0..<8).reduce(0) { $0 | Int64(bytes[start + $1]) << Int64($1 * 8) }
  }
}
