public import WireJSON

/// The notification that every platform shares.
public struct FCMNotification: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "Notification", .fcm,
    [
      PayloadField("title", .string),
      PayloadField("body", .string),
      PayloadField("image", .string),
    ])
}

extension FCMNotification {
  /// `title`: the title.
  public var title: String? {
    get { self[name: "title"] }
    set { self[name: "title"] = newValue }
  }

  /// `body`: the text.
  public var body: String? {
    get { self[name: "body"] }
    set { self[name: "body"] = newValue }
  }

  /// `image`: the URL of a picture the device downloads.
  public var image: String? {
    get { self[name: "image"] }
    set { self[name: "image"] = newValue }
  }
}
