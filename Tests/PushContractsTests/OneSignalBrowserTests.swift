import PushPayload
import TestSupport
import Testing
import WireJSON

@testable import PushContracts

/// OneSignal's fields for browsers.
@Suite struct OneSignalBrowserTests {
  private static func notification(_ message: JSONValue) -> WebRendering {
    Contracts.renderWeb(.onesignal, message: message, context: WriteContext(), title: "App")
  }

  /// Source: OneSignal, “Create notification”: web_buttons, chrome_web_icon, chrome_web_image, chrome_web_badge, firefox_icon,
  /// web_push_topic, web_url.
  @Test("A browser gets what is said of browsers before what is said of phones") func own() throws {
    let phones: JSONObject = [
      "headings": ["en": "Sale"], "contents": ["en": "20% off"], "collapse_id": "c",
      "large_icon": "https://e.x/large.png", "big_picture": "https://e.x/big.png",
      "small_icon": "https://e.x/small.png",
      "buttons": [["id": "a", "text": "A"]], "url": "https://e.x/app",
    ]
    let first = Self.notification(.object(phones))
    #expect(first.collapse == "c" && first.notification?["icon"] == "https://e.x/large.png")
    #expect(first.notification?["actions"] == [["action": "a", "title": "A"]])
    var browsers = phones
    for (name, value) in [
      ("web_url", "https://e.x/web"), ("chrome_web_icon", "https://e.x/i.png"), ("firefox_icon", "https://e.x/f.png"),
      ("chrome_web_image", "https://e.x/p.png"), ("chrome_web_badge", "https://e.x/b.png"), ("web_push_topic", "sale"),
    ] { browsers[name] = .string(value) }
    browsers["web_buttons"] = [
      ["id": "buy", "text": "Buy", "url": "https://e.x/buy", "icon": "https://e.x/buy.png"]
    ]
    let second = Self.notification(.object(browsers))
    #expect(second.collapse == "sale")
    #expect(
      second.notification.map { JSONValue.object($0) } == [
        "title": "Sale", "body": "20% off", "icon": "https://e.x/i.png", "image": "https://e.x/p.png",
        "badge": "https://e.x/b.png", "tag": "sale", "navigate": "https://e.x/web",
        "actions": [
          ["action": "buy", "title": "Buy", "navigate": "https://e.x/buy", "icon": "https://e.x/buy.png"]
        ],
      ])
    let firefox = Self.notification([
      "headings": ["en": "S"], "contents": ["en": "B"], "firefox_icon": "https://e.x/f.png",
    ])
    #expect(firefox.notification?["icon"] == "https://e.x/f.png")
  }

  @Test("Neither phone gets them, and nothing is said of them") func phones() throws {
    let message: JSONValue = [
      "headings": ["en": "S"], "contents": ["en": "B"], "notification_id": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
      "web_buttons": [["id": "buy", "text": "Buy"]], "chrome_web_icon": "https://e.x/i.png", "huawei_category": "IM",
      "huawei_badge_set_num": 3, "huawei_group_message": ["en": "g"],
    ]
    let rendering = Contracts.render(.onesignal, message: message, context: WriteContext(topic: "a.b"))
    #expect(rendering.report.isEmpty, "\(rendering.report)")
    #expect(!String(decoding: rendering.json, as: UTF8.self).contains("buy"))
    let wrong: JSONValue = ["contents": ["en": "B"], "huawei_category": 3, "web_buttons": "x"]
    #expect(
      Contracts.render(.onesignal, message: wrong, context: WriteContext(topic: "a.b")).report.findings
        .filter { $0.rule == "field-type" }.map(\.field) == ["huawei_category", "web_buttons"])
  }
}
