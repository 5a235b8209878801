public import WireJSON

/// The options of the web SDK.
public struct FCMWebpushOptions: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "WebpushFcmOptions", .fcm,
    [
      PayloadField("link", .string),
      PayloadField("analytics_label", .string),
    ])
}

extension FCMWebpushOptions {
  /// `link`: the https URL a click opens.
  public var link: String? {
    get { self[name: "link"] }
    set { self[name: "link"] = newValue }
  }

  /// `analytics_label`: names the message in the delivery statistics.
  public var analyticsLabel: String? {
    get { self[name: "analytics_label"] }
    set { self[name: "analytics_label"] = newValue }
  }
}
