import PushContracts
import PushPayload
import Testing
import WireJSON

/// What the findings about Adobe's messages and payloads say, word for word: what is named is there, and what is said to
/// be written is.
@Suite struct AdobeSentenceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    /// Members beside title and text: of a message, or of the data of a payload.
    let members: JSONObject
    var isRead = false
    let rule: String
    let says: String
    var testDescription: String { "\(isRead ? "read" : "written") \(JSON.minifiedText(.object(members)))" }
  }

  private static func list(_ elements: JSONValue) -> JSONValue { .string(JSON.minifiedText(elements)) }

  private static let written = [
    // Only where an absent uri is written empty is it said so.
    Row(
      members: ["adb_act": [["label": "L", "type": "DISMISS"]]], rule: "adobe-uri-unused",
      says: "DISMISS opens no uri; the required member is written empty"),
    Row(
      members: ["adb_template_type": "icon", "adb_items": [["img": "i", "type": "DISMISS"]]], rule: "adobe-uri-unused",
      says: "DISMISS opens no uri; none is needed"),
    Row(
      members: ["adb_template_type": "icon", "adb_items": [["img": "i", "type": ""]]], rule: "adobe-uri-unused",
      says: "NONE opens no uri; none is needed"),
    Row(
      members: ["adb_template_type": "rate", "adb_rate_act": [["type": "WEBURL", "uri": ""]]],
      rule: "adobe-uri-missing", says: "WEBURL opens a uri, and there is none; the rating opens the app"),
    // An empty name is seen.
    Row(
      members: ["adb_template_type": ""], rule: "adobe-template-unknown",
      says: #"there is no template ""; Android draws title and text without a template"#),
    Row(
      members: ["adb_template_type": ""], rule: "adobe-ios-fallback",
      says: #"iOS does not draw the template ""; iOS draws title and body alone"#),
    Row(
      members: ["adb_template_type": "rate", "adb_rate_act": [["type": ""]]], rule: "adobe-link-type",
      says: "the kind of link is missing or empty; take WEBURL, DEEPLINK, DISMISS, OPENAPP or NONE"),
    // What is there and empty is not to be added.
    Row(
      members: ["adb_template_type": "input", "adb_input_receiver": ""], rule: "field-missing",
      says: "adobe needs adb_input_receiver on Android for input, and it is empty; give it a text"),
    Row(
      members: ["adb_template_type": "input"], rule: "field-missing",
      says: "adobe needs adb_input_receiver on Android for input; add it to the message"),
    Row(
      members: ["adb_act": [["label": "", "type": "DISMISS"]]], rule: "adobe-list-skipped",
      says: "the label is missing or empty; Android leaves out the button"),
    Row(
      members: ["adb_template_type": "car", "adb_car_layout": "default", "adb_items": [["img": "https://e.com/1"]]],
      rule: "adobe-item-count", says: "1 picture; Android draws a carousel of 3 or more, and the template basic instead"
    ),
    Row(
      members: ["adb_template_type": "timer", "adb_tmr_dur": -1, "adb_title_alt": "x"], rule: "adobe-time-past",
      says: "less than 0 seconds are over when the push arrives: iOS shows what comes after the end, Android nothing"),
  ]

  private static let read = [
    Row(
      members: ["adb_template_type": ""], isRead: true, rule: "adobe-template-unknown",
      says: #"there is no template ""; Android draws title and text without a template"#),
    Row(
      members: ["adb_template_type": "basic", "adb_a_type": ""], isRead: true, rule: "adobe-link-type",
      says: #"there is no kind of link ""; the notification is not shown"#),
    Row(
      members: ["adb_template_type": "basic", "adb_act": list([["label": "L", "type": ""]])], isRead: true,
      rule: "adobe-link-type", says: #"there is no kind of link ""; the button opens the app"#),
    Row(
      members: ["adb_template_type": .string(String(repeating: "é", count: 60))], isRead: true,
      rule: "adobe-template-unknown",
      says:
        "there is no template \"\(String(repeating: "é", count: 40))…\"; Android draws title and text without a template"
    ),
    Row(
      members: ["adb_template_type": "icon"], isRead: true, rule: "adobe-key-missing",
      says: "the key is required for icon, with the JSON text of an array; the notification is not shown"),
    Row(
      members: ["adb_template_type": "icon", "adb_items": ""], isRead: true, rule: "adobe-key-missing",
      says: "the key is empty, and required for icon, with the JSON text of an array; the notification is not shown"),
    Row(
      members: ["adb_template_type": "input", "adb_input_receiver": ""], isRead: true, rule: "adobe-key-missing",
      says: "the key is empty, and required for input, with text; the notification is not shown"),
    Row(
      members: [
        "adb_template_type": "car", "adb_car_layout": "default", "adb_items": list([["img": "https://e.com/1"]]),
      ], isRead: true, rule: "adobe-item-count",
      says: "1 picture can be read, and a carousel needs 3; the template basic is drawn instead"),
    Row(
      members: ["adb_template_type": "basic", "adb_rem_txt": "", "adb_rem_sec": "5"], isRead: true,
      rule: "adobe-remind-pair",
      says: "adb_rem_txt is empty, so Android draws “remind later” as a button without a label"),
    Row(
      members: ["adb_template_type": "basic", "adb_rem_txt": "Later", "adb_rem_sec": "x"], isRead: true,
      rule: "adobe-remind-pair", says: "no time can be read, so there is no “remind later” button"),
  ]

  @Test(arguments: written + read) func says(_ row: Row) {
    let report: Report
    if row.isRead {
      var data: JSONObject = ["adb_version": "1", "adb_title": "T", "adb_body": "B"]
      for (key, value) in row.members { data[key] = value }
      let payload: JSONValue = ["message": ["token": "t", "data": .object(data)]]
      report = Contracts.parse(platform: .android, payload: payload, contract: .adobe).report
    } else {
      var message: JSONObject = ["adb_title": "T", "adb_body": "B"]
      for (key, value) in row.members { message[key] = value }
      let context = WriteContext(topic: "com.example.app", target: .token("t"))
      report = Contracts.render(.adobe, message: .object(message), context: context).report
    }
    let said = report.findings.filter { $0.rule == row.rule }.map(\.message)
    #expect(said.contains(row.says), "\(report.findings)")
  }
}
