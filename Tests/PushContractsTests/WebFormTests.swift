import PushPayload
import Testing
import WireJSON

@testable import PushContracts

/// Every contract's message as a browser's notification.
@Suite struct WebFormTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: ContractName
    let message: String
    /// The notification; nil when there is none.
    let notification: String?
    var ttl: Int64?
    var urgency: String? = "high"
    var collapse: String? = "c-1"
    /// Fields that the report says are not carried.
    var lost: [String] = []

    var testDescription: String { "\(contract): \(message)" }
  }

  static let rows: [Row] = [
    Row(
      contract: .amba, message: #"{"title":"T","body":"B","badge":3,"sound":"x","data":{"deep_link":"a://b"}}"#,
      notification:
        #"{"title":"T","body":"B","app_badge":3,"tag":"c-1","navigate":"a://b","data":{"deep_link":"a://b"}}"#,
      lost: ["sound"]),
    Row(
      contract: .native,
      message:
        #"{"title":"T","subtitle":"S","body":"B","image":"https://e.x/i.png","icon":"ic","collapse_id":"k","data":{"a":1}}"#,
      notification: #"{"title":"T","body":"B","image":"https://e.x/i.png","tag":"k","data":{"a":1}}"#, collapse: "k",
      lost: ["subtitle", "icon"]),
    Row(
      contract: .native,
      message: #"{"title":"T","fcm":{"webpush":{"headers":{"Urgency":"low","TTL":"60","Topic":"t"},"#
        + #""notification":{"renotify":true,"title":"W"},"fcm_options":{"link":"https://e.x/"}}}}"#,
      notification: #"{"title":"W","tag":"c-1","renotify":true,"navigate":"https://e.x/"}"#, ttl: 60, urgency: "low",
      collapse: "t"),
    Row(
      contract: .native, message: #"{"body_loc_key":"k","body_loc_args":["a"]}"#,
      notification: #"{"title":"App","tag":"c-1","body_loc":{"key":"k","args":["a"]}}"#),
    Row(contract: .native, message: #"{"data":{"a":"b"}}"#, notification: nil, urgency: "normal"),
    Row(
      contract: .imkit,
      message: #"{"messageType":"text","sender":"Ann","content":"Hi","body":"Ann: Hi","timeToLive":60,"room":"r"}"#,
      notification:
        #"{"title":"App","body":"Ann: Hi","tag":"c-1","body_loc":{"key":"im_loc_text","args":["Ann","Hi"]}}"#,
      ttl: 60),
    Row(
      contract: .powerauth,
      message: #"{"title":"T","body":"B","badge":1,"collapseKey":"k","extras":{"id":7},"priority":"NORMAL"}"#,
      notification: #"{"title":"T","body":"B","app_badge":1,"tag":"k","data":{"id":7}}"#, urgency: "normal",
      collapse: "k"),
    Row(
      contract: .powerauth, message: #"{"body":"B","silent":true,"extras":{"id":7}}"#, notification: nil,
      urgency: "normal"),
    Row(
      contract: .adobe,
      message: #"{"adb_title":"T","adb_body":"B","adb_image":"https://e.x/i.png","adb_uri":"https://e.x/","#
        + #""adb_a_type":"WEBURL","adb_tag":"24","adb_act":[{"label":"Yes","uri":"https://e.x/y","type":"WEBURL"}]}"#,
      notification: #"{"title":"T","body":"B","image":"https://e.x/i.png","tag":"24","navigate":"https://e.x/","#
        + #""actions":[{"action":"0","title":"Yes","navigate":"https://e.x/y"}]}"#, collapse: "24"),
    Row(
      contract: .onesignal,
      message:
        #"{"headings":{"en":"T","de":"D"},"contents":{"en":"B"},"url":"https://e.x/u","web_url":"https://e.x/w","#
        + #""global_image":"https://e.x/g.png","large_icon":"https://e.x/l.png","collapse_id":"k","ttl":30,"#
        + #""buttons":[{"id":"like","text":"Like","icon":"ic"}],"data":{"a":"b"}}"#,
      notification: #"{"title":"T","body":"B","icon":"https://e.x/l.png","image":"https://e.x/g.png","tag":"k","#
        + #""navigate":"https://e.x/w","actions":[{"action":"like","title":"Like"}],"data":{"a":"b"}}"#, ttl: 30,
      collapse: "k"),
  ]

  @Test(arguments: rows) func eachContractHasAForm(row: Row) throws {
    let context = WriteContext(campaign: "c-1", now: 1_800_000_000)
    let found = Contracts.renderWeb(row.contract, message: try JSON.parse(row.message), context: context, title: "App")
    #expect(!found.report.hasErrors, "\(found.report)")
    #expect(found.notification.map { JSON.minifiedText(.object($0)) } == row.notification)
    #expect((found.nothing == nil) == (row.notification != nil))
    #expect(found.urgency == row.urgency && found.collapse == row.collapse)
    if let ttl = row.ttl { #expect(found.ttl == ttl) }
    let lost = found.report.findings.filter { $0.rule == "field-not-carried" }.map(\.field)
    #expect(Set(row.lost).isSubset(of: lost), "\(lost)")
  }

  @Test("What is wrong with a message is said for browsers too") func errors() throws {
    let found = Contracts.renderWeb(.amba, message: ["title": "T"], context: WriteContext(), title: "App")
    #expect(found.notification == nil && found.report.findings.map(\.rule) == ["field-missing"])
    let unknown = Contracts.renderWeb(
      ContractName(rawValue: "nobody"), message: [:], context: WriteContext(), title: "App")
    #expect(unknown.report.findings.map(\.rule) == ["contract-unknown"])
  }

  @Test("The table of each contract says where its texts are for browsers", arguments: Contracts.names)
  func tables(contract: ContractName) throws {
    let markdown = try #require(Contracts.mappingTable(contract)).markdown
    #expect(markdown.contains("| `title` |") && markdown.contains("| `body` |"))
  }

  /// Source: IMKit, “Localization Key Reference”; a declarative notification is shown without asking the page's worker.
  @Test(
    "IMKit's built-in texts are there for a page that has none of its own",
    arguments: [
      ("en", "Alice sent a picture"), ("zh-TW", "Alice 傳送了一張圖片"), (nil, "Alice sent a picture"),
    ] as [(String?, String)])
  func builtInTexts(language: String?, expected: String) {
    var context = WriteContext()
    context.language = language
    let text: JSONValue = ["messageType": "image", "sender": "Alice"]
    let written = Contracts.renderWeb(.imkit, message: text, context: context, title: "App").notification
    #expect(written?["body"]?.string == expected)
    #expect(written?["body_loc"] == ["key": "im_loc_image", "args": ["Alice"]])
    let own: JSONValue = ["sender": "Alice", "loc-key": "own_key", "loc-args": ["Alice"]]
    #expect(Contracts.renderWeb(.imkit, message: own, context: context, title: "App").notification?["body"] == nil)
  }

  @Test(
    "A link that a browser does not open everywhere is told of",
    arguments: [
      ("https://e.x/", false, 0), ("https://e.x/", true, 0), ("http://e.x/", false, 1), ("http://e.x/", true, 1),
      ("shop://sale", false, 0), ("shop://sale", true, 1), ("/sale", true, 1),
    ]) func link(link: String, isDeclarative: Bool, count: Int)
  {
    var rendering = Contracts.renderWeb(
      .amba, message: ["title": "T", "body": "B", "data": ["deep_link": .string(link)]], context: WriteContext(),
      title: "App")
    #expect(rendering.notification?["navigate"] == .string(link))
    rendering.reportLink(isDeclarative: isDeclarative)
    #expect(rendering.report.findings.map(\.rule) == Array(repeating: "field-not-carried", count: count))
  }
}
