public import WireJSON

/// The options for browsers.
public struct FCMWebpushConfig: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "WebpushConfig", .fcm,
    [
      PayloadField("headers", .stringMap),
      PayloadField("data", .stringMap),
      PayloadField("notification", .model(FCMWebNotification.schema)),
      PayloadField("fcm_options", .model(FCMWebpushOptions.schema)),
    ])
}

extension FCMWebpushConfig {
  /// `headers`: Web Push headers: TTL, Urgency, Topic.
  public var headers: FCMStringMap? {
    get { self[name: "headers"] }
    set { self[name: "headers"] = newValue }
  }

  /// `data`: overrides the message’s `data`.
  public var data: FCMStringMap? {
    get { self[name: "data"] }
    set { self[name: "data"] = newValue }
  }

  /// `notification`: the Web Notification.
  public var notification: FCMWebNotification? {
    get { self[name: "notification"] }
    set { self[name: "notification"] = newValue }
  }

  /// `fcm_options`: options of the web SDK.
  public var fcmOptions: FCMWebpushOptions? {
    get { self[name: "fcm_options"] }
    set { self[name: "fcm_options"] = newValue }
  }
}
