public import Basics
public import WireJSON

/// The Amba contract: the payload holds the title, the body and the app's data keys, and nothing else.
///
/// On iOS the data keys are beside `aps` with their JSON types; on Android they are strings in `message.data`.
/// Source: Amba, “Push Payload Contract”.
public enum Amba {
  /// What a send carries: the three content fields of every send surface, and what some sends set beside them.
  public struct Message: Sendable, Hashable {
    /// The visible title on both platforms.
    public var title: String?
    /// The visible text on both platforms.
    public var body: String?
    /// The app's own keys, handed over on delivery and on tap.
    public var data: JSONObject?
    /// The number on the app's icon (iOS); absent on campaign and test sends.
    public var badge: WholeNumber?
    /// The sound to play; absent on campaign and test sends.
    public var sound: String?
    /// The Android channel; absent on campaign and test sends.
    public var channelID: String?
    /// The campaign a payload that was read belongs to, from its Android tag; writing takes it from the context.
    public var campaignID: String?

    /// Makes a message.
    public init(
      title: String? = nil, body: String? = nil, data: JSONObject? = nil, badge: WholeNumber? = nil,
      sound: String? = nil,
      channelID: String? = nil
    ) {
      self.title = title
      self.body = body
      self.data = data
      self.badge = badge
      self.sound = sound
      self.channelID = channelID
    }

    /// The app route that a tap opens: the documented convention is a string under `deep_link`.
    public var deepLink: String? { data?["deep_link"]?.string }
  }

  static let policy = ContractPolicy(
    androidStyle: .messageNotification,
    coercion: .jsonText,
    reserved: (
      apns: [.aps(.drop, advice: "the notification envelope owns it; rename the key")],
      fcm: [
        .fcm, .fcmUnseen, .aps(.keep, advice: "on iOS it is dropped, so the two platforms differ; rename the key"),
      ]
    ),
    order: (
      apns: ["*", "aps.alert", "aps.badge", "aps.sound", "aps.mutable-content"],
      fcm: ["message.notification", "message.android.priority", "message.android.notification", "message.data"]
    ),
    statements: [
      "The app's data keys are beside `aps` on iOS with their JSON types, `null` included, and in `message.data` on "
        + "Android as strings.",
      "On Android a string stays as it is; a number, a boolean, `null`, an object or an array becomes its JSON text.",
      "A data key `aps` is dropped on iOS with a warning (`aps-reserved`). Android carries it, with a note.",
      "Data keys that FCM keeps for itself (`from`, `message_type`, `google…`, `gcm…`) are refused before sending.",
      "No campaign id, segment id or tracking key is ever added to the data.",
      "A campaign id is in the `apns-collapse-id` header and in `message.android.notification.tag` and nowhere "
        + "else; test sends and per-user sends have none. APNs takes at most 64 bytes of it.",
      "`message.android.notification` and `message.data` are left out when there is nothing in them.",
      "Neither `apns-expiration` nor `message.android.ttl` is set.",
    ])

  /// The campaign of a send; an empty text is no campaign.
  @Sendable private static func campaign(_ context: WriteContext) -> String? {
    guard let campaign = context.campaign, !campaign.isEmpty else { return nil }
    return campaign
  }

  /// The rows of the contract.
  static let fields: [Field<Message>] = [
    Field(
      "title", .string({ $0.title }, { $0.title = $1 }), role: .title, apns: [.at("aps.alert.title")],
      fcm: [.at("message.notification.title")], doc: "The visible notification title.", rule: "verbatim",
      example: "Welcome back!"
    ).required(.always),
    Field(
      "body", .string({ $0.body }, { $0.body = $1 }), role: .body,
      apns: [.at("aps.alert.body", alsoRead: ["aps.alert"])], fcm: [.at("message.notification.body")],
      doc: "The visible notification text.", rule: "verbatim", example: "Your streak is waiting for you."
    ).required(.always),
    Field(
      "data", .object({ $0.data }, { $0.data = $1 }), role: .data,
      apns: [.at("*", .members)], fcm: [.at("message.data.*", .memberTexts)],
      doc: "The app's own keys, handed over on delivery and on tap.",
      rule: "JSON types on iOS, strings on Android; left out when empty", example: ["screen": "home"]),
    Field(
      "badge", .integer({ $0.badge }, { $0.badge = $1 }), role: .badge,
      apns: [.at("aps.badge")], doc: "The number on the app's icon.", rule: "iOS only; absent unless set", example: 3),
    Field(
      "sound", .string({ $0.sound }, { $0.sound = $1 }), role: .sound,
      apns: [.at("aps.sound")], fcm: [.at("message.android.notification.sound")],
      doc: "The sound to play.", rule: "absent unless set", example: "default"),
    Field(
      "channel_id", .string({ $0.channelID }, { $0.channelID = $1 }), role: .channel,
      fcm: [.at("message.android.notification.channel_id")],
      doc: "The Android notification channel.", rule: "Android only; absent unless set", example: "offers"),
    .context(
      "campaign_id", .contextString(campaign, { $0.campaignID }, { $0.campaignID = $1 }), role: .collapse,
      apns: [.header("apns-collapse-id")], fcm: [.at("message.android.notification.tag")],
      doc: "The campaign of the send: sent again, it replaces the notification instead of stacking a second one.",
      rule: "campaign sends only; never in the data"),
    .fixed(
      1, apns: [.at("aps.mutable-content")],
      doc: "A notification service extension may change the notification before it is shown."),
    .fixed("alert", apns: [.header("apns-push-type")], doc: "The push is shown to a person."),
    .fixed(10, apns: [.header("apns-priority")], doc: "Immediate delivery."),
    .fixed("high", fcm: [.at("message.android.priority")], doc: "Delivery is not put off on dozing devices."),
  ]

  private static let dataRow = fields.row("data")

  /// The contract.
  public static let contract = Contract(
    .amba, summary: "Amba: your title, your body and your data keys, and nothing else.", policy: policy,
    empty: Message(), fields: fields,
    hooks: ContractHooks(
      common: { message, _, members in
        if let link = message.deepLink { members["link"] = .string(link) }
      },
      direct: DirectHooks(judge: { reading in
        let data = reading[dataRow]
        if data.isThere, let link = reading.string(data.node, "deep_link") {
          reading.setMember(DirectProgram.link, DirectValue(form: .string, node: link))
        }
        return true
      })))

  static let entry = ContractEntry(contract)
}
