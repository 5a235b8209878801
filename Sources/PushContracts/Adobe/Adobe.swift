public import Basics
import PushPayload
import WireJSON

/// The Adobe contract: the `adb_*` keys of Adobe's push templates, drawn by its libraries on the device.
///
/// Source: Adobe, “Push template – basic” for FCM and APNs; the further templates as Adobe's libraries read them.
public enum Adobe {
  /// One notification for both platforms.
  ///
  /// A thing that both platforms have is one field, named by its `adb_` key of Android; see ``title``, ``body``,
  /// ``image``, ``alternateImage`` and ``badge``.
  public struct Message: Sendable, Hashable {
    // Every template

    /// `adb_version`; `1` on Android and `1.0` on iOS unless set.
    public var version: String?
    /// `adb_template_type`; `basic` unless set.
    public var template: Template?
    /// `adb_title` on Android, `aps.alert.title` on iOS.
    public var title: String?
    /// `adb_body` on Android, `aps.alert.body` on iOS.
    public var body: String?
    /// `aps.alert.subtitle` (iOS).
    public var subtitle: String?
    /// `adb_title_ex`: the title of the expanded notification (iOS).
    public var expandedTitle: String?
    /// `adb_body_ex`: the body of the expanded notification.
    public var expandedBody: String?
    /// `adb_image` on Android, `adb_media` on iOS: the address of an image.
    public var image: String?
    /// `adb_uri`: what a tap opens.
    public var uri: String?
    /// `adb_a_type`: what kind of link `adb_uri` is (Android).
    public var linkType: LinkType?
    /// `adb_act`: the buttons (Android).
    public var buttons: [Button]?
    /// `adb_clr_title`: six hex digits, or eight in Android's order, alpha first.
    public var titleColor: String?
    /// `adb_clr_body`, in the same form.
    public var bodyColor: String?
    /// `adb_clr_bg`, in the same form.
    public var backgroundColor: String?
    /// `adb_n_count` on Android, `aps.badge` on iOS.
    public var badge: WholeNumber?
    /// `aps.category` of a payload that was read; written it is always ``Adobe/category``.
    public var category: String?

    // Android

    /// `adb_sound`: a resource in `res/raw`, without extension (Android).
    public var androidSound: String?
    /// `adb_icon`: a small icon, used when there is no `adb_small_icon` (Android).
    public var legacyIcon: String?
    /// `adb_small_icon` (Android).
    public var smallIcon: String?
    /// `adb_clr_icon`, in the form of the other colors (Android).
    public var iconColor: String?
    /// `adb_large_icon`: an address or a drawable's name (Android).
    public var largeIcon: String?
    /// `adb_rem_txt`: the label of the “remind later” button (Android).
    public var remindText: String?
    /// `adb_rem_ts`: when to remind, in seconds since 1970 (Android).
    public var remindTime: WholeNumber?
    /// `adb_rem_sec`: after how many seconds to remind; wins over `adb_rem_ts` (Android).
    public var remindSeconds: WholeNumber?
    /// `adb_channel_id`; ``Adobe/channelDefault`` unless set (Android).
    public var channelID: String?
    /// `adb_n_priority` (Android).
    public var priority: Priority?
    /// `adb_n_visibility` (Android).
    public var visibility: Visibility?
    /// `adb_tag`: a later notification with the same tag replaces the earlier one (Android).
    public var tag: String?
    /// `adb_sticky`: the notification stays when it is tapped (Android).
    public var sticky: Bool?
    /// What a message has for `adb_sticky` that is neither true nor false.
    var stickyText: String?
    /// `adb_template_properties`: the JSON text of an object with what a template of Journey Optimizer has of its own (Android).
    public var templateProperties: String?
    /// `adb_liveupdate_data`: the JSON text of a live update of Journey Optimizer, of which alone the notification is drawn then
    /// (Android).
    public var liveUpdate: String?
    /// `adb_ticker`: the text for accessibility services (Android).
    public var ticker: String?
    /// `message.android.collapse_key`: of messages that wait for a device FCM keeps the last one (Android).
    public var collapseKey: String?

    // iOS

    /// `aps.sound`: a file of the app with its extension, or `default` (iOS).
    public var sound: String?
    /// `aps.thread-id` (iOS).
    public var threadID: String?

    // Carousel, catalog, icons

