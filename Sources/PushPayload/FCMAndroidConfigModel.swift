/// What `android` and `android_v2` have in common.
public protocol FCMAndroidConfigModel: PayloadModel {}

extension FCMAndroidConfigModel {
  /// `collapse_key`: messages with the same key replace each other; at most 4 different keys are stored per device.
  public var collapseKey: String? {
    get { self[name: "collapse_key"] }
    set { self[name: "collapse_key"] = newValue }
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
