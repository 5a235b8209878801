import WireJSON

extension OneSignal {
  /// Fields for Huawei's phones and for browsers, which neither APNs nor FCM is sent: ``HuaweiOneSignal`` and `WebForm` read
  /// them.
  ///
  /// Source: OneSignal, “Create notification”, push.
  static let otherFields: [Field<Message>] = [
    ("huawei_msg_type", .string),
    ("huawei_category", .string),
    ("huawei_bi_tag", .string),
    ("huawei_channel_id", .string),
    ("huawei_existing_channel_id", .string),
    ("huawei_small_icon", .string),
    ("huawei_large_icon", .string),
    ("huawei_big_picture", .string),
    ("huawei_sound", .string),
    ("huawei_accent_color", .string),
    ("huawei_led_color", .string),
    ("huawei_visibility", .integer),
    ("huawei_group", .string),
    ("huawei_group_message", .object),
    ("huawei_badge_class", .string),
    ("huawei_badge_set_num", .integer),
    ("huawei_badge_add_num", .integer),
    ("chrome_web_icon", .string),
    ("firefox_icon", .string),
    ("chrome_web_image", .string),
    ("chrome_web_badge", .string),
    ("web_push_topic", .string),
    ("web_buttons", .array),
  ].map { (name: String, type: FieldType) in
    #if _pointerBitWidth(_32)
      // The module for browsers is bounded in size.
      return other(name, type, "", Optional.none)
    #else
      let (doc, example) = described[name] ?? ("", .null)
      return other(name, type, doc, example)
    #endif
  }

  #if !_pointerBitWidth(_32)
    private static let described: [String: (doc: String, example: JSONValue)] = [
      "huawei_msg_type": ("message or data", "message"),
      "huawei_category": ("category", "MARKETING"),
      "huawei_bi_tag": ("bi_tag", "spring"),
      "huawei_channel_id": ("channel of the dashboard", "c"),
      "huawei_existing_channel_id": ("channel of the app", "offers"),
      "huawei_small_icon": ("small icon", "/drawable/sale"),
      "huawei_large_icon": ("large icon", "logo"),
      "huawei_big_picture": ("picture", "https://e.x/1.png"),
      "huawei_sound": ("sound", "parcel"),
      "huawei_accent_color": ("accent color", "FFE9444E"),
      "huawei_led_color": ("color of the light", "FF3700B3"),
      "huawei_visibility": ("visibility", 1),
      "huawei_group": ("group", "orders"),
      "huawei_group_message": ("text of the group", ["en": "Orders"]),
      "huawei_badge_class": ("class of the badge", "com.example.Main"),
      "huawei_badge_set_num": ("badge", 3),
      "huawei_badge_add_num": ("badge to add", 1),
      "chrome_web_icon": ("icon", "https://e.x/icon.png"),
      "firefox_icon": ("icon", "https://e.x/icon.png"),
      "chrome_web_image": ("picture", "https://e.x/1.png"),
      "chrome_web_badge": ("small icon", "https://e.x/badge.png"),
      "web_push_topic": ("tag", "sale"),
      "web_buttons": ("buttons", [["id": "buy", "text": "Buy", "url": "https://e.x/buy"]]),
    ]
  #endif
}
