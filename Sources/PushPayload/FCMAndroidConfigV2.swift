public import WireJSON

/// The second shape of the options for Android: the kind of message is explicit.
public struct FCMAndroidConfigV2: FCMAndroidConfigModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "AndroidConfigV2", .fcm,
    [
      PayloadField("collapse_key", .string),
      PayloadField("ttl", .duration),
      PayloadField("restricted_package_name", .string),
      PayloadField("data", .stringMap),
      PayloadField("fcm_options", .model(FCMAndroidOptions.schema)),
      PayloadField("direct_boot_ok", .boolean),
      PayloadField("bandwidth_constrained_ok", .boolean),
      PayloadField("restricted_satellite_ok", .boolean),
      PayloadField("background_sync", .model(FCMAndroidBackgroundSync.schema)),
      PayloadField("remote_notification", .model(FCMAndroidRemoteNotification.schema)),
    ])
}

extension FCMAndroidConfigV2 {
  /// `background_sync`: data for the app, not urgent; excludes `remote_notification`.
  public var backgroundSync: FCMAndroidBackgroundSync? {
    get { self[name: "background_sync"] }
    set { self[name: "background_sync"] = newValue }
  }

  /// `remote_notification`: a notification, delivered at once; excludes `background_sync`.
  public var remoteNotification: FCMAndroidRemoteNotification? {
    get { self[name: "remote_notification"] }
    set { self[name: "remote_notification"] = newValue }
  }
}
