import DevicePreview
import PushContracts
import PushPayload
import Testing
import WireJSON

/// What an app's handler sees of a tap on what each contract writes.
@Suite("Taps") struct TapTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: String
    let platform: Platform
    var button: String?
    /// What comes of the tap, as JSON: the effect, the link, the intent's action, the data.
    let tap: String
    var testDescription: String { "\(contract) on \(platform.rawValue)\(button.map { ", \($0)" } ?? "")" }
  }

  private static let messages: [String: String] = [
    "amba": #"{"title":"T","body":"B","data":{"deep_link":"app://home","screen":"home"}}"#,
    "imkit":
      #"{"messageType":"text","sender":"Alice","content":"Hi","type":"chat","message":{"room":"r1"},"title":"Chat"}"#,
    "powerauth": #"{"title":"T","body":"B","extras":{"k":"v"},"category":"cat"}"#,
    "adobe":
      #"{"adb_version":"1","adb_title":"T","adb_body":"B","adb_uri":"https://a.example","adb_a_type":"WEBURL","adb_act":"#
      + #"[{"label":"Go","uri":"app://go","type":"DEEPLINK"},{"label":"No","uri":"","type":"DISMISS"}]}"#,
    "onesignal":
      #"{"headings":{"en":"T"},"contents":{"en":"B"},"url":"https://a.example","data":{"k":1,"n":{"x":true}},"#
      + #""buttons":[{"id":"b1","text":"Yes"}],"notification_id":"11111111-2222-4333-8444-555555555555"}"#,
    "native": #"{"title":"T","body":"B","data":{"k":"v"},"category":"cat"}"#,
  ]

  static let rows = [
    Row(
      contract: "amba", platform: .ios,
      tap: #""effect":"deep-link","link":"app://home","data":{"deep_link":"app://home","screen":"home"}"#),
    Row(
      contract: "amba", platform: .android,
      tap: #""effect":"deep-link","link":"app://home","data":{"deep_link":"app://home","screen":"home"}"#),
    Row(contract: "imkit", platform: .ios, tap: #""effect":"open-app","data":{}"#),
    Row(
      contract: "imkit", platform: .android,
      tap: #""effect":"open-app","click_action":"push_chatroom","data":{"room":"r1"}"#),
    Row(contract: "powerauth", platform: .ios, tap: #""effect":"open-app","data":{"k":"v"}"#),
    Row(contract: "powerauth", platform: .android, tap: #""effect":"open-app","data":{"k":"v"}"#),
    Row(contract: "adobe", platform: .ios, tap: #""effect":"web","link":"https://a.example","data":{}"#),
    Row(contract: "adobe", platform: .android, tap: #""effect":"web","link":"https://a.example","data":{}"#),
    Row(contract: "adobe", platform: .android, button: "Go", tap: #""effect":"deep-link","link":"app://go","data":{}"#),
    Row(contract: "adobe", platform: .android, button: "No", tap: #""effect":"dismiss","data":{}"#),
    Row(
      contract: "onesignal", platform: .ios,
      tap: #""effect":"web","link":"https://a.example","data":{"k":1,"n":{"x":true}}"#),
    Row(
      contract: "onesignal", platform: .android,
      tap: #""effect":"web","link":"https://a.example","data":{"k":1,"n":{"x":true}}"#),
    Row(
      contract: "onesignal", platform: .ios, button: "b1",
      tap: #""effect":"action","link":"https://a.example","data":{"k":1,"n":{"x":true}}"#),
    Row(
      contract: "onesignal", platform: .android, button: "b1",
      tap: #""effect":"action","link":"https://a.example","data":{"k":1,"n":{"x":true}}"#),
    Row(contract: "native", platform: .ios, tap: #""effect":"open-app","data":{"k":"v"}"#),
    Row(contract: "native", platform: .android, tap: #""effect":"open-app","click_action":"cat","data":{"k":"v"}"#),
  ]

  @Test("yield the link, the action and the data of the contract", arguments: rows)
  func taps(row: Row) throws {
    let message = try JSON.parse(#require(Self.messages[row.contract]))
    let rendering = Contracts.render(
      .init(rawValue: row.contract), message: message,
      context: WriteContext(topic: "com.example.app", campaign: "c-1"), platforms: [row.platform])
    let push = try #require(PreviewPush.pushes(of: rendering).first, "\(rendering.report)")
    var tray = Tray(platform: row.platform)
    _ = tray.receive(push, id: "id-1", now: 0)
    let tap = row.button.map { tray.press($0, on: 1, now: 1) } ?? tray.tap(1, now: 1)
    let named = row.button.map { #""action":"\#($0)","# } ?? ""
    let whole =
      #"{"type":"\#(row.button == nil ? "opened" : "action")","item":1,"contract":"\#(row.contract)",\#(named)"#
      + row.tap + #","push_id":"id-1"}"#
    #expect(tap.map { JSON.minifiedText(.object($0.json)) } == whole)
  }
}
