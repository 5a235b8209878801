import PushContracts
import PushPayload
import WireJSON

/// Adobe's content extension on iOS.
extension SDKFact {
  private static let area = "Adobe, iOS"

  static let adobeApple: [SDKFact] = [
    SDKFact(
      area, "Only the category `AEPNotification` reaches the content extension; else iOS draws title and body alone.",
      [
        push("basic", "shown", drawn: ["template=basic", "category=AEPNotification"]),
        push(
          "car", ["adb_items": pictures(1)], aps: ["category": "other"], "fallback: without the category",
          said: "warning adobe-ios-fallback", drawn: ["template=-", "asked_template=car", "layout=-"]),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "5"], aps: ["category": nil],
          "fallback: without the category", said: "warning adobe-ios-fallback", drawn: ["layout=-"]),
      ]),
    SDKFact(
      area, "Without `mutable-content` 1 the service extension is not called, which is named.",
      [push("basic", aps: ["mutable-content": nil], "shown", said: "warning adobe-key-missing")]),
    SDKFact(
      area,
      "`adb_title_ex` and `adb_body_ex` are the expanded texts of basic and timer; without them those of the alert are.",
      [
        push(
          "basic", ["adb_title_ex": "TX", "adb_body_ex": "BX"], "shown",
          drawn: ["title.text=T", "body.text=B", "expanded_title.text=TX", "expanded_body.text=BX"]),
        push("basic", "shown", drawn: ["expanded_title=-", "expanded_body=-", "surfaces.2.title.0=T"]),
      ]),
    SDKFact(
      area,
      "A carousel has `adb_title_ex`, or the title of the alert, and below each picture its `txt`, or the body of the alert; "
        + "`adb_body_ex` is not read.",
      [
        push(
          "car", ["adb_items": pictures(1), "adb_title_ex": "TX", "adb_body_ex": "BX"], "shown",
          said: "warning adobe-template-field", drawn: ["expanded_title.text=TX", "expanded_body.text=One"]),
        push(
          "car", ["adb_items": [["img": "https://e.com/1.png"]], "adb_body_ex": "BX"], "shown",
          said: "warning adobe-template-field", drawn: ["expanded_body=-", "body.text=B"]),
        push("car", ["adb_items": pictures(1)], "shown", drawn: ["expanded_title=-", "expanded_body.text=One"]),
      ], vectors: ["adobe/read-ios-car-body-ex"]),
    SDKFact(
      area, "A picture of a carousel opens its own `uri`, and without one the app; `adb_uri` is not asked.",
      [
        push(
          "car", ["adb_items": pictures(1), "adb_uri": "https://e.com"], "shown", said: "warning adobe-item-link",
          drawn: ["targets.0.effect=open-app", "targets.0.link=-"]),
        push(
          "car", ["adb_items": [["img": "https://e.com/1.png", "uri": "app://1"]], "adb_uri": "https://e.com"], "shown",
          drawn: ["targets.0.link=app://1"]),
      ], vectors: ["adobe/read-ios-car-uri"]),
    SDKFact(
      area, "The picture is `adb_media`; `adb_image` is none, and a carousel has those of `adb_items` alone.",
      [
        push("basic", ["adb_media": "https://example.com/i.png"], "shown", drawn: ["image=https://example.com/i.png"]),
        push(
          "basic", ["adb_image": "https://example.com/i.png"], "shown", said: "warning adobe-template-field",
          drawn: ["image=-"]),
        push(
          "car", ["adb_items": pictures(1), "adb_media": "https://example.com/i.png"], "shown",
          said: "warning adobe-template-field", drawn: ["image=-"]),
      ]),
    SDKFact(
      area,
      "Keys that Android's library alone reads are lost, which is named: a picture, buttons, a sound, a badge. Beside the key that iOS "
        + "reads in their place nothing is.",
      [("adb_act", "[]"), ("adb_rem_txt", "Later"), ("adb_sound", "parcel"), ("adb_n_count", "3")].map { key, value in
        push("basic", [key: .string(value)], "shown", said: "warning adobe-template-field")
      } + [
        push("basic", ["adb_sound": "parcel"], aps: ["sound": "parcel.caf"], "shown"),
        push("basic", ["adb_n_count": "3"], aps: ["badge": 3], "shown"),
        push(
          "basic", ["adb_image": "https://e.com/1.png", "adb_media": "https://e.com/2.png"], "shown",
          drawn: ["image=https://e.com/2.png"]),
      ], vectors: ["adobe/read-ios-other-keys", "adobe/read-ios-other-keys-both"]),
    SDKFact(
      area, "A picture is an `http` or `https` address; of anything else none is drawn.",
      ["x", "1.png", "app://1.png", "https://"].map {
        push("basic", ["adb_media": $0], "shown", said: "warning adobe-picture-address", drawn: ["image=-"])
      } + [
        push("basic", ["adb_media": "http://e.com/1.png"], "shown", drawn: ["image=http://e.com/1.png"]),
        push("basic", ["adb_media": ""], "shown", drawn: ["image=-"]),
      ], vectors: ["adobe/read-ios-media-no-url"]),
    SDKFact(
      area,
      "A tap opens `adb_uri` with the templates basic and timer; with a carousel, in the view of a fallback and without a uri it "
        + "opens the app.",
      [
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "5", "adb_uri": "app://home"], "shown",
          drawn: ["tap.link=app://home"]),
        push("basic", ["adb_uri": ""], "shown", drawn: ["tap.link=-", "tap.effect=open-app"]),
        push(
          "car", ["adb_items": pictures(1), "adb_uri": "https://e.com"], "shown", said: "warning adobe-item-link",
          drawn: ["tap.link=-", "tap.effect=open-app"]),
        push(
          "zb", ["adb_uri": "https://e.com"], "fallback: no such template", said: "warning adobe-ios-fallback",
          drawn: ["tap.link=-", "tap.effect=open-app"]),
        push(
          "basic", ["adb_uri": "https://e.com"], aps: ["category": "other"], "fallback: without the category",
          said: "warning adobe-ios-fallback", drawn: ["tap.link=-", "tap.effect=open-app"]),
        push(
          "basic", ["adb_uri": "https://example.com"], "shown",
          drawn: ["tap.link=https://example.com", "tap.effect=web"]),
        push("basic", ["adb_uri": "app://home"], "shown", drawn: ["tap.link=app://home", "tap.effect=deep-link"]),
      ]),
    SDKFact(
      area,
      "What the content extension draws has a title and a text: the subtitle is not in the expanded notification.",
      ["basic", "zb"].map {
        push(
          $0, aps: ["alert": ["title": "T", "subtitle": "S", "body": "B"]], $0 == "basic" ? "shown" : "fallback",
          said: "warning adobe-expanded-without-text",
          drawn: [
            "surfaces.0.subtitle.0=S", "surfaces.1.subtitle.0=S", "surfaces.2.subtitle=-", "surfaces.3.subtitle.0=S",
          ])
      } + [
        push(
          "basic", aps: ["alert": ["title": "T", "subtitle": "S", "body": "B"], "category": "other"],
          "fallback: without the category", said: "warning adobe-ios-fallback", drawn: ["surfaces.2.subtitle.0=S"]),
        push("basic", aps: ["alert": ["title": "T", "subtitle": "", "body": "B"]], "shown"),
      ], vectors: ["adobe/row-subtitle-ios", "adobe/read-ios-full"]),
    SDKFact(
      area, "`adb_version` is not read: without it, and with another one, the same is drawn.",
      [
        push("basic", ["adb_version": nil], "shown", said: "warning adobe-key-missing", drawn: ["template=basic"]),
        push("basic", ["adb_version": "99"], "shown", drawn: ["template=basic"]),
      ]),
    SDKFact(
      area, "A color is trimmed and its “#” removed; six or eight hexadecimal digits count, eight of them as RRGGBBAA.",
      [
        push("basic", ["adb_clr_title": "112233"], "shown", drawn: ["colors.title=#112233"]),
        push("basic", ["adb_clr_body": " #112233 "], "shown", drawn: ["colors.body=#112233"]),
        push("basic", ["adb_clr_body": "\u{A0}#11#2233\u{3000}\u{2028}"], "shown", drawn: ["colors.body=#112233"]),
        push("basic", ["adb_clr_bg": "112233FF"], "shown", drawn: ["colors.background=#112233"]),
        push("basic", ["adb_clr_title": "11223"], "shown", said: "warning key-type", drawn: ["colors=-"]),
        push("basic", ["adb_clr_title": "red"], "shown", said: "warning key-type", drawn: ["colors=-"]),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "5", "adb_clr_tmr": "#00FF00"], "shown",
          drawn: ["layout.timer.color=#00FF00"]),
      ], vectors: ["adobe/read-ios-color-eight", "adobe/color-eight"]),
    SDKFact(
      area, "A carousel is an array with one or more valid elements; elements without text in `img` are left out.",
      [
        push(
          "car", ["adb_items": pictures(1)], "shown",
          drawn: ["template=car", "layout.carousel.items.0.title=One", "layout.carousel.items.1=-"]),
        push("car", ["adb_items": pictures(6)], "shown", drawn: ["layout.carousel.items.5.title=One"]),
        push(
          "car", ["adb_items": [["txt": "x"], ["img": ""], ["img": 7], ["img": "https://e.com/1.png", "txt": "A"]]],
          "shown",
          said: "warning adobe-list-skipped",
          drawn: ["layout.carousel.items.0.title=A", "layout.carousel.items.1=-"]),
      ]),
    SDKFact(
      area,
      "A picture of a carousel that cannot be downloaded is left out: an `img` that is no web address. Without any picture "
        + "title and body alone are drawn.",
      ["x", "not a url", "1.png", "https://", "app://1.png"].flatMap { (image: JSONValue) in
        [
          push(
            "car", ["adb_items": [["img": image], ["img": "https://e.com/1.png", "txt": "A"]]], "shown",
            said: "warning adobe-list-skipped",
            drawn: ["layout.carousel.items.0.title=A", "layout.carousel.items.1=-"]),
          push(
            "car", ["adb_items": [["img": image]]], "fallback: title and body alone, as the carousel has no picture",
            said: "warning adobe-ios-fallback", drawn: ["template=-", "asked_template=car", "layout=-"]),
        ]
      } + [
        push("car", ["adb_items": [["img": "http://e.com/1.png"], ["img": "HTTPS://e.com"]]], "shown")
      ], vectors: ["adobe/read-ios-car-no-url", "adobe/car-no-url"]),
    SDKFact(
      area,
      "Without a valid element, or with `adb_items` that is no array, there is no carousel: title and body alone are drawn.",
      [[], [["img": ""]]].map { (items: JSONValue) in
        push(
          "car", ["adb_items": items], "fallback: title and body alone, as the carousel has no picture",
          said: "warning adobe-ios-fallback", drawn: ["template=-", "asked_template=car", "layout=-"])
      } + [
        push("car", "fallback: title and body alone", said: "warning adobe-ios-fallback"),
        push(
          "car", ["adb_items": #"[{"img":"https://e.com/1.png"}]"#], "fallback: title and body alone",
          said: "warning adobe-ios-fallback"),
      ]),
    SDKFact(
      area, "One element of `adb_items` that is no object spoils the whole carousel, wherever it is.",
      ["x", 7, JSONValue.null, [["img": "https://e.com/1.png"]]].flatMap { (odd: JSONValue) in
        [[["img": "https://e.com/1.png"], odd], [odd, ["img": "https://e.com/1.png"]]].map { (items: JSONValue) in
          push(
            "car", ["adb_items": items], "fallback: an element of adb_items is not an object",
            said: "warning adobe-list-element", drawn: ["template=-", "asked_template=car", "layout=-"])
        }
      } + [
        push(
          "basic", ["adb_items": [7, ["img": "https://e.com/1.png"]]], "shown", said: "warning adobe-list-element",
          drawn: ["template=basic"])
      ]),
    SDKFact(
      area,
      "What is drawn instead of a template is the title and the body of the alert alone: no expanded texts, no picture, no "
        + "colors.",
      ["car", "timer", "input", "x"].map {
        push(
          $0, expanded, "fallback: title and body alone", said: "warning adobe-ios-fallback",
          drawn: plain + ["asked_template=\($0)"])
      } + [
        push(
          "timer", expanded.merging(["adb_title_alt": "Over"]) { $1 }, "fallback: title and body alone",
          said: "warning adobe-ios-fallback", drawn: plain),
        push(
          "basic", expanded, aps: ["category": "other"], "fallback: without the category",
          said: "warning adobe-ios-fallback", drawn: plain),
      ]),
    SDKFact(
      area, "A template that is missing, or that is no text, is drawn as title and body alone.",
      [Optional.none, 7, JSONValue.null, ["basic"]].map { (type: JSONValue?) in
        push(
          "basic", expanded.merging(["adb_template_type": type]) { $1 },
          "fallback: title and body alone, as there is no text in adb_template_type",
          said: "warning adobe-ios-fallback", drawn: plain + ["asked_template=-"])
      }),
    SDKFact(
      area, "A carousel moves by itself unless its mode is `manual`, and `filmstrip` is its other layout.",
      [
        push(
          "car", ["adb_items": pictures(2), "adb_car_mode": "x"], "shown", said: "warning adobe-choice-unknown",
          drawn: ["layout.carousel.moves_by_itself=true"]),
        push("car", ["adb_items": pictures(2)], "shown", drawn: ["layout.carousel.moves_by_itself=true"]),
        push(
          "car", ["adb_items": pictures(2), "adb_car_mode": "manual", "adb_car_layout": "filmstrip"], "shown",
          drawn: ["layout.carousel.moves_by_itself=false", "layout.carousel.filmstrip=true"]),
      ]),
    SDKFact(
      area, "A timer needs `adb_title_alt` and a time; else title and body alone are drawn.",
      [
        push("timer", ["adb_title_alt": "Over", "adb_tmr_dur": "5"], "shown", drawn: ["template=timer"]),
        push("timer", ["adb_title_alt": "Over", "adb_tmr_end": "99"], "shown", drawn: ["layout.timer.ended=true"]),
        push(
          "timer", ["adb_tmr_dur": "5"], "fallback: without adb_title_alt", said: "warning adobe-ios-fallback",
          drawn: ["template=-", "layout=-"]),
        push(
          "timer", ["adb_title_alt": "Over"], "fallback: the timer has no time", said: "warning adobe-ios-fallback",
          drawn: ["template=-"]),
      ]),
    SDKFact(
      area, "The times of a timer are strings, and decimals count; a number is no time.",
      [
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "5.5"], "shown", drawn: ["layout.timer.seconds_left=5"]),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": nil, "adb_tmr_end": "1800000001.5"], "shown",
          drawn: ["layout.timer.ended=false", "layout.timer.seconds_left=1"]),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": 5], "fallback: the timer has no time",
          said: "warning adobe-ios-fallback", drawn: ["layout=-"]),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "soon"], "fallback: the timer has no time",
          said: "warning adobe-ios-fallback"),
      ]),
    SDKFact(
      area,
      "A time is any text that Swift reads as a `Double`: minus infinity has ended, and the content extension crashes on “nan”, "
        + "“inf” and what is left beyond 64 bits, so that nothing of the template is drawn.",
      ["nan", "inf", "1e400", "1e19"].flatMap { (time: JSONValue) in
        ["adb_tmr_dur", "adb_tmr_end"].map {
          push(
            "timer", ["adb_title_alt": "Over", $0: time], "fallback: crashes", said: "warning adobe-ios-fallback",
            drawn: ["template=-", "layout=-", "expanded_title=-"])
        }
      } + [
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "nan", "adb_tmr_end": "1800000060"], "fallback: crashes",
          said: "warning adobe-ios-fallback"),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "-inf"], "shown",
          drawn: ["layout.timer.ended=true", "expanded_title.text=Over"]),
        push("timer", ["adb_title_alt": "Over", "adb_tmr_dur": "1e18"], "shown", drawn: ["layout.timer.ended=false"]),
      ], vectors: ["adobe/read-ios-timer-crash"]),
    SDKFact(
      area,
      "After the end of a timer `adb_title_alt` and `adb_body_alt` are drawn, and no body without the latter; "
        + "`adb_body_ex_alt` is not read. The picture is `adb_media_alt`, else `adb_media`.",
      [
        push(
          "timer",
          expanded.merging(["adb_title_alt": "Over", "adb_tmr_dur": "0", "adb_body_alt": "Late"]) { $1 }, "shown",
          drawn: [
            "expanded_title.text=Over", "expanded_body.text=Late", "image=https://example.com/i.png", "title.text=T",
          ]),
        push(
          "timer",
          expanded.merging([
            "adb_title_alt": "Over", "adb_tmr_dur": "-1", "adb_body_ex_alt": "No",
            "adb_media_alt": "https://e.com/late.png",
          ]) {
            $1
          }, "shown",
          drawn: ["expanded_title.text=Over", "expanded_body.text=", "image=https://e.com/late.png", "body.text=B"]),
      ]),
    SDKFact(
      area, "A timer has ended when nothing remains; with both times the duration counts.",
      [
        push("timer", ["adb_title_alt": "Over", "adb_tmr_dur": "0"], "shown", drawn: ["layout.timer.ended=true"]),
        push(
          "timer", ["adb_title_alt": "Over", "adb_tmr_dur": "5", "adb_tmr_end": "99"], "shown",
          drawn: ["layout.timer.ended=false"]),
      ]),
    SDKFact(
      area,
      "Templates that only Android has, and unknown ones, are drawn as title and body alone, and the reader says so.",
      ["input", "zb", "rate", "cat", "icon", "x", "Basic"].map {
        push(
          $0, "fallback: title and body alone, as iOS has no such template", said: "warning adobe-ios-fallback",
          drawn: ["template=-", "asked_template=\($0)"])
      }),
    SDKFact(
      area, "A badge is a number to Apple: numeric text is read by the contract, and changes no badge on a device.",
      [
        push("basic", aps: ["badge": 5], "shown", drawn: ["badge.set=5"]),
        push("basic", aps: ["badge": "5"], "shown", said: "warning key-lenient", drawn: ["badge=-"]),
      ], vectors: ["adobe/count-text", "adobe/read-ios-badge-text"]),
  ]

  /// What only the view of a template draws.
  private static let expanded: [String: JSONValue?] = [
    "adb_title_ex": "TX", "adb_body_ex": "BX", "adb_media": "https://example.com/i.png", "adb_clr_title": "112233",
  ]
  /// What there is of it in the preview of a fallback.
  private static let plain = [
    "template=-", "title.text=T", "body.text=B", "expanded_title=-", "expanded_body=-", "image=-", "colors=-",
    "layout=-",
    "surfaces.2.title.0=T",
  ]

  private static func push(
    _ template: String, _ changes: [String: JSONValue?] = [:], aps: [String: JSONValue?] = [:], _ expected: String,
    said: String? = nil, drawn: [String] = []
  ) -> Case {
    var system: JSONObject = [
      "alert": ["title": "T", "body": "B"], "mutable-content": 1, "category": "AEPNotification",
    ]
    for (key, value) in aps { system.change(key, value) }
    var payload: JSONObject = ["aps": .object(system), "adb_version": "1.0", "adb_template_type": .string(template)]
    for (key, value) in changes { payload.change(key, value) }
    return Case(
      contract: .adobe, platform: .ios, payload: .object(payload), expected: expected, said: said, drawn: drawn)
  }

  private static func push(
    _ template: String, _ expected: String, said: String? = nil, drawn: [String] = []
  ) -> Case {
    push(template, [:], aps: [:], expected, said: said, drawn: drawn)
  }

  private static func pictures(_ count: Int) -> JSONValue {
    .array(Array(repeating: ["img": "https://example.com/1.png", "txt": "One"], count: count))
  }
}

extension JSONObject {
  /// Sets a member, or removes it when the value is nil.
  mutating func change(_ key: String, _ value: JSONValue?) {
    if let value { self[key] = value } else { removeValue(forKey: key) }
  }
}
