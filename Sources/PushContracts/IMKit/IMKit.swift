public import Basics
import PushPayload
public import WireJSON

/// The IMKit contract: chat events as localization keys and arguments, resolved by the app in the user's language.
///
/// Source: IMKit, “Push Payload Format”.
public enum IMKit {
  /// A chat event, or a custom push, as IMKit sends it.
  public struct Message: Sendable, Hashable {
    /// The kind of message or event: `text`, `image`, `joinRoom` …; an open set.
    public var messageType: String?
    /// The sender's nickname: `$1` of the texts.
    public var sender: String?
    /// The message's content: `$2` of the texts.
    public var content: String?
    /// The chat room's id.
    public var room: String?
    /// The full message object, for the app's own use.
    public var message: JSONObject?
    /// The localization key; `im_loc_` and the message type unless set.
    public var locKey: String?
    /// The arguments of the localized text; sender and content unless set.
    public var locArgs: [String]?
    /// The title, as it is shown.
    public var title: String?
    /// The text shown when the app does not know the localization key.
    public var body: String?
    /// The icon (Android).
    public var icon: String?
    /// The unread count on the app's icon.
    public var badge: WholeNumber?
    /// The sound to play (iOS).
    public var sound: String?
    /// The intent action of a tap (Android); `push_chatroom` unless set.
    public var clickAction: String?
    /// The app's classification of the push; `chatroom_chat:` and the room unless set.
    public var type: String?
    /// Notifications with the same key are merged.
    public var collapseKey: String?
    /// How long the push is stored for a device that is away, in seconds.
    public var timeToLive: WholeNumber?
    /// Only data, nothing shown: for background unread-count sync.
    public var silent: Bool?

    /// A message without any field.
    public init() {}

    /// True when nothing is shown: asked for, or there is nothing to show.
    #if _pointerBitWidth(_32)
      @inline(never)
    #else
      @inline(__always)
    #endif
    public var isSilent: Bool { silent == true || (title == nil && body == nil && !hasKey) }

    /// True when there is a ``key``, which is not made for it.
    #if _pointerBitWidth(_32)
      @inline(never)
    #else
      @inline(__always)
    #endif
    private var hasKey: Bool { locKey != nil || messageType?.isEmpty == false }

    /// True when there is something for the app itself, as it is in Android's data.
    var carriesData: Bool {
      message?.isEmpty == false || classification?.isEmpty == false || key != nil
        || arguments?.contains { !$0.isEmpty } == true
    }

    /// The localization key as it is sent; an empty message type makes none.
    public var key: String? { locKey ?? messageType.flatMap { $0.isEmpty ? nil : "im_loc_" + $0 } }

    /// The arguments as they are sent: sender and content, as many as there are, in this order.
    public var arguments: [String]? {
      if let locArgs { return locArgs }
      guard let sender else { return nil }
      return content.map { [sender, $0] } ?? [sender]
    }

    /// The classification as it is sent.
    public var classification: String? { type ?? room.map { "chatroom_chat:" + $0 } }
  }

  /// The option that writes FCM in the literal shape of IMKit's page, which is that of the legacy GCM API.
  public static let legacyOption = "legacy-gcm"
  /// The option for tokens registered with type `ios-voip`: a PushKit request instead of a notification.
  public static let voipOption = "ios-voip"
  /// The intent action of a tap unless another is set.
  public static let clickActionDefault = "push_chatroom"

