public import WireJSON

/// A color of four parts, each from 0 to 1.
public struct FCMColor: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "Color", .fcm,
    [
      PayloadField("red", .number),
      PayloadField("green", .number),
      PayloadField("blue", .number),
      PayloadField("alpha", .number),
    ])
}

extension FCMColor {
  /// `red`: 0 to 1.
  public var red: Double? {
    get { self[name: "red"] }
    set { self[name: "red"] = newValue }
  }

  /// `green`: 0 to 1.
  public var green: Double? {
    get { self[name: "green"] }
    set { self[name: "green"] = newValue }
  }

  /// `blue`: 0 to 1.
  public var blue: Double? {
    get { self[name: "blue"] }
    set { self[name: "blue"] = newValue }
  }

  /// `alpha`: 0, clear, to 1, solid; absent means solid.
  public var alpha: Double? {
    get { self[name: "alpha"] }
    set { self[name: "alpha"] = newValue }
  }
}
