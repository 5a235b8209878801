public import Basics
public import WireJSON

extension OneSignal {
  /// A message as OneSignal's REST API takes it.
  public struct Message: Sendable, Hashable {
    // MARK: Texts

    /// The text a person reads.
    public var contents: LanguageTexts?
    /// The title.
    public var headings: LanguageTexts?
    /// The line between title and text (iOS).
    public var subtitle: LanguageTexts?

    // MARK: What the app gets

    /// The notification's id; without one the campaign of the send, then its `apns-id`, is taken.
    public var notificationID: String?
    /// The template the message was made from.
    public var templateID: String?
    /// The message's name, carried when it comes from a template.
    public var name: String?
    /// What a tap opens.
    public var url: String?
    /// What a tap opens in apps; wins over ``url``.
    public var appURL: String?
    /// The app's own members.
    public var data: JSONObject?
    /// The buttons.
    public var buttons: [Button]?
    /// A later notification with the same value replaces the earlier one.
    public var collapseID: String?

    // MARK: iOS

    /// Attachments by id: an http or https address, or the name of a file in the app.
    public var iosAttachments: JSONObject?
    /// The number on the icon: left alone, set, or increased.
    public var iosBadgeType: BadgeType?
    /// The number to set or to add.
    public var iosBadgeCount: WholeNumber?
    /// The sound; `nil` as text means none.
    public var iosSound: String?
    /// The notification category.
    public var iosCategory: String?
    /// Notifications of one thread are grouped.
    public var threadID: String?
    /// Which window or scene a tap opens.
    public var targetContentIdentifier: String?
    /// The weight in a summary, 0 to 1.
    public var iosRelevanceScore: JSONNumber?
    /// How much the notification may interrupt.
    public var iosInterruptionLevel: InterruptionLevel?
    /// Wakes the app in the background.
    public var contentAvailable: Bool?
    /// OneSignal always sets mutable-content, whatever this says.
    public var mutableContent: Bool?

    // MARK: Android

    /// The large picture.
    public var bigPicture: String?
    /// The picture on all platforms.
    public var globalImage: String?
    /// The small icon.
    public var smallIcon: String?
    /// The large icon.
    public var largeIcon: String?
    /// The sound; `nil` as text means none.
    public var androidSound: String?
    /// The channel of OneSignal's dashboard: its id, and what the SDK needs to make it.
    public var androidChannel = Channel()
    /// The id of a channel that the app made.
    public var existingAndroidChannelID: String?
    /// The light's color, ARGB.
    public var androidLEDColor: String?
    /// The small icon's accent color, ARGB.
    public var androidAccentColor: String?
    /// 1 public, 0 private, −1 secret.
    public var androidVisibility: WholeNumber?
    /// Notifications with the same value are stacked.
    public var androidGroup: String?
    /// The text of the stack; `$[notif_count]` is replaced by their number.
    public var androidGroupMessage: LanguageTexts?
    /// The picture behind the notification and the colors of its texts.
    public var androidBackgroundLayout: BackgroundLayout?

    // MARK: Delivery

    /// Seconds the push is stored for a device that is away.
    public var ttl: WholeNumber?
    /// 1 to 10; from 9 on the push is delivered at once.
    public var priority: WholeNumber?
    /// Fields that say who gets the message and when, by name; none of them is in a payload.
    public var send = JSONObject()

    /// A message without any field.
    public init() {}

    /// A message in English.
    public init(title: String? = nil, body: String) {
      headings = title.map { LanguageTexts($0) }
      contents = LanguageTexts(body)
    }

    /// True when there is nothing to see or hear on iOS.
    public var isSilent: Bool { lending(self) { OneSignal.isSilent($0) } }

    /// True when there is text to show.
    #if _pointerBitWidth(_32)
      @inline(never)
    #else
      @inline(__always)
    #endif
    var hasAlert: Bool { contents != nil || headings != nil || subtitle != nil }

    /// The sound to name on iOS.
    #if _pointerBitWidth(_32)
      @inline(never)
    #else
      @inline(__always)
    #endif
    var soundName: String? { iosSound == "nil" ? nil : iosSound }
  }

  /// What happens to the number on the icon (iOS).
  public enum BadgeType: String, Sendable, Hashable {
    /// It is left alone.
    case none = "None"
    /// It is set.
    case setTo = "SetTo"
    /// It is increased, or decreased by a negative count.
    case increase = "Increase"
  }

  /// How much a notification may interrupt (iOS).
  public enum InterruptionLevel: String, Sendable, Hashable, CaseIterable {
    /// Listed without a sound.
    case passive
    /// Shown at once.
    case active
    /// Shown although the person does not want to be disturbed; `time_sensitive` in the REST API.
    case timeSensitive = "time-sensitive"
    /// Shown and heard in any case.
    case critical

    /// The word of the REST API.
    var text: String { self == .timeSensitive ? "time_sensitive" : rawValue }

    /// Takes the word of the REST API or of Apple.
    init?(text: String) { self.init(rawValue: text == "time_sensitive" ? "time-sensitive" : text) }
  }

  /// An Android channel: its id, and what the SDK needs to make it.
  public struct Channel: Sendable, Hashable {
    /// The id.
    public var id: String?
    /// The name a person sees.
    public var name: String?
    /// The description a person sees.
    public var description: String?
    /// The id of the channel's group.
    public var groupID: String?
    /// The name of the channel's group.
    public var groupName: String?
    /// Name, description and group name in further languages: language to `{nm, dscr, grp_nm}`.
    public var languages: JSONObject?

    /// Makes a channel of which at most the id is known.
    public init(id: String? = nil) { self.id = id }
  }

  /// The picture behind an Android notification and the colors of its texts.
  public struct BackgroundLayout: Sendable, Hashable {
    /// The picture: an address or a resource.
    public var image: String?
    /// The title's color, ARGB.
    public var titleTextColor: String?
    /// The text's color, ARGB.
    public var bodyTextColor: String?
    /// Where the picture is aligned.
    public var imageAlign: String?

    /// Makes a layout.
    public init(
      image: String? = nil, titleTextColor: String? = nil, bodyTextColor: String? = nil, imageAlign: String? = nil
    ) {
      self.image = image
      self.titleTextColor = titleTextColor
      self.bodyTextColor = bodyTextColor
      self.imageAlign = imageAlign
    }
  }
}
