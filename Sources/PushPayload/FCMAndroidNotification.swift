public import WireJSON

/// The notification on Android.
public struct FCMAndroidNotification: FCMAndroidNotificationModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "AndroidNotification", .fcm,
    sharedFields + [
      PayloadField("proxy", FCMProxy.payloadType), PayloadField("bypass_proxy_notification", .boolean),
    ])
}

extension FCMAndroidNotification {
  /// `proxy`: whether the notification may be posted by Google Play services on the app’s behalf.
  public var proxy: FCMProxy? {
    get { self[name: "proxy"] }
    set { self[name: "proxy"] = newValue }
  }

  /// `bypass_proxy_notification`: deprecated: `proxy` of old.
  public var bypassProxyNotification: Bool? {
    get { self[name: "bypass_proxy_notification"] }
    set { self[name: "bypass_proxy_notification"] = newValue }
  }
}

extension FCMAndroidNotification {
  /// Whether an app can have a resource of this name, for `icon` and `sound`: it has neither an address nor an extension.
  ///
  /// Source: Google, firebase-android-sdk, CommonNotificationBuilder, which looks the name up among the app's resources.
  package static func isResourceName(_ name: String) -> Bool {
    // A name may have a type before it, and of an address there is nothing between two slashes.
    var part = 0
    var hasDot = false
    var index = -1
    for byte in name.utf8 {
      index += 1
      if byte == UInt8(ascii: "/") {
        guard index > part else { return false }
        (part, hasDot) = (index + 1, false)
      } else if byte == UInt8(ascii: ".") {
        hasDot = true
      }
    }
    return !hasDot && (part == 0 || part < name.utf8.count)
  }
}
