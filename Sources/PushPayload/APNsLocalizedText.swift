public import WireJSON

/// A text of a Live Activity alert that the device looks up: `{"loc-key", "loc-args"}`.
public struct APNsLocalizedText: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "localized text", .apns,
    [
      PayloadField("loc-key", .string, loss: "the text is not shown"),
      PayloadField("loc-args", .strings, loss: "the text is not filled in"),
    ])
}

extension APNsLocalizedText {
  /// `loc-key`: the key in the app’s string table.
  public var locKey: String? {
    get { self[name: "loc-key"] }
    set { self[name: "loc-key"] = newValue }
  }

  /// `loc-args`: what fills the placeholders.
  public var locArgs: [String]? {
    get { self[name: "loc-args"] }
    set { self[name: "loc-args"] = newValue }
  }
}
