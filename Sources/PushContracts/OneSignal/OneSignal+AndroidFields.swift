internal import Basics
import PushPayload
import WireJSON

extension OneSignal {
  static let androidFields: [Field<Message>] = [
    Field(
      "big_picture", .string({ $0.bigPicture }, { $0.bigPicture = $1 }), role: .image, fcm: [.at("message.data.bicon")],
      doc: "The large picture.", rule: "Android only", example: "https://shop.example/sale.jpg"
    ).counterpart { $0.iosAttachments != nil || $0.globalImage != nil },
    Field(
      "global_image", .string({ $0.globalImage }, { $0.globalImage = $1 }),
      apns: [.at("att.image").when("there are no ios_attachments") { message, _ in message.iosAttachments == nil }],
      fcm: [.at("message.data.bicon").when("there is no big_picture") { message, _ in message.bigPicture == nil }],
      doc: "The picture on both platforms.", rule: "an attachment on iOS", example: "https://shop.example/sale.jpg"),
    Field(
      "small_icon", .string({ $0.smallIcon }, { $0.smallIcon = $1 }), role: .icon, fcm: [.at("message.data.sicon")],
      doc: "The small icon.", rule: "Android only", example: "ic_sale"),
    Field(
      "large_icon", .string({ $0.largeIcon }, { $0.largeIcon = $1 }), role: .largeIcon,
      fcm: [.at("message.data.licon")], doc: "The large icon: an address or a resource.", rule: "Android only",
      example: "https://shop.example/logo.png"),
    Field(
      "android_sound", .string({ $0.androidSound }, { $0.androidSound = $1 }), fcm: [.at("message.data.sound")],
      doc: "The sound to play on Android.", rule: "nil means none, and is carried", example: "parcel"),
    Field(
      "android_channel_id", .string({ $0.androidChannel.id }, { $0.androidChannel.id = $1 }), role: .channel,
      fcm: [.at("message.data.chnl.id")], doc: "The channel of OneSignal's dashboard.", rule: "Android only",
      example: "4b1e1b8c-8d0f-4f8e-9d5a-1f0a3f1c2d3e"),
    channelField(
      "android_channel_name", "nm", "The name to make it with.",
      .string({ $0.androidChannel.name }, { $0.androidChannel.name = $1 })),
    channelField(
      "android_channel_description", "dscr", "The description to make it with.",
      .string({ $0.androidChannel.description }, { $0.androidChannel.description = $1 })),
    channelField(
      "android_channel_group_id", "grp_id", "The id of its group.",
      .string({ $0.androidChannel.groupID }, { $0.androidChannel.groupID = $1 })
    )
    .rowTest(needs: ["android_channel_id": "sale", "android_channel_group_name": "Offers"]),
    channelField(
      "android_channel_group_name", "grp_nm", "The name of its group.",
      .string({ $0.androidChannel.groupName }, { $0.androidChannel.groupName = $1 })),
    Field(
      "android_channel_languages", .object({ $0.androidChannel.languages }, { $0.androidChannel.languages = $1 }),
      fcm: [.at("message.data.chnl.langs")], doc: "Its names in further languages.",
      rule: "Android only; Postrider's own field", example: ["de": ["nm": "Angebote"]]
    ).rowTest(needs: ["android_channel_id": "sale"]),
    Field(
      "existing_android_channel_id", .string({ $0.existingAndroidChannelID }, { $0.existingAndroidChannelID = $1 }),
      fcm: [.at("message.data.oth_chnl")], doc: "A channel that the app made itself.", rule: "Android only",
      example: "offers"),
    Field(
      "android_accent_color", .string({ $0.androidAccentColor }, { $0.androidAccentColor = $1 }),
      fcm: [.at("message.data.bgac")], doc: "The small icon's accent color.",
      rule: "Android only; ARGB, eight hex digits",
      example: "FFE9444E"),
    Field(
      "android_led_color", .string({ $0.androidLEDColor }, { $0.androidLEDColor = $1 }),
      fcm: [.at("message.data.ledc")],
      doc: "The light's color.", rule: "Android only; ARGB, eight hex digits", example: "FF3700B3"),
    Field(
      "android_visibility", .integer({ $0.androidVisibility }, { $0.androidVisibility = $1 }),
      fcm: [.at("message.data.vis", .text)], doc: "What the lock screen shows.",
      rule: "Android only; 1 public, 0 private, -1 secret", example: 0),
    Field(
      "android_group", .string({ $0.androidGroup }, { $0.androidGroup = $1 }), fcm: [.at("message.data.grp")],
      doc: "Notifications with the same value are stacked.", rule: "Android only", example: "orders"),
    Field(
      "android_group_message", .texts({ $0.androidGroupMessage }, { $0.androidGroupMessage = $1 }),
      fcm: [.at("message.data.grp_msg")], doc: "The text of the stack; `$[notif_count]` is replaced by their number.",
      rule: "Android only", example: ["en": "$[notif_count] new orders"]),
    Field(
      "android_background_layout",
      .json(
        .object, isThere: { $0.pointee.androidBackgroundLayout != nil },
        at: { $0.pointee.androidBackgroundLayout.map { .object($0.rest) } },
        takeBackgroundLayout
      )
      .text { $0.androidBackgroundLayout.map { .object($0.wire) } },
      fcm: [.at("message.data.bg_img", .text)],
      doc: "The picture behind the notification: `image`, `headings_color`, `contents_color`, `image_align`.",
      rule: "Android only; img, tc, bc and img_align in JSON text",
      example: ["image": "https://shop.example/bg.png", "headings_color": "FFFF0000", "contents_color": "FF00FF00"]),
  ]

