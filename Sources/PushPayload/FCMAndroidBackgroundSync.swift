public import WireJSON

/// Marks a message that is not urgent; it has no members.
public struct FCMAndroidBackgroundSync: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "AndroidBackgroundSyncMessage", .fcm,
    [

    ])
}

extension FCMAndroidBackgroundSync {

}
