import WireJSON

extension Native {
  /// What a field that is seen or heard changes beside its own slots.
  private static let visible = ["header apns-push-type", "header apns-priority"]

  static let textFields: [Field<Message>] = [
    Field(
      "title", .string({ $0.title }, { $0.title = $1 }), role: .title, apns: [.at("aps.alert.title")],
      fcm: [.at("message.notification.title", alsoRead: ["message.android.notification.title"])],
      doc: "The first line a person reads."
    ).rowTest(affects: visible),
    Field(
      "subtitle", .string({ $0.subtitle }, { $0.subtitle = $1 }), role: .subtitle, apns: [.at("aps.alert.subtitle")],
      doc: "The second line."
    ).rowTest(affects: visible),
    Field(
      "body", .string({ $0.body }, { $0.body = $1 }), role: .body,
      apns: [.at("aps.alert.body", alsoRead: ["aps.alert"])],
      fcm: [.at("message.notification.body", alsoRead: ["message.android.notification.body"])],
      doc: "The text a person reads."
    ).rowTest(affects: visible),
    Field(
      "title_loc_key", .string({ $0.titleLocKey }, { $0.titleLocKey = $1 }), role: .titleLocKey,
      apns: [.at("aps.alert.title-loc-key")], fcm: [.at("message.android.notification.title_loc_key")],
      doc: "A key into the app's string table, for the title."
    ).rowTest(affects: visible),
    Field(
      "title_loc_args", .strings({ $0.titleLocArgs }, { $0.titleLocArgs = $1 }), role: .titleLocArgs,
      apns: [.at("aps.alert.title-loc-args")], fcm: [.at("message.android.notification.title_loc_args")],
      doc: "The arguments of the title's format."
    ).rowTest(needs: ["title_loc_key": "greeting"]),
    Field(
      "subtitle_loc_key", .string({ $0.subtitleLocKey }, { $0.subtitleLocKey = $1 }), role: .subtitleLocKey,
      apns: [.at("aps.alert.subtitle-loc-key")], doc: "A key into the app's string table, for the subtitle."
    ).rowTest(affects: visible),
    Field(
      "subtitle_loc_args", .strings({ $0.subtitleLocArgs }, { $0.subtitleLocArgs = $1 }), role: .subtitleLocArgs,
      apns: [.at("aps.alert.subtitle-loc-args")], doc: "The arguments of the subtitle's format."
    ).rowTest(needs: ["subtitle_loc_key": "from"]),
    Field(
      "body_loc_key", .string({ $0.bodyLocKey }, { $0.bodyLocKey = $1 }), role: .bodyLocKey,
      apns: [.at("aps.alert.loc-key")], fcm: [.at("message.android.notification.body_loc_key")],
      doc: "A key into the app's string table, for the body."
    ).rowTest(affects: visible),
    Field(
      "body_loc_args", .strings({ $0.bodyLocArgs }, { $0.bodyLocArgs = $1 }), role: .bodyLocArgs,
      apns: [.at("aps.alert.loc-args")], fcm: [.at("message.android.notification.body_loc_args")],
      doc: "The arguments of the body's format."
    ).rowTest(needs: ["body_loc_key": "invitation"]),
  ]

  static let presentationFields: [Field<Message>] = [
    Field(
      "badge", .integer({ $0.badge }, { $0.badge = $1 }), role: .badge, apns: [.at("aps.badge")],
      fcm: [.at("message.android.notification.notification_count")], doc: "The number on the app's icon."
    ).rowTest(affects: visible),
    Field(
      "sound", soundAccess, role: .sound, apns: [.at("aps.sound")],
      fcm: [
        .at("message.android.notification.sound").when("it is a name") { message, _ in message.sound?.string != nil }
      ], doc: "The sound to play: a name, or Apple's object for critical alerts.", example: "default"
    ).rowTest(affects: visible),
    Field(
      "image", .string({ $0.image }, { $0.image = $1 }), role: .image,
      fcm: [.at("message.notification.image", alsoRead: ["message.android.notification.image"])],
      doc: "A picture's address.", example: "https://example.com/a.png"),
    Field(
      "category", .string({ $0.category }, { $0.category = $1 }), role: .category, apns: [.at("aps.category")],
      fcm: [.at("message.android.notification.click_action")],
      doc: "The kind of notification, which selects its buttons; on Android the action of a tap."),
    Field(
      "thread_id", .string({ $0.threadID }, { $0.threadID = $1 }), role: .thread, apns: [.at("aps.thread-id")],
      doc: "Notifications of one thread are grouped."),
    Field(
      "channel_id", .string({ $0.channelID }, { $0.channelID = $1 }), role: .channel,
      fcm: [.at("message.android.notification.channel_id")], doc: "The Android channel."),
    Field(
      "icon", .string({ $0.icon }, { $0.icon = $1 }), role: .icon, fcm: [.at("message.android.notification.icon")],
      doc: "The small icon."),
    Field(
      "color", .string({ $0.color }, { $0.color = $1 }), role: .color, fcm: [.at("message.android.notification.color")],
      doc: "The accent color as `#rrggbb`.", example: "#3366ff"),
  ]

