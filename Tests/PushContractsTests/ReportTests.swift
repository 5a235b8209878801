import PushContracts
import PushPayload
import Testing
import WireJSON

/// A message or payload that is not right, and the whole sentences a person gets.
struct ReportCase: Sendable, CustomTestStringConvertible {
  let name: String
  let message: JSONValue
  var context = WriteContext()
  let expected: [String]

  var testDescription: String { name }
}

@Suite struct ReportTests {
  static let cases: [ReportCase] = [
    ReportCase(
      name: "missing", message: ["title": "t"],
      expected: ["error field-missing body: amba needs body, a string; add it to the message"]),
    ReportCase(
      name: "mistyped", message: ["title": 42, "body": nil, "data": "x"],
      expected: [
        "error field-type title: expected a string, found the number 42",
        #"error field-type data: expected an object, found the string "x""#,
      ]),
    ReportCase(
      name: "near miss", message: ["title": "t", "body": "b", "channelId": "c"],
      expected: [
        "warning field-unknown channelId: amba has no field channelId, so it is left out; did you mean channel_id?"
      ]),
    ReportCase(
      name: "not near", message: ["title": "t", "body": "b", "zzz": 1],
      expected: ["warning field-unknown zzz: amba has no field zzz, so it is left out"]),
    ReportCase(
      name: "not an object", message: [1],
      expected: ["error message-not-object : expected a message as a JSON object, found an array"]),
    ReportCase(
      name: "reserved for FCM", message: ["title": "t", "body": "b", "data": ["from": "x"]],
      expected: [
        "error fcm-data-reserved data.from: the data key from is refused on Android: FCM keeps from, message_type and "
          + "every name that starts with google or gcm for itself; rename the key"
      ]),
    ReportCase(
      name: "aps", message: ["title": "t", "body": "b", "data": ["aps": "x"]],
      expected: [
        "warning aps-reserved data.aps: the data key aps is dropped on iOS: the notification envelope owns it; rename "
          + "the key",
        "note aps-reserved data.aps: the data key aps is carried on Android: on iOS it is dropped, so the two platforms "
          + "differ; rename the key",
      ]),
    ReportCase(
      name: "coerced", message: ["title": "t", "body": "b", "data": ["n": 42]],
      expected: [
        "note fcm-data-coerced data.n: the number 42 arrives as its JSON text on Android, where every data value is a "
          + "string"
      ]),
    ReportCase(
      name: "collapse id", message: ["title": "t", "body": "b"],
      context: WriteContext(campaign: String(repeating: "c", count: 65)),
      expected: [
        "error apns-collapse-id-too-long headers.apns-collapse-id: 65 bytes, and APNs takes at most 64; use a shorter id"
      ]),
    ReportCase(
      name: "option", message: ["title": "t", "body": "b"], context: WriteContext(options: ["legacy"]),
      expected: ["error option-unknown options: amba has no option legacy; it has none; leave the option out"]),
  ]

  @Test(arguments: cases)
  func sentences(_ test: ReportCase) {
    let rendering = Contracts.render(.amba, message: test.message, context: test.context)
    #expect(rendering.report.findings.map(\.description) == test.expected)
  }

  @Test func unknownContract() {
    let rendering = Contracts.render(ContractName(rawValue: "ambo"), message: [:])
    #expect(
      rendering.report.findings.map(\.description) == [
        "error contract-unknown contract: no contract ambo; did you mean amba?"
      ])
  }

  @Test func aShapeThatFCMDoesNotTakeIsNotSent() {
    for (options, rules) in [([], []), ([IMKit.legacyOption], ["option-not-sent"])] as [([String], [String])] {
      var report = Report()
      let template = Contracts.fcmTemplate(
        .imkit, message: ["sender": "Alice", "messageType": "image"], context: WriteContext(options: options),
        report: &report)
      #expect((template == nil) == !rules.isEmpty)
      #expect(report.rules == rules)
    }
  }

  /// Both platforms compare names code unit by code unit; for Unicode the two spellings of é are equivalent.
  @Test func twoSpellingsOfANameAreTwoNames() {
    let message: JSONValue = ["title": "t", "data": ["\u{E9}": "1", "e\u{301}": "2"]]
    let lost = Contracts.diff(.native, .adobe, message: message).fcm.filter { $0.path.hasPrefix("message.data") }
    #expect(lost.count { $0.before == "1" } == 1 && lost.count { $0.before == "2" } == 1, "\(lost)")
    let headers: JSONValue = ["title": "t", "apns": ["headers": ["x-\u{E9}": "1", "x-e\u{301}": "1"]]]
    let findings = Contracts.render(.native, message: headers).report.findings
    #expect(findings.count { $0.rule == "apns-header-unknown" } == 2)
  }

  @Test func whatTheOtherContractLacksIsReported() {
    let diff = Contracts.diff(.native, .amba, message: ["title": "t", "body": "b", "apns": [:]])
    #expect(
      diff.report.findings.map(\.description) == [
        "warning field-not-translated apns: amba has no field for apns",
        "note field-not-carried apns: native does not carry apns to Android",
      ])
    #expect(Contracts.diff(.native, .amba, message: ["title": "t", "body": "b"]).report.isEmpty)
  }

  @Test func duplicateKeysAreReported() throws {
    let raw = Array(#"{"aps":{"alert":"a","alert":"b"}}"#.utf8)
    let parsed = try Contracts.parse(platform: .ios, raw: raw, contract: .native)
    #expect(parsed.notification["body"] == "b")
    #expect(parsed.report.rules == ["json-duplicate-key"])
  }

  @Test func malformedJSONIsAnError() {
    #expect(throws: JSONError.self) { try Contracts.parse(platform: .ios, raw: Array("{".utf8)) }
  }
}
