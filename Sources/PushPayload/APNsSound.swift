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

extension APNsSound {
  /// The type of a sound file that iOS does not play; nil for one that it may play, and for a name without a type.
  ///
  /// Source: Apple, UNNotificationSound, “Prepare sound resources”.
  package static func unplayableType(of name: String) -> String? {
    let file = name.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
    guard let dot = file.firstIndex(of: UInt8(ascii: ".")), dot > file.startIndex else { return nil }
    let type = file[..<dot].reversed().map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    for known in ["aiff", "aif", "aifc", "wav", "caf"] where type.elementsEqual(known.utf8) { return nil }
    return String(decoding: type, as: UTF8.self)
  }
}
