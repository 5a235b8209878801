import PushContracts
import PushPayload
import WireJSON

/// What each of the builders of Adobe's libraries on Android draws, and what it leaves out.
extension SDKFact {
  private static let area = "Adobe, Android"

  private static let action: JSONValue = #"[{"label":"L","type":"OPENAPP"}]"#
  private static let looks: [String: JSONValue?] = [
    "adb_large_icon": "https://e.com/l.png", "adb_clr_title": "112233", "adb_clr_body": "112233",
    "adb_clr_bg": "112233", "adb_clr_icon": "445566", "adb_body_ex": "X", "adb_sticky": "true", "adb_ticker": "K",
  ]
  private static let twoPictures: JSONValue = #"[{"img":"https://e.com/1.png"},{"img":"https://e.com/2.png"}]"#

  /// Data of Journey Optimizer with more keys.
  private static func journey(
    _ changes: [String: JSONValue?], said: String? = nil, drawn: String...
  ) -> Case {
    var all: [String: JSONValue?] = ["adb_template_type": nil, "adb_version": nil]
    for (key, value) in changes { all[key] = value }
    var row = adobePush("", all, "shown", said: said)
    row.drawn = drawn
    return row
  }

  static let adobeAndroidBuilders: [SDKFact] = [buttons, expandedText, legacy, journeyOptimizer, filmstrip, targets]

  private static let buttons = SDKFact(
    area,
    "The buttons of `adb_act` and “remind later” are drawn by the template basic, and by a carousel that is drawn as basic; "
      + "the other templates draw neither.",
    ["car", "timer", "input", "zb", "rate", "cat", "icon"].flatMap { template in
      [
        adobePush(
          template, ["adb_act": action], "shown", said: "warning adobe-template-field", drawn: "buttons=-"),
        adobePush(
          template, ["adb_rem_txt": "Later", "adb_rem_sec": "60"], "shown", said: "warning adobe-template-field",
          drawn: "buttons=-", "reminder=-"),
        adobePush(
          template, ["adb_rem_ts": "0"], "shown", said: "warning adobe-template-field", drawn: "buttons=-"),
      ]
    } + [
      adobePush(
        "basic", ["adb_act": action, "adb_rem_txt": "Later", "adb_rem_sec": "60"], "shown",
        drawn: "buttons.0.label=L", "buttons.1.label=Later", "reminder.after=60"),
      adobePush(
        "car", ["adb_items": twoPictures, "adb_act": action, "adb_rem_txt": "Later", "adb_rem_sec": "60"],
        "fallback: the template basic", said: "warning adobe-item-count", drawn: "buttons.0.label=L",
        "buttons.1.label=Later"),
    ],
    vectors: [
      "adobe/car-act", "adobe/read-android-car-act", "adobe/read-android-timer-remind",
      "adobe/read-android-car-two-act",
    ],
    tests: ["PushContractsTests/AdobeDrawnTests.aMessageAndItsBytesHaveTheSameFindings"])

  private static let expandedText = SDKFact(
    area,
    "The expanded notification has `adb_body_ex` for its text, and without it none, which is named; a catalog has its products "
      + "alone, as the collapsed one has title and text, and a horizontal one no text and price of a product, which is named.",
    ["basic", "car", "timer", "input", "zb", "rate"].flatMap { template in
      [
        adobePush(
          template, ["adb_body_ex": nil], "shown", said: "warning adobe-expanded-without-text", drawn: "body.text=B",
          "expanded_body.text="),
        adobePush(template, ["adb_body_ex": nil, "adb_body": ""], "shown", drawn: "expanded_body.text="),
        adobePush(template, ["adb_body_ex": "X"], "shown", drawn: "body.text=B", "expanded_body.text=X"),
      ]
    }
      + ["cat", "icon"].map {
        adobePush($0, ["adb_body_ex": "X"], "shown", said: "warning adobe-template-field")
      }
      + [
        adobePush(
          "cat", [:], "shown", drawn: "title.text=T", "expanded_title.text=", "expanded_body.text=",
          "layout.catalog.items.0.title=P", "layout.catalog.items.0.body=-", "layout.catalog.items.0.price=-"),
        adobePush(
          "cat", ["adb_title": "", "adb_body": ""], "shown", said: "warning adobe-expanded-without-text",
          drawn: "layout.catalog.items.0.price=-"),
        adobePush(
          "cat", ["adb_display": "vertical"], "shown", drawn: "expanded_title.text=", "layout.catalog.items.0.body=B",
          "layout.catalog.items.0.price=1"),
        adobePush("icon", [:], "shown", drawn: "body=-"),
        adobePush(
          "timer", ["adb_body_alt": "Too late"], "shown", said: "warning adobe-expanded-without-text"),
        adobePush(
          "x", ["adb_image": "https://e.com/1.png"], "fallback", said: "warning adobe-expanded-without-text",
          drawn: "expanded_body.text="),
      ],
    vectors: [
      "adobe/minimal", "adobe/inside-adobe-expanded-without-text", "adobe/read-android-cat",
      "adobe/read-android-timer-alt-text",
    ],
    tests: ["DevicePreviewTests/TemplateTests.anExpandedNotificationHasItsOwnText"])

