public import WireJSON

/// The options for every platform.
public struct FCMOptions: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "FcmOptions", .fcm,
    [
      PayloadField("analytics_label", .string)
    ])
}

extension FCMOptions {
  /// `analytics_label`: names the message in the delivery statistics.
  public var analyticsLabel: String? {
    get { self[name: "analytics_label"] }
    set { self[name: "analytics_label"] = newValue }
  }
}
