public import Basics
public import WireJSON

/// The notification of `android_v2`.
public struct FCMAndroidNotificationV2: FCMAndroidNotificationModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "AndroidNotificationV2", .fcm, [PayloadField("id", .integer)] + sharedFields)
}

extension FCMAndroidNotificationV2 {
  /// `id`: with `tag`, which notification it replaces.
  public var id: WholeNumber? {
    get { self[name: "id"] }
    set { self[name: "id"] = newValue }
  }
}
