public import Basics
internal import PushPayload
internal import WireJSON

/// The OneSignal contract: what its REST API takes is written, and what its SDKs call `OSNotification` is read.
///
/// ``Message`` has the fields of “create notification” and is written as the original payload format, with `custom` on
/// iOS and as JSON text on Android. ``Notification`` has the properties of `OSNotification` and is read from all four
/// iOS formats and from what an Android client receives.
/// Source: OneSignal, “OSNotification” and “Create notification”; the formats as its SDKs read them.
public enum OneSignal {
  /// The most bytes a payload may have.
  public static let payloadBytesMax = 4096
  /// The most bytes a payload should have, so that nothing is cut off.
  public static let payloadBytesAdvised = 3500
  /// The most bytes the JSON text of `data` (`additionalData`) may have.
  public static let dataBytesMax = 2048
  /// The longest `collapse_id`, in characters.
  public static let collapseIDCharactersMax = 64
  /// How long a push is kept for a device that is away, in seconds, unless the message says otherwise.
  public static let ttlDefault: WholeNumber = 259_200
  /// The longest a push can be kept for a device that is away, in seconds.
  public static let ttlMax: WholeNumber = 2_419_200
  /// The most subscriptions one request may name.
  public static let subscriptionsMax = 2000
  /// The priority from which on a push is delivered at once.
  public static let priorityHigh = 9
  /// The placeholder of the notification's id until one is known.
  public static let notificationIDPlaceholder = "00000000-0000-0000-0000-000000000000"

  /// The option that puts `data` beside `aps` instead of under `custom.a`; it has the name of OneSignal's own setting.
  public static let rootDataOption = "additional_data_is_root_payload"

  /// Names at the root of an iOS payload that mean something to OneSignal's SDK.
  static let rootNames = [
    "aps", "custom", "os_data", "att", "at", "buttons", "actionbuttons", "o", "m", "b", "s", "actionSelected",
  ]
  /// The name in the data that marks the preview of an in-app message.
  static let previewName = "os_in_app_message_preview_id"
  /// Names in the data that OneSignal's SDKs put there themselves.
  static let dataNames = ["actionSelected", "actionButtons", "actionId"]

  static let policy = ContractPolicy(
    androidStyle: .dataOnly,
    coercion: .jsonText,
    reserved: (
      apns: [
        ReservedNames(
          rule: "onesignal-root-reserved", names: rootNames, action: .refuse,
          advice: "OneSignal's SDK reads that name at the root of the payload; rename the key")
      ], fcm: []
    ),
    order: (
      apns: [
        "aps.alert.title", "aps.alert.subtitle", "aps.alert.body", "aps.badge", "aps.sound", "custom.i", "custom.ti",
        "custom.tn", "custom.u", "custom.badge_inc", "custom.collapse_id", "custom.a", "att", "buttons", "*",
      ],
      fcm: [
        "message.android.priority", "message.android.ttl", "message.android.collapse_key", "message.data.custom.i",
        "message.data.custom.ti", "message.data.custom.tn", "message.data.custom.u", "message.data.custom.a",
        "message.data.title", "message.data.alert",
      ]
    ),
    fcmTextObjects: ["message.data.custom", "message.data.chnl"],
    budget: PayloadBudget(bytesMax: payloadBytesMax, bytesAdvised: payloadBytesAdvised),
    options: [
      ContractOption(
        rootDataOption,
        "on iOS `data` is beside `aps` and not under `custom.a`; a key that OneSignal's SDK reads at the root is "
          + "refused. Android has no such setting.")
    ],
    statements: [
      "iOS gets the original format: `custom.i` and its neighbors, `att` and `buttons` at the root. The other three "
        + "formats are read.",
      "Android gets a data-only message, which the app draws. `message.data.custom` and `message.data.chnl` are JSON "
        + "text in a string; the table names the keys inside.",
      "`custom.i` is in every payload, with the data at the root too: without it the SDK neither reports nor opens a "
        + "notification.",
      "One payload is written for one language, that of the context. Without a text in it the nearest wider language is "
        + "taken (`zh-Hant` for `zh-Hant-TW`), then English.",
      "`data` keeps its JSON types on both platforms and has at most 2048 bytes of JSON text "
        + "(`onesignal-data-too-large`).",
      "A payload has at most 4096 bytes (`payload-too-large`); above 3500 there is a warning (`payload-over-advice`). "
        + "On iOS that is the body, on Android the names and values of the data.",
      "A message with nothing to see or hear is a background push on iOS: `apns-push-type: background`, priority 5.",
      "Who gets a message and when is not in the payload: targeting and scheduling fields are taken, checked and not "
        + "written.",
    ])

  /// The rows of the contract.
  static let fields: [Field<Message>] =
    textFields + customFields + appleFields + androidFields + deliveryFields + sendFields + otherFields

  /// The contract, as it is written.
  public static let contract = Contract(
    .onesignal, summary: "OneSignal: the fields of its REST API, read back as OSNotification.", policy: policy,
    empty: Message(), fields: fields,
    hooks: ContractHooks(
      device: DeviceModel(
        fallbackRules: ["onesignal-button-dropped", "onesignal-buttons-aborted"],
        saysSilent: { $0.contentAvailable == true }, apple: { appleOutcome($0, $1) },
        android: { androidOutcome($0) }
      ).saying(unlabelled).taking(takes).losing(mayLose).judging(arrivalOn: .android, outcome(of:arrivingAt:)),
      atAddress: (check, check), direct: Optional.none))

  static let entry = ContractEntry(
    writing: contract, readsWrittenFields: false, behavior: behavior,
    parse: { root, platform in
      var report = Report()
      let notification = read(root, platform: platform, report: &report)
      var members = notification.commonMembers
      members[ContractName.onesignal.rawValue] = .object(notification.json)
      return (members, report)
    },
    findings: { root, platform in
      var report = Report()
      _ = read(root, platform: platform, report: &report)
      return report
    }, answer: { answer($0, into: &$1) }, judge: { judge($0) })
}
