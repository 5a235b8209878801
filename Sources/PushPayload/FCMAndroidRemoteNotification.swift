public import WireJSON

/// A notification of `android_v2`, delivered at once.
public struct FCMAndroidRemoteNotification: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "AndroidRemoteNotification", .fcm,
    [
      PayloadField("notification", .model(FCMAndroidNotificationV2.schema)),
      PayloadField("mutable_content", .boolean),
      PayloadField("use_as_v1_data_message", .boolean),
    ])
}

extension FCMAndroidRemoteNotification {
  /// `notification`: what is shown.
  public var notification: FCMAndroidNotificationV2? {
    get { self[name: "notification"] }
    set { self[name: "notification"] = newValue }
  }

  /// `mutable_content`: lets the app change it before it is shown.
  public var mutableContent: Bool? {
    get { self[name: "mutable_content"] }
    set { self[name: "mutable_content"] = newValue }
  }

  /// `use_as_v1_data_message`: hands it to older apps as a data message.
  public var useAsV1DataMessage: Bool? {
    get { self[name: "use_as_v1_data_message"] }
    set { self[name: "use_as_v1_data_message"] = newValue }
  }
}
