public import Basics
public import WireJSON

/// The object form of `aps.alert`.
///
/// A Live Activity differs: `title` and `body` may be objects, and the sound is inside.
public struct APNsAlert: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "alert", .apns,
    [
      PayloadField("title", .stringOrModel(APNsLocalizedText.schema), loss: "the title is not shown"),
      PayloadField("subtitle", .string, loss: "the subtitle is not shown"),
      PayloadField("body", .stringOrModel(APNsLocalizedText.schema), loss: "the body is not shown"),
      PayloadField("launch-image", .string, loss: "the usual launch screen is shown"),
      PayloadField("title-loc-key", .string, loss: "the title is not shown"),
      PayloadField("title-loc-args", .strings, loss: "the title is not filled in"),
      PayloadField("subtitle-loc-key", .string, loss: "the subtitle is not shown"),
      PayloadField("subtitle-loc-args", .strings, loss: "the subtitle is not filled in"),
      PayloadField("loc-key", .string, loss: "the body is not shown"),
      PayloadField("loc-args", .strings, loss: "the body is not filled in"),
      PayloadField("sound", .string, loss: "no sound plays"),
      PayloadField("action", .string, loss: "the button has its usual title"),
      PayloadField("action-loc-key", .stringOrNull, loss: "the button has its usual title"),
      PayloadField("summary-arg", .string, loss: "the summary does not name it"),
      PayloadField("summary-arg-count", .integer, loss: "the summary counts the notification as one"),
    ])
}

extension APNsAlert {
  /// `subtitle`: the second line.
  public var subtitle: String? {
    get { self[name: "subtitle"] }
    set { self[name: "subtitle"] = newValue }
  }

  /// `launch-image`: the launch image shown while the app starts.
  public var launchImage: String? {
    get { self[name: "launch-image"] }
    set { self[name: "launch-image"] = newValue }
  }

  /// `title-loc-key`: the key of the title in the app’s string table.
  public var titleLocKey: String? {
    get { self[name: "title-loc-key"] }
    set { self[name: "title-loc-key"] = newValue }
  }

  /// `title-loc-args`: what fills the placeholders of the title.
  public var titleLocArgs: [String]? {
    get { self[name: "title-loc-args"] }
    set { self[name: "title-loc-args"] = newValue }
  }

  /// `subtitle-loc-key`: the key of the subtitle in the app’s string table.
  public var subtitleLocKey: String? {
    get { self[name: "subtitle-loc-key"] }
    set { self[name: "subtitle-loc-key"] = newValue }
  }

  /// `subtitle-loc-args`: what fills the placeholders of the subtitle.
  public var subtitleLocArgs: [String]? {
    get { self[name: "subtitle-loc-args"] }
    set { self[name: "subtitle-loc-args"] = newValue }
  }

  /// `loc-key`: the key of the body in the app’s string table.
  public var locKey: String? {
    get { self[name: "loc-key"] }
    set { self[name: "loc-key"] = newValue }
  }

  /// `loc-args`: what fills the placeholders of the body.
  public var locArgs: [String]? {
    get { self[name: "loc-args"] }
    set { self[name: "loc-args"] = newValue }
  }

  /// `sound`: Live Activity: the sound file; outside of one, the sound is in `aps`.
  public var sound: String? {
    get { self[name: "sound"] }
    set { self[name: "sound"] = newValue }
  }

  /// `action`: the label of the action button; of old.
  public var action: String? {
    get { self[name: "action"] }
    set { self[name: "action"] = newValue }
  }

  /// `action-loc-key`: the key of the action button’s label; of old.
  public var actionLocKey: String? {
    get { self[name: "action-loc-key"] }
    set { self[name: "action-loc-key"] = newValue }
  }

  /// `summary-arg`: what the group summary names; of old, iOS 12 to 14.
  public var summaryArg: String? {
    get { self[name: "summary-arg"] }
    set { self[name: "summary-arg"] = newValue }
  }

  /// `summary-arg-count`: how many things the summary counts; of old, iOS 12 to 14.
  public var summaryArgCount: WholeNumber? {
    get { self[name: "summary-arg-count"] }
    set { self[name: "summary-arg-count"] = newValue }
  }
}