    /// `adb_items`: pictures of a carousel, products of a catalog, or icons.
    public var items: [Item]?
    /// `adb_car_layout`: `default` or `filmstrip`.
    public var carouselLayout: String?
    /// `adb_car_mode`: `auto` or `manual`.
    public var carouselMode: String?
    /// `adb_cta_txt`: the label of a catalog's button.
    public var callToActionText: String?
    /// `adb_cta_clr`: its color.
    public var callToActionColor: String?
    /// `adb_cta_txt_clr`: the color of its label.
    public var callToActionTextColor: String?
    /// `adb_cta_uri`: what it opens.
    public var callToActionURI: String?
    /// `adb_display`: `horizontal` or `vertical`.
    public var catalogLayout: String?
    /// `adb_cancel_image`: the closing icon of an icon row.
    public var cancelImage: String?

    // Timer

    /// `adb_tmr_dur`: how many seconds the timer runs; wins over `adb_tmr_end`.
    public var timerSeconds: Double?
    /// `adb_tmr_end`: when the timer ends, in seconds since 1970.
    public var timerEnd: Double?
    /// `adb_clr_tmr`: the timer's color.
    public var timerColor: String?
    /// `adb_title_alt`: the title after the end.
    public var alternateTitle: String?
    /// `adb_body_alt`: the body after the end.
    public var alternateBody: String?
    /// `adb_body_ex_alt`: the expanded body after the end.
    public var alternateExpandedBody: String?
    /// `adb_image_alt` on Android, `adb_media_alt` on iOS: the image after the end.
    public var alternateImage: String?

    // Input, zero bezel, rating

    /// `adb_input_receiver`: the receiver that gets the text typed in.
    public var inputReceiver: String?
    /// `adb_input_txt`: the hint of the text field; `Reply` unless set.
    public var inputHint: String?
    /// `adb_feedback_txt`: the text after typing.
    public var feedbackText: String?
    /// `adb_feedback_img`: the image after typing.
    public var feedbackImage: String?
    /// `adb_col_style`: what the collapsed notification shows, `img` or `txt`.
    public var collapsedStyle: String?
    /// `adb_rate_unselected_icon`.
    public var ratingIcon: String?
    /// `adb_rate_selected_icon`.
    public var ratingSelectedIcon: String?
    /// `adb_rate_act`: what each rating opens, from the lowest.
    public var ratings: [Rating]?

    /// A message without any field.
    public init() {}

    /// The template that is drawn: what is not known is drawn as `basic`.
    public var shownTemplate: Template {
      guard let template, Template.known.contains(template) else { return .basic }
      return template
    }
    /// True when Android shows a “remind later” button.
    public var remindsLater: Bool { remindText != nil && hasReminderTime }
    /// True with a time that Android's library can read.
    var hasReminderTime: Bool { remindTime != nil || remindSeconds.map { Int32(exactly: $0) != nil } ?? false }
    /// When a tap on “remind later” at `now` shows the notification again, in seconds since 1970; nil when it is removed
    /// instead, as the time has passed.
    public func remindTime(now: WholeNumber) -> WholeNumber? {
      if let seconds = remindSeconds, seconds > 0 {
        let (time, isTooLate) = now.addingReportingOverflow(seconds)
        return isTooLate ? nil : time
      }
      guard let time = remindTime, time > now else { return nil }
      return time
    }
    /// When the timer of a notification shown at `start` ends, in seconds since 1970; nil without a time.
    public func timerEnd(start: Double) -> Double? { timerSeconds.map { start + $0 } ?? timerEnd }
    /// The small icon that Android uses.
    public var shownIcon: String? { smallIcon ?? legacyIcon }
    /// The title of the expanded notification on iOS.
    public var shownExpandedTitle: String? { expandedTitle ?? title }
    /// The body of the expanded notification on iOS; Android's library has `adb_body_ex` alone.
    public var shownExpandedBody: String? { expandedBody ?? body }
  }

  /// The category that selects Adobe's content extension on iOS.
  public static let category = "AEPNotification"
  /// The id of the channel that Adobe's Android library makes when a notification names none.
  public static let channelDefault = "AEPSDKPushChannel"
  /// The id of the channel of Journey Optimizer's library, for a notification that names none or one the app does not have.
  public static let channelOfJourneyOptimizer = "AJOPushChannel"
  /// The name a person sees of either channel.
  public static let channelDefaultName = "General Notifications"
  /// `adb_version` on Android unless set.
  public static let androidVersionDefault = "1"
  /// `adb_version` on iOS unless set.
  public static let iosVersionDefault = "1.0"
  /// The hint of the text field unless set.
  public static let inputHintDefault = "Reply"
  /// The closing icon unless set.
  public static let cancelImageDefault = "cross"

