import PushPayload
import WireJSON

extension OneSignal {
  static let textFields: [Field<Message>] = [
    Field(
      "headings", .texts({ $0.headings }, { $0.headings = $1 }), role: .title, apns: [.at("aps.alert.title")],
      fcm: [.at("message.data.title")], doc: "The title.", example: ["en": "Sale"]),
    Field(
      "subtitle", .texts({ $0.subtitle }, { $0.subtitle = $1 }), role: .subtitle, apns: [.at("aps.alert.subtitle")],
      doc: "The line between title and text.", rule: "iOS only", example: ["en": "Today only"]),
    Field(
      "contents", .texts({ $0.contents }, { $0.contents = $1 }), role: .body, apns: [.at("aps.alert.body")],
      fcm: [.at("message.data.alert")], doc: "The text a person reads.",
      rule: "English is required; Android shows nothing without a text", example: ["en": "20% off all items!"]
    ).required(
      .when("unless there is a template_id or content_available") {
        $0.templateID == nil && $0.contentAvailable != true
      }
    ).rowTest(other: ["en": "Last day of the sale"]),
  ]

  static let customFields: [Field<Message>] = [
    Field(
      "notification_id", .string({ $0.notificationID }, { $0.notificationID = $1 }), apns: [.at("custom.i")],
      fcm: [.at("message.data.custom.i")],
      doc: "The notification's id, the same for everybody it goes to.",
      rule: "absent: the send's campaign, then its apns-id", example: "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"),
    .derived(
      "id of the send", .derivedString { _, context in sendID(context) ?? notificationIDPlaceholder },
      apns: [.at("custom.i").when("without notification_id") { message, _ in message.notificationID == nil }],
      fcm: [
        .at("message.data.custom.i").when("without notification_id") { message, _ in message.notificationID == nil }
      ],
      doc: "The notification's id when the message has none.",
      rule: "the campaign, else the apns-id, else a placeholder with a warning"),
    Field(
      "template_id", .string({ $0.templateID }, { $0.templateID = $1 }), apns: [.at("custom.ti")],
      fcm: [.at("message.data.custom.ti")], doc: "The template the message was made from.",
      example: "be4a8044-bbd6-11e4-a581-000c2940e62c"),
    Field(
      "name", .string({ $0.name }, { $0.name = $1 }),
      apns: [.at("custom.tn").when("there is a template_id") { message, _ in message.templateID != nil }],
      fcm: [.at("message.data.custom.tn").when("there is a template_id") { message, _ in message.templateID != nil }],
      doc: "The message's name, which is that of its template.", rule: "internal, unless it comes from a template",
      example: "Spring sale"
    ).rowTest(needs: ["template_id": "be4a8044-bbd6-11e4-a581-000c2940e62c"]),
    Field(
      "url", .string({ $0.url }, { $0.url = $1 }), role: .link,
      apns: [.at("custom.u").when("there is no app_url") { message, _ in message.appURL == nil }],
      fcm: [.at("message.data.custom.u").when("there is no app_url") { message, _ in message.appURL == nil }],
      doc: "What a tap opens.", example: "https://shop.example/sale"),
    Field(
      "app_url", .string({ $0.appURL }, { $0.appURL = $1 }), apns: [.at("custom.u")],
      fcm: [.at("message.data.custom.u")], doc: "What a tap opens in apps.", rule: "wins over url",
      example: "shop://sale"),
    Field(
      "data", .object({ $0.data?.isEmpty == true ? nil : $0.data }, { $0.data = $1 }), role: .data,
      apns: [
        .at("custom.a").when("without the option \(rootDataOption)", rootDataOption, is: false) { _ in true },
        .at("*", .members).when("with the option \(rootDataOption)", rootDataOption, is: true) { _ in true },
      ],
      fcm: [.at("message.data.custom.a")], doc: "The app's own keys: `additionalData`.",
      rule: "JSON types on both platforms; at most 2048 bytes; left out when empty", example: ["promo_code": "SPRING20"]
    ),
    Field(
      "buttons",
      .json(
        .array, isThere: { $0.pointee.buttons != nil }, at: { Button.json($0.pointee.buttons, Button.rest) },
        takeButtons
      )
      .form { Button.json($0.buttons, Button.ios) }.text { Button.json($0.buttons, Button.android) },
      apns: [.at("buttons")], fcm: [.at("message.data.o", .text)], doc: "The buttons: `id`, `text` and maybe an icon.",
      rule: "i, n, icon_type and path on iOS; i, n and p on Android",
      example: [["id": "like", "text": "Like", "icon": "ic_like"]]),
    Field(
      "collapse_id",
      .string({ $0.collapseID }, { $0.collapseID = $1 }), role: .collapse,
      apns: [.header("apns-collapse-id"), .at("custom.collapse_id")], fcm: [.at("message.android.collapse_key")],
      doc: "A later notification with the same value replaces the earlier one.", rule: "at most 64 characters",
      example: "order-123"),
  ]

