public import StoreModel

/// A bucket of tokens that fills at a rate, from zero to the full rate over a ramp.
public struct RateLimit: Sendable {
  /// Sends a second after the ramp.
  public private(set) var perSecond: Double
  /// Milliseconds from the first send to the full rate; 0 for none (FCM requires 60 s, facts 2.6).
  public let rampMs: Int64
  private var tokens = 0.0
  private var last: Timestamp?
  private var rampStart: Timestamp?

  /// Idle time after which the ramp starts again, in milliseconds.
  private static let rampForgetMs: Int64 = 300_000
  /// The share of the full rate at which a ramp begins.
  private static let rampFirstShare = 0.05

  /// Starts with room for a tenth of a second.
  public init(perSecond: Double, rampMs: Int64 = 0) {
    self.perSecond = max(perSecond, 0.001)
    self.rampMs = rampMs
  }

  /// Changes the rate; what has been saved stays.
  public mutating func change(perSecond: Double) { self.perSecond = max(perSecond, 0.001) }

  /// How many may be sent now: none until ``portion`` have come together.
  public mutating func available(at now: Timestamp) -> Int {
    fill(now)
    return tokens >= portion(at: now) ? Int(tokens) : 0
  }

  /// Notes that `count` were sent; may go below zero, and is then paid back before anything else is sent.
  public mutating func take(_ count: Int, at now: Timestamp) {
    fill(now)
    tokens -= Double(count)
    if count > 0 && rampStart == nil { rampStart = now }
  }

  /// When some may be sent again.
  public func nextDue(after now: Timestamp) -> Timestamp {
    let missing = portion(at: now) - tokens
    return missing <= 0 ? now : now.adding(milliseconds: Int64((missing / rate(at: now) * 1000).rounded(.up)))
  }

  /// What ten milliseconds let through, at least one: each portion is leased and recorded in transactions of its own, which cost
  /// the same for one send as for a hundred.
  private func portion(at now: Timestamp) -> Double { max(1, rate(at: now) / 100) }

  private func rate(at now: Timestamp) -> Double {
    guard rampMs > 0 else { return perSecond }
    guard let rampStart else { return perSecond * Self.rampFirstShare }
    let share = Double(now.milliseconds - rampStart.milliseconds) / Double(rampMs)
    return perSecond * min(max(share, Self.rampFirstShare), 1)
  }

  private mutating func fill(_ now: Timestamp) {
    guard let last else {
      self.last = now
      tokens = max(1, rate(at: now) / 10)
      return
    }
    let elapsed = now.milliseconds - last.milliseconds
    self.last = now
    // A clock that stepped back adds no tokens and removes none; the ramp continues.
    guard elapsed > 0 else { return rampStart = rampStart?.adding(milliseconds: elapsed) }
    if elapsed > Self.rampForgetMs { rampStart = nil }
    let rate = rate(at: now)
    // At most a tenth of a second is saved up (at least one send): a throttle is no license for a burst.
    tokens = min(tokens + rate * Double(elapsed) / 1000, max(1, rate / 10))
  }
}
