import DevicePreview
import PushContracts
import PushPayload
import PushRules
import Testing
import WireJSON

/// A request to APNs as a document: its payload is read and drawn, by its headers.
struct RequestDocumentTests {
  private func request(_ topic: String, _ type: String?, _ payload: String) throws -> JSONValue {
    let headers = [#""apns-topic":"\#(topic)""#] + [type.map { #""apns-push-type":"\#($0)""# }].compactMap { $0 }
    return try JSON.parse(Array(#"{"headers":{\#(headers.joined(separator: ","))},"payload":\#(payload)}"#.utf8))
  }

  @Test(arguments: [nil, .ios] as [Platform?]) func isReadByItsPayload(_ platform: Platform?) throws {
    let document = try request("com.example.app", "alert", #"{"aps":{"alert":{"title":"Hi"}}}"#)
    let parsed = try #require(Contracts.parse(document: document, platform: platform))
    #expect(parsed.title == "Hi" && parsed.report.isEmpty, "\(parsed.report)")
    #expect(parsed.inferredPlatform == (platform == nil ? .ios : nil))
  }

  /// The push type of the request counts, and a named one wins.
  @Test func isReadByItsHeaders() throws {
    let document = try request("com.example.app", "background", #"{"aps":{"alert":"Hi","content-available":1}}"#)
    #expect(try #require(Contracts.parse(document: document, platform: nil)).report.hasErrors)
    let named = APNsHeaders(pushType: .alert)
    #expect(try #require(Contracts.parse(document: document, platform: nil, headers: named)).report.isEmpty)
  }

  @Test(arguments: [nil, "alert", "background"], ["{}", #"{"aps":{}}"#, #"{"x":null}"#])
  func updatesAPass(_ type: String?, _ payload: String) throws {
    for (topic, isNothing) in [("pass.com.example", false), ("com.example.app", true)] {
      let document = try request(topic, type, payload)
      let preview = Preview(PreviewPush(document: document, platform: .ios))
      #expect(preview.notification.isSilent)
      #expect(preview.report.hasErrors == isNothing, "\(topic) \(preview.report)")
      let parsed = try #require(Contracts.parse(document: document, platform: .ios))
      #expect(parsed.report.hasErrors == isNothing, "\(topic) \(parsed.report)")
    }
  }

  /// A request without one of its objects is one error, whoever reads it, also where nobody names the platform.
  @Test(arguments: [
    #"{"headers":{"apns-topic":"com.example.app"},"payload":null}"#, #"{"headers":{},"payload":[]}"#,
    #"{"headers":{"apns-topic":"com.example.app"}}"#, #"{"headers":null,"payload":{"aps":{"alert":"Hi"}}}"#,
    #"{"headers":[],"payload":{"aps":{"alert":"Hi"}}}"#, #"{"payload":{"aps":{"alert":"Hi"}}}"#,
  ])
  func isNamedWhenIncomplete(_ text: String) throws {
    let document = try JSON.parse(Array(text.utf8))
    var checker = PushChecker()
    for platform in [nil, .ios] as [Platform?] {
      #expect(checker.check(document: Array(text.utf8), platform: platform).hasErrors)
      let parsed = try #require(Contracts.parse(document: document, platform: platform))
      #expect(parsed.report.findings.map { $0.rule } == ["document-unrecognized"], "\(parsed.report)")
      #expect(parsed.report.findings[0].message.contains("headers and payload"))
    }
    let preview = Preview(PreviewPush(document: document, platform: .ios))
    #expect(preview.notification.isSilent && preview.report.hasErrors, "\(preview.report)")
  }

  /// What has `aps` is a payload, in which both names are the app's own.
  @Test func isPayloadWithAps() throws {
    let text = #"{"headers":{"apns-push-type":"background"},"payload":{"aps":{"alert":"No"}},"aps":{"alert":"Hi"}}"#
    let document = try JSON.parse(Array(text.utf8))
    var checker = PushChecker()
    #expect(checker.check(document: Array(text.utf8)).isEmpty)
    let parsed = try #require(Contracts.parse(document: document, platform: nil))
    #expect(parsed.body == "Hi" && parsed.report.isEmpty, "\(parsed.report)")
    #expect(Preview(PreviewPush(document: document, platform: .ios)).notification.body?.text == "Hi")
  }
}
