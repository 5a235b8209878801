public import WireJSON

/// The options for Android.
public struct FCMAndroidConfig: FCMAndroidConfigModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "AndroidConfig", .fcm,
    [
      PayloadField("collapse_key", .string),
      PayloadField("priority", FCMAndroidPriority.payloadType),
      PayloadField("ttl", .duration),
      PayloadField("restricted_package_name", .string),
      PayloadField("data", .stringMap),
      PayloadField("notification", .model(FCMAndroidNotification.schema)),
      PayloadField("fcm_options", .model(FCMAndroidOptions.schema)),
      PayloadField("direct_boot_ok", .boolean),
      PayloadField("bandwidth_constrained_ok", .boolean),
      PayloadField("restricted_satellite_ok", .boolean),
    ])
}

extension FCMAndroidConfig {
  /// `priority`: NORMAL or HIGH; HIGH wakes a dozing device.
  public var priority: FCMAndroidPriority? {
    get { self[name: "priority"] }
    set { self[name: "priority"] = newValue }
  }

  /// `notification`: the notification; its texts win over the shared ones.
  public var notification: FCMAndroidNotification? {
    get { self[name: "notification"] }
    set { self[name: "notification"] = newValue }
  }
}
