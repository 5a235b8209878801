/// What becomes of a delivery and of what surrounds it, for each way a send can end: one row each.
///
/// Sources: facts 1.5, 1.6 (Apple, “Handling notification responses from APNs”) and 2.5, 2.6 (Google, “Error codes” and “Best practices
/// when sending at scale”).
public enum PolicyTable {
  /// One row.
  public struct Row: Sendable, Hashable {
    /// What becomes of the delivery.
    public let delivery: DeliveryRule
    /// What becomes of the device.
    public let device: DeviceRule
    /// Whether the app's sending stops until a person has looked at it.
    public let stopsApp: Bool
    /// Whether an operator is told while the app's sending goes on.
    public let tellsOperator: Bool

    init(delivery: DeliveryRule, device: DeviceRule, stopsApp: Bool, tellsOperator: Bool = false) {
      self.delivery = delivery
      self.device = device
      self.stopsApp = stopsApp
      self.tellsOperator = tellsOperator
    }
  }

  /// What Google's pages leave open, decided by whoever runs the pipeline.
  public struct Choices: Sendable, Hashable {
    /// What a 429 of FCM without an error code is about.
    public enum Plain429: String, Sendable, Hashable, CaseIterable {
      /// The project's quota, as with `QUOTA_EXCEEDED`.
      case quota
      /// The one device, which has its own limits a minute and an hour.
      case device
    }

    /// What a 429 of FCM without an error code is taken for.
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
    /// It is held back until it registers again or a person has looked at it.
    case quarantine
    /// It is retired, unless it registered after the moment of its death.
    case retire
  }

  /// The row for a refusal.
  public static func row(_ meaning: SendRejection.Meaning, _ choices: Choices = Choices()) -> Row {
    switch meaning {
    case .badRequest: Row(delivery: .end, device: .keep, stopsApp: false)
    case .wrongDevice: Row(delivery: .end, device: .keep, stopsApp: false)
    case .doubtfulCredential: Row(delivery: .end, device: .keep, stopsApp: false, tellsOperator: true)
    case .badCredential: Row(delivery: .again(.credential), device: .keep, stopsApp: true)
    case .suspectToken: Row(delivery: .end, device: .quarantine, stopsApp: false)
    case .deadToken: Row(delivery: .end, device: .retire, stopsApp: false)
    case .deviceBusy: Row(delivery: .retry(.device), device: .keep, stopsApp: false)
    case .quotaUsedUp: Row(delivery: .retry(.quota), device: .keep, stopsApp: false)
    case .tooMany: row(choices.fcmPlain429 == .quota ? .quotaUsedUp : .deviceBusy)
    case .renewConnection: Row(delivery: .retry(.transport), device: .keep, stopsApp: false)
    case .apnsTrouble: Row(delivery: .retry(.apns), device: .keep, stopsApp: false)
    case .fcmTrouble: Row(delivery: .retry(.fcm), device: .keep, stopsApp: false)
    }
  }

  /// The row for a send that was certainly not processed.
  public static let notProcessed = Row(delivery: .again(.transport), device: .keep, stopsApp: false)
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

  /// Gathers the parts.
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
  /// APNs in trouble: not before 15 minutes (facts 1.6).
  public static let apns = Backoff(firstMs: 900_000, maxMs: 3_600_000, isFloor: true)
  /// FCM in trouble: not before 10 s (facts 2.6).
  public static let fcm = Backoff(firstMs: 10_000, maxMs: 600_000, isFloor: true)
  /// A credential that was refused: looked at again soon after the app is let go.
  public static let credential = Backoff(firstMs: 5_000, maxMs: 60_000, isFloor: false)

  /// The wait in milliseconds before the try after number `attempt` (from 1); `random` are 64 random bits.
  public func waitMs(attempt: Int, random: UInt64) -> Int64 {
    let doublings = min(max(attempt - 1, 0), 30)
    let whole = min(maxMs, firstMs.multipliedReportingOverflow(by: 1 << Int64(doublings)).partialValue)
    let half = max(whole / 2, 1)
    let drawn = Int64(random % UInt64(half + 1))
    return isFloor ? whole + drawn : whole - half + drawn
  }
}
