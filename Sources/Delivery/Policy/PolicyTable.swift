/// What becomes of a delivery and of what surrounds it, for each way a send can end: one row each.
///
/// Sources: facts 1.5, 1.6 (Apple, “Handling notification responses from APNs”) and 2.5, 2.6 (Google, “Error codes” and “Best practices
/// when sending at scale”); of the push services of browsers RFC 8030 sections 5, 7.2 and 7.3, and RFC 8292 section 4.2; of the
/// others the pages that their senders name.
public enum PolicyTable {
  /// One row.
  public struct Row: Sendable, Hashable {
    /// What becomes of the delivery.
    public let delivery: DeliveryRule
    /// What becomes of the device.
    public let device: DeviceRule
    /// Whether nothing more goes to this provider with this credential, except a few sends now and then that try it.
    public let stopsLane: Bool
    /// Whether operators are notified while the app continues to send.
    public let tellsOperator: Bool

    init(delivery: DeliveryRule, device: DeviceRule, stopsLane: Bool, tellsOperator: Bool = false) {
      self.delivery = delivery
      self.device = device
      self.stopsLane = stopsLane
      self.tellsOperator = tellsOperator
    }
  }

  /// What Google's pages leave open, decided by whoever runs the pipeline.
  public struct Choices: Sendable, Hashable {
    /// The scope of an FCM 429 without an error code.
    public enum Plain429: String, Sendable, Hashable, CaseIterable {
      /// The project's quota, as with `QUOTA_EXCEEDED`.
      case quota
      /// The one device, which has its own limits a minute and an hour.
      case device
    }

    /// How an FCM 429 without an error code is treated.
    public var fcmPlain429 = Plain429.quota

    /// The choices that Google's sample code makes.
    public init() {}
  }

  /// What becomes of a delivery.
  public enum DeliveryRule: Sendable, Hashable {
    /// It ends.
    case end
    /// Another try, after this back-off.
    case retry(Backoff)
    /// Another try, which does not count as one, because nothing was sent.
    case again(Backoff)
  }

  /// What becomes of a device.
  public enum DeviceRule: Sendable, Hashable {
    /// Nothing.
    case keep
    /// It is quarantined until it registers again or an operator releases it.
    case quarantine
    /// It is retired, unless it registered after its token became invalid.
    case retire
  }

  /// The row for a refusal.
  public static func row(_ meaning: SendRejection.Meaning, _ choices: Choices = Choices()) -> Row {
    switch meaning {
    case .badRequest: Row(delivery: .end, device: .keep, stopsLane: false)
    case .wrongDevice: Row(delivery: .end, device: .keep, stopsLane: false)
    case .doubtfulCredential: Row(delivery: .end, device: .keep, stopsLane: false, tellsOperator: true)
    case .badCredential: Row(delivery: .again(.credential), device: .keep, stopsLane: true)
    case .suspectToken: Row(delivery: .end, device: .quarantine, stopsLane: false)
    case .deadToken: Row(delivery: .end, device: .retire, stopsLane: false)
    case .deviceBusy: Row(delivery: .retry(.device), device: .keep, stopsLane: false)
    case .quotaUsedUp: Row(delivery: .retry(.quota), device: .keep, stopsLane: false)
    case .tooMany: row(choices.fcmPlain429 == .quota ? .quotaUsedUp : .deviceBusy)
    case .renewConnection: Row(delivery: .retry(.transport), device: .keep, stopsLane: false)
    case .trouble(let provider): Row(delivery: .retry(.trouble(of: provider)), device: .keep, stopsLane: false)
    }
  }

  /// The row for a send that was certainly not processed.
  public static let notProcessed = Row(delivery: .again(.transport), device: .keep, stopsLane: false)
}

/// How long to wait before another try: doubling from `firstMs` to `maxMs`, each wait drawn between half and the whole of
/// that, so that a crowd does not come back as a crowd.
public struct Backoff: Sendable, Hashable {
  /// The first wait in milliseconds.
  public let firstMs: Int64
  /// The longest wait in milliseconds.
  public let maxMs: Int64
  /// Whether the wait is never shorter than `firstMs`: the drawn wait then lies between the whole and one and a half.
  public let isFloor: Bool

  /// Creates a value from its parts.
  public init(firstMs: Int64, maxMs: Int64, isFloor: Bool) {
    self.firstMs = firstMs
    self.maxMs = maxMs
    self.isFloor = isFloor
  }

  /// The network or the gateway's front door.
  public static let transport = Backoff(firstMs: 1_000, maxMs: 60_000, isFloor: false)
  /// One device that gets too much.
  public static let device = Backoff(firstMs: 60_000, maxMs: 900_000, isFloor: true)
  /// A project's quota: 60 s when there is no `Retry-After` (facts 2.6).
  public static let quota = Backoff(firstMs: 60_000, maxMs: 600_000, isFloor: true)
  /// A credential that was refused: the delivery is due again soon after its lane is.
  public static let credential = Backoff(firstMs: 5_000, maxMs: 60_000, isFloor: false)

  /// One push service of many that is out of reach.
  public static let origin = Backoff(firstMs: 1_000, maxMs: 600_000, isFloor: false)

  /// A lane whose credential was refused: a few sends try it again after a minute at first, an hour at last.
  public static let stop = Backoff(firstMs: 60_000, maxMs: 3_600_000, isFloor: true)

  /// No wait is longer than this.
  var longestMs: Int64 { isFloor ? maxMs + maxMs / 2 : maxMs }

  /// The wait in milliseconds before the try after number `attempt` (from 1); `random` are 64 random bits.
  public func waitMs(attempt: Int, random: UInt64) -> Int64 {
    let doublings = min(max(attempt - 1, 0), 30)
    let whole = min(maxMs, firstMs.multipliedReportingOverflow(by: 1 << Int64(doublings)).partialValue)
    let half = max(whole / 2, 1)
    let drawn = Int64(random % UInt64(half + 1))
    return isFloor ? whole + drawn : whole - half + drawn
  }

  /// The wait after so many milliseconds of attempts that are not counted: half of them to all of them.
  public func waitMs(after elapsedMs: Int64, random: UInt64) -> Int64 {
    let whole = min(max(elapsedMs, firstMs), maxMs)
    return whole - whole / 2 + Int64(random % UInt64(whole / 2 + 1))
  }
}
