public import WireJSON

/// The options for Apple devices.
public struct FCMApnsConfig: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "ApnsConfig", .fcm,
    [
      PayloadField("headers", .stringMap),
      PayloadField("payload", .model(APNsPayload.schema)),
      PayloadField("fcm_options", .model(FCMApnsOptions.schema)),
      PayloadField("live_activity_token", .string),
    ])
}

extension FCMApnsConfig {
  /// `headers`: `apns-*` request headers.
  public var headers: FCMStringMap? {
    get { self[name: "headers"] }
    set { self[name: "headers"] = newValue }
  }

  /// `payload`: the APNs payload; wins over the shared notification.
  public var payload: APNsPayload? {
    get { self[name: "payload"] }
    set { self[name: "payload"] = newValue }
  }

  /// `fcm_options`: options of the Apple SDK.
  public var fcmOptions: FCMApnsOptions? {
    get { self[name: "fcm_options"] }
    set { self[name: "fcm_options"] = newValue }
  }

  /// `live_activity_token`: the token of the Live Activity the message is for.
  public var liveActivityToken: String? {
    get { self[name: "live_activity_token"] }
    set { self[name: "live_activity_token"] = newValue }
  }
}
