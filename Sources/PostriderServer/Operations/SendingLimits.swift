internal import Delivery
internal import StoreModel

/// How fast an app's pushes go to a provider, and when its devices are kept although the provider calls them dead.
///
/// Each app has a bucket of its own for each provider.
public struct SendingLimits: Sendable, Hashable {
  /// Sends a second to APNs for each app; nil for no limit.
  public var apnsPerSecond: Int?
  /// Sends a second to FCM for each app, reached over a minute; 10 000 is Google's quota of 600 000 a minute.
  public var fcmPerSecond = 10_000
  /// The percentage of an app's answers in ten minutes that may be against their device; above it none is retired.
  public var retirePercent = 30

  /// Whether an FCM 429 without an error code applies to the one device and not to the project's quota; Google's
  /// documentation does not say.
  public var fcmPlain429IsForDevice = false

  /// FCM requires a ramp of a minute from zero to the full rate.
  private static let fcmRampMs: Int64 = 60_000

  /// The defaults above.
  public init() {}

  /// Puts the limits into the pipeline's options.
  func apply(to options: inout DeliveryOptions) {
    options.rates[.apns] = apnsPerSecond.map { DeliveryOptions.Rate(perSecond: Double($0)) }
    options.rates[.fcm] = DeliveryOptions.Rate(perSecond: Double(fcmPerSecond), rampMs: Self.fcmRampMs)
    options.choices.fcmPlain429 = fcmPlain429IsForDevice ? .device : .quota
    options.spikeGuard.shareMax = Double(retirePercent) / 100
  }
}
