public import WireJSON

/// The object form of `aps.sound`, for critical alerts.
public struct APNsSound: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "sound", .apns,
    [
      PayloadField("critical", .flag, loss: "the sound is not a critical one"),
      PayloadField("name", .string, loss: "the named sound does not play"),
      PayloadField("volume", .number, loss: "the volume is not set"),
    ])
}

extension APNsSound {
  /// `critical`: plays even when the device is muted; needs an entitlement.
  public var critical: Bool {
    get { flag("critical") }
    set { setFlag("critical", newValue) }
  }

  /// `name`: the sound file, or `default`.
  public var name: String? {
    get { self[name: "name"] }
    set { self[name: "name"] = newValue }
  }

  /// `volume`: 0, silent, to 1, full.
  public var volume: Double? {
    get { self[name: "volume"] }
    set { self[name: "volume"] = newValue }
  }
}
