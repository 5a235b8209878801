import DevicePreview
import PushContracts
import PushPayload
import Testing
import WireJSON

/// The layouts of Adobe's templates, and what becomes of them when time passes and people answer.
@Suite struct TemplateTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var platform = Platform.android
    var age = 0
    let members: JSONObject
    /// The texts of the collapsed notification, then the layout as JSON.
    let texts: String
    let layout: String
    var targets = ""
    var testDescription: String { name }
  }

  private static let items =
    #"[{"img":"https://e.com/a.png","txt":"A","title":"TA","body":"BA","price":"1","uri":"app://a"},{"img":"https://e.com/b.png"},"#
    + #"{"img":"https://e.com/c.png","uri":"https://c.example"}]"#
  private static let products =
    #"[{"img":"https://e.com/a.png","title":"TA","body":"BA","price":"1","uri":"app://a"},"#
    + #"{"img":"https://e.com/b.png","title":"TB","body":"BB","price":"2","uri":""},"#
    + #"{"img":"https://e.com/c.png","title":"TC","body":"BC","price":"3","uri":"https://c.example"}]"#
  private static let icons =
    #"[{"img":"a","uri":"app://a","type":"DEEPLINK"},{"img":"b","type":"DISMISS"},"#
    + #"{"img":"c","uri":"https://c","type":"WEBURL"}]"#
  private static let nativeItems: JSONValue = [
    ["img": "https://e.com/a.png", "txt": "A"], ["img": "https://e.com/b.png"], ["img": "https://e.com/c.png"],
  ]
  private static let timer: JSONObject = [
    "adb_template_type": "timer", "adb_tmr_dur": "60", "adb_title_alt": "Over", "adb_body_alt": "Too late",
    "adb_image_alt": "late.png", "adb_clr_tmr": "FF0000", "adb_tag": "sale",
  ]
  private static let rating: JSONObject = [
    "adb_template_type": "rate", "adb_rate_unselected_icon": "star", "adb_rate_selected_icon": "full",
    "adb_rate_act":
      #"[{"uri":"app://1","type":"DEEPLINK"},{"type":"DISMISS"},{"uri":"https://3.example","type":"WEBURL"}]"#,
  ]
  private static let input: JSONObject = [
    "adb_template_type": "input", "adb_input_receiver": "R", "adb_feedback_txt": "Thanks",
    "adb_feedback_img": "https://e.com/t.png",
  ]

  static let rows = [
    Row(
      name: "a timer runs", age: 59, members: timer, texts: "T|B",
      layout: ##"{"timer":{"ended":false,"seconds_left":1,"color":"#FF0000"}}"##),
    Row(
      name: "Android's timer has its last second", age: 60, members: timer, texts: "T|B",
      layout: ##"{"timer":{"ended":false,"seconds_left":0,"color":"#FF0000"}}"##),
    Row(
      name: "an ended timer shows its other texts", age: 61, members: timer, texts: "Over|Too late",
      layout: ##"{"timer":{"ended":true,"seconds_left":0,"color":"#FF0000"}}"##),
    Row(
      name: "a timer that ended before the push came is not drawn",
      members: [
        "adb_template_type": "timer", "adb_tmr_end": "99", "adb_title_alt": "Over", "adb_tag": "sale",
      ], texts: "T|B", layout: ""),
    Row(
      name: "a timer whose time ends after the push came", age: 2,
      members: [
        "adb_template_type": "timer", "adb_tmr_end": "101", "adb_title_alt": "Over", "adb_tag": "sale",
      ], texts: "Over|", layout: #"{"timer":{"ended":true,"seconds_left":0}}"#),
    Row(
      name: "without a tag the running timer stays", age: 61,
      members: ["adb_template_type": "timer", "adb_tmr_dur": "60", "adb_title_alt": "Over"], texts: "T|B",
      layout: #"{"timer":{"ended":false,"seconds_left":0}}"#),
    Row(
      name: "on iOS only what is expanded changes", platform: .ios, age: 60, members: timer, texts: "T|B",
      layout: ##"{"timer":{"ended":true,"seconds_left":0,"color":"#FF0000"}}"##),
    Row(
      name: "a carousel",
      members: ["adb_template_type": "car", "adb_car_layout": "default", "adb_items": .string(items)], texts: "T|B",
      layout:
        #"{"carousel":{"filmstrip":false,"moves_by_itself":true,"items":[{"image":"https://e.com/a.png","title":"A","#
        + #""link":"app://a"},{"image":"https://e.com/b.png"},{"image":"https://e.com/c.png","link":"https://c.example"}]}}"#,
      targets: "item-1 deep-link app://a, item-2 open-app, item-3 web https://c.example"),
    Row(
      name: "a carousel on iOS", platform: .ios,
      members: [
        "adb_template_type": "car", "adb_items": nativeItems, "adb_car_layout": "filmstrip", "adb_car_mode": "manual",
      ], texts: "T|B",
      layout:
        #"{"carousel":{"filmstrip":true,"moves_by_itself":false,"items":[{"image":"https://e.com/a.png","title":"A"},"#
        + #"{"image":"https://e.com/b.png"},{"image":"https://e.com/c.png"}]}}"#,
      targets: "item-1 open-app, item-2 open-app, item-3 open-app"),
    Row(
      name: "two pictures are no carousel",
      members: [
        "adb_template_type": "car", "adb_items": #"[{"img":"https://e.com/a.png"},{"img":"https://e.com/b.png"}]"#,
      ], texts: "T|B",
      layout: ""),
    Row(
      name: "a field to answer in", members: input, texts: "T|B",
      layout: #"{"input":{"hint":"Reply","feedback_text":"Thanks","feedback_image":"https://e.com/t.png"}}"#,
      targets: "reply reply"),
    Row(
      name: "a field is Android's", platform: .ios, members: input, texts: "T|B", layout: ""),
    Row(
      name: "from edge to edge", members: ["adb_template_type": "zb", "adb_col_style": "txt"], texts: "T|B",
      layout: #"{"zero_bezel":{"collapsed_picture":false}}"#),
    Row(
      name: "ratings", members: rating, texts: "T|B",
      layout: #"{"rating":{"icon":"star","selected_icon":"full","count":3}}"#,
      targets: "rating-1 deep-link app://1, rating-2 dismiss, rating-3 web https://3.example"),
    Row(
      name: "products",
      members: [
        "adb_template_type": "cat", "adb_items": .string(products), "adb_display": "vertical", "adb_cta_txt": "Buy",
        "adb_cta_uri": "https://buy.example", "adb_cta_clr": "000000", "adb_cta_txt_clr": "FFFFFF",
      ], texts: "T|B",
      layout:
        #"{"catalog":{"vertical":true,"items":[{"image":"https://e.com/a.png","title":"TA","body":"BA","price":"1","#
        + #""link":"app://a"},{"image":"https://e.com/b.png","title":"TB","body":"BB","price":"2","link":""},"#
        + #"{"image":"https://e.com/c.png","title":"TC","body":"BC","price":"3","link":"https://c.example"}],"button":"Buy"}}"#,
      targets: "item-1 deep-link app://a, item-2 open-app, item-3 web https://c.example, button web https://buy.example"
    ),
    Row(
      name: "an incomplete catalog is not shown",
      members: ["adb_template_type": "cat", "adb_items": .string(products)], texts: "T|B", layout: ""),
    Row(
      name: "one picture is a carousel on iOS", platform: .ios,
      members: ["adb_template_type": "car", "adb_items": [["img": "https://e.com/a.png"], ["txt": "B"]]], texts: "T|B",
      layout: #"{"carousel":{"filmstrip":false,"moves_by_itself":true,"items":[{"image":"https://e.com/a.png"}]}}"#,
      targets: "item-1 open-app"),
    Row(
      name: "a timer on iOS without its title after the end", platform: .ios,
      members: ["adb_template_type": "timer", "adb_tmr_dur": "60"], texts: "T|B", layout: ""),
    Row(
      name: "icons instead of texts", members: ["adb_template_type": "icon", "adb_items": .string(icons)], texts: "|",
      layout: #"{"icons":{"items":[{"image":"a","link":"app://a"},{"image":"b"},{"image":"c","link":"https://c"}],"#
        + #""cancel":"cross"}}"#,
      targets: "item-1 deep-link app://a, item-2 dismiss, item-3 web https://c, cancel dismiss"),
  ]

  /// The template that is drawn, and the one that is asked for where it is another.
  @Test(
    arguments: [
      (Platform.android, ["adb_template_type": "zb"], "zb"), (.android, ["adb_template_type": "basic"], "basic"),
      (.android, [:], ""),
      (.android, ["adb_template_type": "new"], " instead of new"),
      (.android, carousel(#"[{"img":"https://e.com/a.png"},{"img":"https://e.com/b.png"}]"#), "basic instead of car"),
      (.android, carousel(items), "car"),
      // Without a time the timer has ended when it arrives, and nothing is drawn.
      (.android, ["adb_template_type": "timer", "adb_title_alt": "Over"], ""),
      (.ios, ["adb_template_type": "zb"], " instead of zb"), (.ios, timer, "timer"),
      (.ios, ["adb_template_type": "timer", "adb_tmr_dur": "60"], " instead of timer"),
      (.ios, ["adb_template_type": "basic"], "basic"), (.ios, [:], ""),
      (.ios, ["aps": ["alert": "Hi"], "adb_template_type": "car"], " instead of car"),
    ] as [(Platform, JSONObject, String)])
  func theDrawnTemplateIsNamed(_ platform: Platform, _ members: JSONObject, _ expected: String) {
    let json = Preview(Self.push(platform, members)).json
    let asked = json["asked_template"]?.string.map { " instead of \($0)" }
    #expect((json["template"]?.string ?? "") + (asked ?? "") == expected, "\(json)")
  }

  @Test(
    arguments: [
      (Platform.android, ["adb_template_type": "basic"], ""), (.android, ["adb_template_type": "zb"], ""),
      (.android, timer, ""), (.android, carousel(items), ""), (.android, rating, ""), (.android, input, ""),
      (.android, ["adb_template_type": "basic", "adb_body_ex": "X"], "X"), (.android, [:], "B"),
      (.ios, ["adb_template_type": "basic"], "B"), (.ios, ["adb_template_type": "basic", "adb_body_ex": "X"], "X"),
    ] as [(Platform, JSONObject, String)])
  func anExpandedNotificationHasItsOwnText(_ platform: Platform, _ members: JSONObject, _ expected: String) {
    let shown = Preview(Self.push(platform, members)).notification
    #expect(shown.body?.text == "B" && shown.bodyWhenExpanded?.text == expected)
  }

  /// The layouts of a running timer have no view for its large icon and its background; those after the end do.
  @Test func aTimerHasItsLooksAfterTheEnd() {
    let members: JSONObject = [
      "adb_template_type": "timer", "adb_tmr_dur": "60", "adb_title_alt": "Over", "adb_tag": "sale",
      "adb_large_icon": "https://e.com/l.png", "adb_clr_bg": "112233",
    ]
    var device = PreviewDevice()
    for (age, icon) in [(0, nil), (61, "https://e.com/l.png")] {
      device.age = age
      let shown = Preview(Self.push(.android, members), on: device).notification
      #expect(shown.largeIcon == icon && (shown.backgroundColor != nil) == (icon != nil), "after \(age) seconds")
    }
  }

  /// A collapsed zero bezel has no view for the background, an expanded one has.
  @Test func aBackgroundIsNotBehindACollapsedZeroBezel() {
    let counts = ["zb", "basic"].map { template in
      let push = Self.push(.android, ["adb_template_type": .string(template), "adb_clr_bg": "112233"])
      return Preview(push).svg().ranges(of: "#112233").count
    }
    #expect(counts[0] > 0 && counts[0] < counts[1], "\(counts)")
  }

  private static func carousel(_ items: String) -> JSONObject {
    ["adb_template_type": "car", "adb_car_layout": "default", "adb_items": .string(items)]
  }

  private static func push(_ platform: Platform, _ more: JSONObject) -> PreviewPush {
    var members: JSONObject = ["adb_version": "1"]
    if platform == .android {
      members.append("adb_title", "T")
      members.append("adb_body", "B")
    } else {
      members.append(
        "aps", ["alert": ["title": "T", "body": "B"], "category": "AEPNotification", "mutable-content": 1])
    }
    for (key, value) in more { members[key] = value }
    let payload: JSONValue = platform == .ios ? .object(members) : ["message": ["data": .object(members)]]
    return PreviewPush(platform: platform, payload: payload, contract: .adobe)
  }

  @Test("layouts", arguments: rows)
  func layouts(row: Row) {
    var device = PreviewDevice()
    device.now = 100
    device.age = row.age
    let preview = Preview(Self.push(row.platform, row.members), on: device)
    let shown = preview.notification
    #expect("\(shown.title?.text ?? "")|\(shown.body?.text ?? "")" == row.texts)
    #expect(shown.layout.map { JSON.minifiedText(.object($0.json)) } ?? "" == row.layout)
    let targets = shown.targets.map { "\($0.id) \($0.effect.rawValue)" + ($0.link.map { " \($0)" } ?? "") }
    #expect(targets.joined(separator: ", ") == row.targets)
    for appearance in Appearance.allCases { #expect(preview.svg(PictureOptions(appearance: appearance)).count > 1000) }
  }

  @Test("when its timer ends a notification stays where it is and shows other texts")
  func timerInATray() {
    var tray = Tray(platform: .android)
    _ = tray.receive(Self.push(.android, Self.timer), now: 100)
    _ = tray.receive(Self.push(.android, [:]), now: 101)
    let early = tray.advance(to: 160)
    #expect(early == [])
    let late = tray.advance(to: 161)
    #expect(late == [TrayChange(.changed, item: 1, reason: "its timer ended")])
    #expect(tray.items.map { $0.notification.title?.text } == ["Over", "T"])
    let again = tray.advance(to: 1000)
    #expect(again == [])
  }

  @Test("a timer of a notification that is gone ends without a change")
  func timerOfNothing() {
    var tray = Tray(platform: .android)
    _ = tray.receive(Self.push(.android, Self.timer), now: 100)
    let isGone = tray.dismiss(1)
    let changes = tray.advance(to: 1000)
    #expect(isGone && changes == [] && tray.items.isEmpty)
  }

  @Test("an answer turns the notification into the sender's thanks, and without thanks it goes away")
  func answers() {
    var tray = Tray(platform: .android)
    _ = tray.receive(Self.push(.android, Self.input), now: 0)
    let first = tray.press("reply", on: 1, now: 1)
    #expect(first?.effect == .reply)
    #expect(tray.items.map { $0.notification.body?.text } == ["Thanks"])
    #expect(tray.items.first?.preview.text(on: .collapsed)?.body.lines == ["Thanks"])
    let second = tray.press("reply", on: 1, now: 2)
    #expect(second == nil)
    _ = tray.receive(Self.push(.android, ["adb_template_type": "input", "adb_input_receiver": "R"]), now: 3)
    _ = tray.press("reply", on: 2, now: 4)
    #expect(tray.items.map(\.id) == [1])
  }
}
