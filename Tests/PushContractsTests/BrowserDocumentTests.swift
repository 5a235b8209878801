import PushContracts
import PushPayload
import PushRules
import Testing
import WireJSON

/// What belongs to browsers and Live Activities, given instead of a payload or a message, is named.
@Suite struct BrowserDocumentTests {
  static let documents: [(text: String, said: String)] = [
    (
      #"{"endpoint":"https://p.example/1","expirationTime":null,"keys":{"p256dh":"B","auth":"a"}}"#,
      "a browser's subscription"
    ),
    (#"{"web_push":8030,"notification":{"title":"T","navigate":"https://s.example"}}"#, "the content of a web push"),
    (#"{"event":"update","content_state":{"a":1}}"#, "a request to this server for a Live Activity"),
    (
      #"{"id":"o-1","to":{"user":"ann"},"attributes_type":"A","attributes":{},"content_state":{},"alert":{"title":"T"}}"#,
      "a request to this server for a Live Activity"
    ),
  ]

  @Test(arguments: documents)
  func isNamed(_ text: String, _ said: String) throws {
    let document = try JSON.parse(text)
    for platform in [nil, Platform.ios, .android] {
      var checker = PushChecker()
      let checked = checker.checkOnDevice(document: Array(text.utf8), platform: platform)
      #expect(checked.findings.map(\.rule) == ["document-unrecognized"] && "\(checked)".contains(said), "\(checked)")
      guard let platform else { continue }
      let parsed = Contracts.parse(platform: platform, payload: document).report
      #expect(parsed.findings.map(\.rule) == ["document-unrecognized"] && "\(parsed)".contains(said), "\(parsed)")
    }
    for contract in Contracts.names {
      let report = Contracts.render(contract, message: document, context: WriteContext(topic: "a.b")).report
      #expect(report.hasErrors && "\(report)".contains(said), "\(contract) \(report)")
    }
  }

  @Test(
    "The same names in the data of an app are data",
    arguments: [
      (Platform.ios, #"{"aps":{"alert":"Hi"},"endpoint":"https://p.example","keys":{"p256dh":"B","auth":"a"}}"#),
      (.ios, #"{"aps":{"alert":"Hi"},"web_push":8030,"notification":{}}"#),
      (.ios, #"{"aps":{"alert":"Hi"},"event":"update","content_state":{}}"#),
      (
        .android,
        #"{"message":{"token":"t","data":{"endpoint":"https://p.example","event":"update","content_state":"{}"}}}"#
      ),
      (.android, #"{"event":"update","content_state":"{}","web_push":"8030"}"#),
    ])
  func isData(_ platform: Platform, _ text: String) throws {
    let report = Contracts.parse(platform: platform, payload: try JSON.parse(text)).report
    #expect(!report.findings.contains { $0.rule == "document-unrecognized" }, "\(report)")
  }
}
