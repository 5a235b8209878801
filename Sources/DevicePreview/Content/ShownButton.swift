/// A button of a notification.
public struct ShownButton: Sendable, Hashable {
  /// What a tap on a button does.
  public enum Effect: String, Sendable, Hashable, CaseIterable {
    /// Tells the app which button it was.
    case action
    /// Opens a page on the web.
    case web
    /// Opens a page of the app.
    case deepLink = "deep-link"
    /// Opens the app.
    case openApp = "open-app"
    /// Removes the notification.
    case dismiss
    /// Removes the notification and shows it again later.
    case remindLater = "remind-later"
    /// Sends what was typed to the app.
    case reply
  }

  /// What the app receives; Adobe's buttons have no id, and their label is used for it.
  public var id: String
  /// The label.
  public var label: String
  /// What a tap does.
  public var effect: Effect
  /// What a tap opens.
  public var link: String?
  /// The icon's name.
  public var icon: String?

  /// Makes a button.
  public init(id: String, label: String, effect: Effect = .action, link: String? = nil, icon: String? = nil) {
    self.id = id
    self.label = label
    self.effect = effect
    self.link = link
    self.icon = icon
  }
}
