public import WireJSON

/// The options of the Apple SDK.
public struct FCMApnsOptions: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "ApnsFcmOptions", .fcm,
    [
      PayloadField("analytics_label", .string),
      PayloadField("image", .string),
    ])
}

extension FCMApnsOptions {
  /// `analytics_label`: names the message in the delivery statistics.
  public var analyticsLabel: String? {
    get { self[name: "analytics_label"] }
    set { self[name: "analytics_label"] = newValue }
  }

  /// `image`: the URL of a picture the service extension downloads.
  public var image: String? {
    get { self[name: "image"] }
    set { self[name: "image"] = newValue }
  }
}