  static let policy = ContractPolicy(
    androidStyle: .dataOnly,
    coercion: .jsonText,
    order: (
      apns: [
        "aps.alert.title", "aps.alert.subtitle", "aps.alert.body", "aps.mutable-content", "aps.category",
      ],
      fcm: ["message.android", "message.data"]
    ),
    statements: [
      "Android is data only: every key is in `message.data` as a string, and Adobe's library draws the notification. "
        + "Nothing else is sent but `message.android.collapse_key`, when it is set.",
      "On iOS `aps.category` is always `AEPNotification` and `aps.mutable-content` always 1; the template keys are "
        + "beside `aps`.",
      "A thing that both platforms have is one field under Android's `adb_` name: `adb_title`, `adb_body`, `adb_image`, "
        + "`adb_image_alt`, `adb_n_count`. Their iOS names are understood too, not both at once. Sounds are two fields, "
        + "as their values differ: a resource name without extension on Android, a file name on iOS.",
      "`adb_version` is `1` on Android and `1.0` on iOS unless set; it is passed through as it is.",
      "`adb_template_type` is `basic` unless set.",
      "Android needs `adb_a_type` with `adb_uri`. A button of type WEBURL or DEEPLINK needs a uri; the others carry "
        + "an empty one.",
      "One to three buttons; two with a “remind later” button, which needs `adb_rem_txt` and one of `adb_rem_ts` and "
        + "`adb_rem_sec`. The app declares `USE_EXACT_ALARM` for it.",
      "Refused are what the provider refuses or a device would not show, values of another type than the field's, and, as "
        + "Adobe's page requires them, a missing `adb_a_type` or uri of a button. What a device leaves out or replaces is "
        + "written and reported as a warning.",
      "Colors are six hex digits; a `#` is removed. Eight digits are given in Android's order, AARRGGBB, and turned "
        + "into RRGGBBAA on iOS; an opaque color is written with six.",
      "`aps.badge` is a number.",
      "Recommended lengths are warnings: title 35, text 110 on Android; title 70, text 600 on iOS.",
      "The templates input, zb, rate, cat and icon are Android's; iOS shows title and body alone instead.",
      "On Android the text of the expanded notification is `adb_body_ex` alone; without it there is none. On iOS it is the body "
        + "then.",
      "On Android the buttons of `adb_act` and “remind later” are drawn with `basic` alone, or with a carousel that is drawn as "
        + "`basic`.",
      "On Android a list is read as the library reads it: a carousel ends at its first bad element, a bad icon is left out, "
        + "one bad rating or product voids the list. Nothing is shown without the keys and elements that a template needs.",
      "On iOS one element with a picture is enough for a carousel, and one that is no object spoils it; a timer needs "
        + "`adb_title_alt` and a time. Without them the title and the body of the alert are drawn, and nothing else.",
    ])

  /// The rows of the contract.
  static let fields: [Field<Message>] = basicFields + androidFields + iosFields + templateFields + fixedFields

  /// The contract.
  public static let contract = Contract(
    .adobe, summary: "Adobe: the adb_ keys of push templates, drawn on the device.", policy: policy, empty: Message(),
    fields: fields,
    hooks: ContractHooks(
      reading: read,
      common: { message, platform, members in
        if let category = message.category { members["category"] = .string(category) }
        // On Android the kind of link decides whether a tap opens the uri, on iOS the template.
        let opensURI = platform == .android ? message.linkType?.needsURI == true : opensURI(message)
        if !opensURI { members.removeValue(forKey: "link") }
        if platform == .android { setLiveUpdate(message, &members) }
      },
      device: DeviceModel(
        fallbackRules: drawnRules + ["adobe-template-unknown"],
        drawnRules: drawnRules + ["adobe-expanded-without-text"],
        outcome: { outcome(of: $0, on: $1, headers: $2) }
      ).refusing(on: .android, emptiness).judging(arrivalOn: .android, outcome(of:arrivingAt:)),
      atAddress: (check, check), direct: direct))

  /// The rules that say what is drawn instead of a template.
  static let drawnRules = ["adobe-ios-fallback", "adobe-item-count", "adobe-item-member"]

  /// The rules that say what is left out of a notification; where Firebase draws a notification block they say nothing.
  static let undrawnRules = ["adobe-template-field", "adobe-picture-address", "adobe-expanded-without-text"]

  static let entry = ContractEntry(contract)

  /// What tells a payload of this contract: a key that begins with `adb_`, or on iOS the category.
  @Sendable static func recognize(_ members: JSONObject, _ platform: Platform) -> String? {
    let keys = platform == .ios ? members : members["data"]?.object ?? [:]
    for (key, _) in keys where key.utf8.starts(with: "adb_".utf8) {
      return "the key \(key) begins with adb_, as those of Adobe's templates do"
    }
    guard platform == .ios, members["aps"]?["category"]?.string == category else { return nil }
    return "the category is \(category), which selects Adobe's content extension"
  }
}