  static let policy = ContractPolicy(
    androidStyle: .androidNotification,
    coercion: .jsonText,
    order: (
      apns: [
        "aps.alert.title", "aps.alert.body", "aps.alert.loc-key", "aps.alert.loc-args", "aps.badge", "aps.sound",
        "aps.content-available",
      ],
      fcm: [
        "message.android.collapse_key", "message.android.ttl", "message.android.notification.title",
        "message.android.notification.body", "message.android.notification.icon",
        "message.android.notification.body_loc_key", "message.android.notification.body_loc_args",
        "message.android.notification.notification_count", "message.android.notification.click_action",
        "message.data.loc-key", "message.data.loc-args", "message.data.type", "message.data.payload",
      ]
    ),
    options: [
      ContractOption(
        legacyOption,
        "FCM in the literal shape of IMKit's page, the legacy GCM API's, which FCM v1 refuses: to look at "
          + "or for a gateway of your own; it is never sent."),
      ContractOption(
        voipOption,
        "For tokens registered with type `ios-voip`: a PushKit request with `type` and `payload`, not this "
          + "format."),
    ],
    statements: [
      "The localization key is `im_loc_` and the message type; keys are an open set.",
      "Arguments are two: `$1` the sender's nickname, `$2` the content. Any count is read.",
      "APNs says `loc-key` and `loc-args`; FCM's notification says `body_loc_key` and `body_loc_args`; FCM's data says "
        + "`loc-key` and `loc-args` again, the arguments as JSON text.",
      "A key the app does not know falls back to `body`; without a body, to the key.",
      "On Android a `body` is shown instead of the localized text, so it is a note when both are given.",
      "`data.type` of a chat event is `chatroom_chat:` and the room; `data.payload` is the full message as JSON text.",
      "A push without title, body and localization key is silent: data only on Android; on iOS a background push with "
        + "`content-available: 1` and priority 5, which wakes the app without the data. Without data it is refused, unless "
        + "it says `\"silent\": true`.",
      "`collapseKey` is `android.collapse_key` and the `apns-collapse-id` header, which takes at most 64 bytes.",
      "`timeToLive` seconds are `android.ttl` and, counted from now, `apns-expiration`.",
    ])

  /// The contract.
  public static let contract = Contract(
    .imkit, summary: "IMKit: chat events as localization keys and arguments.", policy: policy, empty: Message(),
    fields: fields,
    hooks: ContractHooks(
      message: check, platform: checkLosses,
      device: DeviceModel(
        fallbackRules: ["imkit-args-missing"], saysSilent: { $0.silent == true }, apple: { appleOutcome($0, $1) },
        android: { androidOutcome($0) }
      ).refusing(on: .ios, emptiness), lossRules: ["imkit-silent-lost"], direct: direct),
    variants: [(legacyOption, legacy)])

  /// The literal shape of IMKit's page for Android.
  static let legacy = Contract(
    .imkit, summary: "IMKit in the shape of the legacy GCM API.",
    policy: ContractPolicy(
      androidStyle: .androidNotification,
      coercion: .jsonText,
      options: policy.options),
    empty: Message(), fields: legacyFields)

  @Sendable private static func check(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    if let type = message.messageType, message.locKey == nil, message.locArgs == nil, message.sender == nil,
      !type.isEmpty, type != "encrypted"
    {
      report.add(
        rule: "imkit-sender-missing", severity: .warning, field: "sender",
        message: "the texts of chat events name the sender as $1; add the sender's nickname")
    }
    if message.messageType == "", message.locKey == nil {
      report.add(
        rule: "imkit-key-undocumented", severity: .warning, field: "messageType",
        message: "the message type is empty, so there is no localized text; give a type such as text, or leave it out")
    } else if let type = message.messageType, message.locKey == nil, argumentCount(of: "im_loc_" + type) == nil {
      report.add(
        rule: "imkit-key-undocumented", severity: .note, field: "messageType",
        message: "IMKit's page has no text for im_loc_\(type); the app needs one of its own, or a body to fall back to")
    }
    if message.isSilent, message.silent != true { checkUnasked(message, context, &report) }
    if message.body != nil, message.key != nil, !message.isSilent {
      report.add(
        rule: "imkit-body-wins", severity: .warning, field: "body",
        message: "Android shows the body and not the localized text when both are given")
    }
    if context.has(voipOption), message.message == nil, !message.isSilent || message.carriesData {
      report.add(
        rule: "imkit-voip-payload", severity: .warning, field: "message",
        message: "a PushKit request without the message object gives the app nothing to ring for")
    }
  }

