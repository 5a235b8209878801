import WireJSON

extension OneSignal {
  /// Fields for Huawei's phones and for browsers, which neither APNs nor FCM is sent: ``HuaweiOneSignal`` and `WebForm` read
  /// them.
  ///
  /// Source: OneSignal, “Create notification”, push.
  static let otherFields: [Field<Message>] = [
    ("huawei_msg_type", .string, "message or data", "message"), ("huawei_category", .string, "category", "MARKETING"),
    ("huawei_bi_tag", .string, "bi_tag", "spring"), ("huawei_channel_id", .string, "channel of the dashboard", "c"),
    ("huawei_existing_channel_id", .string, "channel of the app", "offers"),
    ("huawei_small_icon", .string, "small icon", "/drawable/sale"),
    ("huawei_large_icon", .string, "large icon", "logo"),
    ("huawei_big_picture", .string, "picture", "https://e.x/1.png"),
    ("huawei_sound", .string, "sound", "parcel"), ("huawei_accent_color", .string, "accent color", "FFE9444E"),
    ("huawei_led_color", .string, "color of the light", "FF3700B3"), ("huawei_visibility", .integer, "visibility", 1),
    ("huawei_group", .string, "group", "orders"),
    ("huawei_group_message", .object, "text of the group", ["en": "Orders"]),
    ("huawei_badge_class", .string, "class of the badge", "com.example.Main"),
    ("huawei_badge_set_num", .integer, "badge", 3), ("huawei_badge_add_num", .integer, "badge to add", 1),
    ("chrome_web_icon", .string, "icon", "https://e.x/icon.png"),
    ("firefox_icon", .string, "icon", "https://e.x/icon.png"),
    ("chrome_web_image", .string, "picture", "https://e.x/1.png"),
    ("chrome_web_badge", .string, "small icon", "https://e.x/badge.png"), ("web_push_topic", .string, "tag", "sale"),
    ("web_buttons", .array, "buttons", [["id": "buy", "text": "Buy", "url": "https://e.x/buy"]]),
  ].map { (name: String, type: FieldType, doc: String, example: JSONValue) in
    other(name, type, doc, example)
  }
}
