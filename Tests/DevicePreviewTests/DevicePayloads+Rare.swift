import PushContracts
import PushPayload
import TestSupport
import WireJSON

// Members that neither a written message nor its mutations have, or have seldom.
extension DevicePayloads {
  /// A member of a payload by its path, with values that it may have.
  typealias Rare = (path: [String], values: [JSONValue])

  /// A payload to which now and then up to four members are added or given another value.
  static func withRareMembers(
    _ payload: JSONValue, _ contract: ContractName, _ platform: Platform, _ random: inout SeededRandom
  ) -> JSONValue {
    guard Int.random(in: 0..<3, using: &random) > 0 else { return payload }
    var payload = payload
    let rare = members(contract, platform)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard let (path, values) = rare.randomElement(using: &random) else { continue }
      payload = setting(path[...], to: pick(values, &random), in: payload)
    }
    return payload
  }

  /// A value with a member replaced; where the path leads through something else than objects it stays as it is.
  private static func setting(_ path: ArraySlice<String>, to member: JSONValue, in value: JSONValue) -> JSONValue {
    guard let name = path.first else { return member }
    guard case .object(var members) = value else { return value }
    members[name] = setting(path.dropFirst(), to: member, in: members[name] ?? (path.count > 1 ? [:] : .null))
    return .object(members)
  }

  private static func members(_ contract: ContractName, _ platform: Platform) -> [Rare] {
    switch (platform, contract) {
    case (.android, .adobe): adobeData.map { (["message", "data", $0.0], $0.1) }
    case (.android, .onesignal): oneSignalData.map { (["message", "data", $0.0], $0.1) } + androidBlock
    case (.android, .imkit): imkitData + androidBlock
    case (.android, _): androidBlock
    case (.ios, .adobe): adobeMembers.map { ([$0.0], $0.1) } + aps
    case (.ios, .onesignal): oneSignalMembers + aps
    case (.ios, _):
      aps + [(["fcm_options"], [["image": "https://example.com/i.png"], ["image": 5], "x", [:], ["image": "x"]])]
    }
  }

  private static let pictures: [JSONValue] = [
    "https://example.com/i.png", "http://example.com/i.png", "HTTPS://example.com/i.png", " https://example.com/i.png ",
    "star",
    "star.png", "ftp://example.com/i.png", "https://", "",
  ]
  private static let colors: [JSONValue] = ["FF00FF", "#FF00FF", "80FF00FF", "red", ""]

  // MARK: iOS

  private static let aps: [Rare] = [
    (
      ["aps", "alert"],
      [.null, "", "Hi", 5, [], ["title": "T"], ["loc-key": "K"], ["body": ""], ["loc-key": "K", "loc-args": ["a"]]]
    ),
    (["aps", "content-available"], [1, true, 0, "1", [], .null]),
    (["aps", "mutable-content"], [1, true, 0, "1", .null]),
    (["aps", "category"], ["C", "", "AEPNotification", 5]), (["aps", "badge"], [0, 3, -1, "3", [], .null, 1.5]),
    (["aps", "sound"], ["default", "s.wav", "s.mp3", "", 5, ["name": "s.caf", "critical": 1], [:]]),
    (["aps", "interruption-level"], ["passive", "active", "critical", "x"]),
    (["aps", "event"], ["update", "start", "end", "x", .null]),
    (["aps", "timestamp"], [1_800_000_000, "now", .null]), (["aps", "content-state"], [[:], ["n": 1], "x", .null]),
    (["aps", "content-changed"], [1, true, 0]), (["aps", "thread-id"], ["t", ""]), (["alert"], ["Hi"]),
    (["mdm"], ["magic", 5]),
  ]

  private static let oneSignalMembers: [Rare] = [
    (
      ["os_data"],
      [
        ["i": "n"], ["i": "n", "buttons": ["m": "Hi", "o": [["n": "A"]]]], ["i": 5], "x", [], .null, [:],
        ["i": "n", "buttons": [["n": "A"], ["i": "b"]]], ["i": "n", "buttons": "x"],
        ["i": "n", "att": ["a": "https://e.com/a.png"]],
        ["i": "n", "buttons": ["m": ["title": "T"], "at": ["a": 5], "b": "3"]], ["i": "n", "badge_inc": .null],
      ]
    ),
    (["m"], ["Hi", ["title": "T"], "", 5]), (["o"], [[["n": "A"]], "x", ["a"], [], [:]]),
    (["at"], [["a": "https://e.com/a.png"], "x"]),
    (
      ["att"],
      [
        ["a": "https://e.com/a.png"], ["@a": "x"], ["a": 5], "x", [], [:], ["a": "ftp://e.com/a"],
        ["a": " http://e.com/a\t"], .null,
      ]
    ),
    (
      ["buttons"],
      [
        [["n": "A", "i": "a"]], [["i": "x"]], [["n": "A", "path": "p", "icon_type": 5]], "x", ["a"], [],
        [["n": "A"], ["n": 5]], [:],
      ]
    ),
    (["actionbuttons"], [[["n": "A"]], "x"]), (["actionSelected"], ["a", 5]), (["b"], [3, "3", []]), (["s"], ["s.wav"]),
    (
      ["custom"],
      [
        5, "x", ["i": "n"], ["i": "n", "badge_inc": 2], ["i": "n", "badge_inc": .null], ["i": 5], ["i": "n", "a": 5],
        ["i": "n", "a": ["actionSelected": "x"]], ["i": "n", "badge_inc": "2x"], [:],
      ]
    ),
  ]

  private static let adobeMembers: [(String, [JSONValue])] =
    [
      ("adb_media", pictures), ("adb_media_alt", pictures), ("adb_image", pictures), ("adb_title_ex", ["X", "", 5]),
      ("adb_body_ex", ["X", ""]), ("adb_tmr_end", ["1800000060", "1", "1e400", "nan", "x", 60, "1.5"]),
      ("adb_tmr_dur", ["60", "-1", "inf", "0", "9223372036854775808"]), ("adb_body_alt", ["x", ""]),
      ("adb_uri", ["app://x", ""]),
      ("adb_car_mode", ["manual", "auto", "x"]), ("adb_car_layout", ["filmstrip", "default", "x"]),
      ("adb_template_type", ["car", "timer", "basic", "Basic", "", 5]),
      ("adb_items", [[["img": "https://example.com/i.png"]], [["img": ""], "x"], [], "[]", [["img": "x"]]]),
      ("_xdm", [[:]]),
    ] + ["adb_clr_bg", "adb_clr_title", "adb_clr_body", "adb_clr_tmr"].map { ($0, colors + [" #FF00FF "]) }

  // MARK: Android

  private static let androidBlock: [Rare] =
    ["android", "plain"].flatMap { index -> [Rare] in
      let block = index == "android" ? ["message", "android", "notification"] : ["message", "notification"]
      return [
        (block + ["title"], ["T", "", " ", 5, .null]), (block + ["body"], ["B", "", .null]),
        (block + ["image"], pictures),
      ]
    }
    + [
      ("title_loc_key", ["K", ""]), ("body_loc_key", ["K", "im_loc_text", "im_loc_x"]), ("bodyLocKey", ["K"]),
      ("body_loc_args", [["a"], [], ["a", "b", "c"], "x"]), ("icon", pictures),
      ("sound", ["s", "s.wav", "", "default"]),
      ("color", ["#aabbcc", "red"]), ("sticky", [true, "maybe"]), ("notification_count", [0, -1, 3, "3"]),
      ("visibility", ["PUBLIC", "SECRET", "x"]), ("notification_priority", ["PRIORITY_MAX", "x"]), ("tag", ["t", ""]),
      ("vibrate_timings", [["1s"], ["0s", "1s"], []]), ("event_time", ["2026-01-31T09:00:00Z", "x"]),
      ("channel_id", ["c", ""]),
      ("default_sound", [true, false]), ("click_action", ["A"]), ("light_settings", [["color": ["red": 1]], "x"]),
    ].map { (["message", "android", "notification", $0.0], $0.1) } + [
      (["message", "data"], [[:], ["k": "v"], ["_notification": "{}"]]),
      (
        ["message", "android_v2"],
        [["background_sync": [:]], ["remote_notification": ["notification": ["title": "T"]]], [:]]
      ),
      (["message", "apns"], [["payload": ["aps": ["alert": "Hi"]]], ["payload": [:]], [:]]),
    ]

  private static let imkitData: [Rare] = [
    (["message", "data", "loc-key"], ["im_loc_text", "im_loc_x", "", "K", "im_loc_encrypted"]),
    (["message", "data", "loc-args"], [#"["a","b"]"#, #"["a"]"#, "[]", "x", #"["a",]"#]),
    (["message", "data", "payload"], ["{}", "{", "[]"]), (["message", "data", "type"], ["chatroom_chat:1", ""]),
  ]

  private static let oneSignalData: [(String, [JSONValue])] = [
    ("pri", ["-1", "0", "1", "4", "5", "10", "x", 7, "2147483648"]), ("vis", ["1", "-1", "x", 0]),
    (
      "chnl",
      [
        #"{"id":"c"}"#, #"{"id":"c","grp_id":"g"}"#, #"{"id":"c","grp_id":"g","grp_nm":"G"}"#,
        #"{"id":"c","langs":["en"]}"#,
        #"{"nm":""}"#, "{", #"{"id":"miscellaneous"}"#, #"{"id":"c","langs":{"en":{"nm":""}}}"#,
        #"{"id":"c","langs":{"en":"x"}}"#,
        "{'id':'c'}", "", "[]", #"{"id":"c","langs":null}"#,
      ]
    ), ("oth_chnl", ["own", "", 5]), ("sound", ["s", "nil", "null", "s.wav", "https://e.com/s", "", 5]),
    ("bicon", pictures),
    ("licon", pictures), ("sicon", pictures), ("bgac", ["FF0000", "red", "#FF0000", "0x1"]),
    ("ledc", ["FF00FF00", "x"]),
    (
      "o",
      [
        #"[{"n":"A","i":"a"}]"#, #"[{"i":"a"}]"#, #"[{"n":""}]"#, "x", "[]",
        #"[{"n":"A"},{"n":"B"},{"n":"C"},{"n":"D"}]"#, #"["a"]"#,
        "[{'n':'A'},]",
      ]
    ), ("bg_img", [#"{"img":"https://e.com/b.png"}"#, "{}", "x"]),
    (
      "custom",
      [
        #"{"i":"n"}"#, #"{"i":5}"#, "{}", "x", #"{"i":"n","a":5}"#,
        #"{"i":"n","a":{"os_in_app_message_preview_id":"p"}}"#,
        #"{"i":"n","a":{"actionButtons":[{"text":"A","id":"a"},"x"]}}"#, "{'i':'n'}", #"{"i":null}"#,
        #"{"i":"n","a":{"actionButtons":[{"id":"a"}]}}"#, #"{"i":"n","u":null}"#,
      ]
    ), ("alert", ["", " ", "Hi"]), ("title", ["T", ""]), ("grp", ["g"]), ("grp_msg", ["$[notif_count] more"]),
    ("led", ["0", "x"]),
    ("vib_pt", ["[1,2]", "x"]), ("actionId", ["a"]), ("bdg", ["0", "2"]),
  ]

  private static let adobeData: [(String, [JSONValue])] =
    [
      ("adb_image", pictures), ("adb_large_icon", pictures), ("adb_small_icon", pictures), ("adb_icon", pictures),
      ("adb_image_alt", pictures), ("adb_feedback_img", pictures), ("adb_cancel_image", pictures),
      ("adb_rate_selected_icon", pictures), ("adb_rate_unselected_icon", pictures),
      (
        "adb_act",
        [
          #"[{"label":"A","uri":"https://e.com","type":"WEBURL"}]"#, #"[{"label":"","type":"WEBURL"}]"#, "[", "",
          "['a']",
          #"[{"label":"A","type":"x"},{"label":"B","type":"DISMISS"},{"label":"C","type":"OPENAPP"},{"label":"D","type":""}]"#,
        ]
      ), ("adb_rem_txt", ["Later", ""]), ("adb_rem_ts", ["1800000060", "1", "x", ""]),
      ("adb_rem_sec", ["60", "0", "x", "9999999999"]),
      ("adb_n_count", ["3", "0", "-1", "x", "2147483648"]), ("adb_n_priority", ["PRIORITY_HIGH", "x", ""]),
      ("adb_n_visibility", ["PUBLIC", "x"]), ("adb_sticky", ["true", "TRUE", "x", ""]), ("adb_ticker", ["K"]),
      ("adb_tag", ["t", ""]),
      ("adb_channel_id", ["c", ""]), ("adb_sound", ["s", "s.mp3", ""]), ("_xdm", ["{}", ""]),
      ("ratingSelected", ["0", "2", "9", "-1", "x"]),
      ("catalogItemIndex", ["1", "3", "-1", "x"]), ("centerImageIndex", ["9"]), ("adb_body_ex", ["X", ""]),
      ("adb_template_type", ["ajo_basic", "ajo_bigtext", "", "Basic", "car", "cat"]), ("adb_title", ["", "T"]),
      ("adb_version", ["", "2"]),
      ("adb_template_properties", [#"{"adb_collapsed_text":"C"}"#, "{'adb_large_icon':'x.png'}", "x", "[]"]),
      ("adb_tmr_end", ["1800000060", "1", "x"]),
      ("adb_tmr_dur", ["0", "-1", "9223372036854775807", "1.5", "\u{0661}"]),
      ("adb_car_mode", ["manual", "x"]), ("adb_car_layout", ["filmstrip", "x", ""]),
      ("adb_display", ["horizontal", "x"]),
      ("adb_col_style", ["img", "x"]), ("adb_a_type", ["WEBURL", "x", ""]), ("adb_uri", ["", "app://x"]),
      (
        "adb_liveupdate_data",
        [
          #"{"notification_id":"n","notification_channel_id":"c","event_type":"start","timestamp":1799990000,"title":"L"}"#,
          #"{"notification_id":"n","notification_channel_id":"c","event_type":"end","timestamp":"1","title":7,"dismiss_after":0}"#,
          #"{"notification_id":"n","notification_channel_id":"c","event_type":"x","timestamp":0,"title":""}"#, "", "{",
          "[]",
          "{'notification_id':'n','notification_channel_id':'c','event_type':'update','timestamp':5,'title':'L'}",
        ]
      ),
    ] + ["adb_clr_bg", "adb_clr_title", "adb_clr_body", "adb_clr_tmr", "adb_clr_icon"].map { ($0, colors) }
}