  /// A message without a text is silent although it does not say so; without data it would be an empty push.
  private static func checkUnasked(_ message: Message, _ context: WriteContext, _ report: inout Report) {
    guard message.carriesData else {
      return report.add(
        rule: "device-shows-nothing", severity: .error, field: "",
        message:
          "there is neither a text nor data, so an empty push would arrive; add a messageType, title or body, add "
          + "data (message or type), or say \"silent\": true")
    }
    if message.arguments != nil || message.content != nil {
      return report.add(
        rule: "imkit-silent-unasked", severity: .warning, field: "messageType",
        message: "there is a sender or content and nothing to show it with; add the messageType, or \"silent\": true")
    }
    guard !context.has(voipOption) else { return }
    let visible = [
      ("badge", message.badge != nil), ("sound", message.sound != nil), ("icon", message.icon != nil),
      ("click_action", message.clickAction != nil),
    ]
    let lost = visible.filter { $0.1 }.map { $0.0 }
    for field in lost {
      report.add(
        rule: "imkit-silent-lost", severity: .warning, field: FieldPath(members: field),
        message:
          "the push is silent, as it has no title, body or localization key, and its \(field) is not sent; add a text")
    }
    guard lost.isEmpty else { return }
    report.add(
      rule: "imkit-silent", severity: .note, field: "",
      message: "there is no title, body or localization key, so the push is silent, and iOS is woken without the data; "
        + "say \"silent\": true, or add a text"
    )
  }

  /// A text that needs more arguments than the message has; a missing sender is said once for both platforms.
  private static func checkArguments(_ message: Message, _ platform: Platform, _ report: inout Report) {
    guard message.locArgs != nil || message.sender != nil, platform == .ios || message.body?.isEmpty != false else {
      return
    }
    if let said = missingArguments(message, message.locArgs == nil ? "content" : "locArgs", platform) {
      report.findings.append(said)
    }
  }

  /// Names what becomes part of a text or of the data elsewhere, and is not sent to a platform.
  @Sendable private static func checkLosses(
    _ message: Message, _ platform: Platform, _ context: WriteContext, _ report: inout Report
  ) {
    let isVoIP = platform == .ios && context.has(voipOption)
    guard message.isSilent || isVoIP else { return checkArguments(message, platform, &report) }
    let isBare = platform == .ios
    let hasOwnArguments = message.locArgs != nil
    let losses = [
      ("messageType", isBare && message.locKey == nil && message.messageType?.isEmpty == false),
      ("sender", isBare && !hasOwnArguments && message.sender != nil),
      ("content", !hasOwnArguments && message.content != nil && (isBare || message.sender == nil)),
      ("room", isBare && !isVoIP && message.type == nil && message.room != nil),
    ]
    for (field, isLost) in losses where isLost {
      report.add(
        rule: "field-not-carried", severity: .warning, field: FieldPath(members: field),
        message: "imkit does not carry \(field) to \(platform.title) in a push without a text")
    }
  }

  /// When APNs gives up, in seconds since 1970; nil without a time to live or a clock.
  static func expiration(_ timeToLive: WholeNumber?, _ now: Int64?) -> WholeNumber? {
    guard let timeToLive, let now else { return nil }
    let (end, isNever) = WholeNumber(clamping: now).addingReportingOverflow(timeToLive)
    return isNever ? nil : end
  }
}

extension IMKit {
  /// What tells a payload of this contract: a localization key that begins with `im_loc_`.
  @Sendable static func recognize(_ members: JSONObject, _ platform: Platform) -> String? {
    switch platform {
    case .ios: return reason(members["aps"]?["alert"]?["loc-key"])
    case .android:
      return reason(members["android"]?["notification"]?["body_loc_key"])
        ?? reason(members["notification"]?["body_loc_key"]) ?? reason(members["data"]?["loc-key"])
    }
  }

