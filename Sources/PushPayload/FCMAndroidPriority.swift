/// How urgent FCM delivers to Android: `android.priority`.
///
/// The schema says `NORMAL` and `HIGH`; the guides and the Admin SDKs write `normal` and `high`, which FCM takes as well.
public struct FCMAndroidPriority: PayloadEnumeration {
  /// The text on the wire.
  public let rawValue: String

  /// Makes a value from its wire text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Delivered when the device is awake.
  public static let normal = FCMAndroidPriority(rawValue: "NORMAL")
  /// Wakes a dozing device.
  public static let high = FCMAndroidPriority(rawValue: "HIGH")

  /// The documented values, in the provider's order.
  public static let known: [FCMAndroidPriority] = [.normal, .high]

  /// The type of a member that holds one: either spelling is taken.
  public static var payloadType: PayloadType { .enumeration(known.map { $0.rawValue }, anyCase: true) }

  /// The same priority in the schema's spelling.
  public var canonical: FCMAndroidPriority { FCMAndroidPriority(rawValue: rawValue.uppercased()) }
}
