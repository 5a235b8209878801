import PushContracts
import PushPayload
import WireJSON

/// Adobe's library on Android: the template classes of its notification builder, and their tests.
extension SDKFact {
  private static let area = "Adobe, Android"

  static let adobeAndroid: [SDKFact] =
    [needs, emptyNeeds] + adobeAndroidLists + icons + [inputs, zeroBezel] + adobeAndroidTimers
    + adobeAndroidTaps + adobeAndroidBuilders + adobeAndroidLiveUpdates + adobeAndroidLooks
    + adobeAndroidPictures + adobeAndroidValues + shared

  /// Complete data of each template beside what all templates share.
  private static let complete: [String: JSONObject] = [
    "basic": [:], "zb": [:], "input": ["adb_input_receiver": "R"],
    "car": ["adb_car_layout": "default", "adb_items": .string(pictures(3))],
    "rate": [
      "adb_rate_unselected_icon": "star", "adb_rate_selected_icon": "full",
      "adb_rate_act": .string(links("WEBURL", "DEEPLINK", "OPENAPP")),
    ],
    "cat": [
      "adb_cta_txt": "Buy", "adb_cta_clr": "112233", "adb_cta_txt_clr": "FFFFFF",
      "adb_cta_uri": "https://example.com/buy", "adb_display": "horizontal", "adb_items": .string(products(3)),
    ],
    "icon": ["adb_items": .string(iconRow(3))],
    "timer": ["adb_title_alt": "Over", "adb_tmr_dur": "60", "adb_tag": "sale"],
  ]

  /// The keys without which a template is not drawn, beside `adb_version`, `adb_title` and `adb_body`.
  private static let required: [(template: String, keys: [String])] = [
    ("basic", []), ("zb", []), ("input", ["adb_input_receiver"]), ("car", ["adb_car_layout", "adb_items"]),
    ("rate", ["adb_rate_unselected_icon", "adb_rate_selected_icon", "adb_rate_act"]),
    (
      "cat", ["adb_cta_txt", "adb_cta_clr", "adb_cta_txt_clr", "adb_cta_uri", "adb_display", "adb_items"]
    ), ("icon", ["adb_items"]), ("timer", ["adb_title_alt"]),
  ]

  /// Complete data of a template, and what becomes of it.
  static func adobePush(
    _ template: String, _ expected: String, said: String? = nil, drawn: String...
  ) -> Case {
    completed(template, [:], expected, said, drawn)
  }

  /// Complete data of a template with changes, and what becomes of it.
  static func adobePush(
    _ template: String, _ changes: [String: JSONValue?], _ expected: String, said: String? = nil,
    arriving: String? = nil, drawn: String...
  ) -> Case {
    var row = completed(template, changes, expected, said, drawn)
    row.arriving = arriving
    return row
  }

  private static func completed(
    _ template: String, _ changes: [String: JSONValue?], _ expected: String, _ said: String?, _ drawn: [String]
  ) -> Case {
    var data: JSONObject = ["adb_version": "1", "adb_template_type": .string(template)]
    if template != "icon" {
      data["adb_title"] = "T"
      data["adb_body"] = "B"
    }
    for (key, value) in complete[template] ?? [:] { data[key] = value }
    if ["basic", "zb", "input", "car", "rate", "timer"].contains(template) { data["adb_body_ex"] = "X" }
    for (key, value) in changes {
      if let value { data[key] = value } else { data.removeValue(forKey: key) }
    }
    // Text and price of a product are never in a horizontal catalog.
    let isHorizontal = template == "cat" && data["adb_display"] != "vertical"
    let always = isHorizontal && expected.hasPrefix("shown") ? "warning adobe-expanded-without-text" : nil
    return Case(
      contract: .adobe, platform: .android, payload: ["message": ["token": "t", "data": .object(data)]],
      expected: expected, said: said ?? always, drawn: drawn)
  }

  // MARK: Elements of lists

  static func list(_ elements: [JSONValue]) -> String { JSON.minifiedText(.array(elements)) }

  static func pictures(_ count: Int) -> String { list(Array(repeating: picture, count: count)) }
  static let picture: JSONValue = [
    "img": "https://example.com/1.png", "txt": "One", "uri": "https://example.com/1",
  ]

  static func links(_ types: String...) -> String {
    list(types.map { ["type": .string($0), "uri": "https://example.com"] })
  }

  static func products(_ count: Int) -> String { list(Array(repeating: product, count: count)) }
  static let product: JSONValue = [
    "title": "P", "body": "B", "img": "https://example.com/1.png", "price": "1", "uri": "https://example.com/1",
  ]

  static let pictureless: JSONValue = [
    "title": "P", "body": "B", "img": "", "price": "1", "uri": "https://example.com/1",
  ]

