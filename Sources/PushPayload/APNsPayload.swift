public import WireJSON

/// The body of an APNs request: the `aps` object, and the app's own members beside it.
public struct APNsPayload: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members; all others are the app's.
  public static let schema = PayloadSchema(
    "payload", .apns, isOpen: true,
    [
      PayloadField("aps", .model(APS.schema), loss: "nothing of it is shown"),
      PayloadField("mdm", .string, loss: "the device does not ask its server"),
    ])

  /// Makes a payload of `aps` and the app's own members, in that order; a member named `aps` in `custom` is left out.
  public init(aps: APS, custom: JSONObject = JSONObject()) {
    object = JSONObject()
    object.append("aps", .object(aps.object))
    for (key, value) in custom where key != "aps" { object.append(key, value) }
  }
}

extension APNsPayload {
  /// `aps`: what the system acts on.
  public var aps: APS? {
    get { self[name: "aps"] }
    set { self[name: "aps"] = newValue }
  }

  /// `mdm`: the PushMagic of a device management wake-up, which has no `aps`.
  public var mdm: String? {
    get { self[name: "mdm"] }
    set { self[name: "mdm"] = newValue }
  }

  /// The app's own members, in order: everything but `aps`.
  public var custom: JSONObject {
    var custom = object
    _ = custom.removeValue(forKey: "aps")
    return custom
  }
}
