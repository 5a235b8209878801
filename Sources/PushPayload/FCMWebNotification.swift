public import Basics
public import WireJSON

/// The Web Notification of `webpush`; other members are the page’s own.
public struct FCMWebNotification: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "WebNotification", .fcm, isOpen: true,
    [
      PayloadField("title", .string),
      PayloadField("body", .string),
      PayloadField("icon", .string),
      PayloadField("image", .string),
      PayloadField("badge", .string),
      PayloadField("tag", .string),
      PayloadField("lang", .string),
      PayloadField("dir", FCMWebDirection.payloadType),
      PayloadField("renotify", .boolean),
      PayloadField("requireInteraction", .boolean),
      PayloadField("silent", .boolean),
      PayloadField("timestamp", .number),
      PayloadField("vibrate", .numbers),
      PayloadField("actions", .models(FCMWebAction.schema)),
    ])
}

extension FCMWebNotification {
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

  /// `icon`: the URL of the icon.
  public var icon: String? {
    get { self[name: "icon"] }
    set { self[name: "icon"] = newValue }
  }

  /// `image`: the URL of a picture.
  public var image: String? {
    get { self[name: "image"] }
    set { self[name: "image"] = newValue }
  }

  /// `badge`: the URL of the badge icon.
  public var badge: String? {
    get { self[name: "badge"] }
    set { self[name: "badge"] = newValue }
  }

  /// `tag`: notifications with the same tag replace each other.
  public var tag: String? {
    get { self[name: "tag"] }
    set { self[name: "tag"] = newValue }
  }

  /// `lang`: the language of the texts.
  public var lang: String? {
    get { self[name: "lang"] }
    set { self[name: "lang"] = newValue }
  }

  /// `dir`: the direction of the texts.
  public var dir: FCMWebDirection? {
    get { self[name: "dir"] }
    set { self[name: "dir"] = newValue }
  }

  /// `renotify`: alerts again when it replaces one.
  public var renotify: Bool? {
    get { self[name: "renotify"] }
    set { self[name: "renotify"] = newValue }
  }

  /// `requireInteraction`: stays until it is acted on.
  public var requireInteraction: Bool? {
    get { self[name: "requireInteraction"] }
    set { self[name: "requireInteraction"] = newValue }
  }

  /// `silent`: makes no sound.
  public var silent: Bool? {
    get { self[name: "silent"] }
    set { self[name: "silent"] = newValue }
  }

  /// `timestamp`: milliseconds since 1970.
  public var timestamp: Double? {
    get { self[name: "timestamp"] }
    set { self[name: "timestamp"] = newValue }
  }

  /// `vibrate`: how long to vibrate and to pause, in turn, in milliseconds.
  public var vibrate: [WholeNumber]? {
    get { self[name: "vibrate"] }
    set { self[name: "vibrate"] = newValue }
  }

  /// `actions`: the buttons.
  public var actions: [FCMWebAction]? {
    get { self[name: "actions"] }
    set { self[name: "actions"] = newValue }
  }
}
