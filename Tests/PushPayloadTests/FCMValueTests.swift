import PushPayload
import Testing
import WireJSON

struct FCMValueTests {
  @Test(arguments: [
    ("3s", 3, 0, "3s"), ("3.5s", 3, 500_000_000, "3.500s"), ("0.000000001s", 0, 1, "0.000000001s"),
    ("2.299999999s", 2, 299_999_999, "2.299999999s"), ("-1.000001s", -1, -1000, "-1.000001s"),
    ("-0.5s", 0, -500_000_000, "-0.500s"), ("2419200s", 2_419_200, 0, "2419200s"),
    ("315576000000s", 315_576_000_000, 0, "315576000000s"),
  ])
  func durationsReadAndWrite(text: String, seconds: Int64, nanoseconds: Int32, written: String) {
    #expect(FCMDuration(text: text) == FCMDuration(seconds: seconds, nanoseconds: nanoseconds))
    #expect(FCMDuration(seconds: seconds, nanoseconds: nanoseconds).text == written)
  }

  @Test(arguments: [
    "", "s", "3", "3.s", ".5s", "3.0000000001s", "3,5s", "+3s", "--3s", " 3s", "3 s", "1e3s", "315576000001s",
  ])
  func otherTextsAreNoDurations(text: String) {
    #expect(FCMDuration(text: text) == nil)
  }

  @Test(arguments: [
    ("2026-01-31T09:00:00Z", true), ("2026-01-31t09:00:00.123456789z", true), ("2026-01-31T09:00:00+05:30", true),
    ("2024-02-29T00:00:00Z", true), ("2026-02-29T00:00:00Z", false), ("2026-13-01T00:00:00Z", false),
    ("2026-01-31T24:00:00Z", false), ("2026-01-31T09:00:00", false), ("2026-01-31 09:00:00Z", false),
    ("2026-01-31T09:00:00.Z", false), ("2026-01-31T09:00:00.1234567890Z", false), ("2026-01-31T09:00:00+5:30", false),
    ("", false), ("2026-00-10T00:00:00Z", false), ("2100-02-29T00:00:00Z", false), ("2000-02-29T00:00:00Z", true),
  ])
  func timestampsAreRFC3339(text: String, isValid: Bool) {
    #expect((FCMTimestamp(text: text) != nil) == isValid)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_800_000_000, "2027-01-15T08:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
      (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ] as [(Int64, String)])
  func timestampsAreMadeFromSeconds(seconds: Int64, text: String) {
    #expect(FCMTimestamp(epochSeconds: seconds)?.text == text)
  }

  @Test func timestampsEndWithTheYears() {
    #expect(FCMTimestamp(epochSeconds: 253_402_300_800) == nil)
    #expect(FCMTimestamp(epochSeconds: -62_135_596_801) == nil)
  }

  @Test(arguments: [("#ff000A", true), ("ff000a", false), ("#ff000", false), ("#ff000g", false), ("#ff000a0", false)])
  func colorsAreSixDigits(text: String, isValid: Bool) {
    #expect(FCMHexColor(text: text)?.text == (isValid ? text.lowercased() : nil))
  }

  @Test func templatesSpliceOnlyTheTarget() throws {
    let message: JSONObject = [
      "notification": ["title": "T"], "token": "<device token>", "android": ["priority": "high"],
    ]
    let template = FCMRequestTemplate(message: message)
    #expect(
      String(decoding: template.body(target: "abc:DEF-1_2"), as: UTF8.self)
        == #"{"message":{"notification":{"title":"T"},"token":"abc:DEF-1_2","android":{"priority":"high"}}}"#)
    #expect(template.bodyBytes(targetBytes: 3) == template.body(target: "abc").count)
    #expect(
      String(decoding: template.body(target: "a\"b\\\n"), as: UTF8.self)
        == #"{"message":{"notification":{"title":"T"},"token":"a\"b\\\n","android":{"priority":"high"}}}"#)
    let bare = FCMRequestTemplate(message: ["topic": "x", "data": ["a": "b"]], placeholder: .fid, validateOnly: true)
    #expect(
      String(decoding: bare.body(target: "f"), as: UTF8.self)
        == #"{"validate_only":true,"message":{"fid":"f","data":{"a":"b"}}}"#)
    #expect(
      String(decoding: FCMRequestTemplate(message: [:]).body(target: "t"), as: UTF8.self)
        == #"{"message":{"token":"t"}}"#)
  }

  @Test(arguments: [
    ("<1A2b 3c4d>", DeviceToken.Kind.apns, "1a2b3c4d"), ("dXNlcg:APA91b_-x", .fcm, "dXNlcg:APA91b_-x"),
    ("fid_1", .fid, "fid_1"),
  ])
  func tokensAreRead(text: String, kind: DeviceToken.Kind, expected: String) throws {
    #expect(try DeviceToken(text, kind: kind).text == expected)
  }

  @Test(arguments: [
    ("abc", DeviceToken.Kind.apns), ("", .apns), ("zz", .apns), ("", .fcm), ("a b", .fcm), ("a\nb", .fid), ("é", .fcm),
    (String(repeating: "a", count: DeviceToken.bytesMax + 2), .apns),
    (String(repeating: "a", count: DeviceToken.bytesMax + 1), .fcm),
  ])
  func otherTextsAreNoTokens(text: String, kind: DeviceToken.Kind) {
    #expect(throws: DeviceTokenError.self) { try DeviceToken(text, kind: kind) }
  }

  @Test func tokensAreNeverPrintedWhole() throws {
    let secret = String(repeating: "0123456789abcdef", count: 4)
    let token = try DeviceToken(secret, kind: .apns)
    #expect(token.description == "apns:0123…(64)")
    #expect(token.debugDescription == token.description)
    #expect(try DeviceToken("short", kind: .fcm).description == "fcm_token:…(5)")
  }
}
