public import WireJSON

/// An FCM HTTP v1 `Message`.
///
/// Source: the discovery document `fcm:v1`.
public struct FCMMessage: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "Message", .fcm,
    [
      PayloadField("name", .string),
      PayloadField("data", .stringMap),
      PayloadField("notification", .model(FCMNotification.schema)),
      PayloadField("android", .model(FCMAndroidConfig.schema)),
      PayloadField("android_v2", .model(FCMAndroidConfigV2.schema)),
      PayloadField("webpush", .model(FCMWebpushConfig.schema)),
      PayloadField("apns", .model(FCMApnsConfig.schema)),
      PayloadField("fcm_options", .model(FCMOptions.schema)),
      PayloadField("fid", .string),
      PayloadField("token", .string),
      PayloadField("topic", .string),
      PayloadField("condition", .string),
    ])
}

extension FCMMessage {
  /// `name`: output only: `projects/*/messages/{id}`.
  public var name: String? {
    get { self[name: "name"] }
    set { self[name: "name"] = newValue }
  }

  /// `data`: the app’s own strings, for every platform.
  public var data: FCMStringMap? {
    get { self[name: "data"] }
    set { self[name: "data"] = newValue }
  }

  /// `notification`: title, body and image for every platform.
  public var notification: FCMNotification? {
    get { self[name: "notification"] }
    set { self[name: "notification"] = newValue }
  }

  /// `android`: what is for Android only; excludes `android_v2`.
  public var android: FCMAndroidConfig? {
    get { self[name: "android"] }
    set { self[name: "android"] = newValue }
  }

  /// `android_v2`: the second shape of the Android options; excludes `android`.
  public var androidV2: FCMAndroidConfigV2? {
    get { self[name: "android_v2"] }
    set { self[name: "android_v2"] = newValue }
  }

  /// `webpush`: what is for browsers only.
  public var webpush: FCMWebpushConfig? {
    get { self[name: "webpush"] }
    set { self[name: "webpush"] = newValue }
  }

  /// `apns`: what is for Apple devices only.
  public var apns: FCMApnsConfig? {
    get { self[name: "apns"] }
    set { self[name: "apns"] = newValue }
  }

  /// `fcm_options`: options for every platform.
  public var fcmOptions: FCMOptions? {
    get { self[name: "fcm_options"] }
    set { self[name: "fcm_options"] = newValue }
  }
}
