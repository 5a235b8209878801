/// A text as a device shows it, and where it comes from.
public struct NotificationText: Sendable, Hashable {
  /// Where a shown text comes from.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// It was in the payload.
    case payload
    /// A string table of the app, by a localization key.
    case table
    /// IMKit's built-in texts, as the app's tables were not given.
    case builtIn = "built-in"
    /// The plain text beside a localization key that no table has.
    case fallback
    /// The localization key itself, as no table has it: what iOS shows then.
    case key
  }

  /// The text, as exact as the payload and the tables make it; ``InertText`` is for pictures and terminals.
  public var text: String
  /// Where it comes from.
  public var origin: Origin
  /// The localization key it was asked for by; nil for plain text.
  public var key: String?
  /// The locale of the table it was found in.
  public var locale: String?

  /// Makes a text.
  public init(_ text: String, origin: Origin = .payload, key: String? = nil, locale: String? = nil) {
    self.text = text
    self.origin = origin
    self.key = key
    self.locale = locale
  }
}
