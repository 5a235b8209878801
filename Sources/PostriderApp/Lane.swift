/// When requests of one kind may be sent: at once, after a pause, or not until the configuration changes.
struct Lane {
  static let firstPauseMs: Int64 = 5_000
  static let longestPauseMs: Int64 = 1_800_000
  /// The longest `Retry-After` that is honoured; a longer wait means that the clock was set back.
  static let dayMs: Int64 = 86_400_000

  var isStopped = false
  private var failures = 0
  private var notBefore: Int64 = 0
  /// Whether the server set the pause.
  private var isRequested = false

  /// The time until which it pauses.
  func pausedUntil(_ now: Int64) -> Int64? { notBefore > now && notBefore - now <= Self.dayMs ? notBefore : nil }

  mutating func succeeded() {
    failures = 0
    notBefore = 0
    isRequested = false
  }

  /// `random` is a number of 0 to 999.
  mutating func failed(_ now: Int64, retryAfter: String?, random: Int) {
    let whole = min(Self.firstPauseMs << min(failures, 20), Self.longestPauseMs)
    failures += 1
    let requested = Self.milliseconds(retryAfter)
    isRequested = requested > 0
    notBefore = now + max(whole / 2 + whole / 2 * Int64(random) / 1000, requested)
  }

  /// Ends a pause that no server asked for.
  mutating func retryNow() {
    if isRequested { return }
    failures = 0
    notBefore = 0
  }

  /// `Retry-After` in seconds; 0 for none, and for a date.
  private static func milliseconds(_ retryAfter: String?) -> Int64 {
    let text = (retryAfter ?? "").filter { $0 != " " }
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min((Int64(text) ?? 0) * 1000, dayMs)
  }
}
