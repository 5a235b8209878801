public import Basics
import PushPayload
public import WireJSON

/// The PowerAuth contract: one abstract `PushMessageBody`, mapped to both providers.
///
/// Source: PowerAuth push server, “Push Message Payload Mapping”.
public enum PowerAuth {
  /// How urgent a message is.
  public enum Priority: String, Sendable, Hashable {
    /// At a time that saves battery.
    case normal = "NORMAL"
    /// At once; the default.
    case high = "HIGH"
  }

  /// The abstract push message object with the server's message attributes.
  public struct Message: Sendable, Hashable {
    /// The first line a person reads.
    public var title: String?
    /// A key into the app's string table, for the title.
    public var titleLocKey: String?
    /// The arguments of the title's format.
    public var titleLocArgs: [String]?
    /// The text a person reads.
    public var body: String?
    /// A key into the app's string table, for the body.
    public var bodyLocKey: String?
    /// The arguments of the body's format.
    public var bodyLocArgs: [String]?
    /// The number on the app's icon (iOS).
    public var badge: WholeNumber?
    /// The sound to play.
    public var sound: String?
    /// The icon (Android).
    public var icon: String?
    /// The category (iOS); the tag, by which a later notification replaces an earlier one (Android).
    public var category: String?
    /// What groups and replaces notifications.
    public var collapseKey: String?
    /// Until when delivery makes sense.
    public var validUntil: UTCInstant?
    /// The app's own keys.
    public var extras: JSONObject?
    /// Nothing is shown: the app is woken instead.
    public var silent: Bool?
    /// How urgent the message is; `HIGH` when absent.
    public var priority: Priority?

    /// A message without any field.
    public init() {}

    var isSilent: Bool { silent == true }
    /// True when no attribute is set that `message.android.notification` would carry.
    var showsNothing: Bool {
      title == nil && titleLocKey == nil && titleLocArgs == nil && body == nil && bodyLocKey == nil
        && bodyLocArgs == nil && sound == nil && icon == nil && category == nil
    }
    /// True when there is an alert on Apple devices.
    var hasAlert: Bool { !isSilent && (title != nil || titleLocKey != nil || body != nil || bodyLocKey != nil) }
    /// A silent push is a background push, for which APNs takes priority 5 only.
    var isUrgent: Bool { !isSilent && priority != .normal }
  }

  /// The option for an FCM message without a notification block, as the server sends it with its setting
  /// `powerauth.push.service.fcm.dataNotificationsOnly`.
  public static let dataOnlyOption = "fcm-data-only"
  /// The option that adds `message.apns`, for apps on Apple devices that are registered with FCM.
  public static let apnsOption = "fcm-apns"
  /// The option for the order of keys in the server's own APNs payloads.
  public static let serverOrderOption = "server-order"

  /// The order in which the server's payload library writes: that of Java's `HashMap`, by the hash codes of the names.
  private static let serverOrder = [
    "aps.badge", "aps.alert.loc-args", "aps.alert.loc-key", "aps.alert.body", "aps.alert.title",
    "aps.alert.title-loc-args", "aps.alert.title-loc-key", "aps.sound", "aps.category", "aps.content-available",
    "aps.thread-id", "*",
  ]

  static let policy: ContractPolicy = {
    var policy = basePolicy
    policy.apnsOrders = [OptionalOrder(option: serverOrderOption, order: serverOrder)]
    return policy
  }()

  private static let basePolicy = ContractPolicy(
    androidStyle: .androidNotification,
    coercion: .jsonTextSkippingNull,
    reserved: (apns: [.aps(.refuse, advice: "it is Apple's own object; rename the key")], fcm: [.fcm, .fcmUnseen]),
    order: (
      apns: ["aps.alert", "aps.badge", "aps.sound", "aps.category", "aps.thread-id", "aps.content-available", "*"],
      fcm: [
        "message.data", "message.android.collapse_key", "message.android.ttl", "message.android.notification",
        "message.apns.headers", "message.apns.payload.aps.alert",
      ]
    ),
    fcmTextObjects: ["message.data._notification"],
    options: [
      ContractOption(
        "fcm-ttl",
        "`validUntil` also becomes `message.android.ttl`, the seconds from now until then; without it, FCM "
          + "does not see `validUntil`."),
      ContractOption(
        dataOnlyOption,
        "FCM gets data alone: what `message.android.notification` holds is JSON text in `message.data._notification`, "
          + "and the app draws it; the server's setting `powerauth.push.service.fcm.dataNotificationsOnly`."),
      ContractOption(
        apnsOption,
        "FCM also gets `message.apns`, as servers from 2.0 send it, for apps on Apple devices that are registered with "
          + "FCM; `extras` are inside `aps` there, as texts."),
      ContractOption(
        serverOrderOption,
        "The keys of the APNs payload are in the order in which the server writes them, for receivers that compare "
          + "bytes."),
    ],
    statements: [
      "`aps.alert` is always an object, and absent when it would be empty. Localization arguments are carried only with "
        + "their key, and not when empty.",
      "A silent message is a background push on iOS (`apns-push-type: background`, priority 5, "
        + "`content-available: 1`): alert, sound and category are left out, badge, thread and extras stay.",
      "On Android a silent message has no `message.android.notification`, even when visible fields are set.",
      "`collapseKey` is in `aps.thread-id`, and in the `apns-collapse-id` header, which takes at most 64 bytes.",
      "`category` is Android's tag: a later notification of the same category replaces the earlier one.",
      "`badge` is not carried to Android, nor `icon` to iOS; the report says so.",
      "Without `validUntil` there is no `apns-expiration`; it is never 0 by accident.",
      "`extras` keep their JSON types on iOS and become strings on Android; members that are `null` are left out on "
        + "both. A member `aps`, and the names that FCM keeps for itself, are refused.",
      "A message without anything to show, play or carry is refused on a platform. A silent message without `extras` "
        + "wakes the app on iOS and is not written for Android. On Android a notification with a sound or extras alone "
        + "is drawn as the name of the app (`device-fallback`).",
      "An empty `collapseKey` has no `apns-collapse-id` (`powerauth-collapse-empty`).",
    ])

