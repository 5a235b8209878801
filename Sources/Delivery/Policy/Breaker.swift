public import StoreModel

/// Keeps a pipeline from throwing work at a gateway that cannot be reached.
///
///     closed ── failures in a row ≥ limit ──▶ open ── wait over ──▶ probing
///        ▲                                      ▲                      │
///        └───────────── an answer ──────────────┼───── an answer ──────┤
///                                               └───── a failure ──────┘ (the wait doubles)
public struct Breaker: Sendable {
  /// Failures in a row, without an answer between them, that open it.
  public static let failuresMax = 64
  /// Sends that may probe.
  public static let probeSends = 8

  private static let backoff = Backoff(firstMs: 1_000, maxMs: 60_000, isFloor: false)

  private let failuresMax: Int
  private var failures = 0
  private var openings = 0
  private var openUntil: Timestamp?
  private var probes = 0

  /// Starts closed.
  ///
  /// - Parameter failuresMax: failures in a row that open it.
  public init(failuresMax: Int = Self.failuresMax) { self.failuresMax = failuresMax }

  /// Whether the gateway is taken to be out of reach.
  public var isOpen: Bool { openUntil != nil }

  /// How many sends may be handed over now.
  public func allowed(at now: Timestamp) -> Int {
    guard isOpen else { return .max }
    return isWaiting(at: now) ? 0 : max(Self.probeSends - probes, 0)
  }

  /// Whether nothing is sent at all.
  ///
  /// An end that is further away than any wait was computed from a clock that has been set back since.
  public func isWaiting(at now: Timestamp) -> Bool {
    guard let openUntil else { return false }
    return now < openUntil && openUntil.milliseconds - now.milliseconds <= Self.backoff.maxMs
  }

  /// When the next probe may be sent, or nil when nothing waits for that.
  public func nextDue(after now: Timestamp) -> Timestamp? { isWaiting(at: now) ? openUntil : nil }

  /// Notes that sends were handed over.
  public mutating func sent(_ count: Int) {
    if openUntil != nil { probes += count }
  }

  /// Waits as long as it would have, after the clock jumped by so many milliseconds.
  public mutating func follow(jumpMs: Int64) {
    openUntil = openUntil?.adding(milliseconds: jumpMs)
  }

  /// The gateway answered, whatever it said.
  public mutating func answered() {
    self = Breaker(failuresMax: failuresMax)
  }

  /// A send ended without saying anything of the gateway: when it was a probe, another one may be sent.
  public mutating func ended() { probes = max(probes - 1, 0) }

  /// A send did not reach the gateway; `random` are 64 random bits.
  public mutating func failed(at now: Timestamp, random: UInt64) {
    failures += 1
    let isProbe = isOpen && !isWaiting(at: now)
    guard isProbe || (openUntil == nil && failures >= failuresMax) else {
      // A probe that ends before the time that it was sent after, because the clock was set back, is over too.
      return ended()
    }
    openings += 1
    openUntil = now.adding(milliseconds: Self.backoff.waitMs(attempt: openings, random: random))
    probes = 0
  }
}