  static let deliveryFields: [Field<Message>] = [
    Field(
      "content_available", .boolean({ $0.contentAvailable }, { $0.contentAvailable = $1 }),
      apns: [.at("aps.content-available", .flag)], doc: "Wakes the app in the background."),
    Field(
      "mutable_content", .boolean({ $0.mutableContent }, { $0.mutableContent = $1 }),
      apns: [.at("aps.mutable-content", .flag)], doc: "A notification service extension may change the notification."),
    Field(
      "interruption_level", .string({ $0.interruptionLevel }, { $0.interruptionLevel = $1 }),
      apns: [.at("aps.interruption-level")], doc: "How much the notification may interrupt.", example: "time-sensitive"),
    Field(
      "relevance_score", .number({ $0.relevanceScore }, { $0.relevanceScore = $1 }),
      apns: [.at("aps.relevance-score")], doc: "The weight in a summary, 0 to 1."),
    Field(
      "target_content_id", .string({ $0.targetContentID }, { $0.targetContentID = $1 }),
      apns: [.at("aps.target-content-id")], doc: "Which window or scene a tap opens."),
    Field(
      "collapse_id", .string({ $0.collapseID }, { $0.collapseID = $1 }), role: .collapse,
      apns: [.header("apns-collapse-id")], fcm: [.at("message.android.notification.tag")],
      doc: "A later notification with the same value replaces the earlier one."),
    Field(
      "data", .object({ $0.data }, { $0.data = $1 }), role: .data, apns: [.at("*", .members)],
      fcm: [.at("message.data.*", .memberTexts)], doc: "The app's own keys.", example: ["screen": "home"]),
    .derived(
      "push type", .derivedString(at: { message, _ in pushType(message) }),
      apns: [.header("apns-push-type")], doc: "Whether the push is shown.",
      rule:
        "that of `apns.headers`; else liveactivity with an own event or content-state, background when there is nothing "
        + "to see or hear"),
    .derived(
      "priority", .derivedInteger(at: { message, _ in priority(message) }), apns: [.header("apns-priority")],
      doc: "How urgent delivery is.", rule: "that of `apns.headers`; else 5 in the background, else 10"),
  ]

  static let ownFields: [Field<Message>] = [
    Field(
      "apns", .object({ $0.apns }, { $0.apns = $1 }),
      apns: [
        .merged("aps.*"), .merged("*", isHeader: true),
        .merged("*").when("the payload has members beside aps") { message, _ in
          message.apns?["payload"]?.object?.contains { $0.key != "aps" } ?? false
        },
      ],
      doc: "Apple's own request: any header, and any member of the payload, under Apple's names.",
      rule: "{headers, payload}; wins over the other fields",
      example: ["headers": ["apns-expiration": "0"], "payload": ["aps": ["filter-criteria": "work"]]]),
    Field(
      "fcm", .object({ $0.fcm }, { $0.fcm = $1 }), fcm: [.merged("message.*")],
      doc: "Google's own message: any member of an FCM v1 `Message` but its target.",
      rule: "wins over the other fields", example: ["android": ["ttl": "3600s"]]),
  ]

  private static let soundAccess = {
    var access = FieldAccess<Message>.json(
      .any, isThere: { $0.pointee.sound != nil }, at: { $0.pointee.sound }, takeSound)
    access.direct = .stringOrObject
    return access
  }()

  private static let takeSound: @Sendable (inout Message, JSONValue) -> Mismatch? = { message, value in
    switch value {
    case .string, .object:
      message.sound = value
      return nil
    case .null, .bool, .number, .array: return "a string or an object"
    }
  }
}
