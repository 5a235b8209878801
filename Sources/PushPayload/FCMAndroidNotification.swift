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
  /// Whether an app can have a resource of this name, for `icon` and `sound`: it is no address, has no extension, and of ASCII
  /// only letters, digits, `_`, `-`, `$` and, before the name, the package and the type.
  ///
  /// Source: Google, firebase-android-sdk, CommonNotificationBuilder, which looks the name up among the app's resources;
  /// Android, aapt2, `IsValidResourceEntryName`.
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
      } else if isNoResourceByte(byte) {
        return false
      }
    }
    return !hasDot && (part == 0 || part < name.utf8.count)
  }

  /// The brackets of a placeholder, `<icon>` in the vendors' samples, are not judged.
  private static func isNoResourceByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x23, 0x25...0x2C, 0x3B, 0x3D, 0x3F, 0x40, 0x5B...0x5E, 0x60, 0x7B...0x7F: true
    default: false
    }
  }
}
