public import Basics
internal import PushPayload
public import WireJSON

extension OneSignal {
  /// The properties that only Android notifications have.
  public struct AndroidProperties: Sendable, Hashable {
    /// Small icon resource name.
    public var smallIcon: String?
    /// Address or resource name of the large icon.
    public var largeIcon: String?
    /// Address or resource name of the large picture.
    public var bigPicture: String?
    /// Icon accent color, ARGB.
    public var smallIconAccentColor: String?
    /// LED color, ARGB.
    public var ledColor: String?
    /// Lock screen visibility: 1 public, 0 private, −1 secret.
    public var lockScreenVisibility: WholeNumber = 1
    /// The priority in the payload, 1 to 10; nil when it has none.
    public var payloadPriority: WholeNumber?
    /// Sender project number.
    public var fromProjectNumber: String?
    /// The key notifications are stacked by.
    public var groupKey: String?
    /// The text of the stack.
    public var groupMessage: String?
    /// The notifications in a stack, when this one is its summary.
    public var groupedNotifications: [Notification]?
    /// The picture behind the notification and the colors of its texts.
    public var backgroundImageLayout: BackgroundLayout?
    /// Android's own id of the notification, once it is shown.
    public var androidNotificationID: WholeNumber?
    /// When it was sent, in seconds since 1970; nil when the payload does not say and the caller keeps no clock.
    public var sentTime: WholeNumber?
    /// How long it is worth showing, in seconds.
    public var ttl: WholeNumber = OneSignal.ttlDefault
    /// The channel that the SDK makes for it.
    public var channel: Channel?
    /// True for a ``channel`` of which the SDK makes none, as it cannot read all of it.
    package var isChannelUnreadable = false
    /// A channel that the app made.
    public var existingChannelID: String?
    /// All channels of the app, as the SDK keeps them up to date.
    public var channelList: JSONValue?
    /// Whether the light shines.
    public var led: Bool?
    /// Whether the device vibrates.
    public var vibrate: Bool?
    /// Milliseconds of rest and vibration, in turn.
    public var vibrationPattern: [WholeNumber]?
    /// Whether the channel shows a badge.
    public var showBadge: Bool?
    /// Whether the channel is heard although the person does not want to be disturbed.
    public var bypassDnd: Bool?
    /// True when the SDK shows the notification again after a restart of the device or the app.
    public var restoring = false
    /// True when the SDK fails on a value and shows nothing: `custom.a` that is not an object, or `pri` or `vis` that is
    /// not the text of a 32-bit integer.
    public var isMalformed = false

    /// Properties of a payload that has none of them.
    public init() {}

    /// The picture that the SDK loads: ``bigPicture`` without white space around an address; nil when it is empty, or an
    /// address that the SDK does not download.
    public var loadedPicture: String? { loaded(bigPicture) }

    /// The large icon that the SDK loads: as ``loadedPicture``.
    public var loadedLargeIcon: String? { loaded(largeIcon) }

    private func loaded(_ name: String?) -> String? {
      guard let name, !name.isEmpty, OneSignal.isPicture(name) else { return nil }
      let address = OneSignal.trimmed(name)
      let isAddress = ["http://", "https://"].contains { address.utf8.starts(with: $0.utf8) }
      return isAddress ? address : name
    }

    /// The channel of the notification: the app's own, else the one that the SDK makes of ``channel``; nil where the
    /// payload names none.
    public var shownChannelID: String? {
      OneSignal.appChannel(existingChannelID.map { .string($0) })
        ?? channel.map { isChannelUnreadable ? OneSignal.fallbackChannel : OneSignal.madeChannel($0.id) }
    }

    /// The small icon that is drawn: the name of one of the app's resources; nil draws the app's own.
    public var shownSmallIcon: String? {
      smallIcon.flatMap { OneSignal.isResource(OneSignal.trimmed($0)) ? $0 : Optional.none }
    }

    /// What `getPriority` gives: the priority in the payload as it is, 0 when it has none.
    public var priority: WholeNumber { payloadPriority ?? 0 }

