import DevicePreview
import PushContracts
import PushPayload
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
}
