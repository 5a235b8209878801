public import WireJSON

/// A button of a notification in a browser.
///
/// Source: the Notification standard.
public struct FCMWebAction: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "action", .fcm, isOpen: true,
    [PayloadField("action", .string), PayloadField("title", .string), PayloadField("icon", .string)])
}

extension FCMWebAction {
  /// `action`: the identifier that the service worker receives when the button is pressed.
  public var action: String? {
    get { self[name: "action"] }
    set { self[name: "action"] = newValue }
  }

  /// `title`: the text on the button.
  public var title: String? {
    get { self[name: "title"] }
    set { self[name: "title"] = newValue }
  }

  /// `icon`: the URL of the picture on the button.
  public var icon: String? {
    get { self[name: "icon"] }
    set { self[name: "icon"] = newValue }
  }
}
