import PushContracts
import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// Adobe's templates, and the names in a notification block: what is read on the tape is what the reader and the model of the
/// device say, by `check` and by `parse`.
@Suite("Templates read on the tape")
struct DirectTemplateTests {
  /// Values that a key may have, good ones and others.
  private typealias Pool = [(name: String, values: [JSONValue])]

  private static let addresses: [JSONValue] = [
    "https://e.example/a.png", "http://e.example/a.png", "HTTPS://e.example/a", "ftp://e.example", "ic_bell", "a.png",
    "",
    " https://e.example/a.png", "https://e.example/a b", "https://@e.example", "https://", "ä",
  ]
  private static let texts: [JSONValue] = ["Anna", "", "\u{1F600} \"x\"", 5]
  private static let colors: [JSONValue] = ["FF0000", "ff00aa", "80FF0000", "#FF0000", "red", "", "FF000G", 5]
  private static let numbers: [JSONValue] = [
    "3600", "0", "-1", "1.5", "x", "", "007", "+5", "2147483648", "999999999999999", "99999999999999999999", "1e3", 60,
  ]
  private static let types: [JSONValue] = ["WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE", "", "weburl", "X"]

  /// Lists whose elements have good members, now and then other ones, and what is no list.
  private static func list(_ random: inout SeededRandom, _ names: [String], isSound: Bool) -> JSONValue {
    let pools: [String: [JSONValue]] = [
      "img": addresses, "uri": ["https://e.example/1", "shop://1", "", 5], "type": types, "label": texts, "txt": texts,
      "title": texts, "body": texts, "price": texts, "x": ["y"],
    ]
    func chance(_ one: Int) -> Bool { !isSound && Int.random(in: 0..<one, using: &random) == 0 }
    if chance(20) { return ["x", [:], [[]], ["x"], [nil], []].randomElement(using: &random) ?? [] }
    let count = isSound ? 3 : Int.random(in: 0...6, using: &random)
    return .array(
      (0..<count).map { _ in
        var element = JSONObject()
        for name in names where !chance(15) {
          element[name] = chance(8) ? pools[name]?.randomElement(using: &random) : pools[name]?.first
        }
        if chance(20) { element["x"] = "y" }
        if chance(20) { element["type"] = "DISMISS" }
        return .object(element)
      })
  }

  private static let members = [
    "car": ["img", "txt", "uri"], "cat": ["img", "title", "body", "price", "uri"], "icon": ["img", "type", "uri"],
  ]

  /// What a template needs, on Android.
  private static let needs: [(template: String, members: [(String, JSONValue)])] = [
    ("basic", []), ("car", [("adb_car_layout", "default")]), ("zb", []), ("input", [("adb_input_receiver", "R")]),
    ("timer", [("adb_title_alt", "Over"), ("adb_tmr_dur", "3600"), ("adb_tag", "7")]),
    ("rate", [("adb_rate_unselected_icon", "star"), ("adb_rate_selected_icon", "https://e.example/s.png")]),
    (
      "cat",
      [
        ("adb_cta_txt", "Buy"), ("adb_cta_clr", "FF0000"), ("adb_cta_txt_clr", "FFFFFF"),
        ("adb_cta_uri", "https://e.example"), ("adb_display", "horizontal"),
      ]
    ), ("icon", []), ("ajo_basic", []), ("unknown", []),
  ]

