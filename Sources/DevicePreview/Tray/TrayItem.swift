/// A notification that stands in a tray.
public struct TrayItem: Sendable, Hashable {
  /// Counts all notifications of the tray, from 1; one that is shown again gets a new number.
  public let id: Int
  /// What it shows.
  public var preview: Preview
  /// When it was shown, in seconds since 1970.
  public var shownTime: Int
  /// The sender's or the provider's id of the push.
  public var pushID: String?
  /// How many notifications it took the place of, one after the other.
  public var replacedCount = 0
  /// True when it was shown again after the device was restarted.
  public var isRestored = false

  /// What the device made of the payload.
  public var notification: ShownNotification { preview.notification }
}

/// What became of a push or of something a person did.
public struct TrayChange: Sendable, Hashable {
  /// The kinds of change.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A new notification stands in the tray.
    case shown
    /// It stands in the place of another.
    case replaced
    /// Nothing is shown.
    case silent
    /// It came too late.
    case expired
    /// A notification with the same id was shown before.
    case duplicate
    /// It was taken away by the person, or by a tap.
    case removed
    /// It was taken away and comes back later.
    case postponed
    /// It was shown again.
    case restored
  }

  /// The kind.
  public var kind: Kind
  /// The number of the notification; nil when none is concerned.
  public var item: Int?
  /// Why, as a sentence.
  public var reason: String?

  /// Makes a change.
  public init(_ kind: Kind, item: Int? = nil, reason: String? = nil) {
    self.kind = kind
    self.item = item
    self.reason = reason
  }
}
