public import WireJSON

/// How the notification light blinks; all three members are required.
public struct FCMLightSettings: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "LightSettings", .fcm,
    [
      PayloadField("color", .model(FCMColor.schema)),
      PayloadField("light_on_duration", .duration),
      PayloadField("light_off_duration", .duration),
    ])
}

extension FCMLightSettings {
  /// `color`: the light’s color.
  public var color: FCMColor? {
    get { self[name: "color"] }
    set { self[name: "color"] = newValue }
  }

  /// `light_on_duration`: how long it is on.
  public var lightOnDuration: FCMDuration? {
    get { self[name: "light_on_duration"] }
    set { self[name: "light_on_duration"] = newValue }
  }

  /// `light_off_duration`: how long it is off.
  public var lightOffDuration: FCMDuration? {
    get { self[name: "light_off_duration"] }
    set { self[name: "light_off_duration"] = newValue }
  }
}
