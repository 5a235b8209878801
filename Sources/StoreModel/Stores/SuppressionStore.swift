/// Quiet hours and the frequency cap.
public protocol SuppressionStore: Sendable {
  /// An app's rules; none unless set.
  func suppressionRules(app: AppID) throws(StoreError) -> SuppressionRules
  /// Replaces an app's rules. Throws `notFound` (app), `invalid`.
  func setSuppressionRules(_ rules: SuppressionRules, app: AppID) throws(StoreError)
  /// Changes an app's rules in one transaction, so that two callers who change different members do not undo each other.
  /// A refusal of `change` is returned, and nothing is changed. Throws `notFound` (app), `invalid`.
  func changeSuppressionRules<Refusal: Error>(
    app: AppID, _ change: @escaping @Sendable (SuppressionRules) -> Result<SuppressionRules, Refusal>
  ) throws(StoreError) -> Result<SuppressionRules, Refusal>
}

/// An app's rules of quiet hours and the frequency cap; pushes marked urgent are not held or capped.
public struct SuppressionRules: Sendable, Hashable {
  /// The hours in which nothing is sent; deliveries wait until they end.
  public var quietHours: QuietHours?
  /// How many pushes a user gets.
  public var frequencyCap: FrequencyCap?

  /// Creates a value from its parts.
  public init(quietHours: QuietHours? = nil, frequencyCap: FrequencyCap? = nil) {
    self.quietHours = quietHours
    self.frequencyCap = frequencyCap
  }
}

/// A part of the day, by the clock where the device is.
public struct QuietHours: Sendable, Hashable {
  /// The first minute of the day, 0 to 1439.
  public var from: Int
  /// The minute of the day at which they end, 0 to 1439; before `from`, they continue past midnight.
  public var to: Int
  /// The time zone of devices whose own is not known: a name of the IANA database.
  public var zone: String

  /// Creates a value from its parts.
  public init(from: Int, to: Int, zone: String = "UTC") {
    self.from = from
    self.to = to
    self.zone = zone
  }
}

/// At most so many pushes in any stretch of time, for each user; a device without a user counts by itself.
public struct FrequencyCap: Sendable, Hashable {
  /// The most pushes; the devices of a user share one push.
  public var pushes: Int
  /// The stretch, in milliseconds.
  public var windowMs: Int64

  /// The most pushes of any cap.
  public static let pushesMax = 50

  /// Creates a value from its parts.
  public init(pushes: Int, windowMs: Int64) {
    self.pushes = pushes
    self.windowMs = windowMs
  }
}
