import DevicePreview
import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

@Suite("Hostile texts")
struct HostileTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    /// What stands in the picture, escaped.
    let drawn: String
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "script", text: "<script>alert(1)</script>", drawn: "&lt;script&gt;alert(1)&lt;/script&gt;"),
    Row(name: "attribute", text: #"" onload="x' y="#, drawn: "&quot; onload=&quot;x&#39; y="),
    Row(name: "entity", text: "&amp;&#60;", drawn: "&amp;amp;&amp;#60;"),
    Row(name: "CDATA", text: "]]><x>", drawn: "]]&gt;&lt;x&gt;"),
    Row(name: "override", text: "a\u{202E}gpj.exe\u{202C}", drawn: "agpj.exe"),
    Row(name: "isolates without end", text: "a\u{2067}\u{2066}b", drawn: "ab"),
    Row(name: "controls", text: "a\u{1B}[31m\u{0}b\u{7F}", drawn: "a[31mb"),
    Row(name: "noncharacters", text: "a\u{FFFE}\u{1FFFF}b", drawn: "ab"),
    Row(
      name: "ten thousand marks", text: "a" + String(repeating: "\u{301}", count: 10_000),
      drawn: "a" + String(repeating: "\u{301}", count: InertText.marksMax)),
  ]

  @Test("stand in the picture as text and nothing else", arguments: rows)
  func pictures(row: Row) {
    for platform in Platform.allCases {
      let preview = Preview(Self.push(platform, row.text), on: PreviewDevice(appName: row.text))
      for appearance in Appearance.allCases {
        let svg = preview.svg(PictureOptions(appearance: appearance))
        #expect(svg.contains(">\(row.drawn)<"))
        #expect(!svg.contains("<script") && !svg.contains("href"))
        #expect(svg.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
      }
      #expect(preview.text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
      #expect(!preview.text.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) })
      #expect(preview.notification.title?.text == row.text)
    }
  }

  private static func push(_ platform: Platform, _ text: String) -> PreviewPush {
    let value = JSONValue.string(text)
    let payload: JSONValue =
      platform == .ios
      ? ["aps": ["alert": ["title": value, "subtitle": value, "body": value], "thread-id": value]]
      : ["message": ["notification": ["title": value, "body": value, "image": value]]]
    return PreviewPush(platform: platform, payload: payload, contract: .native)
  }

  @Test("whatever the payload is, there is a preview", arguments: 0..<400)
  func anything(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let payload = Self.value(&random, depth: 0)
    for platform in Platform.allCases {
      for contract in [nil, "adobe", "onesignal", "imkit", "amba", "powerauth", "native", "nobody"] {
        let push = PreviewPush(
          platform: platform, payload: payload, contract: contract.map { .init(rawValue: $0) })
        let locale = ["ar", "", "zh-Hant", "-"][Int.random(in: 0..<4, using: &random)]
        let preview = Preview(push, on: PreviewDevice(locales: [locale]))
        #expect(preview.svg().hasSuffix("</svg>\n"))
        #expect(!preview.text.isEmpty)
        var tray = Tray(platform: platform)
        for _ in 0..<3 { _ = tray.receive(push, now: 10) }
        for item in tray.items { _ = tray.tap(item.id, now: 11) }
        #expect(tray.svg(.dark).hasSuffix("</svg>\n"))
      }
    }
  }

  private static let names = [
    "aps", "alert", "title", "body", "badge", "sound", "loc-key", "loc-args", "message", "data", "notification",
    "android", "custom", "i", "a", "u", "m", "o", "n", "buttons", "os_data", "att", "adb_title", "adb_body",
    "adb_version", "adb_act", "adb_items", "adb_rem_ts", "adb_clr_bg", "adb_tag", "grp", "badge_inc", "body_loc_key",
    "body_loc_args", "category", "mutable-content", "thread-id", "image", "tag", "ttl", "google.ttl",
  ]
  private static let texts = [
    "", "a", "%1$@", "🎉👨‍👩‍👧", "مرحبا", "#fff", "AEPNotification", "9223372036854775807", "-1",
    "[{\"label\":\"x\",\"type\":\"WEBURL\"}]",
    "{\"i\":\"x\",\"a\":{}}", "im_loc_text", "basic", "true", "\u{202E}", "\u{301}", "https://a.example/x.png",
  ]

  private static func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 5 ? 4 : 8), using: &random) {
    case 0: return .string(texts[Int.random(in: 0..<texts.count, using: &random)])
    case 1: return .number(JSONNumber([0, 1, -5, Int.max, Int.min][Int.random(in: 0..<5, using: &random)]))
    case 2: return .bool(Bool.random(using: &random))
    case 3: return .null
    case 4:
      let count = Int.random(in: 0..<4, using: &random)
      return .array((0..<count).map { _ in value(&random, depth: depth + 1) })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0..<8, using: &random) {
        object[names[Int.random(in: 0..<names.count, using: &random)]] = value(&random, depth: depth + 1)
      }
      return .object(object)
    }
  }
}