  private static func channelField(
    _ name: String, _ key: String, _ doc: String, _ access: FieldAccess<Message>
  ) -> Field<Message> {
    Field(
      name, access,
      fcm: [.at("message.data.chnl.\(key)")], doc: doc, rule: "Android only; Postrider's own field", example: "Offers"
    ).rowTest(needs: ["android_channel_id": "sale"])
  }

  static let deliveryFields: [Field<Message>] = [
    Field(
      "ttl", .integer({ $0.ttl }, { $0.ttl = $1 }).header { expiration($0.ttl, $1).map { .number(JSONNumber($0)) } },
      apns: [.header("apns-expiration").when("the time is known") { $1.now != nil || $0.ttl == 0 }],
      fcm: [.at("message.android.ttl", .seconds)], doc: "Seconds the push is stored for a device that is away.",
      rule: "0 to 2419200; apns-expiration is the time plus it, and 0 for 0", example: 3600),
    .derived(
      "default ttl", .derivedInteger { _, _ in ttlDefault },
      fcm: [.at("message.android.ttl", .seconds).when("without ttl") { message, _ in message.ttl == nil }],
      doc: "Three days.", rule: "259200"),
    .derived(
      "default expiration", .derivedInteger { _, context in expiration(ttlDefault, context) },
      apns: [.header("apns-expiration").when("without ttl, and the time is known") { $0.ttl == nil && $1.now != nil }],
      doc: "Three days from now.", rule: "the time plus 259200"),
    Field(
      "priority",
      .integer({ $0.priority }, { $0.priority = $1 }).header { message, _ in
        message.priority == nil
          ? Optional.none : .number(JSONNumber(lending(message) { apnsPriority($0) }))
      }, apns: [.header("apns-priority")], fcm: [.at("message.data.pri", .text)],
      doc: "How urgent it is, for the delivery and on the device.", rule: "1 to 10; apns-priority 10 from 9 on, else 5",
      example: 5
    ).rowTest(affects: ["message.android.priority"]),
    .derived(
      "delivery priority",
      .derivedString { message, _ in (message.priority ?? 0) >= priorityHigh ? "high" : "normal" },
      fcm: [.at("message.android.priority").when("with priority") { message, _ in message.priority != nil }],
      doc: "Whether a dozing device is woken.", rule: "high from 9 on, else normal"),
    .derived(
      "default priority", .derivedInteger(at: { message, _ in apnsPriority(message) }),
      apns: [.header("apns-priority").when("without priority") { message, _ in message.priority == nil }],
      doc: "How urgent delivery is.", rule: "10, and 5 in the background"),
    .derived(
      "push type", .derivedString(at: { message, _ in isSilent(message) ? "background" : "alert" }),
      apns: [.header("apns-push-type")], doc: "Whether the push is shown.",
      rule: "background when there is nothing to see or hear"),
  ]

  private static func expiration(_ ttl: WholeNumber?, _ context: WriteContext) -> WholeNumber? {
    guard let ttl else { return Optional.none }
    if ttl == 0 { return 0 }
    guard let now = context.now else { return Optional.none }
    return WholeNumber(now &+ Int64(ttl))
  }

  /// ``Message/isSilent`` of a message that is not copied for it.
  static func isSilent(_ message: Lent<Message>) -> Bool {
    if message.pointee.contents != nil || message.pointee.headings != nil || message.pointee.subtitle != nil {
      return false
    }
    if message.pointee.iosBadgeType == .setTo, message.pointee.iosBadgeCount != nil { return false }
    return message.pointee.iosSound == nil || message.pointee.iosSound == "nil"
  }

  private static func apnsPriority(_ message: Lent<Message>) -> WholeNumber {
    if isSilent(message) { return 5 }
    return (message.pointee.priority ?? 10) >= priorityHigh ? 10 : 5
  }

  private static let takeBackgroundLayout: @Sendable (inout Message, JSONValue) -> Mismatch? = { message, value in
    guard case .object = value else {
      return "an object of image, headings_color, contents_color and image_align, all strings"
    }
    do throws(Mismatch) { message.androidBackgroundLayout = try BackgroundLayout(rest: value) } catch { return error }
    return nil
  }
}

extension OneSignal.BackgroundLayout {
  /// Takes the object of the REST API; throws where something else is in it.
  init(rest value: JSONValue) throws(Mismatch) {
    let members = try value.stringMembers(
      ["image", "headings_color", "contents_color", "image_align"], at: FieldPath())
    self.init()
    image = members["image"]?.string
    titleTextColor = members["headings_color"]?.string
    bodyTextColor = members["contents_color"]?.string
    imageAlign = members["image_align"]?.string
  }

  /// The object of the REST API.
  var rest: JSONObject { named("image", "headings_color", "contents_color", "image_align") }

  /// The object inside `bg_img`.
  var wire: JSONObject { named("img", "tc", "bc", "img_align") }

  /// The parts that are there, under these names for the picture, the two colors and the alignment.
  func named(_ image: String, _ title: String, _ body: String, _ align: String) -> JSONObject {
    let parts: [(name: String, value: String?)] = [
      (image, self.image), (title, titleTextColor), (body, bodyTextColor), (align, imageAlign),
    ]
    return JSONObject(parts.compactMap { part in part.value.map { (part.name, .string($0)) } })
  }
}
