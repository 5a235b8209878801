import DevicePreview
import DeviceText
import PushContracts
import PushPayload
import Testing
import WireJSON

/// Hostile texts in each text of a payload of each contract, one at a time.
@Suite struct HostileFieldTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: String
    let platform: Platform
    let payload: String
    var testDescription: String { "\(contract) on \(platform.rawValue)" }
  }

  private static let items =
    #"[{\"img\":\"https://e.com/a.png\",\"txt\":\"A\",\"title\":\"T\",\"body\":\"B\",\"price\":\"P\",\"uri\":\"app://a\",\"type\":\"OPENAPP\"},"#
    + #"{\"img\":\"https://e.com/b.png\"},{\"img\":\"https://e.com/c.png\"}]"#

  private static func adobe(_ more: String) -> Row {
    Row(
      contract: "adobe", platform: .android,
      payload: #"{"message":{"data":{"adb_version":"1","adb_title":"T","adb_body":"B","adb_body_ex":"E","adb_tag":"g","#
        + #""adb_image":"https://a.example/b.png","adb_uri":"https://a.example","adb_a_type":"WEBURL","#
        + #""adb_large_icon":"l","adb_small_icon":"s","adb_sound":"s","adb_channel_id":"c","adb_ticker":"t","#
        + #""adb_clr_bg":"000000","adb_n_count":"1","adb_rem_txt":"R","adb_rem_sec":"9","#
        + #""adb_act":"[{\"label\":\"L\",\"uri\":\"https://a.example\",\"type\":\"WEBURL\"}]",\#(more)}}}"#)
  }

  static let rows = [
    Row(
      contract: "native", platform: .ios,
      payload: #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B","title-loc-key":"k","loc-key":"k","#
        + #""loc-args":["A"]},"sound":"s","thread-id":"t","category":"c","interruption-level":"active","#
        + #""mutable-content":1},"fcm_options":{"image":"https://a.example/i.png"},"x":{"y":["z"]}}"#),
    Row(
      contract: "native", platform: .android,
      payload: #"{"message":{"notification":{"title":"T","body":"B","image":"i"},"data":{"k":"v"},"android":{"#
        + #""notification":{"title_loc_key":"k","body_loc_key":"k","body_loc_args":["A"],"icon":"i","color":"112233","#
        + #""sound":"s","tag":"t","channel_id":"c","click_action":"a","ticker":"t"},"#
        + #""fcm_options":{"analytics_label":"l"}}}}"#),
    Row(
      contract: "onesignal", platform: .ios,
      payload: #"{"aps":{"alert":{"title":"T","body":"B"},"mutable-content":1,"thread-id":"t","sound":"s"},"#
        + #""custom":{"i":"n","u":"https://a.example","a":{"k":"v"}},"att":{"id":"https://a.example/p.png"},"#
        + #""buttons":[{"i":"y","n":"Yes","p":"p"},{"i":"n","n":"No"}]}"#),
    Row(
      contract: "onesignal", platform: .android,
      payload:
        #"{"message":{"data":{"custom":"{\"i\":\"n\",\"u\":\"https://a.example\",\"a\":{\"k\":\"v\"}}","title":"T","#
        + #""alert":"B","grp":"g","grp_msg":"$[notif_count] new","o":"[{\"n\":\"Yes\",\"i\":\"y\",\"p\":\"p\"}]","#
        + #""bicon":"b","licon":"l","sicon":"s","collapse_key":"c","sound":"s","bgac":"FF112233","#
        + #""bg_img":"{\"img\":\"i\",\"tc\":\"FF112233\"}"}}}"#),
    Row(
      contract: "imkit", platform: .ios,
      payload: #"{"aps":{"alert":{"loc-key":"im_loc_text","loc-args":["Alice","Hello"],"body":"B"},"sound":"s"}}"#),
    Row(
      contract: "amba", platform: .ios,
      payload: #"{"aps":{"alert":{"title":"T","body":"B"}},"deep_link":"/home","campaign_id":"c"}"#),
    Row(
      contract: "powerauth", platform: .android,
      payload: #"{"message":{"data":{"k":"v"},"android":{"collapse_key":"c","notification":{"title":"T","tag":"t","#
        + #""body_loc_key":"k","body_loc_args":["A"]}}}}"#),
    Row(
      contract: "adobe", platform: .ios,
      payload: #"{"aps":{"alert":{"title":"T","body":"B"},"category":"AEPNotification","mutable-content":1},"#
        + #""adb_version":"1.0","adb_template_type":"car","adb_title_ex":"X","adb_body_ex":"E","adb_media":"https://a.example/m.png","#
        + #""adb_uri":"https://a.example","adb_clr_bg":"112233","#
        + #""adb_items":[{"img":"https://e.com/a","txt":"A","uri":"u"},{"img":"https://e.com/b"},{"img":"https://e.com/c"}]}"#
    ),
    adobe(
      #""adb_template_type":"timer","adb_tmr_dur":"9","adb_title_alt":"A","adb_body_alt":"B","adb_clr_tmr":"112233""#),
    adobe(#""adb_template_type":"car","adb_items":"\#(items)""#),
    adobe(
      #""adb_template_type":"cat","adb_cta_txt":"Buy","adb_cta_uri":"u","adb_cta_clr":"112233","adb_items":"\#(items)""#
    ),
    adobe(#""adb_template_type":"icon","adb_cancel_image":"x","adb_items":"\#(items)""#),
    adobe(#""adb_template_type":"input","adb_input_receiver":"R","adb_input_txt":"H","adb_feedback_txt":"F""#),
    adobe(
      #""adb_template_type":"rate","adb_rate_unselected_icon":"u","adb_rate_selected_icon":"s","#
        + #""adb_rate_act":"[{\"uri\":\"a\",\"type\":\"DEEPLINK\"},{\"type\":\"OPENAPP\"},{\"type\":\"DISMISS\"}]""#),
    adobe(
      #""_xdm":"{}","adb_liveupdate_data":"{\"notification_id\":\"n\",\"notification_channel_id\":\"c\",\"event_type\":\"end\","#
        + #"\"timestamp\":1799990000,\"title\":\"L\",\"body\":\"B\",\"small_icon\":\"i\",\"dismiss_after\":5}""#),
  ]

  private static let texts = [
    "<script>alert(1)</script>", #"" onload="x' y="#, "]]><x>&amp;&#60;", "</svg><svg onload=alert(1)>",
    "a\u{202E}gpj.exe\u{202C}\u{2067}", "a\u{1B}[31m\u{0}\r\nX: y\u{7F}", "\u{FFFE}\u{1FFFF}\u{FEFF}",
    "a" + String(repeating: "\u{301}", count: 10_000), String(repeating: "👨‍👩‍👧", count: 500),
    "%1$s %@ %n %99999999999$@ %", "@string/a", "javascript:alert(1)", String(repeating: "x", count: 20_000), "",
  ]

  /// What comes of hostile texts: each of the payload's texts in turn is one.
  @Test("are shown inert", arguments: rows)
  func fields(row: Row) throws {
    let payload = try JSON.parse(row.payload)
    let count = Self.count(payload)
    #expect(count > 3)
    var tables = AppTables(developmentLocale: LocaleTag("en"))
    tables.add(Array(#""k" = "%1$@ %";"#.utf8), path: "en.lproj/Localizable.strings")
    tables.add(Array(#"<resources><string name="k">%1$s</string></resources>"#.utf8), path: "res/values/strings.xml")
    for (index, text) in Self.texts.enumerated() {
      // Everywhere at once, and alone in every eighth place, so that each place is alone with some of them.
      for position in -1..<count where position < 0 || (position + index).isMultiple(of: 8) {
        var left = position < 0 ? Int.min / 2 : position
        let hostile = Self.replacing(payload, &left, by: text)
        let push = PreviewPush(
          platform: row.platform, payload: hostile, contract: ContractName(rawValue: row.contract), collapseID: text)
        let device = PreviewDevice(locales: ["ar"], appName: text, tables: position.isMultiple(of: 2) ? tables : nil)
        try look(at: push, on: device)
      }
    }
  }

  private func look(at push: PreviewPush, on device: PreviewDevice) throws {
    let preview = Preview(push, on: device)
    #expect(InertPicture.fault(in: preview.svg(PictureOptions(appearance: .dark))) == nil)
    #expect(preview.text.unicodeScalars.allSatisfy(Self.isInert))
    _ = try JSON.parse(JSON.minified(.object(preview.json)))
    var tray = Tray(platform: push.platform, device: device)
    _ = tray.receive(push, now: 1)
    #expect(InertPicture.fault(in: tray.svg()) == nil)
    let items = tray.items
    for button in items.flatMap({ $0.notification.buttons + $0.notification.targets }) {
      var pressed = tray
      let tap = pressed.press(button.id, on: 1, now: 2)
      #expect(tap != nil)
    }
    for item in items { _ = try JSON.parse(JSON.minified(.object(tray.tap(item.id, now: 2)?.json ?? [:]))) }
  }

  private static func isInert(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n"
      || scalar.value >= 0x20 && scalar.value != 0x7F && !(0x202A...0x202E).contains(scalar.value)
        && !(0x2066...0x2069).contains(scalar.value)
  }

  /// How many texts there are, those within JSON that is written as a text included.
  private static func count(_ value: JSONValue) -> Int {
    switch value {
    case .string(let text): return inner(text).map(count) ?? 1
    case .array(let values): return values.reduce(0) { $0 + count($1) }
    case .object(let object): return object.reduce(0) { $0 + count($1.value) }
    default: return 0
    }
  }

  private static func inner(_ text: String) -> JSONValue? {
    guard text.hasPrefix("[") || text.hasPrefix("{") else { return nil }
    return try? JSON.parse(text)
  }

  private static func replacing(_ value: JSONValue, _ left: inout Int, by text: String) -> JSONValue {
    switch value {
    case .string(let own):
      if let inner = inner(own) { return .string(JSON.minifiedText(replacing(inner, &left, by: text))) }
      left -= 1
      return .string(left == -1 || left < Int.min / 4 ? text : own)
    case .array(let values):
      var changed: [JSONValue] = []
      for value in values { changed.append(replacing(value, &left, by: text)) }
      return .array(changed)
    case .object(let object):
      var changed = JSONObject()
      for (key, value) in object { changed.append(key, replacing(value, &left, by: text)) }
      return .object(changed)
    default: return value
    }
  }
}