  private static func reason(_ value: JSONValue?) -> String? {
    guard let key = value?.string, key.utf8.starts(with: "im_loc_".utf8) else { return nil }
    return "the localization key \(key) begins with im_loc_, as IMKit's do"
  }
}

extension IMKit {
  /// The contract behind its name: reading also gives the built-in texts, so that a payload can be shown at once.
  static let entry = ContractEntry(
    writing: contract, readsWrittenFields: true,
    parse: { root, platform in
      let result = contract.read(root, platform: platform)
      var notification = contract.commonMembers(result.message, platform: platform)
      var own = contract.encode(result.message)
      let missing = missingArguments(result.message, root, platform)
      if missing == nil, let key = result.message.key, texts[.english]?[key] != nil {
        var shown = JSONObject()
        for language in TextLanguage.allCases {
          let text = text(key: key, arguments: result.message.arguments ?? [], language: language)
          shown.append(language.rawValue, .string(text))
        }
        own.append("texts", .object(shown))
      }
      if showsNothing(root, platform, result.message) { notification["silent"] = true }
      notification["imkit"] = .object(own)
      return (notification, Report(result.report.findings + [missing].compactMap { $0 }))
    },
    findings: { root, platform in
      let result = contract.read(root, platform: platform)
      return Report(result.report.findings + [missingArguments(result.message, root, platform)].compactMap { $0 })
    })

  /// Where the arguments of the localization key are that is shown.
  private static func argumentsPath(_ root: JSONValue, _ platform: Platform) -> FieldPath {
    guard platform == .android, let members = root.object else { return FieldPath(members: "aps", "alert", "loc-args") }
    let message = AndroidEnvelope(members, style: .androidNotification).message
    if message["android"]?["notification"]?["body_loc_key"] != nil {
      return FieldPath(members: "message", "android", "notification", "body_loc_args")
    }
    if message["notification"]?["body_loc_key"] != nil {
      return FieldPath(members: "message", "notification", "body_loc_args")
    }
    return FieldPath(members: "message", "data", "loc-args")
  }

  /// What becomes of a text with fewer arguments than it needs; nil when it has enough.
  private static func missingArguments(_ message: Message, _ root: JSONValue, _ platform: Platform) -> Finding? {
    missingArguments(message, argumentsPath(root, platform).text, platform)
  }

  private static func missingArguments(_ message: Message, _ field: String, _ platform: Platform) -> Finding? {
    let count = message.locArgs?.count ?? (message.sender == nil ? 0 : message.content == nil ? 1 : 2)
    guard count < 2, let key = message.key, let wanted = argumentCount(of: key), count < wanted else { return nil }
    let fate =
      switch platform {
      case .ios: "the specifier of each missing one is shown instead"
      case .android where message.arguments == nil: "it is shown with its % signs"
      case .android where message.title == nil: "it is left out, and a notification has the name of the app alone"
      case .android: "no text is shown for it"
      }
    return Finding(
      rule: "imkit-args-missing", severity: .warning, field: field,
      message: "the text of \(key) needs \(wanted) arguments and has \(count), so \(fate)")
  }
}

extension IMKit {
  /// True when a payload shows nothing: on Android, when its notification block has no text and no localization key,
  /// whatever the data says.
  @Sendable private static func showsNothing(_ root: JSONValue, _ platform: Platform, _ message: Message) -> Bool {
    guard platform == .android, let members = root.object else { return message.isSilent }
    let envelope = AndroidEnvelope(members, style: .androidNotification).message
    let blocks = [envelope["notification"], envelope["android"]?["notification"]]
    return !blocks.contains { block in
      ["title", "body", "title_loc_key", "body_loc_key"].contains { block?[$0] != nil }
    }
  }
}
