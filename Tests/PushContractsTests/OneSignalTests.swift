import PushContracts
import PushPayload
import Testing
import WireJSON

/// What only the typed door to OneSignal offers; the vectors hold the payloads.
@Suite struct OneSignalTests {
  static func ios(_ text: String, requestID: String? = nil) throws -> OneSignal.Notification {
    try OneSignal.read(ios: Array(text.utf8), requestID: requestID).message
  }

  static func android(_ text: String, now: Int? = nil) throws -> OneSignal.Notification {
    try OneSignal.read(android: Array(text.utf8), now: now).message
  }

  @Test func writesAndReads() throws {
    var message = OneSignal.Message(title: "Sale", body: "20% off all items!")
    message.notificationID = "n-1"
    message.url = "https://shop.example/sale"
    message.data = ["promo_code": "SPRING20"]
    message.buttons = [OneSignal.Button(id: "like", text: "Like")]
    let rendering = OneSignal.contract.render(message, context: WriteContext())
    let payload = try #require(rendering.apns?.payload)
    let notification = try OneSignal.read(ios: payload).message
    #expect(notification.title == "Sale")
    #expect(notification.launchURL == "https://shop.example/sale")
    #expect(notification.additionalData == ["promo_code": "SPRING20"])
    #expect(notification.actionButtons == [OneSignal.ActionButton(id: "like", text: "Like")])
    let received = try OneSignal.read(android: try #require(rendering.fcm?.body)).message
    #expect(received.notificationID == "n-1")
    #expect(received.additionalData == notification.additionalData)
    #expect(received.actionButtons == notification.actionButtons)
  }

  @Test func readerIsUsedAgain() throws {
    var reader = OneSignal.Reader()
    let first = try reader.read(ios: Array(#"{"aps":{"alert":"a","badge":"x"},"custom":{"i":"1"}}"#.utf8))
    let second = try reader.read(ios: Array(#"{"aps":{"alert":"b"},"custom":{"i":"2"}}"#.utf8))
    #expect(first.message.body == "a")
    #expect(first.report.rules == ["key-type"])
    #expect(second.message.notificationID == "2")
    #expect(second.report.isEmpty)
    #expect(throws: JSONError.self) { try reader.read(ios: Array("{".utf8)) }
    var notification = OneSignal.Notification()
    var report = Report()
    try reader.read(ios: Array(#"{"aps":{"badge":"x"},"custom":{"i":"3"}}"#.utf8), into: &notification, report: &report)
    #expect(notification.notificationID == "3")
    #expect(report.rules == ["key-type"])
    #expect(throws: JSONError.self) { try reader.read(ios: [], into: &notification, report: &report) }
    #expect(notification.notificationID == "3")
  }

  /// The bytes and the parsed payload go through the same reader.
  @Test(arguments: Vector.all.filter { $0.path.hasPrefix("onesignal/") && $0.json["raw"] != nil })
  func bytesAndValuesReadTheSame(_ vector: Vector) throws {
    guard let raw = vector.json["raw"], vector.json["platform"]?.string == "ios" else { return }
    #expect(try OneSignal.read(ios: JSON.minified(raw)).message == OneSignal.read(ios: raw).message)
  }

  // MARK: Collapse id in the service extension

  @Test func requestIDIsTheCollapseID() throws {
    for text in [
      #"{"aps":{"alert":"a"},"custom":{"i":"1","collapse_id":"old"}}"#, #"{"aps":{"alert":"a"},"os_data":{"i":"1"}}"#,
    ] {
      #expect(try Self.ios(text, requestID: "r-1").collapseID == "r-1")
      #expect(OneSignal.read(ios: try JSON.parse(text), requestID: "r-1").message.collapseID == "r-1")
    }
  }

  // MARK: Badge arithmetic

  /// Increment and absolute number of the payload, the counter before, the counter after.
  static let badges: [(payload: String, before: Int, after: Int)] = [
    (#"{"aps":{},"custom":{"i":"1"}}"#, 4, 4),
    (#"{"aps":{"badge":7},"custom":{"i":"1"}}"#, 4, 7),
    (#"{"aps":{"badge":0},"custom":{"i":"1"}}"#, 4, 0),
    (#"{"aps":{},"custom":{"i":"1","badge_inc":2}}"#, 4, 6),
    (#"{"aps":{},"custom":{"i":"1","badge_inc":-2}}"#, 4, 2),
    (#"{"aps":{},"custom":{"i":"1","badge_inc":-9}}"#, 4, 0),
    (#"{"aps":{"badge":7},"custom":{"i":"1","badge_inc":1}}"#, 4, 5),
    (#"{"aps":{"badge":7},"custom":{"i":"1","badge_inc":0}}"#, 4, 7),
    (#"{"aps":{},"custom":{"i":"1"},"m":"x","b":7}"#, 4, 7),
  ]

  @Test(arguments: badges.indices)
  func badgeArithmetic(_ index: Int) throws {
    let row = Self.badges[index]
    #expect(try Self.ios(row.payload).badge(after: row.before) == row.after)
  }

  // MARK: Which pushes are OneSignal's

  @Test func filter() throws {
    let ours: [(String, Platform)] = [
      (#"{"custom":{"i":"1"}}"#, .ios), (#"{"os_data":{"i":"1"}}"#, .ios),
      (#"{"custom":"{\"i\":\"1\"}"}"#, .android), (#"{"message":{"data":{"custom":"{\"i\":\"1\"}"}}}"#, .android),
    ]
    let foreign: [(String, Platform)] = [
      (#"{"custom":{"a":{}}}"#, .ios), (#"{"os_data":"x"}"#, .ios), (#"{"aps":{}}"#, .ios), ("[]", .ios),
      (#"{"custom":"{\"a\":{}}"}"#, .android), (#"{"custom":"x"}"#, .android), (#"{"screen":"home"}"#, .android),
    ]
    for (text, platform) in ours { #expect(OneSignal.isOneSignal(try JSON.parse(text), platform: platform), "\(text)") }
    for (text, platform) in foreign {
      #expect(!OneSignal.isOneSignal(try JSON.parse(text), platform: platform), "\(text)")
    }
  }

  @Test func recognitionSaysWhy() throws {
    let reasons: [(String, Platform, String)] = [
      (#"{"custom":{"i":"1"}}"#, .ios, "custom.i holds OneSignal's notification id"),
      (#"{"os_data":{"i":"1"}}"#, .ios, "os_data.i holds OneSignal's notification id"),
      (
        #"{"custom":"{\"i\":\"1\"}"}"#, .android,
        "data.custom is JSON text with OneSignal's notification id at i"
      ),
    ]
    for (text, platform, reason) in reasons {
      let recognition = Contracts.recognize(platform: platform, payload: try JSON.parse(text))
      #expect(recognition == Recognition(contract: .onesignal, reason: reason))
    }
  }

  // MARK: Actions

  @Test func tapIsOpenedOrAnAction() throws {
    let opened = try Self.ios(#"{"aps":{},"custom":{"i":"1"}}"#).action
    #expect(opened == OneSignal.NotificationAction())
    #expect(opened.type == .opened)
    let taken = try Self.ios(#"{"aps":{},"custom":{"i":"1","a":{"actionSelected":"like"}}}"#).action
    #expect(taken == OneSignal.NotificationAction(actionID: "like"))
    #expect(taken.type == .actionTaken)
    let custom = #""custom":"{\"i\":\"1\",\"a\":{\"actionId\":\"__DEFAULT__\"}}""#
    #expect(try Self.android("{\(custom)}").action.type == .opened)
    #expect(try Self.android("{\(custom),\"actionId\":\"x\"}").action.actionID == "x")
  }

  // MARK: iOS

  @Test func dynamicCategory() throws {
    let two = #"{"aps":{},"custom":{"i":"n-1"},"buttons":[{"n":"A"},{"n":"B"}]}"#
    let notification = try Self.ios(two)
    #expect(notification.dynamicCategory == "__onesignal__dynamic__n-1")
    #expect(notification.registeredButtons.map(\.text) == ["B", "A"])
    let three = try Self.ios(#"{"aps":{},"custom":{"i":"1"},"buttons":[{"n":"A"},{"n":"B"},{"n":"C"}]}"#)
    #expect(three.registeredButtons.map(\.text) == ["A", "B", "C"])
    let own = try Self.ios(#"{"aps":{"category":"c"},"custom":{"i":"1"},"buttons":[{"n":"A"}]}"#)
    #expect(own.dynamicCategory == nil)
    #expect(try Self.ios(#"{"aps":{},"custom":{"i":"1"}}"#).dynamicCategory == nil)
  }

  /// Source, MIME type of the answer, extension.
  static let attachments: [(source: String, mime: String?, found: String?)] = [
    ("https://a.example/x.png", nil, "png"), ("https://a.example/x?filename=y.gif&z=a.jpg", "image/png", "gif"),
    ("https://a.example/x?z=a.jpg", "image/png", "png"), ("https://a.example/x?z=a.JPG", nil, "jpg"),
    ("https://a.example/x.mp4?z=a.jpg", nil, "mp4"), ("https://a.example/x", nil, nil),
    ("https://a.example/x.exe", "text/html", nil), ("local.caf", nil, nil), ("local.wav", nil, "wav"),
  ]

  @Test(arguments: attachments.indices)
  func attachmentExtension(_ index: Int) {
    let row = Self.attachments[index]
    let attachment = OneSignal.Attachment(id: "1", source: row.source)
    #expect(attachment.fileExtension(mimeType: row.mime) == row.found)
    #expect(attachment.isRemote == row.source.hasPrefix("https://"))
  }

  @Test func attachmentsKeepTheirOrder() throws {
    let notification = try Self.ios(#"{"aps":{},"custom":{"i":"1"},"att":{"b":"HTTP://x","a":"y.png","c":3}}"#)
    #expect(
      notification.attachmentSources == [
        OneSignal.Attachment(id: "b", source: "HTTP://x"), OneSignal.Attachment(id: "a", source: "y.png"),
      ])
    #expect(notification.attachmentSources.map(\.isRemote) == [true, false])
  }

  @Test func reportsToOneSignal() throws {
    let notification = try Self.ios(#"{"aps":{},"custom":{"i":"n-1"}}"#)
    #expect(notification.deliveryReportPath == "notifications/n-1/report_received")
    #expect(notification.openReportPath == "notifications/n-1")
    let preview = try Self.ios(
      #"{"aps":{},"custom":{"i":"n-1","a":{"os_in_app_message_preview_id":"p-1"}}}"#)
    #expect(preview.inAppMessagePreviewID == "p-1")
    #expect(preview.openReportPath == nil)
    let body = OneSignal.Notification.openReport(appID: "a-1", playerID: "p-1")
    #expect(JSON.minifiedText(.object(body)) == #"{"app_id":"a-1","player_id":"p-1","opened":true}"#)
  }

  // MARK: Android

  @Test func timesFallBackToTheClock() throws {
    let notification = try Self.android(#"{"custom":"{\"i\":\"1\"}","alert":"a"}"#, now: 1_763_600_000)
    #expect(notification.android?.sentTime == 1_763_600_000)
    #expect(notification.android?.ttl == 259_200)
    // The SDK shows it while the time it was sent plus ttl is later than now.
    #expect(notification.displayRefusal(now: 1_763_600_000 + 259_199) == nil)
    #expect(notification.displayRefusal(now: 1_763_600_000 + 259_200) == .expired)
    #expect(notification.displayRefusal(now: nil) == nil)
    #expect(notification.displayRefusal(now: nil, isKnown: { $0 == "1" }) == .duplicate)
    #expect(try Self.android(#"{"custom":"{\"i\":\"1\"}"}"#).displayRefusal(now: nil) == .nothingToShow)
    #expect(try Self.android(#"{"custom":"{\"i\":\"1\"}","alert":""}"#).displayRefusal(now: nil) == .nothingToShow)
  }

  @Test func collapseIDReplaces() throws {
    let first = try Self.android(#"{"custom":"{\"i\":\"1\"}","alert":"a","collapse_key":"k"}"#)
    let second = try Self.android(#"{"custom":"{\"i\":\"2\"}","alert":"b","collapse_key":"k"}"#)
    let third = try Self.android(#"{"custom":"{\"i\":\"3\"}","alert":"c","collapse_key":"do_not_collapse"}"#)
    #expect(second.replaces(first))
    #expect(!third.replaces(first))
    #expect(!third.replaces(third))
  }

  @Test func urgencyOnTheDevice() throws {
    for (text, isHigh) in [("8", false), ("9", true), ("10", true)] {
      let notification = try Self.android(#"{"custom":"{\"i\":\"1\"}","pri":"\#(text)"}"#)
      #expect(notification.android?.isScheduledAsHigh == isHigh)
    }
  }

  @Test func summaryOfAGroup() throws {
    let one = try Self.android(
      #"{"custom":"{\"i\":\"1\"}","alert":"a","grp":"orders","grp_msg":"$[notif_count] new, really $[notif_count]"}"#)
    let summary = try #require(OneSignal.summary(of: [one, one]))
    #expect(summary.body == "2 new, really 2")
    #expect(summary.android?.groupKey == "orders")
    #expect(summary.android?.groupMessage == "$[notif_count] new, really $[notif_count]")
    #expect(summary.android?.groupedNotifications == [one, one])
    #expect(summary.json["groupedNotifications"]?.array?.count == 2)
    let loose = try Self.android(#"{"custom":"{\"i\":\"1\"}","alert":"a"}"#)
    #expect(OneSignal.summary(of: [loose, loose, loose]) == nil)
    #expect(OneSignal.summary(of: [loose, loose, loose, loose])?.android?.groupKey == "os_group_undefined")
    #expect(OneSignal.summary(of: []) == nil)
  }

  // MARK: Tokens

  static let tokens: [(token: String, platform: Platform, rules: [String])] = [
    (String(repeating: "0f", count: 32), .ios, []),
    (String(repeating: "0f", count: 40), .ios, ["onesignal-token-length"]),
    (String(repeating: "0F", count: 32), .ios, ["onesignal-token-case"]),
    ("xyz", .ios, ["onesignal-token-hex"]), ("", .ios, ["onesignal-token-hex"]),
    (String(repeating: "aB0-:_", count: 27) + "z", .android, []),
    ("abc", .android, ["onesignal-token-length"]), ("a b", .android, ["onesignal-token-characters"]),
    ("", .android, ["onesignal-token-characters"]),
  ]

  @Test(arguments: tokens.indices)
  func tokenFormats(_ index: Int) {
    let row = Self.tokens[index]
    var report = Report()
    OneSignal.checkToken(row.token, platform: row.platform, report: &report)
    #expect(report.rules == row.rules)
    for finding in report.findings where row.token.utf8.count > 3 { #expect(!finding.message.contains(row.token)) }
  }

  @Test func tokenText() {
    #expect(OneSignal.tokenText([0x00, 0x0F, 0xA9, 0xFF]) == "000fa9ff")
  }

  // MARK: Diff

  @Test func textsChangeTheirFormBetweenContracts() {
    let there = Contracts.diff(.native, .onesignal, message: ["title": "t", "body": "b"])
    #expect(JSON.minifiedText(.object(there.message)) == #"{"headings":{"en":"t"},"contents":{"en":"b"}}"#)
    #expect(there.fcm.contains { $0.path == "message.data.custom.i" })
    let back = Contracts.diff(
      .onesignal, .native, message: ["contents": ["en": "b", "de": "B"]], context: WriteContext(language: "de"))
    #expect(JSON.minifiedText(.object(back.message)) == #"{"body":"B"}"#)
  }

  @Test func writesIntoAReusedBuffer() {
    let message = OneSignal.Message(title: "t", body: "b")
    var writer = JSONWriter()
    var report = Report()
    for _ in 0..<2 {
      #expect(OneSignal.contract.writeAPNs(message, context: WriteContext(), into: &writer, report: &report))
    }
    #expect(
      writer.text == #"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1},"#
        + #""custom":{"i":"00000000-0000-0000-0000-000000000000"}}"#)
  }
}
