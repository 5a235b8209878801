import PushContracts
import PushPayload
import PushRules
import Testing
import WireJSON

/// Messages that show, play, badge and carry nothing on a platform, and do not say that they are silent, are not written
/// for it.
@Suite struct EmptyPushTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let contract: ContractName
    let message: String
    var options: [String] = []
    /// The platforms that get a request when the message is written for both.
    let written: [Platform]

    var testDescription: String { "\(contract) \(message) \(options)" }

    init(_ contract: ContractName, _ message: String, _ options: [String] = [], writtenFor written: [Platform]) {
      self.contract = contract
      self.message = message
      self.options = options
      self.written = written
    }
  }

  static let rows = [
    // IMKit's payload for iOS carries no data.
    Row(.imkit, #"{"sender":"x"}"#, writtenFor: [.android]),
    Row(.imkit, #"{"sender":""}"#, writtenFor: []),
    Row(.imkit, #"{"type":"x"}"#, writtenFor: [.ios, .android]),
    Row(.imkit, #"{"type":""}"#, writtenFor: []),
    Row(.imkit, #"{"type":"x","silent":true}"#, writtenFor: [.ios, .android]),
    Row(.imkit, #"{"type":"x"}"#, ["ios-voip"], writtenFor: [.ios, .android]),
    Row(.imkit, #"{"message":{}}"#, writtenFor: []),
    Row(.imkit, #"{"message":{"id":1}}"#, writtenFor: [.ios, .android]),
    Row(.imkit, #"{"content":"x"}"#, writtenFor: []),
    Row(.imkit, #"{"messageType":""}"#, writtenFor: []),
    Row(.imkit, #"{"loc-key":""}"#, writtenFor: []),
    Row(.imkit, #"{"title":"","loc-key":""}"#, writtenFor: []),
    Row(.imkit, #"{"messageType":"","title":"T"}"#, writtenFor: [.ios, .android]),
    Row(.imkit, #"{"title":""}"#, writtenFor: []),
    // The name of the app alone is no notification that anybody means to send.
    Row(.powerauth, #"{"badge":3}"#, writtenFor: [.ios]),
    Row(.powerauth, #"{"badge":3}"#, ["fcm-apns"], writtenFor: [.ios]),
    Row(.powerauth, #"{"badge":3}"#, ["fcm-data-only"], writtenFor: [.ios]),
    Row(.powerauth, #"{"badge":3}"#, ["fcm-data-only", "fcm-apns"], writtenFor: [.ios]),
    Row(.powerauth, #"{"badge":3,"silent":true}"#, ["fcm-data-only", "fcm-apns"], writtenFor: [.ios, .android]),
    Row(.powerauth, #"{"category":"c"}"#, writtenFor: []),
    Row(.powerauth, #"{"extras":{"k":1}}"#, writtenFor: [.ios, .android]),
    Row(.native, #"{"collapse_id":"c"}"#, writtenFor: []),
    Row(.native, #"{"channel_id":"c","fcm":{"webpush":{"data":{"k":"v"}}}}"#, writtenFor: []),
    Row(.native, #"{"title":"A","fcm":{"android":{"notification":{"title":""}}}}"#, writtenFor: [.ios, .android]),
    Row(.native, #"{"apns":{"headers":{"apns-push-type":"voip"}}}"#, writtenFor: []),
    Row(
      .native, #"{"data":{"caller":"Ann"},"apns":{"headers":{"apns-push-type":"voip"}}}"#, writtenFor: [.ios, .android]),
    Row(.native, #"{"badge":0}"#, writtenFor: [.ios]),
    Row(.native, #"{"badge":5}"#, writtenFor: [.ios, .android]),
    Row(.native, #"{"data":{"a":"b"},"apns":{"payload":{"aps":{"event":"start"}}}}"#, writtenFor: [.android]),
    Row(.native, #"{"body":"B","apns":{"payload":{"aps":{"event":"start"}}}}"#, writtenFor: [.android]),
    Row(.adobe, #"{"adb_title":"","adb_body":""}"#, writtenFor: []),
    Row(.adobe, #"{"adb_title":"","adb_body":"","adb_template_type":"zb"}"#, writtenFor: []),
    Row(.adobe, #"{"adb_title":"","adb_body":"","adb_n_count":3}"#, writtenFor: [.ios, .android]),
    Row(.native, #"{"sound":"default"}"#, writtenFor: [.ios, .android]),
    Row(.adobe, #"{"adb_template_type":"ajo_basic","adb_title":"","adb_body":""}"#, writtenFor: []),
    Row(.adobe, #"{"adb_template_type":"ajo_basic"}"#, writtenFor: []),
    Row(.adobe, #"{"adb_template_type":"ajo_basic","adb_body":"B"}"#, writtenFor: [.ios, .android]),
  ]

  @Test(arguments: rows)
  func anEmptyPushIsNotWritten(_ row: Row) throws {
    var context = WriteContext(topic: "com.example.app")
    context.options = row.options
    let message = try JSON.parse(row.message)
    let both = Contracts.render(row.contract, message: message, context: context)
    let written = [(Platform.ios, both.apns != nil), (.android, both.fcm != nil)].filter(\.1).map(\.0)
    #expect(written == row.written, "\(both.report.findings)")
    #expect(both.report.hasErrors == row.written.isEmpty, "\(both.report.findings)")
    for platform in Platform.allCases {
      let one = Contracts.render(row.contract, message: message, context: context, platforms: [platform])
      #expect(one.report.hasErrors != row.written.contains(platform), "\(platform): \(one.report.findings)")
    }
  }

  /// A payload alone is judged by the push type and topic that it will be sent with.
  @Test(
    arguments: [
      ("{}", "com.example.app", ["error apns-shows-nothing "]), ("{}", nil, ["error apns-shows-nothing "]),
      ("{}", "pass.com.example", []), (#"{"aps":{}}"#, "pass.com.example", []),
      (#"{"aps":{}}"#, "com.example.app", ["error apns-shows-nothing aps"]),
    ] as [(String, String?, [String])])
  func aTypedPayload(_ payload: String, _ topic: String?, _ expected: [String]) throws {
    var checker = PushChecker()
    let report = checker.checkOnDevice(document: Array(payload.utf8), pushType: .alert, topic: topic)
    #expect(report.findings.map { "\($0.severity) \($0.rule) \($0.field)" } == expected)
    let headers = APNsHeaders(pushType: .alert, topic: topic)
    let outcome = Contracts.outcome(.native, of: try JSON.parse(payload), on: .ios, headers: headers)
    if case .nothing = outcome { #expect(!expected.isEmpty) } else { #expect(expected.isEmpty, "\(outcome)") }
  }

  @Test func whatDoesNotReachAPlatformIsAWarning() throws {
    let message = try JSON.parse(#"{"messageType":"text","sender":"A","content":"b","type":"x","message":{"id":1}}"#)
    let chat = Contracts.render(.imkit, message: message, platforms: [.ios]).report.findings
    #expect(
      chat.map { "\($0.severity) \($0.rule) \($0.field)" }
        == ["warning field-not-carried message", "warning field-not-carried type"], "\(chat)")
    for options in [[], ["fcm-apns"]] {
      var context = WriteContext()
      context.options = options
      let badge = Contracts.render(
        .powerauth, message: ["title": "T", "badge": 3], context: context, platforms: [.android]
      ).report.findings
      #expect(badge.map(\.message) == ["powerauth does not carry badge to Android"])
    }
  }
}