    /// Android's priority, −2 (minimum) to 2 (maximum), that the one in the payload represents.
    public var displayPriority: WholeNumber { max(importance - 3, -2) }

    /// The importance of the channel, 0 (none) to 5 (maximum), that the priority in the payload represents.
    public var importance: WholeNumber {
      // An absent priority is shown like 6.
      switch payloadPriority ?? 6 {
      case 9...: 5
      case 7...8: 4
      case 5...6: 3
      case 3...4: 2
      case 1...2: 1
      default: 0
      }
    }

    /// True when the SDK handles the notification at once, on a dozing device too.
    public var isScheduledAsHigh: Bool { priority >= OneSignal.priorityHigh }
  }
}

extension OneSignal.Notification {
  /// Why an Android client does not show a notification.
  public enum DisplayRefusal: String, Sendable, Hashable {
    /// It has no id, so the SDK ignores it as another sender's.
    case foreign
    /// The SDK fails on one of its values.
    case malformed
    /// It has no text.
    case nothingToShow
    /// It is too old.
    case expired
    /// One with the same id was handled already.
    case duplicate
  }

  /// Why an Android client does not show the notification; nil when it does.
  ///
  /// - Parameters:
  ///   - now: the time in seconds since 1970; nil keeps no clock, so nothing is too old that was worth showing at all.
  ///   - isKnown: whether a notification with this id was handled already.
  public func displayRefusal(now: WholeNumber?, isKnown: (String) -> Bool = { _ in false }) -> DisplayRefusal? {
    guard let notificationID else { return .foreign }
    if android?.isMalformed ?? false { return .malformed }
    if isInAppPreview { return nil }
    if body?.isEmpty ?? true { return .nothingToShow }
    if let android, OneSignal.hasExpired(sent: android.sentTime, ttl: android.ttl, at: now) { return .expired }
    if isKnown(notificationID) { return .duplicate }
    return nil
  }

  /// True when a notification that is shown already is replaced by this one (Android).
  public func replaces(_ other: OneSignal.Notification) -> Bool {
    guard let collapseID else { return false }
    return collapseID == other.collapseID
  }
}

extension OneSignal {
  /// The group key of the summary of notifications without one.
  public static let ungroupedKey = "os_group_undefined"
  /// How many notifications without a group key are needed for a summary.
  public static let ungroupedSummaryMin = 4
  /// The mark for the number of notifications in a group's text.
  public static let groupCountMark = "$[notif_count]"

  /// The summary Android shows above a stack of notifications with the same group key; nil when it shows none.
  ///
  /// Its text is the group message of the last one, with the number put in; notifications without a group key get a
  /// summary from four on. The notifications are its ``AndroidProperties/groupedNotifications``.
  public static func summary(of notifications: [Notification]) -> Notification? {
    guard let last = notifications.last else { return nil }
    let key = last.android?.groupKey
    guard key != nil || notifications.count >= ungroupedSummaryMin else { return nil }
    var summary = Notification(platform: .android, format: .android, rawBytes: last.rawBytes)
    var properties = AndroidProperties()
    properties.groupKey = key ?? ungroupedKey
    properties.groupMessage = last.android?.groupMessage
    properties.groupedNotifications = notifications
    properties.smallIcon = last.android?.smallIcon
    properties.smallIconAccentColor = last.android?.smallIconAccentColor
    properties.channel = last.android?.channel
    summary.android = properties
    summary.notificationID = last.notificationID
    summary.title = last.title
    summary.body = last.android?.groupMessage.map { counted($0, notifications.count) }
    return summary
  }

  /// A group's text with the number instead of its mark, `$[notif_count]`.
  public static func counted(groupMessage text: String, _ count: Int) -> String { counted(text, count) }

  static func counted(_ text: String, _ count: Int) -> String {
    let mark = Array(groupCountMark.utf8)
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      if rest.starts(with: mark) {
        result.append(contentsOf: count.description.utf8)
        rest = rest.dropFirst(mark.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