  static let appleFields: [Field<Message>] = [
    Field(
      "ios_badgeType",
      .json(
        .string, isThere: { $0.pointee.iosBadgeType != nil },
        at: { $0.pointee.iosBadgeType.map { .string($0.rawValue) } }, takeBadgeType),
      doc: "What happens to the number on the icon.", rule: "None, SetTo or Increase", example: "SetTo"
    ).rowTest(affects: ["aps.badge", "custom.badge_inc"]),
    Field(
      "ios_badgeCount", .integer({ $0.iosBadgeCount }, { $0.iosBadgeCount = $1 }),
      apns: [
        .at("aps.badge").when("ios_badgeType is SetTo") { message, _ in message.iosBadgeType == .setTo },
        .at("custom.badge_inc").when("ios_badgeType is Increase") { message, _ in message.iosBadgeType == .increase },
      ], doc: "The number to set, or to add to the one on the icon.", rule: "iOS only", example: 3
    ).rowTest(needs: ["ios_badgeType": "SetTo"]),
    Field(
      "ios_sound",
      .string({ $0.iosSound }, { $0.iosSound = $1 }).form { $0.soundName.map { .string($0) } }, role: .sound,
      apns: [.at("aps.sound")], doc: "The sound to play on iOS.", rule: "nil means none", example: "parcel.caf"),
    Field(
      "ios_attachments", .object({ $0.iosAttachments }, { $0.iosAttachments = $1 }), apns: [.at("att")],
      doc: "Attachments by id: an http or https address, or a file in the app.", rule: "iOS only",
      example: ["id1": "https://shop.example/sale.jpg"]),
    Field(
      "ios_category", .string({ $0.iosCategory }, { $0.iosCategory = $1 }), role: .category,
      apns: [.at("aps.category")],
      doc: "The notification category.", rule: "iOS only", example: "sale"),
    Field(
      "thread_id", .string({ $0.threadID }, { $0.threadID = $1 }), role: .thread, apns: [.at("aps.thread-id")],
      doc: "Notifications of one thread are grouped.", rule: "iOS only", example: "orders"
    ).counterpart { $0.androidGroup != nil },
    Field(
      "target_content_identifier", .string({ $0.targetContentIdentifier }, { $0.targetContentIdentifier = $1 }),
      apns: [.at("aps.target-content-id")], doc: "Which window or scene a tap opens.", rule: "iOS only"),
    Field(
      "ios_relevance_score", .number({ $0.iosRelevanceScore }, { $0.iosRelevanceScore = $1 }),
      apns: [.at("aps.relevance-score")], doc: "The weight in a summary.", rule: "iOS only; 0 to 1"),
    Field(
      "ios_interruption_level",
      .json(
        .string, isThere: { $0.pointee.iosInterruptionLevel != nil },
        at: { $0.pointee.iosInterruptionLevel.map { .string($0.text) } },
        takeInterruptionLevel
      )
      .form { $0.iosInterruptionLevel.map { .string($0.rawValue) } },
      apns: [.at("aps.interruption-level")], doc: "How much the notification may interrupt.",
      rule: "active, passive, time_sensitive (time-sensitive on the wire) or critical", example: "time_sensitive"),
    Field(
      "content_available", .boolean({ $0.contentAvailable }, { $0.contentAvailable = $1 }),
      apns: [.at("aps.content-available", .flag)], doc: "Wakes the app in the background.", rule: "iOS only"),
    Field(
      "mutable_content", .boolean({ $0.mutableContent }, { $0.mutableContent = $1 }),
      doc: "Taken and not looked at: every alert can be changed by the service extension.",
      rule: "iOS only; see aps.mutable-content"),
    .fixed(
      1, apns: [.at("aps.mutable-content").when("there is text to show") { message, _ in message.hasAlert }],
      doc: "The service extension adds media and badges and reports the delivery."),
  ]

  // MARK: Values with a shape of their own

  private static let takeButtons: @Sendable (inout Message, JSONValue) -> Mismatch? = { message, value in
    guard case .array(let elements) = value else {
      return "an array of buttons, each with a text and maybe id, icon, icon_type and path, all strings"
    }
    do throws(Mismatch) { message.buttons = try Button.read(elements) } catch { return error }
    return nil
  }

  private static let takeBadgeType: @Sendable (inout Message, JSONValue) -> Mismatch? = { message, value in
    guard let type = value.string.flatMap({ BadgeType(rawValue: $0) }) else { return "None, SetTo or Increase" }
    message.iosBadgeType = type
    return nil
  }

  private static let takeInterruptionLevel: @Sendable (inout Message, JSONValue) -> Mismatch? = { message, value in
    guard let level = value.string.flatMap({ InterruptionLevel(text: $0) }) else {
      return "active, passive, time_sensitive or critical"
    }
    message.iosInterruptionLevel = level
    return nil
  }
}