  private static let android: Pool = [
    ("adb_version", ["1", nil]), ("adb_title", texts + [nil]), ("adb_body", texts + [nil]), ("adb_body_ex", texts),
    ("adb_image", addresses), ("adb_large_icon", addresses), ("adb_image_alt", addresses),
    ("adb_feedback_img", addresses),
    ("adb_cancel_image", addresses), ("adb_rate_unselected_icon", addresses), ("adb_rate_selected_icon", addresses),
    ("adb_icon", addresses), ("adb_small_icon", addresses),
    ("adb_sound", ["chime", "chime.wav", "chime.caf", "a/b", ""]),
    ("adb_uri", ["https://e.example/1", ""]), ("adb_a_type", types), ("adb_clr_title", colors),
    ("adb_clr_body", colors),
    ("adb_clr_bg", colors), ("adb_clr_icon", colors), ("adb_clr_tmr", colors), ("adb_cta_clr", colors),
    ("adb_n_count", numbers), ("adb_rem_sec", numbers), ("adb_rem_ts", numbers), ("adb_rem_txt", texts),
    ("adb_tmr_dur", numbers + [nil]), ("adb_tmr_end", numbers), ("adb_tag", ["7", "", nil]),
    ("adb_title_alt", texts + [nil]),
    ("adb_body_alt", texts), ("adb_body_ex_alt", texts), ("adb_sticky", ["true", "false", "TRUE", "1", ""]),
    ("adb_car_mode", ["auto", "manual", "x"]), ("adb_car_layout", ["default", "filmstrip", "x", "", nil]),
    ("adb_col_style", ["img", "txt", "x"]), ("adb_display", ["vertical", "horizontal", "x", nil]),
    ("adb_n_priority", ["PRIORITY_HIGH", "x"]), ("adb_n_visibility", ["PUBLIC", "x"]), ("adb_ticker", texts),
    ("adb_channel_id", texts), ("adb_input_receiver", ["R", "", nil]), ("ratingSelected", ["1", "9"]),
    ("catalogItemIndex", ["0", "1", "9"]), ("adb_liveupdate_data", ["{}"]), ("_xdm", ["{}"]), ("x", ["y"]),
  ]

  private static let apple: Pool = [
    ("adb_version", ["1.0", nil]), ("adb_body_ex", texts), ("adb_title_ex", texts), ("adb_media", addresses),
    ("adb_media_alt", addresses), ("adb_uri", ["https://e.example/1", ""]), ("adb_clr_title", colors),
    ("adb_clr_body", colors), ("adb_clr_bg", colors), ("adb_clr_tmr", colors), ("adb_tmr_dur", numbers + [nil]),
    ("adb_tmr_end", numbers), ("adb_title_alt", texts + [nil]), ("adb_body_alt", texts),
    ("adb_car_mode", ["auto", "manual", "x"]), ("adb_car_layout", ["default", "filmstrip", "x"]), ("x", ["y"]),
  ]

  private struct Laws: ~Copyable {
    var checkers = DeviceCheckTests.Checkers()
    var parser = PayloadParser()
    /// How many answers to `parse` were written from the tape.
    var answered = 0

    mutating func hold(_ document: JSONValue, _ platform: Platform, _ says: String, by contract: ContractName? = nil)
      throws
    {
      let bytes = JSON.minified(document)
      checkers.compare(bytes, says)
      checkers.compare(bytes, platform: platform, says)
      if try PayloadParserTests.compare(&parser, bytes, platform, contract, says) { answered += 1 }
    }
  }

  /// Gives some of the members another value, and takes some away.
  private static func change(
    _ members: inout JSONObject, _ pool: Pool, _ random: inout SeededRandom, isSound: Bool
  ) {
    for (name, values) in pool where !isSound && Int.random(in: 0..<(pool.count * 2 / 3), using: &random) == 0 {
      guard let value = values.randomElement(using: &random) else { continue }
      if value.isNull { members.removeValue(forKey: name) } else { members[name] = value }
    }
  }

