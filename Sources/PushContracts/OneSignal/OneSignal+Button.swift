import PushPayload
import WireJSON

extension OneSignal {
  /// A button of a message.
  public struct Button: Sendable, Hashable {
    /// What the app receives when it is tapped; nil takes the text.
    public var id: String?
    /// The label.
    public var text: String
    /// The icon (Android): a resource.
    public var icon: String?
    /// Where the icon comes from (iOS): `system` or `custom`.
    public var iconType: String?
    /// The icon's name (iOS).
    public var iconPath: String?

    /// Makes a button.
    public init(
      id: String? = nil, text: String, icon: String? = nil, iconType: String? = nil, iconPath: String? = nil
    ) {
      self.id = id
      self.text = text
      self.icon = icon
      self.iconType = iconType
      self.iconPath = iconPath
    }
  }
}

extension OneSignal.Button {
  /// The members of a button in the REST API.
  private static let names = ["text", "id", "icon", "icon_type", "path"]

  /// Reads the buttons of the REST API; throws where they are not right.
  static func read(_ elements: [JSONValue]) throws(Mismatch) -> [OneSignal.Button] {
    var buttons: [OneSignal.Button] = []
    for (index, element) in elements.enumerated() {
      let path = FieldPath([.element(index)])
      let members = try element.stringMembers(names, at: path)
      guard let text = members["text"]?.string else {
        throw Mismatch("a string", at: path.member("text"), found: "nothing")
      }
      buttons.append(
        OneSignal.Button(
          id: members["id"]?.string, text: text, icon: members["icon"]?.string,
          iconType: members["icon_type"]?.string, iconPath: members["path"]?.string))
    }
    return buttons
  }

  /// Says which icons a platform does not get.
  static func reportIcons(_ buttons: [OneSignal.Button], _ platform: Platform, _ report: inout Report) {
    for (index, button) in buttons.enumerated() {
      let lost: [(name: String, value: String?)] =
        platform == .ios
        ? [("icon", button.icon)] : [("icon_type", button.iconType), ("path", button.iconPath)]
      for (name, value) in lost where value != nil {
        report.add(
          rule: "field-not-carried", severity: .note,
          field: FieldPath(members: "buttons").element(index).member(name),
          message: "onesignal does not carry a button's \(name) to \(platform.title)")
      }
    }
  }

  /// Says which buttons Android draws without a label.
  static func reportEmpty(_ buttons: [OneSignal.Button], _ report: inout Report) {
    for (index, button) in buttons.enumerated() where button.text.isEmpty {
      report.add(
        rule: "onesignal-button-empty", severity: .warning,
        field: FieldPath(members: "buttons").element(index).member("text"),
        message: "the button has no label, and Android draws it empty")
    }
  }

  static func json(_ buttons: [OneSignal.Button]?, _ form: (OneSignal.Button) -> JSONObject) -> JSONValue? {
    guard let buttons else { return Optional.none }
    return .array(buttons.map { .object(form($0)) })
  }

  /// An element of the REST API's `buttons`.
  static func rest(_ button: OneSignal.Button) -> JSONObject {
    var object = JSONObject()
    if let id = button.id { object.append("id", .string(id)) }
    object.append("text", .string(button.text))
    if let icon = button.icon { object.append("icon", .string(icon)) }
    if let iconType = button.iconType { object.append("icon_type", .string(iconType)) }
    if let iconPath = button.iconPath { object.append("path", .string(iconPath)) }
    return object
  }

  /// An element of the root's `buttons`.
  static func ios(_ button: OneSignal.Button) -> JSONObject {
    var object = common(button)
    if let iconType = button.iconType { object.append("icon_type", .string(iconType)) }
    if let iconPath = button.iconPath { object.append("path", .string(iconPath)) }
    return object
  }

  /// An element of `o`.
  static func android(_ button: OneSignal.Button) -> JSONObject {
    var object = common(button)
    if let icon = button.icon { object.append("p", .string(icon)) }
    return object
  }

  private static func common(_ button: OneSignal.Button) -> JSONObject {
    var object = JSONObject()
    if let id = button.id { object.append("i", .string(id)) }
    object.append("n", .string(button.text))
    return object
  }
}
