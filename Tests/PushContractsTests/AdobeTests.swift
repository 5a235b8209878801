import PushContracts
import PushPayload
import Testing
import WireJSON

/// The typed door to the Adobe contract, and what only it offers.
@Suite struct AdobeTests {
  var message: Adobe.Message {
    var message = Adobe.Message()
    message.title = "game request"
    message.body = "shall we play a game?"
    message.uri = "https://chess.com/games"
    message.linkType = .webURL
    message.buttons = [Adobe.Button(label: "accept", uri: "myapp://552", type: .deepLink)]
    message.backgroundColor = "80112233"
    message.badge = 1
    message.sticky = true
    return message
  }

  @Test func writesBothPlatforms() throws {
    let rendering = Adobe.contract.render(message, context: WriteContext())
    #expect(
      rendering.apns.map { String(decoding: $0.payload, as: UTF8.self) }
        == #"{"aps":{"alert":{"title":"game request","body":"shall we play a game?"},"mutable-content":1,"#
        + #""category":"AEPNotification","badge":1},"adb_version":"1.0","adb_template_type":"basic","#
        + #""adb_uri":"https://chess.com/games","adb_clr_bg":"11223380"}"#)
    #expect(
      rendering.fcm.map { String(decoding: $0.body, as: UTF8.self) }
        == #"{"message":{"token":"<device token>","data":{"adb_version":"1","adb_template_type":"basic","#
        + #""adb_title":"game request","adb_body":"shall we play a game?","adb_uri":"https://chess.com/games","#
        + #""adb_a_type":"WEBURL","adb_act":"[{\"label\":\"accept\",\"uri\":\"myapp://552\",\"type\":\"DEEPLINK\"}]","#
        + #""adb_clr_bg":"80112233","adb_n_count":"1","adb_sticky":"true"}}}"#)
  }

  @Test func readsWhatItWrote() throws {
    let rendering = Adobe.contract.render(message, context: WriteContext())
    let android = Adobe.contract.read(try JSON.parse(try #require(rendering.fcm).body), platform: .android)
    var expected = message
    expected.version = "1"
    expected.template = .basic
    #expect(android.message == expected)
    #expect(android.report.rules == ["adobe-expanded-without-text"])

    let ios = Adobe.contract.read(try JSON.parse(try #require(rendering.apns).payload), platform: .ios)
    expected.version = "1.0"
    expected.category = Adobe.category
    expected.linkType = nil
    expected.buttons = nil
    expected.sticky = nil
    #expect(ios.message == expected)
    #expect(ios.report.isEmpty)
  }

  @Test func saysWhyThereAreNoButtons() throws {
    let raw =
      #"{"adb_version":"1","adb_template_type":"basic","adb_title":"t","adb_body":"b","adb_body_ex":"x","#
      + #""adb_act":"[{\"label\":\"accept\"{\"label\":\"decline\"}]"}"#
    let reading = Adobe.contract.read(try JSON.parse(raw), platform: .android)
    #expect(reading.message.buttons == nil)
    #expect(reading.report.findings.map(\.severity) == [.warning])
    let sentence = try #require(reading.report.findings.first).message
    #expect(sentence.hasPrefix("the text is not a JSON array: ") && sentence.hasSuffix("; there are no buttons"))
  }

  @Test func timesFollowTheLibrary() {
    var message = Adobe.Message()
    #expect(message.remindTime(now: 100) == nil)
    message.remindText = "Later"
    message.remindTime = 100
    #expect(message.remindsLater && message.remindTime(now: 100) == nil && message.remindTime(now: 99) == 100)
    message.remindSeconds = 60
    #expect(message.remindTime(now: 100) == 160)
    message.remindSeconds = 0
    #expect(message.remindTime(now: 99) == 100)
    message.timerEnd = 500
    #expect(message.timerEnd(start: 100) == 500)
    message.timerSeconds = 10
    #expect(message.timerEnd(start: 100) == 110)
  }

  @Test func colorsChangeTheirOrder() {
    #expect(Adobe.Color(argb: "80112233") == Adobe.Color(red: 0x11, green: 0x22, blue: 0x33, alpha: 0x80))
    #expect(Adobe.Color(argb: "80112233")?.rgba == "11223380")
    #expect(Adobe.Color(rgba: "aabbcc7f")?.argb == "7FAABBCC")
    #expect(Adobe.Color(rgba: "AABBCCFF")?.argb == "AABBCC")
    for text in ["", "#AABBCC", "AABBC", "AABBCCD", "GGGGGG", "é0000"] {
      #expect(Adobe.Color(argb: text) == nil && Adobe.Color(rgba: text) == nil, "\(text)")
    }
  }

  @Test func shownValuesFallBack() {
    var message = self.message
    message.template = Adobe.Template(rawValue: "other")
    message.legacyIcon = "old"
    #expect(message.shownTemplate == .basic)
    #expect(message.shownIcon == "old")
    #expect(message.shownExpandedTitle == "game request")
    #expect(message.shownExpandedBody == "shall we play a game?")
  }

  @Test func diffTranslatesFromNative() {
    let diff = Contracts.diff(.native, .adobe, message: ["title": "t", "body": "b", "badge": 1, "thread_id": "th"])
    #expect(
      JSON.minifiedText(.object(diff.message)) == #"{"adb_title":"t","adb_body":"b","adb_n_count":1,"thread_id":"th"}"#)
    let back = Contracts.diff(.adobe, .native, message: ["title": "t", "adb_body": "b"])
    #expect(JSON.minifiedText(.object(back.message)) == #"{"title":"t","body":"b"}"#)
  }

  @Test func platformsAreCheckedApart() {
    var message = self.message
    message.linkType = nil
    var report = Report()
    Adobe.contract.validate(message, on: .ios, context: WriteContext(), report: &report)
    #expect(report.isEmpty)
    Adobe.contract.validate(message, on: .android, context: WriteContext(), report: &report)
    #expect(report.rules == ["adobe-link-type-missing", "adobe-expanded-without-text"])
    message.backgroundColor = "red"
    Adobe.contract.validate(message, context: WriteContext(), report: &report)
    #expect(report.rules == ["adobe-link-type-missing", "adobe-expanded-without-text", "adobe-color"])
  }
}