  private static let legacy = SDKFact(
    area,
    "A template that is missing or unknown needs the keys of basic, and is drawn without a template: its buttons are there, "
      + "“remind later”, the large icon and the colors of title, text and background are not. `adb_image` is the large icon "
      + "and the picture, with `adb_body_ex` below it.",
    [
      adobePush(
        "x", [:], "fallback: without a template", said: "warning adobe-template-unknown", drawn: "template=-",
        "asked_template=x", "expanded_body=-"),
      adobePush("BASIC", [:], "fallback: without a template", said: "warning adobe-template-unknown"),
      adobePush("", ["adb_template_type": nil], "fallback: without a template", said: "warning adobe-template-unknown"),
      adobePush("x", ["adb_body": nil], "nothing: needs adb_body", said: "error adobe-key-missing"),
      adobePush(
        "x", looks, "fallback", said: "warning adobe-template-field", drawn: "large_icon=-", "colors.title=-",
        "colors.body=-", "colors.background=-", "colors.accent=#445566", "expanded_body=-", "sticky=true", "ticker=K"),
      adobePush(
        "x", ["adb_act": action, "adb_rem_txt": "Later", "adb_rem_sec": "60"], "fallback",
        said: "warning adobe-template-field", drawn: "buttons.0.label=L", "buttons.1=-", "reminder=-"),
      adobePush(
        "x", ["adb_image": "https://e.com/1.png", "adb_body_ex": "X"], "fallback",
        said: "warning adobe-template-unknown",
        drawn: "image=https://e.com/1.png", "large_icon=https://e.com/1.png", "expanded_body.text=X"),
      adobePush(
        "x", ["adb_image": "https://e.com/1.png"], "fallback", said: "warning adobe-template-unknown",
        drawn: "body.text=B", "expanded_body.text="),
    ], vectors: ["adobe/read-android-template-unknown-looks", "adobe/template-unknown-looks"])

  private static let journeyOptimizer = SDKFact(
    area,
    "Journey Optimizer's library draws title, text, picture and buttons, in the channel `AJOPushChannel` unless the app has the "
      + "given one; it has no expanded text, “remind later”, large icon or colors, and reads no `adb_sticky` and `adb_ticker`.",
    [
      journey([:], drawn: "channel=AJOPushChannel", "template=-", "expanded_body=-"),
      journey(["adb_channel_id": "news"], drawn: "channel=news"),
      journey(
        ["adb_act": action, "adb_image": "http://e.com/1.png"], drawn: "buttons.0.label=L", "image=http://e.com/1.png"),
      journey(
        looks, said: "warning adobe-template-field", drawn: "large_icon=-", "colors=-", "expanded_body=-", "sticky=-",
        "ticker=-"),
      journey(
        ["adb_rem_txt": "Later", "adb_rem_sec": "60"], said: "warning adobe-template-field", drawn: "buttons=-",
        "reminder=-"),
      journey(["adb_image": "picture"], said: "warning adobe-picture-address", drawn: "image=-"),
    ], vectors: ["adobe/read-android-ajo-looks"])

  private static let filmstrip = SDKFact(
    area, "A carousel that moves by itself is never a filmstrip: it has the default layout.",
    [
      adobePush(
        "car", ["adb_car_layout": "filmstrip"], "shown", said: "warning adobe-template-field",
        drawn: "layout.carousel.filmstrip=false", "layout.carousel.moves_by_itself=true"),
      adobePush(
        "car", ["adb_car_layout": "filmstrip", "adb_car_mode": "auto"], "shown", said: "warning adobe-template-field",
        drawn: "layout.carousel.filmstrip=false"),
      adobePush(
        "car", ["adb_car_layout": "filmstrip", "adb_car_mode": "x"], "shown", said: "warning adobe-choice-unknown",
        drawn: "layout.carousel.filmstrip=true"),
    ], vectors: ["adobe/car-filmstrip-auto", "adobe/read-android-car-filmstrip-auto"])

  private static let plainPictures: JSONValue =
    #"[{"img":"https://e.com/1.png"},{"img":"https://e.com/2.png","uri":""},{"img":"https://e.com/3.png","uri":"app://3"}]"#
  private static let plainIcons: JSONValue =
    #"[{"img":"a","type":"OPENAPP"},{"img":"b","type":"DISMISS"},{"img":"c","type":"WEBURL","uri":"https://c.example"}]"#
  private static let link: [String: JSONValue?] = ["adb_uri": "https://e.com", "adb_a_type": "WEBURL"]

  private static func linked(_ more: [String: JSONValue?]) -> [String: JSONValue?] {
    more.merging(link) { one, _ in one }
  }

  private static let targets = SDKFact(
    area,
    "A picture without `uri` opens `adb_uri` in a carousel that is moved by hand, and the app in one that moves by itself; an icon "
      + "that opens no uri of its own opens `adb_uri`.",
    [
      adobePush(
        "car", linked(["adb_items": plainPictures, "adb_car_mode": "manual"]), "shown",
        drawn: "targets.0.link=https://e.com", "targets.1.effect=web", "targets.2.link=app://3"),
      adobePush(
        "car", linked(["adb_items": plainPictures]), "shown", said: "warning adobe-item-link",
        drawn: "targets.0.effect=open-app", "targets.0.link=-", "targets.1.effect=open-app", "targets.2.link=app://3"),
      adobePush(
        "icon", linked(["adb_items": plainIcons]), "shown", said: "warning adobe-item-link",
        drawn: "targets.0.link=https://e.com", "targets.1.effect=web", "targets.2.link=https://c.example"),
      adobePush(
        "icon", ["adb_items": plainIcons], "shown", drawn: "targets.0.effect=open-app", "targets.1.effect=dismiss"),
    ],
    vectors: [
      "adobe/icon-link", "adobe/inside-adobe-item-link", "adobe/read-android-icon-link",
      "adobe/read-android-car-auto-link",
    ])
}