  private static func iconRow(_ count: Int) -> String { list(Array(repeating: icon, count: count)) }
  private static let icon: JSONValue = [
    "img": "https://example.com/1.png", "type": "WEBURL", "uri": "https://example.com/1",
  ]

  static func without(_ member: String, _ element: JSONValue) -> JSONValue {
    var object = element.object ?? [:]
    object.removeValue(forKey: member)
    return .object(object)
  }

  static func with(_ member: String, _ value: JSONValue, _ element: JSONValue) -> JSONValue {
    var object = element.object ?? [:]
    object[member] = value
    return .object(object)
  }

  static let noAddresses: [JSONValue] = [
    "x", "not a url", "1.png", "http://e.com/1.png", "https://", "https:1.png",
  ]

  // MARK: Required keys

  private static let needs = SDKFact(
    area, "Without a key that its template requires a push is not shown: an error that names the key.",
    required.flatMap { template, keys in
      let shared = template == "icon" ? ["adb_version"] : ["adb_version", "adb_title", "adb_body"]
      return [adobePush(template, "shown")]
        + (shared + keys).map {
          adobePush(template, [$0: nil], "nothing: needs \($0)", said: "error adobe-key-missing")
        }
    })

  private static let emptyNeeds = SDKFact(
    area,
    "A required key of one template must have text, but for `adb_items` of a carousel; `adb_version`, `adb_title` and "
      + "`adb_body` may be empty.",
    required.flatMap { template, keys in
      keys.filter { (template, $0) != ("car", "adb_items") }.map {
        adobePush(template, [$0: ""], "nothing: needs \($0)", said: "error adobe-key-missing")
      }
    } + [
      adobePush("basic", ["adb_version": ""], "shown"), adobePush("basic", ["adb_title": ""], "shown"),
      adobePush("basic", ["adb_body": ""], "shown"),
      adobePush(
        "car", ["adb_items": ""], "fallback: the template basic", said: "warning adobe-item-count",
        drawn: "template=basic", "layout=-"),
    ])

  // MARK: Icons

