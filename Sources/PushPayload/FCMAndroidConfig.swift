public import WireJSON

/// The options for Android.
public struct FCMAndroidConfig: PayloadModel {
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
  /// `collapse_key`: messages with the same key replace each other; at most 4 different keys are stored per device.
  public var collapseKey: String? {
    get { self[name: "collapse_key"] }
    set { self[name: "collapse_key"] = newValue }
  }

  /// `priority`: NORMAL or HIGH; HIGH wakes a dozing device.
  public var priority: FCMAndroidPriority? {
    get { self[name: "priority"] }
    set { self[name: "priority"] = newValue }
  }

  /// `ttl`: how long FCM keeps the message for an unreachable device, 0 to 2 419 200 s; four weeks when absent.
  public var ttl: FCMDuration? {
    get { self[name: "ttl"] }
    set { self[name: "ttl"] = newValue }
  }

  /// `restricted_package_name`: the package the token must belong to.
  public var restrictedPackageName: String? {
    get { self[name: "restricted_package_name"] }
    set { self[name: "restricted_package_name"] = newValue }
  }

  /// `data`: overrides the message’s `data`.
  public var data: FCMStringMap? {
    get { self[name: "data"] }
    set { self[name: "data"] = newValue }
  }

  /// `notification`: the notification; its texts win over the shared ones.
  public var notification: FCMAndroidNotification? {
    get { self[name: "notification"] }
    set { self[name: "notification"] = newValue }
  }

  /// `fcm_options`: options of the Android SDK.
  public var fcmOptions: FCMAndroidOptions? {
    get { self[name: "fcm_options"] }
    set { self[name: "fcm_options"] = newValue }
  }

  /// `direct_boot_ok`: delivers while the device has not been unlocked since it booted.
  public var directBootOk: Bool? {
    get { self[name: "direct_boot_ok"] }
    set { self[name: "direct_boot_ok"] = newValue }
  }

  /// `bandwidth_constrained_ok`: delivers on a bandwidth-constrained network.
  public var bandwidthConstrainedOk: Bool? {
    get { self[name: "bandwidth_constrained_ok"] }
    set { self[name: "bandwidth_constrained_ok"] = newValue }
  }

  /// `restricted_satellite_ok`: delivers on a restricted satellite network.
  public var restrictedSatelliteOk: Bool? {
    get { self[name: "restricted_satellite_ok"] }
    set { self[name: "restricted_satellite_ok"] = newValue }
  }
}
