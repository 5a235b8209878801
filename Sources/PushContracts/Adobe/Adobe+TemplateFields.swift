import PushPayload
import WireJSON

/// The rows of the further templates.
extension Adobe {
  static let carouselExample: JSONValue = [
    ["img": "https://example.com/1.png", "txt": "One", "uri": "https://example.com/1"],
    ["img": "https://example.com/2.png"], ["img": "https://example.com/3.png"],
  ]

  static let templateFields: [Field<Message>] = [
    Field(
      "adb_items", list(Item.list, { $0.pointee.items }, { $0.items = $1 }),
      apns: [
        Slot.at("adb_items").carrying(iosItems).when("for car") { message, _ in message.template == .carousel }
      ], fcm: [unread("message.data.adb_items", Item.list, direct: .own, { $0.pointee.items })],
      doc: "car: img, txt, uri; cat: title, body, img, price, uri; icon: img, type, uri.",
      rule: "an array on iOS, its JSON text on Android; car 3 to 5 (iOS: 1 or more), cat 3, icon 3 to 5",
      example: carouselExample
    ).required(.byRule("on Android for car, cat and icon")),
    both(
      "adb_car_layout", "car", "The layout of the carousel.", isNeeded: true, ["default", "filmstrip"], "filmstrip",
      .string({ $0.carouselLayout }, { $0.carouselLayout = $1 })),
    both(
      "adb_car_mode", "car", "How the carousel moves.", isNeeded: false, ["auto", "manual"], "manual",
      .string({ $0.carouselMode }, { $0.carouselMode = $1 })),
    Field(
      "adb_tmr_dur", seconds({ $0.timerSeconds }, { $0.timerSeconds = $1 }), apns: [.at("adb_tmr_dur", .text)],
      fcm: [wholeSeconds("message.data.adb_tmr_dur", { $0.timerSeconds }, { $0.timerSeconds = $1 })],
      doc: "How many seconds the timer runs.",
      rule: "for timer; wins over adb_tmr_end; a string on both platforms; decimals on iOS only", example: 3600),
    Field(
      "adb_tmr_end", seconds({ $0.timerEnd }, { $0.timerEnd = $1 }), apns: [.at("adb_tmr_end", .text)],
      fcm: [wholeSeconds("message.data.adb_tmr_end", { $0.timerEnd }, { $0.timerEnd = $1 })],
      doc: "When the timer ends, in seconds since 1970.",
      rule: "for timer; a string on both platforms; decimals on iOS only", example: 1_703_462_400),
    color("adb_clr_tmr", "The timer's color.", template: "timer", .string({ $0.timerColor }, { $0.timerColor = $1 })),
    Field(
      "adb_title_alt", .string({ $0.alternateTitle }, { $0.alternateTitle = $1 }), apns: [.at("adb_title_alt")],
      fcm: [.at("message.data.adb_title_alt")], doc: "The title after the end.", rule: "for timer",
      example: "You missed the sale"
    ).required(.byRule("on Android for timer")),
    Field(
      "adb_body_alt", .string({ $0.alternateBody }, { $0.alternateBody = $1 }), apns: [.at("adb_body_alt")],
      fcm: [.at("message.data.adb_body_alt")], doc: "The text after the end.", rule: "for timer", example: "Until June"),
    Field(
      "adb_body_ex_alt", .string({ $0.alternateExpandedBody }, { $0.alternateExpandedBody = $1 }),
      apns: [.at("adb_body_ex_alt")], fcm: [.at("message.data.adb_body_ex_alt")],
      doc: "The expanded text after the end.", rule: "for timer", example: "The next sale is in June."),
    Field(
      "adb_image_alt", .string({ $0.alternateImage }, { $0.alternateImage = $1 }), apns: [.at("adb_media_alt")],
      fcm: [.at("message.data.adb_image_alt")], doc: "The image after the end.", rule: "for timer; PNG, JPG or WebP",
      example: "https://example.com/over.png"
    ).alias("adb_media_alt"),
    only(
      "adb_input_receiver", "input", "The receiver that gets the text typed in.", "com.example.REPLY",
      isNeeded: true, .string({ $0.inputReceiver }, { $0.inputReceiver = $1 })),
    only(
      "adb_input_txt", "input", "The hint of the text field; Reply unless set.", "Your answer",
      .string({ $0.inputHint }, { $0.inputHint = $1 })),
    only(
      "adb_feedback_txt", "input", "The text after typing.", "Thank you",
      .string({ $0.feedbackText }, { $0.feedbackText = $1 })),
    only(
      "adb_feedback_img", "input", "The image after typing.", "https://example.com/thanks.png",
      .string({ $0.feedbackImage }, { $0.feedbackImage = $1 })),
    Field(
      "adb_col_style", .string({ $0.collapsedStyle }, { $0.collapsedStyle = $1 }),
      fcm: [any("message.data.adb_col_style", .string({ $0.collapsedStyle }, { $0.collapsedStyle = $1 }))],
      doc: "What the collapsed notification shows.", rule: "Android only; for zb; img or txt", example: "img"),
    only(
      "adb_rate_unselected_icon", "rate", "The icon of a rating that is not chosen.", "https://example.com/o.png",
      isNeeded: true, .string({ $0.ratingIcon }, { $0.ratingIcon = $1 })),
    only(
      "adb_rate_selected_icon", "rate", "The icon of a rating that is chosen.", "https://example.com/x.png",
      isNeeded: true, .string({ $0.ratingSelectedIcon }, { $0.ratingSelectedIcon = $1 })),
    Field(
      "adb_rate_act", list(Rating.list, { $0.pointee.ratings }, { $0.ratings = $1 }),
      fcm: [unread("message.data.adb_rate_act", Rating.list, direct: .own, { $0.pointee.ratings })],
      doc: "What each rating opens, from the lowest: uri and type of each.",
      rule: "Android only; for rate; three to five",
      example: [
        ["uri": "", "type": "DISMISS"], ["uri": "", "type": "OPENAPP"],
        ["uri": "https://example.com/rate", "type": "WEBURL"],
      ]
    ).required(.byRule("on Android for rate")),
    only(
      "adb_cta_txt", "cat", "The label of the button.", "Shop now", isNeeded: true,
      .string({ $0.callToActionText }, { $0.callToActionText = $1 })),
    color(
      "adb_cta_clr", "The button's color.", onIOS: false, template: "cat", isNeeded: true,
      .string({ $0.callToActionColor }, { $0.callToActionColor = $1 })),
    color(
      "adb_cta_txt_clr", "The color of the button's label.", onIOS: false, template: "cat", isNeeded: true,
      .string({ $0.callToActionTextColor }, { $0.callToActionTextColor = $1 })),
    only(
      "adb_cta_uri", "cat", "What the button opens.", "https://example.com/shop", isNeeded: true,
      .string({ $0.callToActionURI }, { $0.callToActionURI = $1 })),
    Field(
      "adb_display", .string({ $0.catalogLayout }, { $0.catalogLayout = $1 }),
      fcm: [any("message.data.adb_display", .string({ $0.catalogLayout }, { $0.catalogLayout = $1 }))],
      doc: "The direction of the products.", rule: "Android only; for cat; horizontal or vertical",
      example: "horizontal"
    ).required(.byRule("on Android for cat")),
    only(
      "adb_template_properties", "Journey Optimizer's templates",
      "JSON text; ajo_bigtext: adb_collapsed_text, the text of the collapsed notification, and adb_large_icon.",
      .string(#"{"adb_collapsed_text": "In short", "adb_large_icon": "https://example.com/icon.png"}"#),
      .string({ $0.templateProperties }, { $0.templateProperties = $1 })),
    android(
      "adb_liveupdate_data",
      "JSON text; notification_id, notification_channel_id, event_type and timestamp, title, body, and what the app draws besides.",
      "for a live update of Journey Optimizer, which is drawn of it alone",
      .string(
        #"{"notification_id": "ride-1", "notification_channel_id": "rides", "event_type": "start", "timestamp": 1800000000, "#
          + #""title": "Your ride", "body": "5 minutes away"}"#), nil,
      .string({ $0.liveUpdate }, { $0.liveUpdate = $1 })),
    only(
      "adb_cancel_image", "icon", "The closing icon; cross unless set.", "ic_close",
      .string({ $0.cancelImage }, { $0.cancelImage = $1 })),
  ]

  /// A native array on iOS; elements are left to ``read``.
  private static let iosItems = {
    var access = FieldAccess<Message>.json(
      .array, isThere: { $0.pointee.items != nil },
      at: { $0.pointee.items.map { .array($0.map { .object(Item.list.json($0, Optional.none)) }) } },
      { _, value in value.array == nil ? Mismatch(FieldType.array.expectation) : Optional.none })
    access.direct = .own
    return access
  }()

  /// A choice on both platforms.
  private static func both(
    _ name: String, _ template: String, _ doc: String, isNeeded: Bool, _ allowed: [String], _ example: JSONValue,
    _ access: FieldAccess<Message>
  ) -> Field<Message> {
    Field(
      name, access, apns: [.at(name)], fcm: [.at("message.data.\(name)")],
      doc: doc, rule: "for \(template); " + allowed.joined(separator: " or "), example: example
    ).required(isNeeded ? .byRule("on Android for \(template)") : .optional).rowTest(
      other: .string(allowed[0]))
  }

  /// A string of one of Android's templates.
  private static func only(
    _ name: String, _ template: String, _ doc: String, _ example: JSONValue, isNeeded: Bool = false,
    _ access: FieldAccess<Message>
  ) -> Field<Message> {
    Field(
      name, access, fcm: [.at("message.data.\(name)")], doc: doc, rule: "Android only; for \(template)",
      example: example
    ).required(isNeeded ? .byRule("on Android for \(template)") : .optional)
  }
}