  private static let icons = [
    SDKFact(
      area,
      "An icon is left out without `img` or with an empty one, without `type` or with an unknown one, and with WEBURL or "
        + "DEEPLINK without a uri.",
      [
        without("img", icon), with("img", "", icon), without("type", icon), with("type", "open", icon),
        without("uri", icon), with("uri", "", icon), with("type", "DEEPLINK", without("uri", icon)),
      ].flatMap { bad in
        [
          adobePush(
            "icon", ["adb_items": .string(list([icon, bad, icon, icon]))], "shown", said: "warning adobe-list-skipped",
            drawn: "template=icon", "layout.icons.items.3=-"),
          adobePush(
            "icon", ["adb_items": .string(list([icon, bad, icon]))], "nothing: 2 icons",
            said: "error adobe-item-count"),
        ]
      }),
    SDKFact(
      area, "An empty `type` of an icon is NONE, which needs no uri.",
      [
        adobePush(
          "icon", ["adb_items": #"[{"img":"a","type":""},{"img":"b","type":"NONE"},{"img":"c","type":"DISMISS"}]"#],
          "shown", drawn: "layout.icons.items.2.image=c")
      ]),
    SDKFact(
      area, "Three to five icons must remain.",
      [
        adobePush("icon", ["adb_items": .string(iconRow(2))], "nothing: 2 icons", said: "error adobe-item-count"),
        adobePush("icon", ["adb_items": .string(iconRow(5))], "shown"),
        adobePush("icon", ["adb_items": .string(iconRow(6))], "nothing: 6 icons", said: "error adobe-item-count"),
      ]),
    SDKFact(
      area, "Icons that are no JSON array of objects are not shown.",
      [
        adobePush("icon", ["adb_items": "icons"], "nothing", said: "error adobe-list-unreadable"),
        adobePush("icon", ["adb_items": "{}"], "nothing", said: "error adobe-list-unreadable"),
        adobePush(
          "icon", ["adb_items": .string(list([icon, icon, icon, "x"]))], "nothing", said: "error adobe-list-element"),
      ]),
    SDKFact(
      area, "`adb_cancel_image` that is absent or empty is `cross`; a row of icons needs neither title nor text.",
      [
        adobePush("icon", "shown", drawn: "layout.icons.cancel=cross", "title=-"),
        adobePush("icon", ["adb_cancel_image": ""], "shown", drawn: "layout.icons.cancel=cross"),
        adobePush("icon", ["adb_cancel_image": "x"], "shown", drawn: "layout.icons.cancel=x"),
      ]),
  ]

  // MARK: Text fields and zero bezel

  private static let inputs = SDKFact(
    area, "The hint of a text field that is absent or empty is “Reply”.",
    [
      adobePush("input", "shown", drawn: "template=input", "layout.input.hint=Reply"),
      adobePush("input", ["adb_input_txt": ""], "shown", drawn: "layout.input.hint=Reply"),
      adobePush(
        "input",
        ["adb_input_txt": "Say it", "adb_feedback_txt": "Thanks", "adb_feedback_img": "https://e.com/i.png"], "shown",
        drawn: "layout.input.hint=Say it", "layout.input.feedback_text=Thanks",
        "layout.input.feedback_image=https://e.com/i.png"),
    ])

  private static let zeroBezel = SDKFact(
    area, "Zero bezel draws its picture when collapsed with `img`, and no picture with `txt` or another style.",
    [
      adobePush(
        "zb", ["adb_col_style": "img"], "shown", drawn: "template=zb", "layout.zero_bezel.collapsed_picture=true"),
      adobePush("zb", ["adb_col_style": "txt"], "shown", drawn: "layout.zero_bezel.collapsed_picture=false"),
      adobePush(
        "zb", ["adb_col_style": "x"], "shown", said: "warning adobe-choice-unknown",
        drawn: "layout.zero_bezel.collapsed_picture=false"),
    ])

  // MARK: Values of every template

  private static let shared = [
    SDKFact(
      area, "Counts and `adb_rem_sec` are 32-bit integers; a value beyond is absent.",
      [
        adobePush("basic", ["adb_n_count": "2147483647"], "shown", drawn: "badge.set=2147483647"),
        adobePush("basic", ["adb_n_count": "2147483648"], "shown", said: "warning key-type", drawn: "badge=-"),
        adobePush("basic", ["adb_n_count": "1.0"], "shown", said: "warning key-type", drawn: "badge=-"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "2147483647"], "shown", drawn: "reminder.after=2147483647"),
        adobePush(
          "basic", ["adb_rem_txt": "Later", "adb_rem_sec": "2147483648"], "shown", said: "warning adobe-remind-pair",
          drawn: "buttons=-", "reminder=-"),
      ]),
    SDKFact(
      area,
      "Lists are read as Android's `org.json` reads them: single quotes, a comma at the end and text after the value are "
        + "accepted.",
      [pictures(3).map { $0 == "\"" ? "'" : String($0) }.joined(), pictures(3) + " and more"].map {
        adobePush(
          "car", ["adb_items": .string($0)], "shown", said: "warning adobe-list-nonstandard", drawn: "template=car")
      } + [
        adobePush(
          "icon", ["adb_items": .string(String(iconRow(3).dropLast()) + ",]")], "nothing",
          said: "error adobe-list-element")
      ],
      vectors: ["adobe/act-malformed-refused", "adobe/read-android-lenient", "adobe/read-android-lenient-comma"]),
    SDKFact(
      area, "A kind of link that the library does not know ends the push: nothing is shown.",
      [
        adobePush(
          "basic", ["adb_a_type": "open", "adb_uri": "x"], "nothing: kind of link", said: "error adobe-link-type"),
        adobePush("car", ["adb_a_type": "weburl"], "nothing: kind of link", said: "error adobe-link-type"),
      ]),
    SDKFact(
      area,
      "A push with neither a template nor a version is Journey Optimizer's, whose library takes what has `adb_title` or `_xdm` "
        + "and requires nothing; an unknown kind of link is none.",
      [
        adobePush("", ["adb_template_type": nil, "adb_version": nil], "shown", drawn: "title.text=T", "body.text=B"),
        adobePush("", ["adb_template_type": nil, "adb_version": nil, "adb_body": nil], "shown", drawn: "title.text=T"),
        adobePush(
          "", ["adb_template_type": nil, "adb_version": nil, "adb_a_type": "A/B", "adb_uri": "x"], "shown",
          said: "warning adobe-link-type", drawn: "tap.effect=open-app"),
        adobePush(
          "", ["adb_template_type": nil, "adb_version": nil, "adb_title": nil], "nothing: needs adb_version",
          said: "error adobe-key-missing"),
        adobePush(
          "", ["adb_template_type": nil, "adb_body": nil], "nothing: needs adb_body", said: "error adobe-key-missing"),
      ], vectors: ["adobe/sample-journey-optimizer", "adobe/read-android-version-alone"]),
    SDKFact(
      area,
      "`adb_version` is never interpreted: an unknown or empty one changes nothing. Without it the library up to 3.0 shows no "
        + "template, and newer ones take it for 1: an error, as the older ones are in use.",
      [
        adobePush("basic", ["adb_version": "99"], "shown"),
        adobePush("car", ["adb_version": "x"], "shown", drawn: "template=car"),
        adobePush("basic", ["adb_version": ""], "shown"),
        adobePush("basic", ["adb_version": nil], "nothing: needs adb_version", said: "error adobe-key-missing"),
      ], vectors: ["adobe/read-android-no-version"]),
  ]
}