  private static let categoryRow = fields.row("category")

  /// The contract.
  public static let contract = Contract(
    .powerauth, summary: "PowerAuth: one abstract PushMessageBody, mapped to both providers.", policy: policy,
    empty: Message(), fields: fields,
    hooks: ContractHooks(
      message: check, platform: checkNames,
      common: { message, platform, members in
        guard platform == .android else { return }
        // Android's category is a tag, by which notifications replace each other.
        if let tag = message.category { members["collapse"] = .string(tag) }
        if message.showsNothing { members["silent"] = true }
      },
      device: DeviceModel(
        saysSilent: { $0.isSilent }, apple: { appleOutcome($0, $1) }, android: { androidOutcome($0) }),
      lossRules: ["loc-args-without-key"],
      direct: DirectHooks(judge: { reading in
        guard reading.platform == .android else { return true }
        let tag = reading[categoryRow]
        if tag.isThere { reading.setMember(DirectProgram.collapse, tag) }
        // What has no text to draw has no other row of a notification, either.
        if !reading.isVisible { reading.setSilent() }
        return true
      })))

  static let entry = ContractEntry(contract)

  @Sendable private static func check(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    for (key, args, name) in [
      (message.titleLocKey, message.titleLocArgs, "titleLocArgs"),
      (message.bodyLocKey, message.bodyLocArgs, "bodyLocArgs"),
    ] where key == nil && args?.isEmpty == false {
      report.add(
        rule: "loc-args-without-key", severity: .warning, field: FieldPath(members: name),
        message: "localization arguments are left out without their key; set \(name.dropLast(4))Key")
    }
    if message.collapseKey == "" {
      report.add(
        rule: "powerauth-collapse-empty", severity: .warning, field: "collapseKey",
        message: "the key is empty, so there is no apns-collapse-id; the server sends an empty one; leave the key out")
    }
    if context.has("fcm-ttl"), message.validUntil != nil, context.now == nil {
      report.add(
        rule: "fcm-ttl-without-clock", severity: .error, field: "validUntil",
        message: "the option fcm-ttl turns an instant into a duration and needs the current time")
    }
  }

  /// Extras with a name that the message needs where an option puts both: one of the two would be lost.
  ///
  /// The server's own `_notification` replaces that of the extras, and its payload library refuses a name in `aps` twice.
  @Sendable private static func checkNames(
    _ message: Message, _ platform: Platform, _ context: WriteContext, _ report: inout Report
  ) {
    guard platform == .android, let extras = message.extras else { return }
    func refuse(_ name: String, _ option: String) {
      guard extras[name]?.isNull == false else { return }
      report.add(
        rule: "powerauth-extras-taken", severity: .error, field: FieldPath(members: "extras", name),
        message: "with the option \(option) the message itself has \(name) there; rename the key")
    }
    if context.has(dataOnlyOption), !message.isSilent { refuse("_notification", dataOnlyOption) }
    guard context.has(apnsOption) else { return }
    for (name, isThere) in [
      ("alert", message.hasAlert), ("sound", message.sound != nil && !message.isSilent),
      ("category", message.category != nil && !message.isSilent), ("badge", message.badge != nil),
      ("thread-id", message.collapseKey != nil), ("content-available", message.isSilent),
    ] where isThere {
      refuse(name, apnsOption)
    }
  }

  /// Seconds from now until the message is void, between 0 and FCM's four weeks.
  static func ttl(_ message: Message, _ context: WriteContext) -> WholeNumber? {
    guard context.has("fcm-ttl"), let end = message.validUntil, let now = context.now else { return nil }
    let (left, isBeyond) = end.seconds.subtractingReportingOverflow(now)
    return WholeNumber(min(max(0, isBeyond ? (end.seconds < now ? 0 : .max) : left), 2_419_200))
  }
}
