import PushPayload
import TestSupport
import Testing
import WireJSON

struct PayloadModelTests {
  /// Minified texts that must come back byte for byte, whatever is in them.
  @Test(arguments: [
    #"{"aps":{"alert":{"title":"T","body":"B","x":[1.0,1e3]},"badge":0,"unknown":null},"screen":"home","big":12345678901234567890}"#,
    #"{"z":1,"aps":"not an object","a":{"aps":{}}}"#,
    #"{"aps":{"alert":"é🎉 ","badge":"3","sound":{"critical":true}}}"#,
    "{}",
  ])
  func apnsReadThenWriteIsTheIdentity(text: String) throws {
    let reading = try APNsPayload.read(Array(text.utf8))
    #expect(String(decoding: reading.model.bytes, as: UTF8.self) == text)
    var copy = reading.model
    let aps = copy.aps
    if let aps { copy.aps = aps }
    #expect(String(decoding: copy.bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [
    #"{"message":{"token":"t","android":{"ttl":"3.500s","priority":"high","notification":{"channelId":"c","future":1}}}}"#,
    #"{"validateOnly":true,"message":{"androidV2":{"remote_notification":{"notification":{"id":7}}},"fid":"f"}}"#,
    #"{"message":{"data":{"n":42},"webpush":{"notification":{"vibrate":[1,2],"any":{}}},"topic":"news"}}"#,
  ])
  func fcmReadThenWriteIsTheIdentity(text: String) throws {
    let reading = try FCMSendRequest.read(Array(text.utf8))
    #expect(String(decoding: reading.model.bytes, as: UTF8.self) == text)
    var copy = reading.model
    let message = try #require(copy.message)
    copy.message = message
    #expect(String(decoding: copy.bytes, as: UTF8.self) == text)
  }

  @Test func settingKeepsThePlaceAndTheSpelling() throws {
    var notification = FCMAndroidNotification(object: ["channelId": "a", "body": "b", "sticky": true])
    notification.channelID = "c"
    notification.sticky = nil
    notification.titleLocArgs = ["1", "2"]
    #expect(
      JSON.minifiedText(notification.json) == #"{"channelId":"c","body":"b","title_loc_args":["1","2"]}"#)
  }

  @Test func theLastOfTwoSpellingsCounts() {
    let object: JSONObject = ["channel_id": "first", "channelId": "second"]
    #expect(FCMAndroidNotification(object: object).channelID == "second")
    #expect(FCMAndroidNotification(object: ["channelId": "second", "channel_id": "first"]).channelID == "first")
  }

  @Test(arguments: [
    (
      #"{"aps":{"badge":"3"}}"#,
      "warning apns-field-type aps.badge: expected a whole number, found a string (\"3\"); iOS ignores it, so the badge "
        + "does not change"
    ),
    (
      #"{"aps":{"content-available":true}}"#,
      "warning apns-field-type aps.content-available: expected the number 1, found a boolean (true); Apple documents "
        + "the number alone, so the app may not be woken"
    ),
    (
      #"{"aps":{"alert":{"loc-args":["a",2]}}}"#,
      "warning apns-field-type aps.alert.loc-args[1]: expected a string, found a number (2); iOS ignores it, so the body "
        + "is not filled in"
    ),
    (
      #"{"aps":{"alert":7}}"#,
      "warning apns-field-type aps.alert: expected a string or an object, found a number (7); iOS ignores it, so its "
        + "text is not shown"
    ),
    (
      #"{"aps":{"contentavailable":1}}"#,
      "warning apns-unknown-key aps.contentavailable: Apple documents no such member of aps; "
        + "check the spelling, or move it to the app's own data"
    ),
    (#"[1]"#, "error apns-field-type : expected an object, found an array ([1])"),
    (
      #"{"a":1,"a":2}"#,
      "warning json-duplicate-key a: the name occurs more than once in its object, here at byte 7; the last one counts"
    ),
  ])
  func apnsDeparturesAreReported(text: String, finding: String) throws {
    let reading = try APNsPayload.read(Array(text.utf8))
    #expect(reading.report.findings.map(\.description) == [finding])
  }

  @Test(arguments: [
    (
      #"{"message":{"data":{"n":42}}}"#,
      "error fcm-data-not-string message.data.n: expected a string, found a number (42); write the value as a string"
    ),
    (
      #"{"message":{"android":{"ttl":"3"}}}"#,
      "error fcm-field-type message.android.ttl: expected a duration such as \"3.5s\", found a string (\"3\")"
    ),
    (
      #"{"message":{"android":{"notification":{"visibility":9}}}}"#,
      "error fcm-field-type message.android.notification.visibility: expected one of VISIBILITY_UNSPECIFIED, PRIVATE, "
        + "PUBLIC, SECRET, found a number (9)"
    ),
    (
      #"{"message":{"android":{"notification":{"proxy":"ALLOW"},"priority":"urgent"}}}"#,
      "error fcm-enum-unknown message.android.priority: expected one of NORMAL, HIGH, found a string (\"urgent\")"
    ),
    (
      #"{"message":{"android":{"notification":{"vibrate_timings":["1s",2]}}}}"#,
      "error fcm-field-type message.android.notification.vibrate_timings[1]: expected a duration such as \"3.5s\", "
        + "found a number (2)"
    ),
    (
      #"{"message":{"to":"x"}}"#,
      "error fcm-unknown-field message.to: Message has no such field; "
        + "check the spelling, or move it to the app's own data"
    ),
    (
      #"{"message":{"apns":{"payload":{"aps":{"badge":"x"}}}}}"#,
      "warning apns-field-type message.apns.payload.aps.badge: expected a whole number, found a string (\"x\"); iOS "
        + "ignores it, so the badge does not change"
    ),
    (
      #"{"message":{"apns":{"payload":"x"}}}"#,
      "error fcm-field-type message.apns.payload: expected an object, found a string (\"x\")"
    ),
  ])
  func fcmDeparturesAreReported(text: String, finding: String) throws {
    let reading = try FCMSendRequest.read(Array(text.utf8))
    #expect(reading.report.findings.map(\.description) == [finding])
  }

  /// proto3 JSON is lenient in known ways.
  @Test(arguments: [
    #"{"message":{"notification":null,"android":{"priority":"high","notification":{"notification_count":"3","visibility":1}}}}"#,
    #"{"message":{"android":{"notification":{"light_settings":{"color":{"red":"0.5"},"lightOnDuration":"-1s"}}}}}"#,
    #"{"message":{"android":{"notification":{"notificationCount":1e2,"event_time":"2026-02-28T23:59:60.5+01:00"}}}}"#,
  ])
  func proto3LenienceIsHonoured(text: String) throws {
    #expect(try FCMSendRequest.read(Array(text.utf8)).report.findings == [])
  }

  /// Random documents: any JSON object reads through any model and comes back byte for byte.
  @Test func anyObjectSurvivesAnyModel() throws {
    var random = SeededRandom.fromEnvironment()
    for _ in 0..<2000 {
      let text = JSON.minified(RandomJSON.object(depth: 4, &random).json)
      #expect(try APNsPayload.read(text).model.bytes == text, "seed \(random.seed)")
      #expect(try FCMSendRequest.read(text).model.bytes == text, "seed \(random.seed)")
    }
  }
}

enum RandomJSON {
  static let names = [
    "aps", "alert", "title", "body", "badge", "sound", "message", "android", "notification", "data", "ttl", "token",
    "apns", "payload", "channelId", "channel_id", "loc-args", "é", "", "a.b",
  ]

  static func object(depth: Int, _ random: inout SeededRandom) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      object[names.randomElement(using: &random) ?? ""] = value(depth: depth - 1, &random)
    }
    return object
  }

  static func value(depth: Int, _ random: inout SeededRandom) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 5), using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2: .number(JSONNumber(Int.random(in: -5...5, using: &random)))
    case 3: .string(["", "x", "3.5s", "\"\\\n", "🎉"].randomElement(using: &random) ?? "")
    case 4: .number(JSONNumber(text: "1.0e2") ?? JSONNumber(0))
    case 5: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1, &random) })
    default: .object(object(depth: depth, &random))
    }
  }
}