  @Test("templates on Android", arguments: needs.indices)
  func android(index: Int) throws {
    let (template, needed) = Self.needs[index]
    var laws = Laws()
    var random = SeededRandom.fromEnvironment()
    for round in 0..<600 {
      let isSound = round % 10 == 0
      var data: JSONObject = [
        "adb_version": "1", "adb_template_type": .string(template), "adb_title": "Title", "adb_body": "Body",
      ]
      for (name, value) in needed { data[name] = value }
      let items = Self.members[template] ?? (isSound || random.next() % 20 > 0 ? nil : ["img"])
      if let items { data["adb_items"] = .string(JSON.minifiedText(Self.list(&random, items, isSound: isSound))) }
      if template == "rate" || !isSound && random.next() % 20 == 0 {
        data["adb_rate_act"] = .string(JSON.minifiedText(Self.list(&random, ["uri", "type"], isSound: isSound)))
      }
      if !isSound && random.next() % (template == "basic" ? 3 : 20) == 0 {
        let buttons = Self.list(&random, ["label", "uri", "type"], isSound: random.next() % 2 == 0)
        data["adb_act"] = .string(JSON.minifiedText(buttons))
      }
      Self.change(&data, Self.android, &random, isSound: isSound)
      try laws.hold(["message": ["token": "t", "data": .object(data)]], .android, "POSTRIDER_SEED=\(random.seed)")
    }
    let isRead = !template.hasPrefix("ajo") && template != "unknown"
    // The 60 sound ones are read for certain; of a template that needs much, no other may be.
    #expect((laws.checkers.fast.device.tapeCount >= 120) == isRead, "\(laws.checkers.fast.device.tapeCount)")
    #expect((laws.answered >= 60) == isRead, "\(laws.answered)")
  }

  @Test("templates on iOS", arguments: needs.indices)
  func apple(index: Int) throws {
    let template = Self.needs[index].template
    var laws = Laws()
    var random = SeededRandom.fromEnvironment()
    for round in 0..<600 {
      let isSound = round % 10 == 0
      var payload: JSONObject = ["adb_version": "1.0", "adb_template_type": .string(template)]
      if template == "timer" { (payload["adb_title_alt"], payload["adb_tmr_dur"]) = ("Over", "3600") }
      if template == "car" || !isSound && random.next() % 20 == 0 {
        payload["adb_items"] = Self.list(&random, ["img", "txt", "uri"], isSound: isSound)
      }
      Self.change(&payload, Self.apple, &random, isSound: isSound)
      var alert: JSONObject = ["title": "Title", "body": "Body"]
      var aps: JSONObject = ["mutable-content": 1, "category": "AEPNotification"]
      if !isSound {
        if random.next() % 15 == 0 { alert["subtitle"] = "Sub" }
        if random.next() % 15 == 0 { alert.removeValue(forKey: random.next() % 2 == 0 ? "title" : "body") }
        if random.next() % 15 == 0 { aps["category"] = ["x", nil, 5].randomElement(using: &random) }
        if random.next() % 15 == 0 { aps["badge"] = [3, "3", -1].randomElement(using: &random) }
      }
      aps["alert"] = .object(alert)
      payload["aps"] = .object(aps)
      try laws.hold(.object(payload), .ios, "POSTRIDER_SEED=\(random.seed)")
    }
    let isRead = !template.hasPrefix("ajo") && template != "unknown"
    #expect((laws.checkers.fast.device.tapeCount > 120) == isRead, "\(laws.checkers.fast.device.tapeCount)")
    #expect((laws.answered > 60) == isRead, "\(laws.answered)")
  }

  @Test("icons and sounds that name no resource")
  func names() throws {
    let values: [JSONValue] = [
      "parcel", "parcel.caf", "raw/parcel", "raw/parcel.wav", "//x", "https://e.example/a.wav", "", "ä", "a b", 5, nil,
      "a\u{1F}",
    ]
    var laws = Laws()
    for contract in Contracts.names {
      for icon in values {
        for sound in values {
          for texts in [["title": "T", "body": "B"], [:]] as [JSONObject] {
            var block = texts
            for (name, value) in [("icon", icon), ("sound", sound)] where !value.isNull { block[name] = value }
            let document: JSONValue = [
              "message": ["token": "t", "android": ["notification": .object(block)], "data": ["screen": "order"]]
            ]
            try laws.hold(document, .android, contract.rawValue, by: contract)
          }
        }
      }
    }
    #expect(laws.answered > 100, "\(laws.answered)")
  }
}
