/// What a field means in every contract, so that readers share members and two contracts can be compared.
///
/// A role whose ``commonMember`` is set becomes that member of a parsed notification. The other roles only tell
/// ``Contracts/diff(_:_:message:context:)`` which fields of two contracts have the same thing.
public enum FieldRole: String, Sendable, Hashable, CaseIterable {
  /// The first line a person reads.
  case title
  /// The second line (iOS).
  case subtitle
  /// The text a person reads.
  case body
  /// The number on the app's icon.
  case badge
  /// The sound to play.
  case sound
  /// A picture's address.
  case image
  /// What a tap opens.
  case link
  /// The kind of notification, which selects its buttons (iOS).
  case category
  /// Notifications of one thread are grouped.
  case thread
  /// A later notification with the same value replaces the earlier one.
  case collapse
  /// Buttons.
  case actions
  /// The app's own members.
  case data
  /// Nothing is shown.
  case silent
  /// A key into the app's string table, for the title.
  case titleLocKey = "title_loc_key"
  /// The arguments of the title's format.
  case titleLocArgs = "title_loc_args"
  /// A key into the app's string table, for the subtitle.
  case subtitleLocKey = "subtitle_loc_key"
  /// The arguments of the subtitle's format.
  case subtitleLocArgs = "subtitle_loc_args"
  /// A key into the app's string table, for the body.
  case bodyLocKey = "body_loc_key"
  /// The arguments of the body's format.
  case bodyLocArgs = "body_loc_args"
  /// The Android channel.
  case channel
  /// The small icon (Android).
  case icon
  /// The large icon (Android).
  case largeIcon = "large_icon"
  /// The accent color (Android).
  case color
  /// How urgent delivery is.
  case priority
  /// Until when delivery makes sense.
  case expiration
  /// The sender's id of this notification.
  case identifier

  /// True for what a person reads, sees, hears or taps: it is lost where a platform does not carry it.
  var isNoticed: Bool {
    switch self {
    case .title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .bodyLocKey, .actions, .badge, .sound, .image, .icon,
      .largeIcon, .thread, .collapse:
      true
    default: false
    }
  }

  /// The member of a parsed notification that holds a field of this role by itself; localization keys and arguments
  /// are joined in `title_loc`, `subtitle_loc` and `body_loc` instead.
  public var commonMember: String? {
    switch self {
    case .title, .subtitle, .body, .badge, .sound, .image, .link, .category, .thread, .collapse, .actions, .data,
      .silent:
      rawValue
    default: nil
    }
  }

  /// The common members in the order they are written.
  public static let commonMembers = [
    "title", "subtitle", "body", "badge", "sound", "image", "link", "category", "thread", "collapse", "actions", "data",
    "silent", "title_loc", "subtitle_loc", "body_loc",
  ]
}
