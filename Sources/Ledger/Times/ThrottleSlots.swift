package import StoreModel

/// Spreads the deliveries of a throttled push over time: the generic cell rate algorithm (ITU-T I.371) for first
/// attempts that come due, and a sequence of send times for those that exceed the rate.
///
/// With several nodes each spreads what it leases over its share of the rate. In memory only: after a restart a push begins at the rate again, with at most ``burstUs`` at once.
package struct ThrottleSlots: Sendable {
  /// What one push has used.
  private struct Use: Sendable {
    /// When its next send would come if all had kept to the rate, in microseconds.
    var nextUs: Int64
    /// The last send time assigned for each start time (0 for now), in microseconds.
    var given: [Int64: Int64] = [:]
  }

  private var uses: [PushID: Use] = [:]
  /// The nodes that live and share each rate.
  private var nodes: Int64 = 1
  private var latest = Timestamp(milliseconds: 0)

  package init() {}

  /// What may be sent at once, as time at the rate.
  private static let burstUs: Int64 = 1_000_000
  /// Pushes remembered before those are forgotten that keep to their rate again.
  private static let usesMax = 1_000
  /// Beginnings remembered of one push: the ends of quiet hours in so many time zones.
  private static let beginningsMax = 64
  /// Clocks are set right in small steps; what is more makes what was noted useless.
  private static let slackMs: Int64 = 1_000

  /// Takes note of the time, and forgets what a clock noted that was ahead.
  package mutating func begin(_ now: Timestamp, nodes: Int) {
    self.nodes = Int64(max(nodes, 1))
    if now < latest.adding(milliseconds: -Self.slackMs) { uses.removeAll() }
    latest = now
    guard uses.count > Self.usesMax else { return }
    let nowUs = Self.microseconds(now)
    uses = uses.filter { $0.value.nextUs > nowUs || $0.value.given.values.contains { $0 > nowUs } }
  }

  /// The rate of a push was changed.
  package mutating func forget(_ push: PushID) { uses[push] = nil }

  /// First tries of a push were leased.
  package mutating func sent(_ count: Int, of push: PushID, perMinute: Int64, _ now: Timestamp) {
    let nowUs = Self.microseconds(now)
    var use = uses[push] ?? Use(nextUs: nowUs)
    use.nextUs = max(use.nextUs, nowUs) + Int64(count) * stepUs(perMinute)
    uses[push] = use
  }

  /// Whether one first try may go now.
  package func allows(_ push: PushID, _ now: Timestamp) -> Bool {
    guard let use = uses[push] else { return true }
    return use.nextUs <= Self.microseconds(now) + Self.burstUs
  }

  /// The next free send time from `start` on; all start times up to now share one sequence.
  package mutating func next(of push: PushID, perMinute: Int64, from start: Timestamp) -> Timestamp {
    let startUs = Self.microseconds(start)
    let key = start <= latest ? 0 : startUs
    var use = uses[push] ?? Use(nextUs: 0)
    if use.given.count > Self.beginningsMax { use.given = use.given.filter { $0.value > Self.microseconds(latest) } }
    // What goes now is in the row too.
    let first = key == 0 ? max(startUs, use.nextUs) : startUs
    let given = max(first, use.given[key].map { $0 + stepUs(perMinute) } ?? first)
    use.given[key] = given
    uses[push] = use
    return Timestamp(milliseconds: given / 1_000)
  }

  private func stepUs(_ perMinute: Int64) -> Int64 { 60_000_000 * nodes / max(perMinute, 1) }

  private static func microseconds(_ instant: Timestamp) -> Int64 {
    let limit = Int64.max / 4_000
    return min(max(instant.milliseconds, -limit), limit) * 1_000
  }
}
