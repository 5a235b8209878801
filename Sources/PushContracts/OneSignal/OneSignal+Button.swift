import WireJSON

extension OneSignal {
  /// A button of a message.
  public struct Button: Sendable, Hashable {
    /// What the app is told when it is tapped; nil takes the text.
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
  /// Reads the buttons of the REST API; nil when they are not right.
  static func read(_ value: JSONValue) -> [OneSignal.Button]? {
    guard case .array(let elements) = value else { return nil }
    var buttons: [OneSignal.Button] = []
    for element in elements {
      guard case .object(let members) = element, let button = OneSignal.Button(rest: members) else { return nil }
      buttons.append(button)
    }
    return buttons
  }

  private init?(rest members: JSONObject) {
    guard let text = members["text"]?.string else { return nil }
    self.init(text: text)
    for (key, value) in members {
      guard case .string(let text) = value else { return nil }
      switch key {
      case "text": break
      case "id": id = text
      case "icon": icon = text
      case "icon_type": iconType = text
      case "path": iconPath = text
      default: return nil
      }
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
