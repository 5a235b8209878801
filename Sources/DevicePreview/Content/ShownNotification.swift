public import Basics
public import PushContracts
public import PushPayload
public import WireJSON

/// What a device makes of one payload: the texts in its language, and everything around them.
public struct ShownNotification: Sendable, Hashable {
  /// The platform of the device.
  public var platform: Platform
  /// The contract the payload was read by.
  public var contract: ContractName
  /// What the device does with the payload as a whole, whatever texts the app has.
  public var outcome = DeviceOutcome.shown
  /// Why nothing is shown, as a sentence; nil when something is.
  public var silence: String?

  /// The first line.
  public var title: NotificationText?
  /// The second line (iOS).
  public var subtitle: NotificationText?
  /// The text.
  public var body: NotificationText?
  /// The first line when it is expanded, where that differs: Adobe's `adb_title_ex`.
  public var expandedTitle: NotificationText?
  /// The second line when it is expanded, where that differs: Adobe's content extension draws none.
  public var expandedSubtitle: NotificationText?
  /// The text when it is expanded, where that differs: Adobe's `adb_body_ex`.
  public var expandedBody: NotificationText?
  /// The text for accessibility services (Android).
  public var ticker: String?

  /// What happens to the number on the app's icon.
  public var badge = BadgeChange.none
  /// The name of the sound; nil when it is silent to the ear.
  public var sound: String?
  /// True when the sound is heard although the device is muted.
  public var isCritical = false
  /// The address of the picture.
  public var image: String?
  /// Further pictures, of a carousel or catalog.
  public var images: [String] = []
  /// The address or name of the large icon (Android).
  public var largeIcon: String?
  /// The name of the small icon (Android).
  public var smallIcon: String?
  /// The buttons.
  public var buttons: [ShownButton] = []

  /// The color of the title.
  public var titleColor: ShownColor?
  /// The color of the text.
  public var bodyColor: ShownColor?
  /// The color behind it.
  public var backgroundColor: ShownColor?
  /// The color of the small icon.
  public var accentColor: ShownColor?

  /// What it is stacked by: `thread-id`, or OneSignal's `grp`.
  public var group: String?
  /// The text of the stack, with `$[notif_count]` for the number: OneSignal's `grp_msg`.
  public var groupMessage: String?
  /// What makes a later notification replace this one: the collapse id (iOS) or the tag (Android).
  public var replacementKey: String?
  /// The category, which selects the buttons that the app registered (iOS).
  public var category: String?
  /// The channel (Android).
  public var channel: String?
  /// How much it may interrupt: `passive`, `active`, `time-sensitive`, `critical` (iOS).
  public var interruption: String?
  /// −2 to 2; a notification of at least 1 is heads-up (Android).
  public var priority: WholeNumber = 0
  /// 1 public, 0 private, −1 secret: what a locked screen shows (Android).
  public var visibility: WholeNumber = 0
  /// True when a tap leaves it standing.
  public var isSticky = false
  /// True when its maker shows it again after the device was restarted (OneSignal on Android).
  public var restores = false
  /// When it is no longer worth showing, in seconds since 1970; nil for never.
  public var expires: WholeNumber?
  /// When “remind later” shows it again.
  public var reminder: Reminder?
  /// The template it is drawn by, as in Adobe's `adb_template_type`; nil when none is.
  public var template: String?
  /// The template that the push asks for, where another one or none is drawn; nil otherwise.
  public var askedTemplate: String?
  /// What that template draws besides; nil for ordinary notifications.
  public var layout: TemplateLayout?
  /// What else can be tapped than the notification and its buttons: the items of a layout, its ratings, its field.
  public var targets: [ShownButton] = []
  /// After how many seconds it shows something else, as its timer ends; nil for never.
  public var secondsToChange: WholeNumber?
  /// The sender's id of it: OneSignal's notification id, of which each is shown once.
  public var identifier: String?
  /// What a tap opens; nil opens the app.
  public var link: String?
  /// What a tap does.
  public var tapEffect = ShownButton.Effect.openApp
  /// The intent action of a tap (Android).
  public var clickAction: String?

  /// The payload it was made of, as the platform hands it over.
  public var payload: JSONObject

  /// When “remind later” shows a notification again.
  public enum Reminder: Sendable, Hashable {
    /// At this time, in seconds since 1970.
    case at(WholeNumber)
    /// This many seconds after the tap.
    case after(WholeNumber)
  }

  /// An empty notification of a payload.
  init(platform: Platform, contract: ContractName, payload: JSONObject) {
    self.platform = platform
    self.contract = contract
    self.payload = payload
  }

  /// True when nothing is shown; the number on the icon may change all the same.
  public var isSilent: Bool { silence != nil }
  /// True when nothing happens at all: neither is anything shown, nor does the app or its icon get anything.
  public var isNothing: Bool {
    switch outcome {
    case .nothing: true
    case .silent: false
    case .shown, .fallback: isSilent
    }
  }
  /// `shown`, `fallback`, `silent` or `nothing`.
  var outcomeName: String {
    if isNothing { return "nothing" }
    return switch outcome {
    case .shown: "shown"
    case .fallback: "fallback"
    case .silent, .nothing: "silent"
    }
  }
  /// The texts with their names.
  var texts: [(name: String, text: NotificationText?)] {
    [("title", title), ("subtitle", subtitle), ("body", body)]
  }
  /// True when there is a letter to read.
  public var hasText: Bool {
    [title, subtitle, body].contains { text in !(text?.text.isEmpty ?? true) }
  }
  /// The first line when it is expanded.
  public var titleWhenExpanded: NotificationText? { expandedTitle ?? title }
  /// The text when it is expanded.
  public var bodyWhenExpanded: NotificationText? { expandedBody ?? body }
}
