import PushContracts
import PushPayload
import Testing
import WireJSON

/// The typed door to a contract, and what only it offers.
@Suite struct AmbaTests {
  let message = Amba.Message(title: "t", body: "b", data: ["screen": "home", "n": 42])

  @Test func writesIntoAReusedBuffer() {
    var writer = JSONWriter()
    var report = Report()
    for _ in 0..<2 {
      #expect(Amba.contract.writeAPNs(message, context: WriteContext(), into: &writer, report: &report))
    }
    #expect(writer.text == #"{"screen":"home","n":42,"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1}}"#)
    #expect(report.isEmpty)
  }

  @Test func readsWhatADeviceReceived() throws {
    let payload = try JSON.parse(#"{"deep_link":"/offers","aps":{"alert":{"title":"t","body":"b"}}}"#)
    let reading = Amba.contract.read(payload, platform: .ios)
    #expect(reading.message == Amba.Message(title: "t", body: "b", data: ["deep_link": "/offers"]))
    #expect(reading.message.deepLink == "/offers")
  }

  @Test func templateSplicesTheToken() throws {
    var report = Report()
    let template = try #require(
      Contracts.fcmTemplate(
        .amba, message: ["title": "t", "body": "b"], context: WriteContext(campaign: "c"), report: &report))
    let token = "dQw4:APA91b-_x"
    let rendered = Contracts.render(
      .amba, message: ["title": "t", "body": "b"], context: WriteContext(target: .token(token), campaign: "c"),
      platforms: [.android])
    #expect(template.body(target: token) == rendered.fcm?.body)
  }

  @Test func diffShowsWhatMoves() {
    let diff = Contracts.diff(.amba, .native, message: ["title": "t", "body": "b", "badge": 1])
    #expect(JSON.minifiedText(.object(diff.message)) == #"{"title":"t","body":"b","badge":1}"#)
    #expect(diff.apns == [KeyChange(path: "aps.mutable-content", before: 1, after: Optional.none)])
    #expect(
      diff.fcm == [
        KeyChange(path: "message.android.priority", before: "high", after: Optional.none),
        KeyChange(path: "message.android.notification.notification_count", before: Optional.none, after: 1),
      ])
  }

  @Test func recognitionSaysWhenItCannotTell() throws {
    let parsed = Contracts.parse(platform: .ios, payload: ["aps": ["alert": "x"], "screen": "home"])
    #expect(parsed.contract == .native)
    #expect(
      parsed.reason
        == "no key identifies a dialect; amba, powerauth and plain payloads look alike, so name the contract if you know it"
    )
  }
}
